import { roundHalfEven } from '../../finance/money.ts';
import type { TriggerReading } from '../../finance/structure/roll-forward.ts';

type TestTold = TriggerReading['tests'][number] & {
  /** How far the figure is from its threshold, percent points; negative beyond it. */
  headroom: number | null;
  /** Against the report before. */
  trend: 'IMPROVING' | 'WORSENING' | 'FLAT' | null;
  /** The last figures, oldest first, at most three. */
  history: (number | null)[];
};

/** A trigger after a report, with its room and where it is heading. */
export type TriggerTold = Omit<TriggerReading, 'tests'> & { tests: TestTold[] };

const HISTORY = 3;

/** Readings with headroom and trend, from those of the report before (empty before the first). */
export function tellTriggers(readings: readonly TriggerReading[], before: readonly TriggerTold[]): TriggerTold[] {
  return readings.map((reading) => {
    const last = before.find((each) => each.trigger === reading.trigger);
    return { ...reading, tests: reading.tests.map((test, place) => tellTest(test, last?.tests[place])) };
  });
}

function tellTest(test: TriggerReading['tests'][number], last: TestTold | undefined): TestTold {
  const headroom = headroomOf(test);
  const moved = headroom === null || last?.headroom == null ? null : headroom - last.headroom;
  return {
    ...test,
    headroom,
    trend: moved === null ? null : moved > 0 ? 'IMPROVING' : moved < 0 ? 'WORSENING' : 'FLAT',
    history: [...(last?.history ?? []), test.actual].slice(-HISTORY),
  };
}

function headroomOf({ actual, threshold, op }: TriggerReading['tests'][number]): number | null {
  if (actual === null || threshold === null) return null;
  return roundHalfEven(op === 'gt' || op === 'gte' ? threshold - actual : actual - threshold, 6);
}

/** One sentence about the tests of a trigger, for an alert. */
export function sayTrigger({ tests }: TriggerTold): string {
  return tests
    .map(({ metric, actual, threshold, headroom, trend, history }) => {
      const figures = history.length > 1 ? `; last reports ${history.map((value) => value ?? 'not told').join(', ')}` : '';
      return `${metric} is ${actual ?? 'not told'}, threshold ${threshold ?? 'none'}, headroom ${headroom ?? 'unknown'}${trend ? `, ${trend.toLowerCase()}` : ''}${figures}`;
    })
    .join('. ');
}
