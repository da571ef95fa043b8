import { amountNow } from './amount-now.ts';
import type { CompiledCondition, CompiledStep } from './compiled-structure.ts';
import { roundDue, type WaterfallRun } from './waterfall-run.ts';

/** Whether the triggers let a step pay. */
export function isActive(run: WaterfallRun, { when, unless }: CompiledStep): boolean {
  return (when === null || holds(run, when)) && (unless === null || !holds(run, unless));
}

function holds({ triggers: { on } }: WaterfallRun, { triggers, all }: NonNullable<CompiledCondition>): boolean {
  for (let n = 0; n < triggers.length; n++) if ((on[triggers[n]] === 1) !== all) return !all;
  return all;
}

/** The most that a step pays, infinite without a limit; of a yearly one, what earlier payments of the year left of it. */
export function limitOf(run: WaterfallRun, number: number): number {
  const { limit, limitPerYear } = run.structure.steps[number];
  if (!limit) return Number.POSITIVE_INFINITY;
  const most = roundDue(run, amountNow(run, limit));
  return limitPerYear ? Math.max(0, most - run.paidInYear[number]) : most;
}
