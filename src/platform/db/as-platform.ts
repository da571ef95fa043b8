import type { Tx } from './database.ts';

/**
 * Runs one part of an organization's transaction in the platform's scope, for what its act does to other organizations' records.
 * The caller's scope is back when it ends; where it throws, the transaction is over anyway.
 */
export async function asPlatform<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  const before = await tx.one<{ scope: string }>(`select current_setting('sluice.scope', true) as scope`);
  await tx.rows(SET_SCOPE, ['platform']);
  const result = await work();
  await tx.rows(SET_SCOPE, [before?.scope ?? 'organization']);
  return result;
}

const SET_SCOPE = `select set_config('sluice.scope', $1, true)`;
