import { dirname } from 'node:path';
import { type PoolTable, type PoolTableInput, writePoolTable } from '../analytics/pool-table.ts';
import { openEngine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import { type Identities, writeIdentities } from '../identity/write-identities.ts';

export type WritePoolInput = Omit<PoolTableInput, 'engine'> & {
  workDir: string;
  organizationId: string;
  /** Deals whose tapes have no column of ids. */
  syntheticIds: readonly string[];
  /** Key of the fingerprints, hexadecimal. */
  key: string;
  identitiesPath: string;
};

/** Selects the loans of a pool into a table of their own, and writes down what identifies each of them. */
export const runPoolTable = async (input: WritePoolInput): Promise<{ table: PoolTable; identities: Identities }> => {
  const { workDir, organizationId, syntheticIds, key, identitiesPath, ...table } = input;
  const paths = input.sources.flatMap((source) => [source.loansPath, ...source.outcomesPaths]);
  await using engine = await openEngine({ workDir, allowedDirectories: [...new Set(paths.map(dirname))] });
  const written = await writePoolTable({ ...table, engine });
  const identities = await writeIdentities({
    engine,
    organizationId,
    loanType: input.loanType,
    sources: input.sources.map(({ deal_id, deal_number, loansPath }) => ({
      loansPath,
      syntheticIds: syntheticIds.includes(deal_id),
      condition: `row_number IN (SELECT row_number FROM ${parquet(input.path)} WHERE deal_number = ${deal_number})`,
    })),
    key: Buffer.from(key, 'hex'),
    path: identitiesPath,
  });
  return { table: written, identities };
};
