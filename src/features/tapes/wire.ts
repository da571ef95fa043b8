import { orNotFound } from '../../platform/http/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { findDealRow } from '../deals/queries.ts';

export const TAG = 'Loan tapes';

/** The response to an act on a deal: the whole deal, with what the act adds. */
export async function withDeal<Added extends { deal_id: Id<'deal'> }>(tx: Tx, { organization_id }: Actor, added: Added) {
  return { ...orNotFound(await findDealRow(tx, organization_id, added.deal_id), 'deal'), ...added };
}
