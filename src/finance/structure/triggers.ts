import { METRICS, type Metric, type MetricBase, type Test, type Trigger } from './structure.ts';

/** Values of all metrics in one period, in percent, in the order of `METRICS`; NaN when a value is unknown. */
export type MetricValues = number[] | Float64Array;

export type CompiledTest = {
  metric: Metric;
  /** Index of the metric in `METRICS`. */
  metricIndex: number;
  average: boolean;
  op: Test['op'];
  /** Threshold by payment period (index 0 = period 1); NaN where it is not tested. */
  thresholds: Float64Array;
  consecutive: number;
  /** Index of the test in `TriggerState.streaks`. */
  slot: number;
};

export type CompiledTrigger = {
  name: string;
  tests: CompiledTest[];
  all: boolean;
  consecutive: number;
  curable: boolean;
  curePeriods: number;
};

/** State of triggers between periods: plain numbers, so that it can be stored. */
export type TriggerState = {
  /** Last three values of each metric, three after three; the newest is at (tested − 1) mod 3. */
  history: number[];
  /** Periods seen so far. */
  tested: number;
  /** Breaches in a row by test, then by trigger, and periods without a breach in a row by trigger. */
  streaks: number[];
  breached: number[];
  clear: number[];
  /** 1 where the trigger is on. */
  on: number[];
};

const WINDOW = 3;

/** Compiles triggers for `periods` payment periods. */
export function compileTriggers(triggers: readonly Trigger[], periods: number): CompiledTrigger[] {
  let slot = 0;
  return triggers.map((trigger) => {
    const tests = trigger.any_of ?? trigger.all_of ?? [{ ...trigger, consecutive: 1 } as Test];
    return {
      name: trigger.trigger,
      tests: tests.map((test) => compileTest(test, periods, slot++)),
      all: trigger.all_of !== undefined,
      consecutive: trigger.consecutive ?? 1,
      curable: trigger.curable ?? false,
      curePeriods: trigger.cure_periods ?? 1,
    };
  });
}

function compileTest(test: Test, periods: number, slot: number): CompiledTest {
  const average = test.metric.endsWith('_AVG3');
  const base = (average ? test.metric.slice(0, -'_AVG3'.length) : test.metric) as MetricBase;
  const thresholds = new Float64Array(periods);
  for (let period = 1; period <= periods; period++) thresholds[period - 1] = thresholdAt(test, period);
  const { metric, op, consecutive = 1 } = test;
  return { metric, metricIndex: METRICS.indexOf(base), average, op, thresholds, consecutive, slot };
}

/** Threshold of a test in a payment period, percent: a step function, or linear between points; NaN before the first, flat after the last. */
export function thresholdAt(
  { value, schedule, interpolate }: Pick<Test, 'value' | 'schedule' | 'interpolate'>,
  period: number,
): number {
  if (!schedule) return value ?? Number.NaN;
  const next = schedule.findIndex((point) => point.from_period > period);
  const left = schedule[next === -1 ? schedule.length - 1 : next - 1];
  const right = next === -1 ? undefined : schedule[next];
  if (!left) return Number.NaN;
  if (!right || interpolate !== 'LINEAR') return left.value;
  return left.value + ((right.value - left.value) * (period - left.from_period)) / (right.from_period - left.from_period);
}

/** Whether any test reads a metric. */
export function readsMetric(triggers: readonly CompiledTrigger[], metric: MetricBase): boolean {
  const metricIndex = METRICS.indexOf(metric);
  return triggers.some((trigger) => trigger.tests.some((test) => test.metricIndex === metricIndex));
}

export function newTriggerState(triggers: readonly CompiledTrigger[]): TriggerState {
  const zeros = (count: number) => new Array<number>(count).fill(0);
  const tests = triggers.reduce((sum, trigger) => sum + trigger.tests.length, 0);
  return {
    history: zeros(METRICS.length * WINDOW),
    tested: 0,
    streaks: zeros(tests),
    breached: zeros(triggers.length),
    clear: zeros(triggers.length),
    on: zeros(triggers.length),
  };
}

/** Resets the state to the closing date in place. */
export function resetTriggerState(state: TriggerState): void {
  state.tested = 0;
  for (const list of [state.history, state.streaks, state.breached, state.clear, state.on]) list.fill(0);
}

/**
 * Tests all triggers of payment period `index + 1` once. A trigger goes on after `consecutive` breaches in a row; a curable one goes off
 * after `curePeriods` periods in a row without a breach; any other stays on. A test without threshold or value leaves its trigger as it was.
 */
export function testTriggers(
  triggers: readonly CompiledTrigger[],
  state: TriggerState,
  metrics: MetricValues,
  index: number,
): void {
  remember(state, metrics);
  for (let number = 0; number < triggers.length; number++) {
    const trigger = triggers[number];
    const result = testOne(trigger, state, metrics, index);
    if (result !== UNTESTED) move(trigger, state, number, result === BREACHED);
  }
}

const UNTESTED = -1;
const CLEAR = 0;
const BREACHED = 1;

function remember(state: TriggerState, metrics: MetricValues): void {
  const slot = state.tested % WINDOW;
  for (let metric = 0; metric < METRICS.length; metric++) state.history[metric * WINDOW + slot] = metrics[metric];
  state.tested++;
}

function testOne(trigger: CompiledTrigger, state: TriggerState, metrics: MetricValues, index: number): number {
  let tested = false;
  let breaches = 0;
  for (const test of trigger.tests) {
    const result = compare(test, testedValue(test, state, metrics), index);
    if (result !== UNTESTED) {
      tested = true;
      state.streaks[test.slot] = result === BREACHED ? state.streaks[test.slot] + 1 : 0;
    }
    if (state.streaks[test.slot] >= test.consecutive) breaches++;
  }
  if (!tested) return UNTESTED;
  return (trigger.all ? breaches === trigger.tests.length : breaches > 0) ? BREACHED : CLEAR;
}

function compare(test: CompiledTest, value: number, index: number): number {
  const threshold = test.thresholds[Math.min(index, test.thresholds.length - 1)];
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

/** Value that a test compares: that of the period, or the mean of the known values among the last three. */
export function testedValue(test: CompiledTest, state: TriggerState, metrics: MetricValues): number {
  if (!test.average) return metrics[test.metricIndex];
  let sum = 0;
  let count = 0;
  for (let back = 0; back < Math.min(WINDOW, state.tested); back++) {
    const value = state.history[test.metricIndex * WINDOW + back];
    // A stored state has null in place of NaN.
    if (!Number.isFinite(value)) continue;
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
