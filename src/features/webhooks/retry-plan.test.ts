import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { nextAttemptIn, retryAfterMs } from './retry-plan.ts';

const PLAN = [30_000, 300_000];
const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-01-15T09:30:00Z');

const Plan = fc.array(fc.integer({ min: 1, max: 3 * DAY_MS }), { maxLength: 8 });
const Random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const RetryAfter = fc.option(fc.integer({ min: 0, max: 10 * DAY_MS }));

test('every failure has its wait in the plan, and after the last there is none', () => {
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
  assert.equal(nextAttemptIn(PLAN, 1, 10 ** 12, 0), DAY_MS);
});

test('whatever the plan, there is a next attempt exactly while the plan has a wait for it', () => {
  fc.assert(
    fc.property(Plan, fc.integer({ min: 1, max: 10 }), RetryAfter, Random, (plan, attempts, retryAfter, random) => {
      assert.equal(nextAttemptIn(plan, attempts, retryAfter, random) === null, attempts > plan.length);
    }),
  );
});

test('a wait is never shorter than planned, and beyond the jitter only as long as Retry-After asks, up to a day', () => {
  fc.assert(
    fc.property(Plan, RetryAfter, Random, (plan, retryAfter, random) => {
      for (const [index, planned] of plan.entries()) {
        const wait = nextAttemptIn(plan, index + 1, retryAfter, random) ?? -1;
        assert.ok(wait >= planned, 'planned');
        assert.ok(wait <= Math.max(Math.round(planned * 1.1), Math.min(retryAfter ?? 0, Math.max(planned, DAY_MS))), 'bounded');
        if (retryAfter !== null && retryAfter <= DAY_MS) assert.ok(wait >= retryAfter, 'Retry-After is kept');
      }
    }),
  );
});

test('Retry-After is seconds, with decimals too, or a date; any other value is ignored', () => {
  const cases: [string | null, number | null][] = [
    ['120', 120_000],
    [' 120 ', 120_000],
    ['0', 0],
    ['1.5', 1_500],
    ['0.0004', 1],
    ['999999999', 999_999_999_000],
    ['Thu, 15 Jan 2026 09:31:00 GMT', 60_000],
    ['Thursday, 15-Jan-26 09:31:00 GMT', 60_000],
    ['Thu, 15 Jan 2026 09:00:00 GMT', 0],
    ['2026-01-15T09:31:00Z', null],
    ['soon', null],
    ['Soon, please', null],
    ['-5', null],
    ['+5', null],
    ['1e9', null],
    ['0x10', null],
    ['1234567890', null],
    ['1.', null],
    ['', null],
    [null, null],
  ];
  for (const [header, expected] of cases) assert.equal(retryAfterMs(header, NOW), expected, String(header));
});

test('whatever a receiver writes into Retry-After, it is a wait of zero or more, or none', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('0', '1', '9', '.', 'e', '+', '-', ' ', ',', ':', 'GMT', 'Jan') })),
      (header) => {
        const wait = retryAfterMs(header, NOW);
        assert.ok(wait === null || (Number.isFinite(wait) && wait >= 0), `${header} → ${wait}`);
      },
    ),
  );
});

test('a date of HTTP is as far away as it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30 * 86_400 }), (seconds) => {
      assert.equal(retryAfterMs(new Date(NOW + seconds * 1_000).toUTCString(), NOW), seconds * 1_000);
    }),
  );
});
