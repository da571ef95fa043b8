import { localDate } from '../../finance/business-date.ts';
import type { Tx } from '../../platform/db/database.ts';
import { assess, concentration, type Facts, INVESTOR_CHECKS } from '../compliance/checks.ts';
import { listProfiles, loadExposure } from '../compliance/queries.ts';
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
  const refusals = new Map<string, string>();
  for (const row of bidders) {
    const tranche = tranches.find((each) => each.tranche_id === row.tranche_id);
    if (!tranche) continue;
    const facts = await factsOf(tx, deal, tranche, row, profiles.get(row.organization_id) ?? null);
    const { result, findings } = assess(facts, [...INVESTOR_CHECKS, concentration]);
    const isRefused = result === 'failed' || (result === 'review_required' && 'order_id' in row);
    if (!isRefused) continue;
    const reasons = findings.filter((finding) => finding.result !== 'passed').map((finding) => finding.reason);
    refusals.set(bidderId(row), `Compliance at allocation: ${reasons.join(' ')}`);
  }
  return refusals;
}

async function factsOf(
  tx: Tx,
  deal: SecuritizationDeal,
  tranche: OfferedTranche,
  row: Bidder,
  profile: Facts['profile'],
): Promise<Facts> {
  const amount = 'order_id' in row ? row.amount : row.subscription_amount;
  const facts: Facts = {
    today: localDate(tx.now, tx.zone),
    organization_id: row.organization_id,
    profile,
    amount: amount.toFixed(2),
    deal,
    tranche,
    books_open: true,
    remaining: '0.00',
    exposure: '0.00',
  };
  if ((profile?.concentration_limit ?? null) === null) return facts;
  const exposure = await loadExposure(tx, row.organization_id, row.deal_id, 'order_id' in row ? row.order_id : null);
  // The stored exposure already includes a confirmed subscription; for an allocated one it includes only its allotment.
  const own = 'order_id' in row || row.status !== 'confirmed' ? 0 : amount;
  return { ...facts, exposure: (Number(exposure) - own).toFixed(2) };
}
