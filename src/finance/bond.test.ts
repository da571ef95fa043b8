import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import {
  accruedInterest,
  cleanPrice,
  discountMargin,
  effectiveConvexity,
  effectiveDuration,
  presentValue,
  sensitivity,
  valueFromPrice,
  weightedAverageLife,
  yearsFromSettlement,
  type YieldBasis,
  yieldFromValue,
  zSpread,
} from './bond.ts';
import { curveRate, spreadAtWal, zeroCurveFromPar, zeroCurveFromZeros } from './curve.ts';
import { near } from './test-support.ts';
import type { DayCount } from './types.ts';

const basis = fc.constantFrom<YieldBasis>('BEY', 'MONTHLY');
const flows = fc
  .array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 60 })
  .map((amounts) => ({ amounts, years: amounts.map((_, index) => (index + 0.4) / 12) }));

test('price and yield are inverse, for cheap and for dear flows', () => {
  fc.assert(
    fc.property(flows, fc.double({ min: -5, max: 200, noNaN: true }), basis, (bond, yieldPercent, compounding) => {
      near(yieldFromValue(bond, presentValue(bond, yieldPercent, compounding), compounding), yieldPercent, 1e-8);
    }),
  );
});

test('the value falls as the yield rises', () => {
  fc.assert(
    fc.property(flows, fc.double({ min: 0, max: 50, noNaN: true }), (bond, yieldPercent) => {
      ok(presentValue(bond, yieldPercent + 0.01) < presentValue(bond, yieldPercent));
    }),
  );
});

test('modified duration and convexity are the first and second derivative of the price', () => {
  fc.assert(
    fc.property(flows, fc.double({ min: 1, max: 20, noNaN: true }), basis, (bond, yieldPercent, compounding) => {
      const measures = sensitivity(bond, yieldPercent, compounding);
      const valueAt = (shift: number) => presentValue(bond, yieldPercent + shift, compounding);
      const shiftedBy = (shift: number) => ({ down: valueAt(-shift), base: valueAt(0), up: valueAt(shift) });
      near(measures?.modified, effectiveDuration(shiftedBy(0.01), 0.01), 1e-4);
      near(measures?.convexity, effectiveConvexity(shiftedBy(0.05), 0.05), 1e-2);
    }),
  );
});

test('a par bond yields its coupon', () => {
  const years = Array.from({ length: 10 }, (_, index) => (index + 1) / 2);
  const amounts = years.map((_, index) => (index === 9 ? 102.5 : 2.5));
  near(yieldFromValue({ years, amounts }, 100), 5, 1e-12);
});

test('flows that are worth nothing have no yield, duration, life or spread', () => {
  const none = { years: [1, 2], amounts: [0, 0] };
  equal(yieldFromValue(none, 100), null);
  equal(yieldFromValue({ years: [1], amounts: [100] }, 0), null);
  equal(sensitivity(none, 5), null);
  equal(weightedAverageLife([1, 2], [0, 0]), null);
  equal(zSpread(none, 100, zeroCurveFromPar([{ years: 1, rate: 4 }])), null);
});

test('flows on or before settlement are out of value, life and yield', () => {
  const years = yearsFromSettlement('2026-12-15', ['2026-11-15', '2026-12-15', '2027-12-15']);
  near(presentValue({ years, amounts: [50, 50, 105] }, 2 * 100 * (Math.sqrt(1.05) - 1)), 100, 1e-10);
  equal(weightedAverageLife(years, [10, 10, 10]), 1);
});

test('accrued interest follows the day count from the last payment and is never negative', () => {
  const accrued = (dayCount: DayCount, from: string, to: string, paymentDay = 15) =>
    accruedInterest(1_000_000, { coupon: 5.1, dayCount, from, paymentDay }, to);
  near(accrued('30/360', '2026-12-01', '2026-12-16'), 2125, 1e-9);
  near(accrued('ACT/360', '2026-12-01', '2027-01-01'), (51_000 * 31) / 360, 1e-9);
  equal(accrued('30/360', '2026-12-15', '2026-12-01'), 0);
  // From the end of February, of a note that pays on the last day of the month: 30 days (SIFMA, Standard Securities Calculation Methods).
  near(accrued('30/360', '2027-02-28', '2027-03-30', 31), 4250, 1e-9);
  near(accrued('30E/360', '2027-02-28', '2027-03-31', 31), 4250, 1e-9);
  near(cleanPrice(valueFromPrice(99.5, 2125, 1_000_000), 2125, 1_000_000), 99.5, 1e-12);
});

test('the curve is linear between its points and flat outside', () => {
  const points = [
    { years: 1, rate: 4 },
    { years: 5, rate: 4.2 },
  ];
  equal(curveRate(points, 0.2), 4);
  near(curveRate(points, 3), 4.1, 1e-12);
  equal(curveRate(points, 30), 4.2);
  near(spreadAtWal(5.35, points, 3), 125, 1e-9);
});

test('the bootstrapped curve prices its own par bonds at 100 and gives the textbook zero rate', () => {
  const points = [
    { years: 0.5, rate: 4 },
    { years: 1, rate: 5 },
    { years: 10, rate: 6.2 },
  ];
  const curve = zeroCurveFromPar(points);
  // One-year par bond at 5 %: 2.5 / 1.02 + 102.5 / (1 + z/2)² = 100.
  near(curve.zeroPercent(1), 200 * (Math.sqrt(102.5 / (100 - 2.5 / 1.02)) - 1), 1e-10);
  for (const maturity of [0.5, 1, 4.5, 10, 20]) {
    const coupon = curveRate(points, maturity) / 2;
    let value = 100 * curve.discountFactor(maturity);
    for (let t = 0.5; t <= maturity; t += 0.5) value += coupon * curve.discountFactor(t);
    near(value, 100, 1e-9, `par bond of ${maturity} years`);
  }
});

test('the Z-spread is the shift that was put in, and on a flat curve the difference of the yields', () => {
  const years = Array.from({ length: 48 }, (_, index) => (index + 1) / 12);
  const amounts = years.map((_, index) => (index === 47 ? 100 : 0.5));
  const flat = zeroCurveFromPar([{ years: 5, rate: 4 }]);
  const value = presentValue({ years, amounts }, 5.25);
  near(zSpread({ years, amounts }, value, flat), 125, 1e-6);
  const sloped = zeroCurveFromZeros([
    { years: 1, rate: 3 },
    { years: 4, rate: 5 },
  ]);
  const shifted = zeroCurveFromZeros([
    { years: 1, rate: 3.8 },
    { years: 4, rate: 5.8 },
  ]);
  const dear = amounts.reduce((sum, amount, index) => sum + amount * shifted.discountFactor(years[index]), 0);
  near(zSpread({ years, amounts }, dear, sloped), 80, 1e-6);
});

test('a floater at par has its quoted margin as discount margin, and more when it is cheaper', () => {
  const accrualYears = Array.from({ length: 24 }, (_, index) => (30 + (index % 2)) / 360);
  const indexPercent = accrualYears.map((_, index) => 4 + index / 50);
  const amounts = accrualYears.map((length, index) => (indexPercent[index] + 2.1) * length + (index === 23 ? 100 : 0));
  near(discountMargin({ amounts, accrualYears, indexPercent }, 100), 210, 1e-7);
  ok((discountMargin({ amounts, accrualYears, indexPercent }, 99) as number) > 250);
});
