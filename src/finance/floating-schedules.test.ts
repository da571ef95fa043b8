import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { fillSchedule } from './amortization.ts';
import { scheduleTable } from './collateral.ts';
import { packLoans } from './loan-table.ts';
import { aLoan, near } from './test-support.ts';
import type { CollateralLoan, ProjectionOptions } from './types.ts';

const MONTHS = 24;

/** Loans of one length; many share coupon terms, and not all of these an end of amortization. */
const anyFloater: fc.Arbitrary<CollateralLoan> = fc
  .record({
    balance: fc.integer({ min: 0, max: 10_000_000 }).map((cents) => cents / 100),
    ratePercent: fc.constantFrom(0, 3, 4.5, 9),
    remainingMonths: fc.constantFrom(MONTHS, MONTHS, 36, 360),
    interestOnlyMonths: fc.constantFrom(0, 0, 1, 9, 40),
    tapePayment: fc.constantFrom(undefined, undefined, 0, 1_000),
    floating: fc.record({
      index: fc.constant('SOFR'),
      marginPercent: fc.constantFrom(0, 1),
      periodicCapPercent: fc.constantFrom(0.5, 2, Number.POSITIVE_INFINITY),
      capPercent: fc.constantFrom(4, 20),
      floorPercent: fc.constantFrom(0, 2),
      resetMonths: fc.constantFrom(1, 1, 6),
      firstResetMonth: fc.constantFrom(1, 2, 7, 13, 40),
    }),
  })
  .map(({ tapePayment: scheduledPayment, ...terms }) =>
    aLoan({ balloonMonth: MONTHS, ...terms, ...(scheduledPayment === undefined ? {} : { scheduledPayment }) }),
  );

const anyCurve = fc.oneof(
  fc.array(fc.constantFrom(0, 3, 3, 3, 4, 4.5, 7), { minLength: 1, maxLength: MONTHS }),
  fc.constantFrom<number[]>([0], [4.5], [3, 3, 3, 9]),
);

/** Fails unless the table's only group has the sum of its loans' schedules, up to rounding. */
function isSumOfAlone(loans: readonly CollateralLoan[], options: ProjectionOptions): void {
  const schedules = scheduleTable(packLoans(loans), options);
  const months = schedules[0].months;
  const sums = { balance: new Float64Array(months + 1), interest: new Float64Array(months) };
  for (const loan of loans) {
    const alone = { balance: new Float64Array(months + 1), interest: new Float64Array(months) };
    fillSchedule(loan, options, alone.balance, alone.interest);
    for (const name of ['balance', 'interest'] as const)
      alone[name].forEach((amount, month) => (sums[name][month] = sums[name][month] + amount));
  }
  const tolerance = 1e-12 * sums.balance[0];
  near(schedules.length, 1, 0, 'groups');
  for (const name of ['balance', 'interest'] as const)
    sums[name].forEach((sum, month) => near(schedules[0][name][month], sum, tolerance, `${name} ${month}`));
}

test('floating loans of one length have the sum of their schedules, whichever of them come to have one coupon', () => {
  fc.assert(
    fc.property(fc.array(anyFloater, { minLength: 1, maxLength: 60 }), anyCurve, (loans, curve) =>
      isSumOfAlone(loans, { indexCurves: { SOFR: curve } }),
    ),
    { numRuns: 500 },
  );
});

test('so have loans of one month, and those of more coupon terms than are remembered, in turns', () => {
  const options = { indexCurves: { SOFR: [5, 4, 6, 5] } };
  isSumOfAlone(
    [0, 6].map((ratePercent) => aLoan({ ratePercent, remainingMonths: 1, floating: { index: 'SOFR', marginPercent: 0 } })),
    options,
  );
  const loans = Array.from({ length: 2400 }, (_, index) =>
    aLoan({
      balance: 1000 + index,
      remainingMonths: 12,
      floating: { index: 'SOFR', marginPercent: (index % 800) / 100, firstResetMonth: 1 + (index % 3) },
    }),
  );
  isSumOfAlone(loans, options);
});
