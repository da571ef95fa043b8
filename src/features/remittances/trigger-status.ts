import { dateFromDayNumber } from '../../finance/dates.ts';
import { roundHalfEven } from '../../finance/money.ts';
import type { TriggerReading } from '../../finance/structure/roll-forward.ts';

type TestReading = TriggerReading['tests'][number];

type TestStatus = TestReading & {
  /** Distance of the figure from its threshold, percent points, an amount or days; negative beyond it. */
  headroom: number | null;
  /** Change of the headroom since the previous report. */
  trend: 'IMPROVING' | 'WORSENING' | 'FLAT' | null;
  /** The figures of the last reports, oldest first. */
  history: (number | null)[];
};

/** A trigger after a report, with the headroom of its tests and their trend. */
export type TriggerStatus = Omit<TriggerReading, 'tests'> & { tests: TestStatus[] };

const HISTORY_REPORTS = 3;

/** The statuses of triggers after a report, from their readings and the statuses after the previous report (empty before the first). */
export function triggerStatuses(readings: readonly TriggerReading[], before: readonly TriggerStatus[]): TriggerStatus[] {
  return readings.map((reading) => {
    const last = before.find((each) => each.trigger === reading.trigger);
    return { ...reading, tests: reading.tests.map((test, place) => testStatus(test, last?.tests[place])) };
  });
}

function testStatus(test: TestReading, last: TestStatus | undefined): TestStatus {
  const headroom = headroomOf(test);
  const change = headroom === null || last?.headroom == null ? null : headroom - last.headroom;
  return {
    ...test,
    headroom,
    trend: change === null ? null : change > 0 ? 'IMPROVING' : change < 0 ? 'WORSENING' : 'FLAT',
    history: [...(last?.history ?? []), test.actual].slice(-HISTORY_REPORTS),
  };
}

function headroomOf({ actual, threshold, op }: TestReading): number | null {
  if (actual === null || threshold === null) return null;
  return roundHalfEven(op === 'gt' || op === 'gte' ? threshold - actual : actual - threshold, 6);
}

const NOT_REPORTED = 'not reported';

/** The tests of a trigger in words, a sentence each, for an alert. */
export function describeTrigger({ tests }: TriggerStatus): string {
  return tests.map((test) => `${describeTest(test)}.`).join(' ');
}

function describeTest({ metric, actual, threshold, headroom, trend, history }: TestStatus): string {
  const isDate = metric === 'DATE';
  const shown = (value: number | null, otherwise: string) =>
    value === null ? otherwise : isDate ? dateFromDayNumber(value) : String(value);
  const parts = [
    `${metric} is ${shown(actual, NOT_REPORTED)}`,
    `threshold ${shown(threshold, 'none')}`,
    `headroom ${headroom ?? 'unknown'}${isDate && headroom !== null ? ' days' : ''}`,
    ...(trend ? [trend.toLowerCase()] : []),
  ];
  const figures = history.length > 1 ? `; last reports ${history.map((value) => shown(value, NOT_REPORTED)).join(', ')}` : '';
  return `${parts.join(', ')}${figures}`;
}
