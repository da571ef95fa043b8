import type { PoolTest } from '../language.ts';
import type { PoolTestResult } from '../pool-result.ts';
import { judgeFigure } from '../pool-verdict.ts';
import type { LoadedPool } from './load.ts';
import { holds, modelOf, type PoolLoans, type PoolModel } from './model.ts';
import { costOf, impossible, type ImpossibleRemoval, type PossibleRemoval, type RemovalPlan, planRemoval } from './plan.ts';
import { planesOf } from './planes.ts';
import { type Limit, relax, type Relaxation } from './relax.ts';
import { settle } from './settle.ts';

export interface MeasuredTest {
  test: PoolTest;
  result: Pick<PoolTestResult, 'passed'>;
  pool: LoadedPool;
}

const EXHAUSTIVE_LOANS = 14;
const ROUNDS_MAX = 60;
const TAKEN_BACK_MAX = 2_000;

/** Up to here the limits are also cured one after the other, and the cheaper removal is taken. */
const THOROUGH_LOANS = 20_000;

/**
 * The removal with the largest remaining pool that passes all tests; positions are those of the eligible loans. Up to `exhaustiveLoans` every subset
 * is tried.
 */
export function enlarge(tests: readonly MeasuredTest[], exhaustiveLoans = EXHAUSTIVE_LOANS): RemovalPlan {
  const loans = tests[0].pool.loans;
  const sides = tests.flatMap(({ test, pool }) => sidesOf(test, pool.loans));
  if (loans.cost.length <= exhaustiveLoans) return searchAll(sides, loans);
  const relaxed = relaxSides(sides, loans);
  // Where one limit alone decides, its own cure comes nearer to the bound.
  const together = relaxed !== null && relaxed.active > 1 ? wholeLoans(sides, loans, relaxed) : null;
  const inTurn = together === null || loans.cost.length <= THOROUGH_LOANS ? cureInTurn(sides, loans) : null;
  if (together === null && inTurn !== null && 'reason' in inTurn) return impossible(inTurn.reason, IN_TURN, inTurn.proved);
  const cured = inTurn === null || 'reason' in inTurn ? null : inTurn;
  const bound = Math.max(relaxed?.bound ?? 0, cured?.bound ?? 0);
  const plans = [
    ...(cured ? [planOf(loans, cured.kept, bound, IN_TURN)] : []),
    ...(together ? [planOf(loans, together, bound, TOGETHER)] : []),
  ];
  return plans.reduce((best, other) => (costOf(loans, other.removed) < costOf(loans, best.removed) ? other : best));
}

const IN_TURN = 'failed tests cured in turn, then loans taken back, the largest first';
const TOGETHER = 'linear relaxation of all tests together, then whole loans around its break';

function planOf(loans: PoolLoans, kept: Uint8Array, bound: number, method: string): PossibleRemoval {
  const removed = loans.cost.flatMap((_, index) => (kept[index] ? [] : [index]));
  const cost = costOf(loans, removed);
  return { removed, reason: null, bound: Math.min(Math.max(0, bound), cost), optimal: cost <= bound, method };
}

type Failure = Pick<ImpossibleRemoval, 'reason' | 'proved'>;

/** Marks of the kept loans, and the most expensive single cure; or the reason when a limit cannot be cured. */
function cureInTurn(sides: readonly Side[], loans: PoolLoans): { kept: Uint8Array; bound: number } | Failure {
  const alone = new Map(
    sides.flatMap((side): [Side, RemovalPlan][] =>
      satisfied(side, () => true) ? [] : [[side, planRemoval(side.model, side.loans)]],
    ),
  );
  const bound = Math.max(0, ...[...alone.values()].map((plan) => (plan.removed === null ? 0 : plan.bound)));
  const kept = new Uint8Array(loans.cost.length).fill(1);
  const failure = repair(sides, kept, alone);
  if (failure !== null) return failure;
  if (!kept.includes(1)) return { reason: 'the tests hold together only when no loan is left', proved: false };
  takeBack(sides, kept, loans);
  return { kept, bound };
}

/** The relaxation of all limits that are linear, and of the planes that bound those on groups. */
function relaxSides(sides: readonly Side[], { cost }: PoolLoans): Relaxation | null {
  const forced = forcedBy(sides, cost.length);
  const limits = sides.flatMap(({ model }): Limit[] => {
    if (model.kind !== 'linear') return [];
    const gain = new Float64Array(cost.length);
    let sum = model.constant;
    for (let index = 0; index < gain.length; index += 1) {
      const term = model.term(index);
      sum += term;
      gain[index] = -Number(term);
    }
    return [{ gain, need: -Number(sum) }];
  });
  const planes = sides.map(planesOf);
  return relax(Float64Array.from(cost), forced, limits, (isRemoved) => planes.flatMap((broken) => broken(isRemoved)));
}

function forcedBy(sides: readonly Side[], count: number): Uint8Array {
  const forced = new Uint8Array(count);
  for (const { model } of sides)
    if (model.kind === 'forbid') model.forbidden.forEach((isForbidden, index) => isForbidden && (forced[index] = 1));
  return forced;
}

/** The relaxed removal in whole loans; limits that it leaves broken are cured in turn. Null where they cannot be. */
function wholeLoans(sides: readonly Side[], loans: PoolLoans, { reduced }: Relaxation): Uint8Array | null {
  const kept = settle(sides, reduced);
  if (!sides.every((side) => satisfied(side, (index) => kept[index] === 1))) {
    if (repair(sides, kept, new Map()) !== null) return null;
    takeBack(sides, kept, loans);
  }
  return kept.includes(1) ? kept : null;
}

/** One limit of a test over its loans: `between` has two. */
interface Side {
  test: PoolTest;
  loans: PoolLoans;
  above: boolean;
  /** Over all its loans. */
  model: PoolModel;
}

function sidesOf(test: PoolTest, loans: PoolLoans): Side[] {
  const sides = test.op === 'between' ? [true, false] : [test.op === 'lte' || test.op === 'lt'];
  return sides.map((above) => ({ test, loans, above, model: modelOf(test, loans, above) }));
}

/** A test that measures nothing is not broken: an empty share is 0/0. */
function satisfied(side: Side, kept: (index: number) => boolean): boolean {
  const { model } = side;
  if (model.kind === 'never') return !extremeBroken(side, kept);
  return holds(model, side.loans, kept) || measuresNothing(side, kept);
}

function measuresNothing({ test, loans }: Side, kept: (index: number) => boolean): boolean {
  if (test.type === 'weighted_average' || test.type === 'average') {
    return !loans.cost.some((_, index) => kept(index) && loans.inside[index] && loans.measured[index]);
  }
  return false;
}

/** Whether a limit that no removal can repair (the largest value must be at least …) is broken. */
function extremeBroken({ test, loans }: Side, kept: (index: number) => boolean): boolean {
  const values = loans.value.filter((_, index) => loans.measured[index] && kept(index) && loans.inside[index]);
  if (values.length === 0) return false;
  const figure = values.reduce((a, b) => ((test.type === 'max') === b > a ? b : a));
  return judgeFigure(test, { n: figure, d: 1_000_000n }).passed === false;
}

/**
 * Cures one broken limit after another on the remaining loans; returns the reason when one cannot be cured. `alone` has the plans of broken
 * limits over all loans.
 */
function repair(sides: readonly Side[], kept: Uint8Array, alone: ReadonlyMap<Side, RemovalPlan>): Failure | null {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const broken = sides.find((side) => !satisfied(side, (index) => kept[index] === 1));
    if (broken === undefined) return null;
    const positions = [...kept.keys()].filter((index) => kept[index] === 1);
    const known = positions.length === kept.length ? alone.get(broken) : undefined;
    const plan = known ?? planOver(broken, positions);
    // What loans that are left cannot do, all loans perhaps could.
    if (plan.removed === null) return { reason: `${broken.test.id}: ${plan.reason}`, proved: known !== undefined && plan.proved };
    for (const position of plan.removed) kept[positions[position]] = 0;
  }
  return {
    reason: `the tests break each other in turn: after ${ROUNDS_MAX} rounds they still do not hold together`,
    proved: false,
  };
}

function planOver({ test, loans, above }: Side, positions: readonly number[]): RemovalPlan {
  const left = subset(loans, positions);
  return planRemoval(modelOf(test, left, above), left);
}

function subset(loans: PoolLoans, positions: readonly number[]): PoolLoans {
  return {
    ...loans,
    cost: positions.map((position) => loans.cost[position]),
    weight: BigInt64Array.from(positions, (position) => loans.weight[position]),
    value: BigInt64Array.from(positions, (position) => loans.value[position]),
    measured: Uint8Array.from(positions, (position) => loans.measured[position]),
    inside: Uint8Array.from(positions, (position) => loans.inside[position]),
    group: Int32Array.from(positions, (position) => loans.group[position]),
  };
}

function takeBack(sides: readonly Side[], kept: Uint8Array, loans: PoolLoans): void {
  const removed = loans.cost.map((_, index) => index).filter((index) => kept[index] === 0);
  removed.sort((a, b) => loans.cost[b] - loans.cost[a]);
  const budget = Math.min(TAKEN_BACK_MAX, Math.ceil(20_000_000 / (loans.cost.length * Math.max(1, sides.length))));
  for (const index of removed.slice(0, budget)) {
    kept[index] = 1;
    if (!sides.every((side) => satisfied(side, (each) => kept[each] === 1))) kept[index] = 0;
  }
}

function searchAll(sides: readonly Side[], loans: PoolLoans): RemovalPlan {
  const count = loans.cost.length;
  let best: { mask: number; cost: number } | null = null;
  for (let mask = 0; mask < 2 ** count - 1; mask += 1) {
    const cost = loans.cost.reduce((sum, each, index) => (mask & (1 << index) ? sum + each : sum), 0);
    if (best !== null && cost >= best.cost) continue;
    if (sides.every((side) => satisfied(side, (index) => !(mask & (1 << index))))) best = { mask, cost };
  }
  if (best === null) return impossible('no choice of the eligible loans satisfies all pool tests', 'every subset');
  const { mask, cost } = best;
  return {
    removed: loans.cost.flatMap((_, index) => (mask & (1 << index) ? [index] : [])),
    reason: null,
    bound: cost,
    optimal: true,
    method: 'every subset',
  };
}
