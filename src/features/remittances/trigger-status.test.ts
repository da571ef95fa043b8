import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { dayNumber } from '../../finance/dates.ts';
import { isBreach } from '../../finance/structure/triggers.ts';
import { describeTrigger, type TriggerStatus, triggerStatuses } from './trigger-status.ts';

type Op = Parameters<typeof isBreach>[0];

const reading = (actual: number | null, threshold: number | null = 1.5, op: Op = 'gt') => ({
  trigger: 'cnl',
  on: false,
  newly_on: false,
  tests: [{ metric: 'CUMULATIVE_NET_LOSS', actual, op, threshold, breached: false }],
});

/** The statuses after one report for each figure. */
function after(figures: readonly (number | null)[], op: Op = 'gt'): TriggerStatus {
  let statuses: TriggerStatus[] = [];
  for (const figure of figures) statuses = triggerStatuses([reading(figure, 1.5, op)], statuses);
  const [status] = statuses;
  assert.ok(status);
  return status;
}
const testAfter = (figures: readonly (number | null)[], op: Op = 'gt') => after(figures, op).tests[0];

test('headroom is negative exactly when the figure is beyond its threshold, for every comparison', () => {
  const figure = fc.integer({ min: -10_000, max: 10_000 }).map((value) => value / 100);
  fc.assert(
    fc.property(figure, figure, fc.constantFrom<Op>('gt', 'gte', 'lt', 'lte'), (actual, threshold, op) => {
      const [status] = triggerStatuses([reading(actual, threshold, op)], []);
      const headroom = status?.tests[0]?.headroom ?? Number.NaN;
      const inclusive = op === 'gte' || op === 'lte';
      assert.equal(inclusive ? headroom <= 0 : headroom < 0, isBreach(op, actual, threshold));
      assert.ok(Math.abs(Math.abs(headroom) - Math.abs(threshold - actual)) < 1e-6);
    }),
  );
});

test('the trend is that of the headroom: a loss that grows worsens, an enhancement that grows improves', () => {
  assert.equal(testAfter([1])?.trend, null);
  assert.equal(testAfter([1, 1.2])?.trend, 'WORSENING');
  assert.equal(testAfter([1.2, 1])?.trend, 'IMPROVING');
  assert.equal(testAfter([1, 1])?.trend, 'FLAT');
  assert.equal(testAfter([10, 12], 'lt')?.trend, 'IMPROVING');
  assert.equal(testAfter([12, 10], 'lte')?.trend, 'WORSENING');
});

test('the history has the last three figures, and keeps a place for a report without the figure', () => {
  assert.deepEqual(testAfter([1])?.history, [1]);
  assert.deepEqual(testAfter([1, 2, 3, 4])?.history, [2, 3, 4]);
  const gap = testAfter([1, null, 1.2]);
  assert.deepEqual([gap?.history, gap?.trend], [[1, null, 1.2], null]);
  const unreported = testAfter([1, null]);
  assert.deepEqual([unreported?.headroom, unreported?.trend], [null, null]);
});

test('a period without a threshold has no headroom', () => {
  const [status] = triggerStatuses([reading(1, null)], []);
  assert.deepEqual([status?.tests[0]?.headroom, status?.tests[0]?.trend], [null, null]);
});

test('triggers follow their name, not their place, from one report to the next', () => {
  const other = { ...reading(7), trigger: 'dq' };
  const before = triggerStatuses([reading(1), other], []);
  const [dq, cnl] = triggerStatuses([{ ...other, tests: reading(8).tests }, reading(1.1)], before);
  assert.deepEqual(
    [dq?.tests[0]?.history, cnl?.tests[0]?.history],
    [
      [7, 8],
      [1, 1.1],
    ],
  );
});

test('an alert says dates as dates, and how many days are left', () => {
  const test = { metric: 'DATE', op: 'gte', threshold: dayNumber('2027-03-01'), breached: false };
  const at = (date: string, before: TriggerStatus[] = []) =>
    triggerStatuses([{ trigger: 'late', on: false, newly_on: false, tests: [{ ...test, actual: dayNumber(date) }] }], before);
  const first = at('2027-01-15');
  const [one] = first;
  const [two] = at('2027-02-16', first);
  assert.ok(one && two);
  assert.equal(describeTrigger(one), 'DATE is 2027-01-15, threshold 2027-03-01, headroom 45 days.');
  assert.equal(
    describeTrigger(two),
    'DATE is 2027-02-16, threshold 2027-03-01, headroom 13 days, worsening; last reports 2027-01-15, 2027-02-16.',
  );
});

test('an alert has a sentence for each test', () => {
  assert.equal(describeTrigger(after([1.2])), 'CUMULATIVE_NET_LOSS is 1.2, threshold 1.5, headroom 0.3.');
  assert.equal(
    describeTrigger(after([1.2, null, 1.75])),
    'CUMULATIVE_NET_LOSS is 1.75, threshold 1.5, headroom -0.25; last reports 1.2, not reported, 1.75.',
  );
  const [two] = triggerStatuses([{ ...reading(1), tests: [...reading(1).tests, ...reading(null, null).tests] }], []);
  assert.ok(two);
  assert.equal(
    describeTrigger(two),
    'CUMULATIVE_NET_LOSS is 1, threshold 1.5, headroom 0.5. CUMULATIVE_NET_LOSS is not reported, threshold none, headroom unknown.',
  );
});
