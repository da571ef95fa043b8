import type { Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/http/errors.ts';
import { findDeal } from '../deals/queries.ts';
import { findLatestTape, type Tape } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** The newest tape of the caller's deal, null before the first one; 404 where there is no such deal. */
export async function newestTape(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Tape | null> {
  if (!(await findDeal(tx, organizationId, dealId))) throw notFound('deal');
  return findLatestTape(tx, organizationId, dealId);
}
