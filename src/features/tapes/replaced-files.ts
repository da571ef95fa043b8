import type { Tx } from '../../platform/db/database.ts';
import type { Tape, TapeResult } from './queries.ts';
import { findTape } from './queries.ts';
import { listUnusedLoans, noteRemoved, READERS_MINUTES } from './seal-queries.ts';

/**
 * Has the files of an earlier run deleted once a run has replaced the raw table: another set of columns is sealed, and what is sealed now
 * stands in the older files as it was sent. Loans that a run of criteria names stay.
 */
export async function removeReplaced(tx: Tx, before: Tape, result: TapeResult): Promise<void> {
  if (before.raw_key === null || before.raw_key === result.raw_key) return;
  const now = await findTape(tx, before.organization_id, before.deal_id, before.version);
  // The run was superseded: its own files are the ones that no row names.
  if (now?.raw_key !== result.raw_key) return;
  const loans = before.loans_key ? await listUnusedLoans(tx, before.organization_id, [before.loans_key]) : [];
  const keys = [before.raw_key, before.sealed_key, before.issues_key, ...loans].filter((key) => key !== null);
  await noteRemoved(tx, before.organization_id, keys, READERS_MINUTES);
}
