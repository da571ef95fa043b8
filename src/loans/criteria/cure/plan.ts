import { MICRO } from '../decimal.ts';
import { cheapestCover, coverFrom, type OrderedItems, orderItems } from './cover.ts';
import {
  groupsHold,
  groupWeights,
  holds,
  indexHolds,
  largestFirst,
  type PoolLoans,
  type PoolModel,
  sumOver,
  totalWeight,
} from './model.ts';

/** The loans to remove so that a test holds. Costs are in the units of `PoolLoans.cost`. */
export interface PossibleRemoval {
  /** Positions of the loans to remove. */
  removed: number[];
  reason: null;
  /** No removal that makes the test hold costs less. */
  bound: number;
  optimal: boolean;
  method: string;
}

/** Why no removal makes a test hold. */
export interface ImpossibleRemoval {
  removed: null;
  reason: string;
  method: string;
  /** That none does is certain; else none was found. */
  proved: boolean;
}

export type RemovalPlan = PossibleRemoval | ImpossibleRemoval;

const EXHAUSTIVE_LOANS = 14;

/**
 * The cheapest removal that satisfies a model, or the reason why none exists. For group limits every subset is tried in pools of at most
 * `exhaustiveLoans`.
 */
export function planRemoval(model: PoolModel, loans: PoolLoans, exhaustiveLoans = EXHAUSTIVE_LOANS): RemovalPlan {
  if (model.kind === 'never') return impossible(model.reason);
  if (model.kind === 'forbid') return forbidding(model.forbidden, loans);
  if (model.kind === 'linear') return covering(model, loans);
  if (loans.cost.length <= exhaustiveLoans) return exhaustive(model, loans);
  if (model.kind === 'largest') return raisingLargest(model, loans);
  if (model.kind === 'hhi' && model.floor) return raisingIndex(model, loans);
  const plan = model.kind === 'groups' && model.top === 1 ? capGroups(model, loans) : capLevel(model, loans);
  return plan.removed !== null && plan.removed.length === loans.cost.length ? impossible(NOTHING_LEFT) : plan;
}

const NOTHING_LEFT = 'the test holds only when no loan is left';

export function impossible(reason: string, method = 'none', proved = true): ImpossibleRemoval {
  return { removed: null, reason, method, proved };
}

export function costOf(loans: PoolLoans, removed: readonly number[]): number {
  return removed.reduce((sum, index) => sum + loans.cost[index], 0);
}

function forbidding(forbidden: Uint8Array, loans: PoolLoans): RemovalPlan {
  const removed = [...forbidden.keys()].filter((index) => forbidden[index]);
  if (removed.length === loans.cost.length) return impossible(NOTHING_LEFT);
  return { removed, reason: null, bound: costOf(loans, removed), optimal: true, method: 'every loan beyond the limit must go' };
}

function covering({ term, constant, strict }: Extract<PoolModel, { kind: 'linear' }>, loans: PoolLoans): RemovalPlan {
  const missing = (strict ? 1n : 0n) - constant - sumOver(loans, term);
  const items = {
    indices: Uint32Array.from(loans.cost.keys()),
    gain: (index: number) => -term(index),
    cost: (index: number) => loans.cost[index],
  };
  const cover = cheapestCover(items, missing);
  if (cover.chosen === null) return impossible('even without every loan that counts against it the limit is not met');
  if (cover.chosen.length === loans.cost.length) return impossible(NOTHING_LEFT);
  return {
    removed: cover.chosen,
    reason: null,
    bound: cover.bound,
    optimal: cover.optimal,
    method: 'cheapest cover: linear relaxation, then every subset of 24 loans around its break',
  };
}

/** Keeps the presently largest groups. Others might become the largest at less cost, so nothing is proved. */
function raisingLargest({ limit, top, strict }: Extract<PoolModel, { kind: 'largest' }>, loans: PoolLoans): RemovalPlan {
  const largest = new Set(largestFirst(groupWeights(loans, () => true)).slice(0, top));
  const term = (index: number) => loans.weight[index] * ((largest.has(loans.group[index]) ? MICRO : 0n) - limit);
  const plan = covering({ kind: 'linear', term, constant: 0n, strict }, loans);
  return plan.removed === null ? plan : { ...plan, bound: 0, optimal: false };
}

/**
 * Removes the smallest groups loan by loan until the index is high enough, which it is at 1 when the largest group alone is left. Other groups might
 * do at less cost, so nothing is proved.
 */
function raisingIndex(model: Extract<PoolModel, { kind: 'hhi' }>, loans: PoolLoans): RemovalPlan {
  const weights = groupWeights(loans, () => true);
  const [largest, ...others] = largestFirst(weights);
  const rank = new Map([largest, ...others].map((group, place) => [group, place]));
  // Loans in no group stand against the index in any case.
  const place = (index: number) => rank.get(loans.group[index]) ?? rank.size;
  const order = [...loans.cost.keys()].filter((index) => loans.group[index] !== largest);
  order.sort((x, y) => place(y) - place(x) || loans.cost[x] - loans.cost[y]);
  let squares = weights.reduce((sum, weight) => sum + weight * weight, 0n);
  let total = totalWeight(loans, () => true);
  for (const [at, index] of order.entries()) {
    const [group, weight] = [loans.group[index], loans.weight[index]];
    total -= weight;
    if (group >= 0) {
      squares += weight * weight - 2n * weight * weights[group];
      weights[group] -= weight;
    }
    if (indexHolds(model, squares, total))
      return {
        removed: order.slice(0, at + 1),
        reason: null,
        bound: 0,
        optimal: false,
        method: 'the smallest groups, loan by loan',
      };
  }
  return impossible('no pool of these loans reaches the limit');
}

/** Every subset of a small pool, cheapest removal first in cost. */
function exhaustive(model: Extract<PoolModel, { kind: 'groups' | 'largest' | 'hhi' }>, loans: PoolLoans): RemovalPlan {
  const count = loans.cost.length;
  let best: { mask: number; cost: number } | null = null;
  for (let mask = 0; mask < 2 ** count - 1; mask += 1) {
    const cost = loans.cost.reduce((sum, each, index) => (mask & (1 << index) ? sum + each : sum), 0);
    if (best !== null && cost >= best.cost) continue;
    if (holds(model, loans, (index) => !(mask & (1 << index)))) best = { mask, cost };
  }
  if (best === null) return impossible(tooFewGroups(model, loans));
  const { mask, cost } = best;
  const removed = loans.cost.flatMap((_, index) => (mask & (1 << index) ? [index] : []));
  return { removed, reason: null, bound: cost, optimal: true, method: 'every subset' };
}

function tooFewGroups(model: PoolModel, loans: PoolLoans): string {
  if (model.kind === 'largest' || (model.kind === 'hhi' && model.floor)) return 'no pool of these loans reaches the limit';
  return `${loans.groupKeys.length} groups are too few: no pool of them keeps within the limit${model.kind === 'hhi' ? ' on the index' : ''}`;
}

/**
 * Largest pool in which every group keeps within its share. A pool of total T fits when each group g keeps a subset of at most limit_g × T; so
 * the optimum is the greatest T with T = F(T) = Σ_g (largest subset of g up to limit_g × T). F only grows with T, so going down from the bound of the
 * divisible problem, T ← F(T), ends in the optimum (Tarski), exactly where each group's subset is exact.
 */
function capGroups(model: Extract<PoolModel, { kind: 'groups' }>, loans: PoolLoans): RemovalPlan {
  const weights = groupWeights(loans, () => true);
  const trim = trimmer(loans, weights);
  const all = totalWeight(loans, () => true);
  const ceiling = divisibleTotal(model, weights, all);
  let total = ceiling;
  for (let round = 0; round < 200 && total > 0n; round += 1) {
    const trims = weights.map((_, group) => trim(group, capOf(model, group, total)));
    const removed = trims.flatMap(({ removed: gone }) => gone);
    const left = all - removed.reduce((sum, index) => sum + loans.weight[index], 0n);
    if (left >= total || groupsHold(model, groupWeights(loans, outside(removed)), left)) {
      if (left <= 0n) break;
      return judgedPlan(
        removed,
        loans,
        Number((all - ceiling) / loans.unit),
        // Groups that change places may cost less.
        model.ranks === null && trims.every(({ optimal }) => optimal),
        'largest fixed point of the group caps, each group by its best subset',
      );
    }
    total = left;
  }
  return impossible(tooFewGroups(model, loans));
}

function outside(removed: readonly number[]): (index: number) => boolean {
  const gone = new Set(removed);
  return (index) => !gone.has(index);
}

function judgedPlan(removed: number[], loans: PoolLoans, bound: number, exact: boolean, method: string): RemovalPlan {
  const cost = costOf(loans, removed);
  const weighed = loans.weight.every((weight, index) => weight === BigInt(loans.cost[index]) * loans.unit);
  const optimal = weighed && (exact || cost <= bound);
  return { removed, reason: null, bound: weighed ? (optimal ? cost : Math.min(bound, cost)) : 0, optimal, method };
}

function membersOf(loans: PoolLoans): number[][] {
  const members = loans.groupKeys.map((): number[] => []);
  loans.group.forEach((group, index) => {
    if (group >= 0) members[group].push(index);
  });
  return members;
}

function capOf(model: Extract<PoolModel, { kind: 'groups' }>, group: number, total: bigint): bigint {
  const product = model.limits[group] * total;
  return model.strict ? (product + MICRO - 1n) / MICRO - 1n : product / MICRO;
}

/** Removes from each group the cheapest loans so that it weighs at most its cap; the order of a group's loans is found once. */
function trimmer(loans: PoolLoans, weights: readonly bigint[]) {
  const members = membersOf(loans);
  const ordered = new Map<number, OrderedItems>();
  return (group: number, cap: bigint): { removed: number[]; optimal: boolean } => {
    const weight = weights[group];
    const positions = members[group];
    if (weight <= cap) return { removed: [], optimal: true };
    const known =
      ordered.get(group) ??
      orderItems({
        indices: Uint32Array.from(positions),
        gain: (index) => loans.weight[index],
        cost: (index) => loans.cost[index],
      });
    ordered.set(group, known);
    const cover = coverFrom(known, weight - cap);
    return cover.chosen === null ? { removed: positions, optimal: true } : { removed: cover.chosen, optimal: cover.optimal };
  };
}

/** Total of the largest pool if loans could be divided: groups above their cap are cut to it. An upper bound for whole loans. */
function divisibleTotal(model: Extract<PoolModel, { kind: 'groups' }>, weights: readonly bigint[], all: bigint): bigint {
  const order = weights.map((_, group) => group).filter((group) => weights[group] > 0n);
  // Sorted by weight / limit, descending: the groups that break first as the total shrinks come first.
  order.sort((x, y) => {
    const [left, right] = [weights[x] * model.limits[y], weights[y] * model.limits[x]];
    return left < right ? 1 : left > right ? -1 : x - y;
  });
  let rest = all;
  let share = 0n;
  for (const group of order) {
    const limit = model.limits[group];
    if (share < MICRO && weights[group] * (MICRO - share) <= limit * rest) break;
    rest -= weights[group];
    share += limit;
  }
  if (share >= MICRO) return all;
  return (rest * MICRO) / (MICRO - share);
}

/**
 * Cuts the largest groups to one level. Both tests, the largest N together and the Herfindahl index, bound a convex function of the group
 * weights by a linear one; by the Karush-Kuhn-Tucker conditions the divisible optimum has every group that is cut at the same level, which bisection
 * finds and which gives the bound. Each group is then cut by its best subset of loans.
 */
function capLevel(model: Extract<PoolModel, { kind: 'groups' | 'hhi' }>, loans: PoolLoans): RemovalPlan {
  const weights = groupWeights(loans, () => true);
  const trim = trimmer(loans, weights);
  const all = totalWeight(loans, () => true);
  const outsideGroups = all - weights.reduce((sum, weight) => sum + weight, 0n);
  const cutTo = (level: bigint) => weights.map((weight) => (weight < level ? weight : level));
  const fits = (level: bigint) => {
    const cut = cutTo(level);
    return groupsHold(
      model,
      cut,
      cut.reduce((sum, weight) => sum + weight, outsideGroups),
    );
  };
  const divisible = bisect(
    weights.reduce((a, b) => (b > a ? b : a), 0n),
    fits,
  );
  if (divisible === null) return impossible(tooFewGroups(model, loans));
  const removedAt = (level: bigint) => weights.flatMap((_, group) => trim(group, level).removed);
  let level = divisible;
  for (let round = 0; round < 60; round += 1) {
    const removed = removedAt(level);
    if (holds(model, loans, outside(removed))) {
      const cut = cutTo(divisible);
      const bound = weights.reduce((sum, weight, index) => sum + weight - cut[index] - 1n, 0n);
      return judgedPlan(
        removed,
        loans,
        Number((bound > 0n ? bound : 0n) / loans.unit),
        false,
        'groups cut to one level, each by its best subset',
      );
    }
    // Whole loans seldom meet the level to the cent. A slightly lower level may work; if it does not, the steps grow.
    level -= loans.unit << BigInt(Math.min(round, 40));
    if (level <= 0n) break;
  }
  return impossible('no level of the largest groups was found at which the test holds', 'groups cut to one level', false);
}

/** The highest level that fits; null when none above zero does. The lower the level, the more alike the groups. */
function bisect(highest: bigint, fits: (level: bigint) => boolean): bigint | null {
  let [low, high] = [0n, highest];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low > 0n ? low : null;
}
