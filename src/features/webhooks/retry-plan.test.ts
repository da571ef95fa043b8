import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAttemptIn, retryAfterMs } from './retry-plan.ts';

const PLAN = [30_000, 300_000];
const NOW = Date.parse('2026-01-15T09:30:00Z');

test('every failure has its place in the plan, and after the last there is none', () => {
  assert.deepEqual(
    [1, 2, 3].map((attempts) => nextAttemptIn(PLAN, attempts, null, 0)),
    [30_000, 300_000, null],
  );
  assert.equal(nextAttemptIn([], 1, 60_000, 0), null);
});

test('jitter adds at most a tenth and takes nothing away', () => {
  for (const random of [0, 0.5, 0.999_999]) {
    const wait = nextAttemptIn(PLAN, 1, null, random) ?? 0;
    assert.ok(wait >= 30_000 && wait <= 33_000, String(wait));
  }
});

test('Retry-After makes a wait longer, never shorter, and never longer than a day', () => {
  assert.equal(nextAttemptIn(PLAN, 1, 120_000, 0), 120_000);
  assert.equal(nextAttemptIn(PLAN, 1, 1_000, 0), 30_000);
  assert.equal(nextAttemptIn(PLAN, 1, 10 ** 12, 0), 86_400_000);
});

test('Retry-After is seconds, with decimals too, or a date; anything else is as if it were not there', () => {
  const cases: [string | null, number | null][] = [
    ['120', 120_000],
    ['1.5', 1_500],
    ['Thu, 15 Jan 2026 09:31:00 GMT', 60_000],
    ['Thu, 15 Jan 2026 09:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['1e9', null],
    ['', null],
    [null, null],
  ];
  for (const [header, expected] of cases) assert.equal(retryAfterMs(header, NOW), expected, String(header));
});
