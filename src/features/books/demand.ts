import type { ToldDemand, TrancheDemand } from './queries.ts';

export function toldDemand({ tranche_id, indications, subscriptions, orders, coverage }: TrancheDemand): ToldDemand {
  return { tranche_id, indications, subscriptions, orders, coverage };
}

/** Whether two states of a deal's demand are the same; without an earlier one, whether there is no demand at all. */
export function isSameDemand(told: readonly ToldDemand[] | null, now: readonly ToldDemand[]): boolean {
  if (told === null) return now.every((each) => each.indications.count + each.subscriptions.count + each.orders.count === 0);
  return digest(told) === digest(now);
}

const digest = (tranches: readonly ToldDemand[]): string =>
  JSON.stringify(
    tranches.map(({ tranche_id, indications, subscriptions, orders, coverage }) => [
      tranche_id,
      ...[indications, subscriptions, orders].map(({ count, amount }) => [count, amount]),
      coverage,
    ]),
  );
