import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { findPool } from '../pools/queries.ts';
import { findSecuritization } from '../securitizations/queries.ts';
import { listDemand, listDemandOfInvestors } from './queries.ts';

/** The book of the caller's own pool in totals. Only the sums leave the platform's scope: no bid of another organization is read. */
export async function readPoolBook(tx: Tx, { organization_id }: Actor, poolId: Id<'pool'>) {
  const { pool_id, name, deal_id } = orNotFound(await findPool(tx, organization_id, poolId), 'pool');
  const deal = deal_id && (await findSecuritization(tx, deal_id));
  const tranches = deal ? await asPlatform(tx, () => listDemand(tx, deal.deal_id)) : [];
  return { pool_id, name, deal_id, market_status: deal ? deal.market_status : null, tranches };
}

/** The book of a securitization deal with the investors behind its totals, for the operator. */
export async function readDealBook(tx: Tx, dealId: Id<'deal'>) {
  const { deal_id, pool_id, name, market_status } = orNotFound(await findSecuritization(tx, dealId), 'securitization deal');
  return { pool_id, name, deal_id, market_status, tranches: await listDemandOfInvestors(tx, deal_id) };
}
