import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { basisPoints } from '../../console/src/ui/format-market.ts';
import { dayOf, numbers, type NumberOptions, percentOf } from '../../console/src/ui/intl.ts';

const WRITERS: NumberOptions[] = [
  {},
  { maximumFractionDigits: 6 },
  { maximumFractionDigits: 8 },
  { minimumFractionDigits: 2, maximumFractionDigits: 2 },
  { style: 'currency', currency: 'USD' },
  { style: 'currency', currency: 'USD', maximumFractionDigits: 0 },
  { style: 'currency', currency: 'USD', notation: 'compact' },
  { style: 'currency', currency: 'USD', notation: 'compact', maximumFractionDigits: 2 },
  { style: 'percent', maximumFractionDigits: 4 },
  { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 },
  { minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: 'exceptZero' },
];
/** Halves of the last digit, the largest ordinary numbers, and the first ones beyond them. */
const EDGES = [
  0,
  -0,
  0.5,
  1.005,
  -1.005,
  2.675,
  0.0005,
  0.00005,
  999.995,
  999_995,
  999_999_999.995,
  1e11 - 0.01,
  1e11,
  1e21,
  1e-7,
  -1234.5,
];

test('numbers are written as Intl writes them for the United States', () => {
  for (const options of WRITERS) {
    const write = numbers(options);
    const format = new Intl.NumberFormat('en-US', options);
    const same = (value: number): void => assert.equal(write(value), format.format(value), JSON.stringify({ value, ...options }));
    EDGES.forEach(same);
    [Number.NaN, Number.POSITIVE_INFINITY].forEach(same);
    const money = fc.integer({ min: -1e13, max: 1e13 }).map((cents) => cents / 100);
    fc.assert(fc.property(fc.oneof(money, fc.double(), fc.double({ min: -1e6, max: 1e6 })), same), { numRuns: 3_000 });
  }
});

test('days are written as Intl writes them for the United States', () => {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
  fc.assert(
    fc.property(fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }), (at) => {
      assert.equal(dayOf(at), format.format(at));
    }),
  );
});

test('a spread that rounds to 0 has no minus', () => {
  assert.deepEqual([-0.3, 0, 0.4, -0.6, 151.5, null].map(basisPoints), ['0 bp', '0 bp', '0 bp', '-1 bp', '152 bp', '–']);
});

test('a share that is neither nothing nor all is shown as neither', () => {
  assert.deepEqual(
    [0, 0.0004, 0.001, 0.5, 0.999, 0.9997, 1].map((fraction) => percentOf(fraction)),
    ['0.0%', '< 0.1%', '0.1%', '50.0%', '99.9%', '> 99.9%', '100.0%'],
  );
});
