import { test } from 'node:test';
import { levelPayment } from './amortization.ts';
import { sensitivity, weightedAverageLife, yieldFromValue } from './bond.ts';
import { projectCollateral } from './collateral.ts';
import { spreadAtWal } from './curve.ts';
import { aLoan, assuming, near } from './test-support.ts';
import type { Collateral } from './types.ts';

/* The published figures on which the mathematics stands or falls, each with its source. */

test('Cash Flow A of the default standard has the printed first months and totals (BMA Standard Formulas, chapter SF, C.3)', () => {
  const c = projectCollateral(
    [aLoan({ balance: 100e6, ratePercent: 8 })],
    assuming({
      prepayment: { measure: 'smm', values: [1] },
      default: { measure: 'mdr', values: [1] },
      severityPercent: 20,
      recoveryLagMonths: 12,
      servicerAdvances: true,
    }),
  );
  const printed: [keyof Collateral, number[], number][] = [
    ['defaulted', [1_000_000, 979_342.44, 959_106.89], 47_576_640],
    ['prepayment', [999_329.02, 978_680.5, 958_453.86], 47_527_662],
    ['scheduledPrincipal', [66_426.93, 65_532.38, 64_649.88], 4_895_697],
    ['advancedPrincipal', [670.98, 1_337.4, 1_999.34], 614_780],
    ['advancedInterest', [6_666.67, 13_191.14, 19_805.8], Number.NaN],
    ['interest', [660_000, 646_366.01, 633_010.55], Number.NaN],
    ['closing', [97_934_244.05, 95_910_688.73, 93_928_478.11], Number.NaN],
    ['recovery', [0, 0, 0], 37_446_547],
    ['loss', [0, 0, 0], 9_515_314],
  ];
  for (const [flow, months, total] of printed) {
    const values = c[flow] as Float64Array;
    for (const [month, amount] of months.entries()) {
      if (flow !== 'advancedInterest' || month < 2) near(values[month], amount, 0.0051, `${flow} of month ${month + 1}`);
    }
    if (!Number.isNaN(total)) near(sum(values), total, 2, `total ${flow}`);
  }
});

test('a $400 million pass-through has the printed first month and average lives (Fabozzi and Jones, chapter 30)', () => {
  const lives = { 50: 15.11, 165: 8.76, 300: 5.63, 500: 3.68, 700: 2.78 };
  for (const [psa, life] of Object.entries(lives)) {
    const c = projectCollateral(
      [aLoan({ balance: 400e6, ratePercent: 8.125, remainingMonths: 357, ageMonths: 3 })],
      assuming({ prepayment: { measure: 'psa', values: [Number(psa)] } }),
    );
    const principal = c.scheduledPrincipal.map((amount, month) => amount + c.prepayment[month]);
    if (psa === '165') near(principal[0], 709_923, 0.6);
    // Flows are timed 25 days after the start of their month.
    const years = principal.map((_, month) => (month + 1) / 12 - 5 / 360);
    near(weightedAverageLife(years, principal), life, 0.0051, `${psa} PSA`);
  }
});

test('a 9 % GNMA pool at par and 150 PSA yields 9.10675 bond equivalent, 8.93863 monthly (BMA Standard Formulas SF-50)', () => {
  const c = projectCollateral(
    [aLoan({ balance: 100, ratePercent: 9.5 })],
    assuming({ prepayment: { measure: 'psa', values: [150] } }),
  );
  const years = Float64Array.from({ length: 360 }, (_, month) => (30 * (month + 1) + 14) / 360);
  const principal = years.map((_, month) => c.scheduledPrincipal[month] + c.prepayment[month]);
  const amounts = years.map((_, month) => (c.interest[month] * 9) / 9.5 + principal[month]);
  const bey = yieldFromValue({ years, amounts }, 100) as number;
  near(bey, 9.10675, 1e-5);
  near(yieldFromValue({ years, amounts }, 100, 'MONTHLY'), 8.93863, 1e-5);
  near(weightedAverageLife(years, principal), 9.77844, 1e-5);
  const measures = sensitivity({ years, amounts }, bey);
  near(measures?.macaulay, 5.73147, 1e-5);
  near(measures?.modified, 5.48186, 1e-5);
  near(measures?.convexity, 54.4326, 1e-4);
});

test('HERO 2017-1 A1 at 3.724 % and a life of 6.121 years is 174.978 bp over the interpolated swap curve', () => {
  const swaps = [
    { years: 6, rate: 1.96 },
    { years: 7, rate: 1.96 + (1.97422 - 1.96) / 0.121 },
  ];
  near(spreadAtWal(3.724, swaps, 6.121), 174.978, 1e-9);
});

test('level payments are the published ones (Dream-Securitizations MathUtilityTests; QuantLib 1.29 amortizingbond.cpp)', () => {
  near(levelPayment(408_000, 0.003645833333333333, 360), 2037.08, 0.01);
  near(levelPayment(360_000, 0, 360), 1000, 1e-9);
  near(levelPayment(100, 0.05 / 12, 360), 0.536821623, 1e-9);
  near(levelPayment(100, 0.12 / 12, 360), 1.028612597, 1e-9);
});

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
