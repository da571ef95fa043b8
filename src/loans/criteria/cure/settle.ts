import { MICRO } from '../decimal.ts';
import { groupsHold, groupWeights, type PoolLoans, type PoolModel, sumOver, totalWeight } from './model.ts';

/** A limit over its loans, and how it stands while loans are removed and taken back one by one. */
interface Standing {
  move(index: number, isBack: boolean): void;
  holds(): boolean;
  /** Whether the removal of the loan brings the limit nearer. */
  helps(index: number): boolean;
}

/** Loans whose reduced cost is nearest to zero, of which the removal in whole loans is made: at most so many, and fewer where limits are on many groups. */
const NEAR = 4_000;
const GROUPS_LOOKED_AT = 50_000_000;
const ROUNDS = 50;

/**
 * A removal in whole loans from a relaxed one: the loans with a reduced cost below zero, then of those near zero as many as broken limits need, the
 * cheapest first, and those taken back that need not go, the largest first. Marks of the kept loans; a limit may stay broken.
 */
export function settle(limits: readonly { model: PoolModel; loans: PoolLoans }[], reduced: Float64Array): Uint8Array {
  const kept = Uint8Array.from(reduced, (each) => (each < 0 ? 0 : 1));
  const { cost } = limits[0].loans;
  const standings = limits.flatMap(({ model, loans }) => standingOf(model, loans, kept) ?? []);
  const allHold = (): boolean => standings.every((standing) => standing.holds());
  const move = (index: number, isBack: boolean): void => {
    kept[index] = isBack ? 1 : 0;
    for (const standing of standings) standing.move(index, isBack);
  };
  const most = Math.min(
    NEAR,
    reduced.length,
    Math.floor(GROUPS_LOOKED_AT / limits.reduce((sum, limit) => sum + groupsLookedAt(limit), 1)),
  );
  const reach = reduced.map(Math.abs).sort()[most - 1] ?? -1;
  // What is removed at any price is not taken back.
  const near = [...reduced.keys()].filter((index) => Math.abs(reduced[index]) <= reach && Number.isFinite(reduced[index]));
  near.sort((a, b) => reduced[a] - reduced[b]);
  for (let round = 0; round < ROUNDS; round += 1) {
    const broken = standings.filter((standing) => !standing.holds());
    if (broken.length === 0) break;
    for (const standing of broken)
      for (const index of near) {
        if (standing.holds()) break;
        if (kept[index] === 1 && standing.helps(index)) move(index, false);
      }
  }
  if (!allHold()) return kept;
  const removed = near.filter((index) => kept[index] === 0).sort((a, b) => cost[b] - cost[a]);
  for (const index of removed) {
    if (cost[index] <= 0) break;
    move(index, true);
    if (!allHold()) move(index, false);
  }
  return kept;
}

/** What it takes to see whether a limit holds: those on several groups sort them. */
function groupsLookedAt({ model, loans }: { model: PoolModel; loans: PoolLoans }): number {
  if (model.kind !== 'groups' && model.kind !== 'largest' && model.kind !== 'hhi') return 0;
  const sorts = model.kind === 'largest' || (model.kind === 'groups' && (model.top > 1 || model.ranks !== null));
  return loans.groupKeys.length * (sorts ? 20 : 1);
}

function standingOf(model: PoolModel, loans: PoolLoans, kept: Uint8Array): Standing | null {
  // No removal helps such a limit: whether it is broken is seen at the end.
  if (model.kind === 'never') return null;
  if (model.kind === 'forbid') {
    let left = model.forbidden.filter((isForbidden, index) => isForbidden === 1 && kept[index] === 1).length;
    return {
      move: (index, isBack) => {
        if (model.forbidden[index]) left += isBack ? 1 : -1;
      },
      holds: () => left === 0,
      helps: (index) => model.forbidden[index] === 1,
    };
  }
  if (model.kind === 'linear') {
    let sum = model.constant + sumOver(loans, model.term, (index) => kept[index] === 1);
    return {
      move: (index, isBack) => {
        sum += isBack ? model.term(index) : -model.term(index);
      },
      holds: () => (model.strict ? sum > 0n : sum >= 0n),
      helps: (index) => model.term(index) < 0n,
    };
  }
  return groupStanding(model, loans, kept);
}

function groupStanding(
  model: Extract<PoolModel, { kind: 'groups' | 'largest' | 'hhi' }>,
  loans: PoolLoans,
  kept: Uint8Array,
): Standing {
  const weights = groupWeights(loans, (index) => kept[index] === 1);
  let total = totalWeight(loans, (index) => kept[index] === 1);
  const isLarge = (group: number, top: number): boolean =>
    group >= 0 && weights.filter((weight) => weight > weights[group]).length < top;
  return {
    move: (index, isBack) => {
      const weight = isBack ? loans.weight[index] : -loans.weight[index];
      const group = loans.group[index];
      total += weight;
      if (group >= 0) weights[group] += weight;
    },
    holds: () => groupsHold(model, weights, total),
    helps: (index) => {
      const group = loans.group[index];
      if (model.kind === 'largest') return !isLarge(group, model.top);
      if (model.kind === 'hhi' && model.floor) return !isLarge(group, 1);
      if (group < 0) return false;
      if (model.kind === 'hhi') return weights[group] * MICRO > model.limit * total;
      if (model.ranks !== null) return isLarge(group, model.ranks.length);
      return model.top > 1 ? isLarge(group, model.top) : weights[group] * MICRO > model.limits[group] * total;
    },
  };
}
