import type { EventData } from '../../events/events.ts';

/** How much of one kind of demand there is. */
export type DemandCount = { count: number; amount: number };

/** The live demand for one offered tranche, without names. */
export type TrancheDemand = EventData<'demand.changed'>['tranches'][number];

/** The stored facts of a tranche's demand; amounts in currency units. */
export type DemandFacts = {
  tranche_id: string;
  balance: number;
  /** Live indications of the deal: all of them with its most senior tranche on offer, none with the others. */
  indications: DemandCount;
  /** Pending and confirmed subscriptions, and those further on the way to settlement. */
  subscriptions: DemandCount;
  /** Open orders. */
  orders: DemandCount;
};

const COVERAGE_DECIMALS = 6;

/** `coverage` is what is committed or bid for over the balance of the tranche: 1 covers it. */
export function demandOf({ balance, ...facts }: DemandFacts): TrancheDemand {
  const cents = Math.round(facts.subscriptions.amount * 100) + Math.round(facts.orders.amount * 100);
  return { ...facts, coverage: Number((cents / 100 / balance).toFixed(COVERAGE_DECIMALS)) };
}

/** Whether two states of a deal's demand are the same; without an earlier one, whether there is no demand at all. */
export function isSameDemand(told: readonly TrancheDemand[] | null, now: readonly TrancheDemand[]): boolean {
  if (told === null) return now.every((each) => each.indications.count + each.subscriptions.count + each.orders.count === 0);
  return digest(told) === digest(now);
}

const digest = (tranches: readonly TrancheDemand[]): string =>
  JSON.stringify(
    tranches.map(({ tranche_id, indications, subscriptions, orders, coverage }) => [
      tranche_id,
      ...[indications, subscriptions, orders].map(({ count, amount }) => [count, amount]),
      coverage,
    ]),
  );
