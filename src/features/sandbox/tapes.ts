import { generateTape } from '../../loans/generate/generate-tape.ts';
import type { LoanType } from '../../loans/types.ts';

/** A generated tape, the same at every call. */
export async function tapeFor(type: LoanType, rows: number, defects: boolean): Promise<Buffer> {
  const parts: string[] = [];
  for await (const part of generateTape({ type, rows, defects, seed: 7 }).csv()) parts.push(part);
  return Buffer.from(parts.join(''));
}
