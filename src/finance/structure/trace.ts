import { roundToCent } from '../money.ts';
import type { IsoDate } from '../types.ts';
import { type CompiledCondition, type CompiledStructure, RELEASE_APART, RELEASE_TO_POT } from './compiled-structure.ts';
import { testReader } from './metrics.ts';
import type { StepPayment, WaterfallRun } from './waterfall-run.ts';
import type { StepKind } from './structure.ts';
import { readTest, type TestFigures } from './triggers.ts';

/** One step of one period: cash available before it, amounts due and paid, and the shortfall. Amounts to the cent. */
export type TraceStep = {
  /** Position in the waterfall from 1; null for the redemption of the notes on a call. */
  step: number | null;
  /** Its name in the structure; null for the redemption. */
  name: string | null;
  /** Where the documents say it. */
  clause: string | null;
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

export type TraceTrigger = { trigger: string; on: boolean; tests: TestFigures[] };

/** All events of one payment date. */
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
  accounts: {
    account: string;
    opening: number;
    earned: number;
    drawn: number;
    deposited: number;
    released: number;
    /** POT, RESIDUAL or a tranche; what does not go to the pot is in no step. */
    release_to: string;
    closing: number;
  }[];
};

/** Receives a run as it happens. */
export type TraceSink = {
  startPeriod(run: WaterfallRun): void;
  step(run: WaterfallRun, number: number, active: boolean, available: number, payment: StepPayment): void;
  redemption(run: WaterfallRun, available: number, payment: StepPayment): void;
  endPeriod(run: WaterfallRun): void;
};

/** A sink that records all periods, or only those in `wanted` (1 = first). */
export function recordTrace(wanted?: ReadonlySet<number>): TraceSink & { periods: TracePeriod[] } {
  const periods: TracePeriod[] = [];
  let current: TracePeriod | null = null;
  return {
    periods,
    startPeriod(run) {
      current = wanted && !wanted.has(run.periodIndex + 1) ? null : openPeriod(run);
      if (current) periods.push(current);
    },
    step(run, number, active, available, payment) {
      current?.steps.push(traceStep(run, number, active, available, payment));
    },
    redemption(run, available, payment) {
      current?.steps.push({
        step: null,
        name: null,
        clause: null,
        pay: 'REDEMPTION',
        to: [],
        when: null,
        unless: null,
        active: true,
        ...amounts(run, available, payment),
      });
    },
    endPeriod(run) {
      if (!current) return;
      current.accounts = run.structure.accounts.map(({ name, releaseTo }, index) => ({
        account: name,
        opening: money(run, run.accountOpening[index]),
        earned: money(run, run.earned[index]),
        drawn: money(run, run.accountDrawn[index]),
        deposited: money(run, run.accountDeposited[index]),
        released: money(run, run.accountReleased[index]),
        release_to: receiverOf(run.structure, releaseTo),
        closing: money(run, run.account[index]),
      }));
    },
  };
}

function openPeriod(run: WaterfallRun): TracePeriod {
  return {
    period: run.periodIndex + 1,
    date: run.structure.periods.dates[run.periodIndex].paid,
    interest_collected: money(run, run.interestCollected),
    principal_collected: money(run, run.principalCollected),
    call_proceeds: money(run, run.callProceeds),
    called: run.calling,
    pool_beginning: money(run, run.poolBeginning),
    pool_current: money(run, run.poolCurrent),
    triggers: traceTriggers(run),
    steps: [],
    accounts: [],
  };
}

function traceTriggers(run: WaterfallRun): TraceTrigger[] {
  const reader = testReader(run);
  return run.structure.triggers.map((trigger, index) => ({
    trigger: trigger.name,
    on: run.triggers.on[index] === 1,
    tests: trigger.tests.map((test) => readTest(test, run.triggers, reader)),
  }));
}

function traceStep(run: WaterfallRun, number: number, active: boolean, available: number, payment: StepPayment): TraceStep {
  const { structure } = run;
  const step = structure.steps[number];
  return {
    step: number + 1,
    name: step.name,
    clause: step.clause,
    pay: step.pay,
    to: step.to.map((index) => payeeName(structure, step.pay, index)),
    when: conditionText(structure, step.when),
    unless: conditionText(structure, step.unless),
    active,
    ...amounts(run, available, active ? payment : { due: 0, paid: 0, drawn: 0 }),
  };
}

function conditionText({ triggers }: CompiledStructure, condition: CompiledCondition): string | null {
  if (condition === null) return null;
  const names = condition.triggers.map((index) => triggers[index].name);
  return names.length === 1 ? names[0] : `${condition.all ? 'all' : 'any'} of ${names.join(', ')}`;
}

function amounts(run: WaterfallRun, available: number, { due, paid, drawn }: StepPayment) {
  const dueToCent = money(run, due);
  const paidToCent = money(run, paid);
  return {
    available: money(run, available),
    due: dueToCent,
    paid: paidToCent,
    drawn: money(run, drawn),
    shortfall: roundToCent(dueToCent - paidToCent),
  };
}

/** An amount of a run in currency units, to the cent. */
const money = ({ structure }: WaterfallRun, amount: number): number => roundToCent(amount / structure.unit);

function receiverOf({ tranches }: CompiledStructure, releaseTo: number): string {
  if (releaseTo === RELEASE_TO_POT) return 'POT';
  return releaseTo === RELEASE_APART ? 'RESIDUAL' : tranches[releaseTo].name;
}

function payeeName(structure: CompiledStructure, pay: StepKind, index: number): string {
  const list = pay === 'FEE' ? structure.fees : pay === 'RESERVE' ? structure.accounts : structure.tranches;
  return list[index].name;
}
