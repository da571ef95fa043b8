import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { projectCollateral } from './collateral.ts';
import { collateralRows } from './collateral-rows.ts';
import { aLoan, assuming, near } from './test-support.ts';

function cards(paymentRate: number, portfolioYield: number, chargeOff: number) {
  return {
    paymentRatePercent: [paymentRate],
    portfolioYieldPercent: [portfolioYield],
    chargeOffPercent: [chargeOff],
  };
}

test('an amortizing card pool pays its payment rate, its yield and its charge-offs on the opening balance', () => {
  const c = projectCollateral(
    [aLoan({ balance: 600_000 }), aLoan({ balance: 400_000 })],
    assuming({ severityPercent: 100, card: cards(10, 18, 6) }),
  );
  near(c.scheduledPrincipal[0], 100_000, 1e-6);
  near(c.interest[0], 15_000, 1e-6);
  near(c.defaulted[0], 5_000, 1e-6);
  near(c.loss[0], 5_000, 1e-6);
  near(c.closing[0], 895_000, 1e-6);
  near(c.opening[1], 895_000, 1e-6);
});

test('charge-offs are recovered after the lag, and the pool is paid in full in the end', () => {
  const c = projectCollateral([aLoan()], assuming({ severityPercent: 80, recoveryLagMonths: 3, card: cards(15, 20, 7) }));
  near(c.recovery[3], 0.2 * c.defaulted[0], 1e-9);
  equal(c.closing.at(-1), 0);
  equal(c.pendingRecovery.at(-1), 0);
});

test('every month of a card pool ties to the cent', () => {
  const percents = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(
      percents,
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 0, max: 100 }),
      ([pay, yields, lost], lag, severity) => {
        const assumptions = assuming({ severityPercent: severity, recoveryLagMonths: lag, card: cards(pay, yields, lost) });
        let pending = 0;
        for (const row of collateralRows(projectCollateral([aLoan()], assumptions))) {
          equal(row.opening - row.scheduledPrincipal - row.prepayment - row.defaulted, row.closing);
          equal(pending + row.defaulted - row.recovery - row.loss, row.pendingRecovery);
          ok(Object.values(row).every((value) => value >= 0));
          pending = row.pendingRecovery;
        }
      },
    ),
  );
});
