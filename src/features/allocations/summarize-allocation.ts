import { formatCents } from '../../finance/money.ts';
import type { AllocationMethod } from './allocate.ts';
import type { NewAllocation } from './queries.ts';
import { bidderId } from './eligibility.ts';
import { outcomes, type AllocationPlan, sourceOf } from './plan-allocation.ts';
import type { SecuritizationDeal } from '../securitizations/queries.ts';
import type { Id } from '../../platform/ids.ts';

export type TrancheSummary = {
  tranche_id: Id<'trn'>;
  tranche: string;
  size: number;
  demand: number;
  allocated: number;
  yield: number | null;
  price: number | null;
  bids: number;
  book_hash: string;
};

export type Unfilled = {
  order_id: Id<'ord'> | null;
  subscription_id: Id<'sub'> | null;
  organization_id: Id<'org'>;
  tranche_id: Id<'trn'>;
  requested_amount: number;
  reason: string;
};

export type DealAllocation = {
  deal_id: Id<'deal'>;
  method: AllocationMethod;
  tranches: TrancheSummary[];
  allocations: NewAllocation[];
  unfilled: Unfilled[];
};

/** An allocation as the operator reads it: each tranche, the allocations, and the bidders that got nothing, with the reason. */
export function summarize(deal: SecuritizationDeal, method: AllocationMethod, plan: AllocationPlan): DealAllocation {
  const outcomeOf = outcomes(plan);
  const unfilled = [...plan.orders, ...plan.confirmed].flatMap((row): Unfilled[] => {
    const { amount, reason } = outcomeOf.get(bidderId(row)) ?? { amount: 0n, reason: '' };
    const requested_amount = 'order_id' in row ? row.amount : row.subscription_amount;
    return amount > 0n ? [] : [{ ...sourceOf(row), tranche_id: row.tranche_id, requested_amount, reason }];
  });
  return {
    deal_id: deal.deal_id,
    method,
    tranches: plan.runs.map(({ tranche, result, price, allocations }) => ({
      tranche_id: tranche.tranche_id,
      tranche: tranche.tranche,
      size: Number(tranche.original_balance),
      demand: Number(formatCents(result.demand)),
      allocated: Number(formatCents(result.allocated)),
      yield: result.yield,
      price: allocations.length === 0 || price === null ? null : Number(price),
      bids: result.bids.length,
      book_hash: result.book_hash,
    })),
    allocations: plan.runs.flatMap((run) => run.allocations),
    unfilled,
  };
}
