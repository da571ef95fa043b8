import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import {
  annualFromMonthly,
  cdrFromSda,
  cprFromPsa,
  monthlyFromAnnual,
  monthlyMdr,
  monthlySmm,
  smmFromAbs,
  valueAt,
} from './rates.ts';
import { near } from './test-support.ts';

test('6 % CPR is 0.5143 % a month (Fabozzi and Jones, Foundations of Global Financial Markets, chapter 30)', () => {
  near(monthlyFromAnnual(0.06), 0.005143, 1e-6);
});

test('a pool that pays off in a month has CPR and SMM 1, one that does not prepay 0', () => {
  equal(monthlyFromAnnual(1), 1);
  equal(monthlyFromAnnual(0), 0);
  equal(annualFromMonthly(1), 1);
});

test('2 ABS is 2.5 % SMM in month 11 (BMA Standard Formulas SF-13)', () => {
  near(smmFromAbs(0.02, 11), 0.025, 1e-12);
});

test('an ABS pool is gone in the month in which its original number is used up, and in every month after', () => {
  near(smmFromAbs(0.02, 49), 0.5, 1e-9);
  near(smmFromAbs(0.02, 50), 1, 1e-12);
  equal(smmFromAbs(0.02, 51), 1);
  equal(smmFromAbs(0, 400), 0);
});

test('100 PSA rises by 0.2 % CPR a month to 6 % in month 30 and stays there (SF-6)', () => {
  near(cprFromPsa(1, 1), 0.002, 1e-15);
  near(cprFromPsa(1, 17), 0.034, 1e-15);
  near(cprFromPsa(1, 30), 0.06, 1e-15);
  near(cprFromPsa(1, 200), 0.06, 1e-15);
  equal(cprFromPsa(20, 30), 1);
});

test('100 SDA rises to 0.60 % in month 30, holds to month 60 and falls to 0.03 % in month 120 (SF-20)', () => {
  const percents = [1, 15, 30, 45, 60, 61, 90, 119, 120, 300].map((month) => cdrFromSda(1, month) * 100);
  const published = [0.02, 0.3, 0.6, 0.6, 0.6, 0.5905, 0.315, 0.0395, 0.03, 0.03];
  for (const [index, percent] of percents.entries()) near(percent, published[index], 1e-12);
});

test('an annual rate made monthly and back is the same rate', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 0.99, noNaN: true }), (annual) => {
      near(annualFromMonthly(monthlyFromAnnual(annual)), annual, 1e-12);
    }),
  );
});

test('speeds of the wire are percent, loans of age 6 prepay in their seventh month, and the last value of a vector persists', () => {
  near(monthlySmm({ measure: 'smm', values: [1] }, 3, 0), 0.01, 1e-15);
  near(monthlySmm({ measure: 'cpr', values: [6, 8, 10] }, 9, 0), monthlyFromAnnual(0.1), 1e-15);
  near(monthlySmm({ measure: 'psa', values: [150] }, 1, 6), monthlyFromAnnual(0.021), 1e-15);
  near(monthlySmm({ measure: 'abs', values: [1.3] }, 1, 6), 0.013 / (1 - 0.013 * 6), 1e-15);
  near(monthlyMdr({ measure: 'sda', values: [200] }, 4, 26), monthlyFromAnnual(0.012), 1e-15);
  near(monthlyMdr({ measure: 'mdr', values: [0.5] }, 1, 0), 0.005, 1e-15);
});

test('an empty vector is refused', () => {
  throws(() => valueAt([], 1), RangeError);
});
