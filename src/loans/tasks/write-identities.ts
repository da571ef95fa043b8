import { dirname } from 'node:path';
import { openEngine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import { type Identities, writeIdentities } from '../identity/write-identities.ts';
import type { LoanType } from '../types.ts';

export type IdentitiesTaskInput = {
  organizationId: string;
  loanType: LoanType;
  /** Loan tables, each whole or the rows that a pool took from it. */
  sources: { loansPath: string; syntheticIds: boolean; pool: { path: string; deal_number: number } | null }[];
  listPath?: string;
  /** Key of the fingerprints, hexadecimal. */
  key: string;
  path: string;
  workDir: string;
};

/** Writes down what identifies the loans of tapes. */
export const runIdentities = async (input: IdentitiesTaskInput): Promise<Identities> => {
  const { organizationId, loanType, key, path, listPath, workDir } = input;
  const paths = input.sources.flatMap(({ loansPath, pool }) => (pool ? [loansPath, pool.path] : [loansPath]));
  await using engine = await openEngine({ workDir, allowedDirectories: [...new Set(paths.map(dirname))] });
  const sources = input.sources.map(({ loansPath, syntheticIds, pool }) => ({
    loansPath,
    syntheticIds,
    condition: pool && `row_number IN (SELECT row_number FROM ${parquet(pool.path)} WHERE deal_number = ${pool.deal_number})`,
  }));
  const list = listPath === undefined ? {} : { listPath };
  return await writeIdentities({ engine, organizationId, loanType, sources, key: Buffer.from(key, 'hex'), path, ...list });
};
