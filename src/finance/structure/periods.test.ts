import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, sequential } from '../../../test/support/structures.ts';
import { accrualStart, accrualYears, buildPeriods, type PaymentPeriods } from './periods.ts';
import type { Structure } from './structure.ts';

const POOL = { cutOff: '2026-11-30', closing: '2026-12-01' };

function periodsOf(payment: Structure['payment'], months = 4): PaymentPeriods {
  const structure = sequential([note('A', 1, 5, 1)]);
  if (payment === undefined) delete structure.payment;
  else structure.payment = payment;
  return buildPeriods(structure, POOL, months);
}

const rounded = (years: Float64Array) => Array.from(years, (year) => Math.round(year * 36_000) / 100);

test('payment dates move off holidays of the Federal Reserve, and accrual on 30/360 does not notice', () => {
  const periods = periodsOf({ first_payment_date: '2026-12-15', payment_day: 15 });
  assert.deepEqual(
    periods.dates.map(({ paid }) => paid),
    ['2026-12-15', '2027-01-15', '2027-02-16', '2027-03-15'],
  );
  assert.deepEqual(rounded(accrualYears(periods, '30/360')), [30, 30, 30, 30]);
});

test('actual day counts run between paid dates, the first is a whole 30-day period or runs from the dated date', () => {
  const full = periodsOf({ first_payment_date: '2026-12-15' });
  assert.deepEqual(rounded(accrualYears(full, 'ACT/360')), [30, 31, 32, 27]);
  const actual = periodsOf({ first_payment_date: '2026-12-15', first_accrual: 'ACTUAL', dated_date: '2026-12-03' });
  assert.deepEqual(rounded(accrualYears(actual, 'ACT/360')), [12, 31, 32, 27]);
  assert.deepEqual(rounded(accrualYears(actual, '30/360')), [12, 30, 30, 30]);
});

test('a deal that pays on the last day of the month accrues a twelfth of a year every month', () => {
  const periods = periodsOf({ first_payment_date: '2026-12-31', payment_day: 31, business_day: 'NONE' });
  assert.deepEqual(
    periods.dates.map(({ paid }) => paid),
    ['2026-12-31', '2027-01-31', '2027-02-28', '2027-03-31'],
  );
  assert.deepEqual(rounded(accrualYears(periods, '30/360')), [30, 30, 30, 30]);
});

test('a first payment at the end of February is a whole period before the next, whatever day at the end of months is the payment day', () => {
  for (const first_payment_date of ['2027-02-28', '2028-02-29']) {
    for (const payment_day of [29, 30, 31]) {
      const periods = periodsOf({ first_payment_date, payment_day, business_day: 'NONE' });
      assert.deepEqual(rounded(accrualYears(periods, '30/360')), [30, 30, 30, 30], `${first_payment_date}, ${payment_day}`);
    }
  }
  const stub = periodsOf({ first_payment_date: '2027-02-27', payment_day: 31, business_day: 'NONE' });
  assert.deepEqual(rounded(accrualYears(stub, '30/360')), [30, 34, 30, 30]);
});

test('a first accrual from the end of February is counted as later ones are', () => {
  const accrual = (payment_day: number, first_payment_date: string) =>
    rounded(
      accrualYears(periodsOf({ first_payment_date, payment_day, dated_date: '2027-02-28', first_accrual: 'ACTUAL' }), '30/360'),
    );
  assert.deepEqual(accrual(31, '2027-03-31').slice(0, 2), [30, 30]);
  assert.deepEqual(accrual(28, '2027-03-28').slice(0, 2), [30, 30]);
  assert.deepEqual(accrual(15, '2027-03-15').slice(0, 2), [17, 30]);
});

test('an accrual that ends on a payment date at the end of February has its months of 30 days, as every later one', () => {
  // Twelve 30-day months: from the 30th of December to the payment of February, which is of the 30th, are two of them.
  const first = (payment_day: number, first_payment_date: string, dated_date: string) =>
    rounded(accrualYears(periodsOf({ first_payment_date, payment_day, dated_date, first_accrual: 'ACTUAL' }), '30/360')).slice(
      0,
      2,
    );
  assert.deepEqual(first(30, '2027-02-28', '2026-12-30'), [60, 30]);
  assert.deepEqual(first(31, '2028-02-29', '2028-01-16'), [44, 30]);
  assert.deepEqual(first(28, '2027-02-28', '2027-01-28'), [30, 30]);
  const second = periodsOf({ first_payment_date: '2027-01-15', payment_day: 31, business_day: 'NONE' });
  assert.deepEqual(rounded(accrualYears(second, '30/360')), [30, 45, 30, 30]);
});

test('a first date off the payment day makes the second accrual shorter', () => {
  const periods = periodsOf({ first_payment_date: '2026-12-20', payment_day: 15, business_day: 'NONE' });
  assert.deepEqual(rounded(accrualYears(periods, '30/360')), [30, 25, 30, 30]);
});

test('without payment terms a deal pays on the 15th from the month after the cut-off', () => {
  assert.deepEqual(
    periodsOf(undefined).dates.map(({ unadjusted }) => unadjusted),
    ['2026-12-15', '2027-01-15', '2027-02-15', '2027-03-15'],
  );
});

test('a delay adds payment dates without collateral', () => {
  assert.equal(periodsOf({ delay_months: 2 }).count, 6);
  assert.equal(periodsOf({ frequency: 'QUARTERLY' }, 7).count, 3);
});

test('interest accrues to a settlement date from the last payment, before the first from the dated date', () => {
  const periods = periodsOf({ first_payment_date: '2026-12-15' });
  assert.equal(accrualStart(periods, '30/360', '2026-12-10'), '2026-12-01');
  assert.equal(accrualStart(periods, '30/360', '2027-02-20'), '2027-02-15');
  assert.equal(accrualStart(periods, 'ACT/360', '2027-02-20'), '2027-02-16');
  assert.equal(accrualStart(periods, 'ACT/360', '2027-02-15'), '2027-01-15');
});
