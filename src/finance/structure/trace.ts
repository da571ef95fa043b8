import { roundHalfEven, roundToCent } from '../money.ts';
import type { IsoDate } from '../types.ts';
import type { Deal } from './deal.ts';
import type { Run } from './run.ts';
import type { Outcome } from './steps.ts';
import type { StepKind } from './structure.ts';
import { isBreach, testedValue } from './triggers.ts';

/** One step of one period: what the pot had, what was due, paid and left short. Amounts to the cent. */
export type TraceStep = {
  /** Place in the waterfall from 1; null for the redemption of the notes on a call. */
  step: number | null;
  pay: StepKind | 'REDEMPTION';
  to: string[];
  when: string | null;
  unless: string | null;
  /** False when its trigger kept the step from paying. */
  active: boolean;
  available: number;
  due: number;
  paid: number;
  /** Part of `paid` that came from accounts. */
  drawn: number;
  shortfall: number;
};

export type TraceTest = { metric: string; value: number | null; op: string; threshold: number | null; breached: boolean };

export type TraceTrigger = { trigger: string; on: boolean; tests: TraceTest[] };

/** Everything that happened on one payment date. */
export type TracePeriod = {
  period: number;
  date: IsoDate;
  interest_collected: number;
  principal_collected: number;
  call_proceeds: number;
  called: boolean;
  pool_beginning: number;
  pool_current: number;
  triggers: TraceTrigger[];
  steps: TraceStep[];
  accounts: { account: string; closing: number }[];
};

/** Receives a run as it happens. */
export type TraceSink = {
  startPeriod(run: Run): void;
  step(run: Run, number: number, active: boolean, available: number, outcome: Outcome): void;
  redemption(available: number, outcome: Outcome): void;
  endPeriod(run: Run): void;
};

/** A sink that keeps all periods, or those that `wanted` names (1 = first). */
export function recordTrace(wanted?: ReadonlySet<number>): TraceSink & { periods: TracePeriod[] } {
  const periods: TracePeriod[] = [];
  let current: TracePeriod | null = null;
  return {
    periods,
    startPeriod(run) {
      current = wanted && !wanted.has(run.index + 1) ? null : openPeriod(run);
      if (current) periods.push(current);
    },
    step(run, number, active, available, outcome) {
      current?.steps.push(traceStep(run.deal, number, active, available, outcome));
    },
    redemption(available, outcome) {
      current?.steps.push({
        step: null,
        pay: 'REDEMPTION',
        to: [],
        when: null,
        unless: null,
        active: true,
        ...amounts(available, outcome),
      });
    },
    endPeriod(run) {
      if (!current) return;
      current.accounts = run.deal.accounts.map(({ name }, place) => ({
        account: name,
        closing: roundToCent(run.account[place]),
      }));
    },
  };
}

function openPeriod(run: Run): TracePeriod {
  return {
    period: run.index + 1,
    date: run.deal.periods.dates[run.index].paid,
    interest_collected: roundToCent(run.interestCollected),
    principal_collected: roundToCent(run.principalCollected),
    call_proceeds: roundToCent(run.callProceeds),
    called: run.calling,
    pool_beginning: roundToCent(run.poolBeginning),
    pool_current: roundToCent(run.poolCurrent),
    triggers: traceTriggers(run),
    steps: [],
    accounts: [],
  };
}

function traceTriggers(run: Run): TraceTrigger[] {
  return run.deal.triggers.map((trigger, place) => ({
    trigger: trigger.name,
    on: run.triggers.on[place] === 1,
    tests: trigger.tests.map((test) => {
      const value = testedValue(test, run.triggers, run.metrics);
      const threshold = test.thresholds[run.index];
      const breached = isBreach(test.op, value, threshold);
      return { metric: test.metric, value: readable(value), op: test.op, threshold: readable(threshold), breached };
    }),
  }));
}

function traceStep(deal: Deal, number: number, active: boolean, available: number, outcome: Outcome): TraceStep {
  const step = deal.steps[number];
  return {
    step: number + 1,
    pay: step.pay,
    to: step.to.map((place) => payeeName(deal, step.pay, place)),
    when: deal.triggers[step.when]?.name ?? null,
    unless: deal.triggers[step.unless]?.name ?? null,
    active,
    ...amounts(available, active ? outcome : { due: 0, paid: 0, drawn: 0 }),
  };
}

function amounts(available: number, { due, paid, drawn }: Outcome) {
  const dueToCent = roundToCent(due);
  const paidToCent = roundToCent(paid);
  return {
    available: roundToCent(available),
    due: dueToCent,
    paid: paidToCent,
    drawn: roundToCent(drawn),
    shortfall: roundToCent(dueToCent - paidToCent),
  };
}

function payeeName(deal: Deal, pay: StepKind, place: number): string {
  const list = pay === 'FEE' ? deal.fees : pay === 'RESERVE' ? deal.accounts : deal.tranches;
  return list[place].name;
}

function readable(percent: number): number | null {
  return Number.isFinite(percent) ? roundHalfEven(percent, 6) : null;
}
