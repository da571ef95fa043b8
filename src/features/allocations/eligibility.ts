import type { Tx } from '../../platform/db/database.ts';
import { assess, concentration, type Facts, INVESTOR_CHECKS } from '../compliance/checks.ts';
import type { RoundBid } from './queries.ts';
import { listProfiles, loadExposure } from '../compliance/queries.ts';
import type { OfferedTranche, OrderRow } from '../orders/queries.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { sourceId } from './round.ts';
import type { SecuritizationDeal } from '../securitizations/queries.ts';

type Source = Pick<RoundBid, 'order_id' | 'subscription_id'>;

export type Eligibility = {
  /** Why a bid may not be given face, or null when it may. */
  refusal(bid: Source): string | null;
};

/**
 * Looks at the investor of every bid once more before face is given to it. An order whose review is still open is refused; a
 * confirmed subscription was reviewed by the operator.
 */
export async function loadEligibility(
  tx: Tx,
  deal: SecuritizationDeal,
  tranches: readonly OfferedTranche[],
  bidders: readonly (OrderRow | SubscriptionRow)[],
): Promise<Eligibility> {
  const profiles = await listProfiles(tx, [...new Set(bidders.map((row) => row.organization_id))]);
  const reasons = new Map<string, string>();
  for (const row of bidders) {
    const tranche = tranches.find((each) => each.tranche_id === row.tranche_id);
    if (!tranche) continue;
    const facts = await factsOf(tx, deal, tranche, row, profiles.get(row.organization_id) ?? null);
    const { result, findings } = assess(facts, [...INVESTOR_CHECKS, concentration]);
    const open = result === 'failed' || (result === 'review_required' && 'order_id' in row);
    if (!open) continue;
    const why = findings.filter((finding) => finding.result !== 'passed').map((finding) => finding.reason);
    reasons.set('order_id' in row ? row.order_id : row.subscription_id, `Compliance at allocation: ${why.join(' ')}`);
  }
  return { refusal: (bid) => reasons.get(sourceId(bid)) ?? null };
}

async function factsOf(
  tx: Tx,
  deal: SecuritizationDeal,
  tranche: OfferedTranche,
  row: OrderRow | SubscriptionRow,
  profile: Facts['profile'],
): Promise<Facts> {
  const amount = 'order_id' in row ? row.amount : row.subscription_amount;
  const facts: Facts = {
    today: tx.now.toISOString().slice(0, 10),
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
  // A confirmed subscription is part of the exposure that the facts count; of an allocated one they count what it was given.
  const own = 'order_id' in row || row.status !== 'confirmed' ? 0 : amount;
  return { ...facts, exposure: (Number(exposure) - own).toFixed(2) };
}
