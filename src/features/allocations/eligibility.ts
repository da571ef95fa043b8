import { localDate } from '../../finance/business-date.ts';
import type { Tx } from '../../platform/db/database.ts';
import { assess, concentration, type Facts, INVESTOR_CHECKS } from '../compliance/checks.ts';
import { listExposures, listProfiles } from '../compliance/queries.ts';
import type { OfferedTranche, OrderRow } from '../orders/queries.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import type { SecuritizationDeal } from '../securitizations/queries.ts';
import type { Id } from '../../platform/ids.ts';

/** The order or subscription behind a bid. */
export type Bidder = OrderRow | SubscriptionRow;

export const bidderId = (row: Bidder): Id<'ord'> | Id<'sub'> => ('order_id' in row ? row.order_id : row.subscription_id);

/**
 * Checks the investor behind every bid again before face is allotted to it. Returns why a bidder is refused, by its id. An order whose
 * compliance review is still open is refused; the operator has already reviewed a confirmed subscription.
 */
export async function loadRefusals(
  tx: Tx,
  deal: SecuritizationDeal,
  tranches: readonly OfferedTranche[],
  bidders: readonly Bidder[],
): Promise<ReadonlyMap<string, string>> {
  const profiles = await listProfiles(tx, [...new Set(bidders.map((row) => row.organization_id))]);
  const profileOf = (row: Bidder): Facts['profile'] => profiles.get(row.organization_id) ?? null;
  const exposures = await loadOtherExposures(
    tx,
    deal,
    bidders.filter((row) => (profileOf(row)?.concentration_limit ?? null) !== null),
  );
  const today = localDate(tx.now, tx.zone);
  const refusals = new Map<string, string>();
  for (const row of bidders) {
    const tranche = tranches.find((each) => each.tranche_id === row.tranche_id);
    if (!tranche) continue;
    const facts: Facts = {
      today,
      organization_id: row.organization_id,
      profile: profileOf(row),
      amount: amountOf(row).toFixed(2),
      deal,
      tranche,
      books_open: true,
      remaining: '0.00',
      exposure: exposures.get(row) ?? '0.00',
    };
    const { result, findings } = assess(facts, [...INVESTOR_CHECKS, concentration]);
    const isRefused = result === 'failed' || (result === 'review_required' && 'order_id' in row);
    if (!isRefused) continue;
    const reasons = findings.filter((finding) => finding.result !== 'passed').map((finding) => finding.reason);
    refusals.set(bidderId(row), `Compliance at allocation: ${reasons.join(' ')}`);
  }
  return refusals;
}

const amountOf = (row: Bidder): number => ('order_id' in row ? row.amount : row.subscription_amount);

/** What each investor has in the deal beside its bid, as decimal text. */
async function loadOtherExposures(
  tx: Tx,
  deal: SecuritizationDeal,
  bidders: readonly Bidder[],
): Promise<ReadonlyMap<Bidder, string>> {
  if (bidders.length === 0) return new Map();
  const exposures = await listExposures(tx, deal.deal_id);
  // The stored exposure already includes an open order and a confirmed subscription; of what was allotted to either it includes the allotment alone.
  const ownOf = (row: Bidder): number => (row.status === 'OPEN' || row.status === 'confirmed' ? amountOf(row) : 0);
  return new Map(bidders.map((row) => [row, (Number(exposures.get(row.organization_id) ?? 0) - ownOf(row)).toFixed(2)]));
}
