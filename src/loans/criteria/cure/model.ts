import { MICRO, toMicro } from '../decimal.ts';
import type { PoolTest } from '../language.ts';
import { groupLimits } from '../pool-groups.ts';

/**
 * The loans of a test's population, by position; every amount is exact. Columns are typed arrays: millions of separate whole numbers would
 * be moved about at each collection of garbage.
 */
export interface PoolLoans {
  /** Cost of a removal: balance in units. */
  cost: number[];
  /** Millionths of the currency in a unit of cost: 10,000 where every balance is in whole cents. */
  unit: bigint;
  /** Weight in the test, in millionths; sums and averages of values use weight 1. */
  weight: BigInt64Array;
  /** Measured value in millionths; nothing where `measured` is 0. */
  value: BigInt64Array;
  /** 1 where the loan has a value. */
  measured: Uint8Array;
  /** 1 where `where` holds. */
  inside: Uint8Array;
  /** Group of the loan, -1 for none. */
  group: Int32Array;
  groupKeys: string[];
}

/**
 * A pool test as a condition on the remaining loans.
 * - `linear`: constant + Σ term over the remaining loans ≥ 0 (> 0 when strict).
 * - `forbid`: none of these loans may remain.
 * - `groups`: the weight of each group stays within its share of the total (top 1), or the largest `top` together. With `ranks` the groups
 *   have the limits of the ranks that they then have; `limits` are those of their present ranks.
 * - `largest`: the largest `top` groups together reach their share.
 * - `hhi`: Σ group² ≤ limit × total², or at least that where the limit is a floor.
 * - `never`: no removal can help.
 */
export type PoolModel =
  | { kind: 'linear'; term: (index: number) => bigint; constant: bigint; strict: boolean }
  | { kind: 'forbid'; forbidden: Uint8Array }
  | { kind: 'groups'; limits: bigint[]; ranks: bigint[] | null; top: number; strict: boolean }
  | { kind: 'largest'; limit: bigint; top: number; strict: boolean }
  | { kind: 'hhi'; limit: bigint; strict: boolean; floor: boolean }
  | { kind: 'never'; reason: string };

/** The condition that a failed test puts on the remaining loans. `above`: the figure exceeds the upper limit, else it is below the lower one. */
export function modelOf(test: PoolTest, loans: PoolLoans, above: boolean): PoolModel {
  const limits = Array.isArray(test.value) ? test.value : [test.value, test.value];
  const limit = toMicro(above ? limits[1] : limits[0]);
  const strict = test.op === 'lt' || test.op === 'gt';
  if (test.type === 'concentration') return concentrationModel(test, loans, above, limit, strict);
  if (test.type === 'hhi') return { kind: 'hhi', limit, strict, floor: !above };
  if (test.type === 'min' || test.type === 'max') return extremeModel(test, loans, above, limit, strict);
  if (test.type === 'count' || test.type === 'sum') return totalModel(test, loans, above, limit, strict);
  const sign = above ? -1n : 1n;
  const factor = factorOf(test, loans, limit);
  return { kind: 'linear', term: (index) => sign * loans.weight[index] * factor(index), constant: 0n, strict };
}

/** What the weight of a loan counts times. Share: inside − limit; averages: value − limit, loans without a value count for nothing. */
function factorOf(test: PoolTest, { inside, value, measured }: PoolLoans, limit: bigint): (index: number) => bigint {
  if (test.type === 'share') return (index) => (inside[index] ? MICRO - limit : -limit);
  return (index) => (inside[index] && measured[index] ? value[index] - limit : 0n);
}

function totalModel(test: PoolTest, loans: PoolLoans, above: boolean, limit: bigint, strict: boolean): PoolModel {
  const { inside, value, measured } = loans;
  const sign = above ? -1n : 1n;
  const each = test.type === 'count' ? () => MICRO : (index: number) => (measured[index] ? value[index] : 0n);
  return { kind: 'linear', term: (index) => (inside[index] ? sign * each(index) : 0n), constant: -sign * limit, strict };
}

function extremeModel(test: PoolTest, loans: PoolLoans, above: boolean, limit: bigint, strict: boolean): PoolModel {
  if ((test.type === 'max') !== above)
    return { kind: 'never', reason: `removing loans cannot move the ${test.type} in that direction` };
  const forbidden = loans.inside.map((isInside, index) => {
    if (!isInside || !loans.measured[index]) return 0;
    const value = loans.value[index];
    return (above ? value > limit : value < limit) || (strict && value === limit) ? 1 : 0;
  });
  return { kind: 'forbid', forbidden };
}

function concentrationModel(test: PoolTest, loans: PoolLoans, above: boolean, limit: bigint, strict: boolean): PoolModel {
  const top = test.top ?? 1;
  if (!above) return { kind: 'largest', limit, top, strict };
  const weights = groupWeights(loans, () => true);
  const limits = weights.map(() => limit);
  const limitOf = groupLimits(test);
  if (test.exceptions || test.rank_limits)
    largestFirst(weights).forEach((group, rank) => (limits[group] = toMicro(limitOf(loans.groupKeys[group], rank))));
  const ranks = test.rank_limits ? [...test.rank_limits.map(toMicro), limit] : null;
  return { kind: 'groups', limits, ranks, top, strict };
}

/** Groups by falling weight, those of equal weight in the order of their keys. */
export function largestFirst(weights: readonly bigint[]): number[] {
  return weights.map((_, group) => group).sort((x, y) => Number(weights[y] - weights[x]) || x - y);
}

export function groupWeights(loans: PoolLoans, kept: (index: number) => boolean): bigint[] {
  const weights = loans.groupKeys.map(() => 0n);
  loans.group.forEach((group, index) => {
    if (group >= 0 && kept(index)) weights[group] = weights[group] + loans.weight[index];
  });
  return weights;
}

export function totalWeight(loans: PoolLoans, kept: (index: number) => boolean): bigint {
  return sumOver(loans, (index) => loans.weight[index], kept);
}

/** Sum of a figure over the remaining loans. */
export function sumOver(loans: PoolLoans, figure: (index: number) => bigint, kept?: (index: number) => boolean): bigint {
  let sum = 0n;
  for (let index = 0; index < loans.cost.length; index += 1) if (kept === undefined || kept(index)) sum += figure(index);
  return sum;
}

/** Whether the remaining loans satisfy the test. An empty population satisfies no test. */
export function holds(model: PoolModel, loans: PoolLoans, kept: (index: number) => boolean): boolean {
  if (model.kind === 'never') return false;
  if (model.kind === 'forbid') return model.forbidden.every((isForbidden, index) => !isForbidden || !kept(index));
  if (model.kind === 'linear') {
    const sum = model.constant + sumOver(loans, model.term, kept);
    return model.strict ? sum > 0n : sum >= 0n;
  }
  return groupsHold(model, groupWeights(loans, kept), totalWeight(loans, kept));
}

/** As `holds`, for known weights of groups. */
export function groupsHold(
  model: Extract<PoolModel, { kind: 'groups' | 'largest' | 'hhi' }>,
  weights: readonly bigint[],
  total: bigint,
): boolean {
  if (total <= 0n) return false;
  const within = (part: bigint, whole: bigint) => (model.strict ? part < whole : part <= whole);
  if (model.kind === 'hhi')
    return indexHolds(
      model,
      weights.reduce((sum, weight) => sum + weight * weight, 0n),
      total,
    );
  if (model.kind === 'groups' && model.top === 1 && model.ranks === null)
    return weights.every((weight, group) => weight === 0n || within(weight * MICRO, model.limits[group] * total));
  const falling = [...weights].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  if (model.kind === 'groups' && model.ranks !== null) {
    const limits = model.ranks;
    const limitOf = (rank: number) => limits[Math.min(rank, limits.length - 1)];
    return falling.every((weight, rank) => weight === 0n || within(weight * MICRO, limitOf(rank) * total));
  }
  const together = falling.slice(0, model.top).reduce((sum, weight) => sum + weight, 0n) * MICRO;
  return model.kind === 'largest' ? within(model.limit * total, together) : within(together, model.limits[0] * total);
}

/** As `groupsHold`, for the sum of the squared weights of the groups. */
export function indexHolds(
  { limit, strict, floor }: Extract<PoolModel, { kind: 'hhi' }>,
  squares: bigint,
  total: bigint,
): boolean {
  const [index, bound] = [squares * MICRO, limit * total * total];
  if (index === bound) return total > 0n && !strict;
  return total > 0n && index > bound === floor;
}
