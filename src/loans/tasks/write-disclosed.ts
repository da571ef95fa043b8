import { dirname } from 'node:path';
import { openEngine } from '../engine/engine.ts';
import { type DisclosedLoans, writeDisclosed } from '../export/disclosed-loans.ts';

export type WriteDisclosedInput = DisclosedLoans & { workDir: string; path: string; format: 'csv' | 'parquet' };

/** Writes the disclosed loans of a deal into a file. */
export const runDisclosedLoans = async ({ workDir, path, format, ...loans }: WriteDisclosedInput): Promise<{ loans: number }> => {
  await using engine = await openEngine({ workDir, allowedDirectories: [dirname(loans.loansPath)] });
  return { loans: await writeDisclosed(engine, loans, { path, format }) };
};
