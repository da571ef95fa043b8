import { dateFromDayNumber, dayNumber } from '../dates.ts';
import { roundHalfEven } from '../money.ts';
import type { IsoDate } from '../types.ts';
import { toUnit } from './unit.ts';
import { type AmountContext, compileAmount, type CompiledAmount } from './compiled-amount.ts';
import { METRICS, type Metric, type MetricBase, placesOf, type Test, type Trigger } from './structure.ts';

export type CompiledTest = {
  /** The metric, or `RATIO`. */
  metric: Metric | 'RATIO';
  /** Index of the metric in `METRICS`; −1 for a ratio. */
  metricIndex: number;
  /** Tranches that the metric counts; null for all notes. */
  tranches: readonly number[] | null;
  /** The amounts of a ratio, and whether it is taken after the payment. */
  ratio: { amount: CompiledAmount; of: CompiledAmount; afterPayment: boolean } | null;
  /** Periods of which the value is the mean. */
  window: number;
  op: Test['op'];
  /** Threshold by payment period (index 0 = period 1), NaN where it is not tested; or an amount of the period. */
  thresholds: Float64Array;
  threshold: CompiledAmount | null;
  /** What its values and thresholds are divided by to be shown: 100 for an amount of a run that counts cents, else 1. */
  unit: number;
  consecutive: number;
  /** Index of the test in the lists of `TriggerState`. */
  slot: number;
};

export type CompiledTrigger = {
  name: string;
  tests: CompiledTest[];
  all: boolean;
  /** On by what a report declares. */
  declared: boolean;
  consecutive: number;
  curable: boolean;
  curePeriods: number;
  clause: string | null;
};

/** State of triggers between periods: plain numbers, so that it can be stored. */
export type TriggerState = {
  /** By test: its values of the last periods, the newest last; a value that is not known is NaN, and null when stored. */
  recent: (number | null)[][];
  /** By test: a ratio taken after the last payment; NaN, and null when stored, before the first. */
  after: (number | null)[];
  /** Breaches in a row by test, then by trigger, and periods without a breach in a row by trigger. */
  streaks: number[];
  breached: number[];
  clear: number[];
  /** 1 where the trigger is on. */
  on: number[];
};

/** Values of `_AVG3`. */
const WINDOW = 3;

export function compileTriggers(triggers: readonly Trigger[], context: AmountContext): CompiledTrigger[] {
  let slot = 0;
  return triggers.map((trigger) => {
    const { declared = false } = trigger;
    const tests = declared ? [] : (trigger.any_of ?? trigger.all_of ?? [{ ...trigger, consecutive: 1 } as Test]);
    return {
      name: trigger.trigger,
      tests: tests.map((test) => compileTest(test, context, slot++)),
      all: trigger.all_of !== undefined,
      declared,
      consecutive: trigger.consecutive ?? 1,
      curable: trigger.curable ?? false,
      curePeriods: trigger.cure_periods ?? 1,
      clause: trigger.clause ?? null,
    };
  });
}

export function compileTest(test: Test, context: AmountContext, slot: number): CompiledTest {
  const { metric, op, consecutive = 1, value, of_tranches, ratio, average = 1, after_payment = false } = test;
  const averaged = metric?.endsWith('_AVG3') ?? false;
  const base = (averaged ? metric?.slice(0, -'_AVG3'.length) : metric) as MetricBase | undefined;
  const thresholds = new Float64Array(context.periods.count);
  const isMoney = base !== undefined && AMOUNTS.has(base);
  for (let period = 1; period <= thresholds.length; period++) {
    const at = thresholdAt(test, period);
    thresholds[period - 1] = isMoney && !Number.isNaN(at) ? toUnit(at, context.unit) : at;
  }
  const threshold = typeof value === 'object' ? compileAmount(value, isMoney ? 'MONEY' : 'PERCENT', context, Number.NaN) : null;
  return {
    metric: metric ?? 'RATIO',
    metricIndex: base ? METRICS.indexOf(base) : -1,
    tranches: of_tranches ? placesOf(context.structure, of_tranches) : null,
    ratio: ratio
      ? {
          amount: compileAmount(ratio[0], 'MONEY', context),
          of: compileAmount(ratio[1], 'MONEY', context),
          afterPayment: after_payment,
        }
      : null,
    window: averaged ? WINDOW : average,
    op,
    thresholds,
    threshold,
    unit: isMoney ? context.unit : 1,
    consecutive,
    slot,
  };
}

/** Metrics in currency units; the others are percent, periods or days. */
export const AMOUNTS: ReadonlySet<MetricBase> = new Set(['INTEREST_SHORTFALL', 'PRINCIPAL_SHORTFALL', 'NOTE_BALANCE']);

/** Threshold of a test in a payment period: a step function, or linear between points; NaN before the first, flat after the last. A date is its day number. */
export function thresholdAt(
  { value, schedule, interpolate }: Pick<Test, 'value' | 'schedule' | 'interpolate'>,
  period: number,
): number {
  if (typeof value === 'string') return dayNumber(value);
  if (!schedule) return typeof value === 'number' ? value : Number.NaN;
  const next = schedule.findIndex((point) => point.from_period > period);
  const left = schedule[next === -1 ? schedule.length - 1 : next - 1];
  const right = next === -1 ? undefined : schedule[next];
  if (!left) return Number.NaN;
  if (!right || interpolate !== 'LINEAR') return left.value;
  return left.value + ((right.value - left.value) * (period - left.from_period)) / (right.from_period - left.from_period);
}

/** Threshold of a test in a period by its index. Of a period for which the test was not compiled nothing is known, which is not that it is clear. */
export function thresholdOf({ metric, thresholds }: CompiledTest, periodIndex: number): number {
  if (periodIndex < thresholds.length) return thresholds[periodIndex];
  throw new RangeError(`the test of ${metric} was compiled for ${thresholds.length} periods, not for period ${periodIndex + 1}`);
}

export function newTriggerState(triggers: readonly CompiledTrigger[]): TriggerState {
  const tests = triggers.flatMap((trigger) => trigger.tests);
  const zeros = (count: number) => new Array<number>(count).fill(0);
  return {
    recent: tests.map(() => []),
    after: tests.map(() => Number.NaN),
    streaks: zeros(tests.length),
    breached: zeros(triggers.length),
    clear: zeros(triggers.length),
    on: zeros(triggers.length),
  };
}

/** The metrics of which former states keep the last three values each. */
const FORMER_METRICS = METRICS.slice(0, 7);
type FormerState = Omit<TriggerState, 'recent' | 'after'> & { history: (number | null)[]; tested: number };

/** A copy of a stored state, also of one that was stored when every metric had its last three values. */
export function storedTriggerState(stored: TriggerState | FormerState, triggers: readonly CompiledTrigger[]): TriggerState {
  if ('recent' in stored) return structuredClone(stored);
  const { history, tested, streaks, breached, clear, on } = structuredClone(stored);
  const tests = triggers.flatMap((trigger) => trigger.tests);
  const recent = tests.map(({ metricIndex, window }) => {
    const known = Math.min(tested, window, FORMER_METRICS[metricIndex] ? WINDOW : 0);
    return Array.from(
      { length: known },
      (_, place) => history[metricIndex * WINDOW + ((tested - known + place) % WINDOW)] ?? Number.NaN,
    );
  });
  return { recent, after: tests.map(() => Number.NaN), streaks, breached, clear, on };
}

/** Resets the state to the closing date in place. */
export function resetTriggerState(state: TriggerState): void {
  for (const values of state.recent) values.length = 0;
  state.after.fill(Number.NaN);
  for (const list of [state.streaks, state.breached, state.clear, state.on]) list.fill(0);
}

/** What a test reads of the period: its value before the average, and its threshold. */
export type TestReader = { valueOf: (test: CompiledTest) => number; thresholdOf: (test: CompiledTest) => number };

/**
 * Tests all triggers of a payment period once. A trigger goes on after `consecutive` breaches in a row; a curable one goes off after
 * `curePeriods` periods in a row without a breach; any other stays on. A test without threshold or value leaves its trigger as it was.
 */
export function testTriggers(triggers: readonly CompiledTrigger[], state: TriggerState, reader: TestReader): void {
  for (let number = 0; number < triggers.length; number++) {
    const { tests } = triggers[number];
    for (let place = 0; place < tests.length; place++) remember(tests[place], state, reader);
  }
  for (let number = 0; number < triggers.length; number++) {
    const trigger = triggers[number];
    const result = testOne(trigger, state, reader);
    if (result !== UNTESTED) move(trigger, state, number, result === BREACHED);
  }
}

const UNTESTED = -1;
const CLEAR = 0;
const BREACHED = 1;

function remember(test: CompiledTest, { recent, after }: TriggerState, reader: TestReader): void {
  const values = recent[test.slot];
  const value = test.ratio?.afterPayment ? after[test.slot] : reader.valueOf(test);
  if (values.length >= test.window) values.shift();
  values.push(value);
}

function testOne(trigger: CompiledTrigger, state: TriggerState, reader: TestReader): number {
  let tested = false;
  let breaches = 0;
  for (const test of trigger.tests) {
    const result = compare(test, testedValue(test, state), reader.thresholdOf(test));
    if (result !== UNTESTED) {
      tested = true;
      state.streaks[test.slot] = result === BREACHED ? state.streaks[test.slot] + 1 : 0;
    }
    if (state.streaks[test.slot] >= test.consecutive) breaches++;
  }
  if (!tested) return UNTESTED;
  return (trigger.all ? breaches === trigger.tests.length : breaches > 0) ? BREACHED : CLEAR;
}

function compare(test: CompiledTest, value: number, threshold: number): number {
  if (Number.isNaN(value) || Number.isNaN(threshold)) return UNTESTED;
  return isBreach(test.op, value, threshold) ? BREACHED : CLEAR;
}

/** Tolerance for the rounding of doubles, so that a ratio equal to its threshold on paper is neither above nor below it. */
const TIE = 1e-9;

/** Whether `value op threshold` holds. */
export function isBreach(op: Test['op'], value: number, threshold: number): boolean {
  if (op === 'gt') return value > threshold + TIE;
  if (op === 'gte') return value >= threshold - TIE;
  if (op === 'lt') return value < threshold - TIE;
  return value <= threshold + TIE;
}

/** A test as it is shown: amounts in currency units, null for a figure that is not known; the figures of DATE also as dates. */
export type TestFigures = {
  metric: string;
  value: number | null;
  op: string;
  threshold: number | null;
  breached: boolean;
  date?: IsoDate;
  threshold_date?: IsoDate;
};

export function readTest(test: CompiledTest, state: TriggerState, reader: TestReader): TestFigures {
  const { metric, op, unit } = test;
  const value = testedValue(test, state);
  const threshold = reader.thresholdOf(test);
  return {
    metric,
    value: readable(value / unit),
    op,
    threshold: readable(threshold / unit),
    breached: isBreach(op, value, threshold),
    ...(metric === 'DATE' && Number.isFinite(value + threshold)
      ? { date: dateFromDayNumber(value), threshold_date: dateFromDayNumber(threshold) }
      : {}),
  };
}

/** A figure as it is shown, to six decimals; null where it is not known. */
export const readable = (value: number): number | null => (Number.isFinite(value) ? roundHalfEven(value, 6) : null);

/** Value that a test compares: the mean of the known values among those it remembers. */
function testedValue(test: CompiledTest, { recent }: TriggerState): number {
  const values = recent[test.slot];
  if (test.window === 1) return values.at(-1) ?? Number.NaN;
  let sum = 0;
  let count = 0;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    sum += value;
    count++;
  }
  return count > 0 ? sum / count : Number.NaN;
}

function move(trigger: CompiledTrigger, state: TriggerState, number: number, breached: boolean): void {
  state.breached[number] = breached ? state.breached[number] + 1 : 0;
  state.clear[number] = breached ? 0 : state.clear[number] + 1;
  if (state.breached[number] >= trigger.consecutive) state.on[number] = 1;
  else if (trigger.curable && state.clear[number] >= trigger.curePeriods) state.on[number] = 0;
}
