import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { projectCollateral } from './collateral.ts';
import { foldSchedules, projectKept } from './kept-pool.ts';
import { keepSchedules } from './structure/paths.ts';
import { aLoan, anyAssumptions, anyLoan, assuming, near, SOFR_CURVE } from './test-support.ts';
import type { Assumptions, CollateralLoan } from './types.ts';

const pools = fc.array(anyLoan, { minLength: 1, maxLength: 30 });

const keep = (loans: readonly CollateralLoan[], assumptions: Assumptions) =>
  foldSchedules(keepSchedules(loans, assumptions, SOFR_CURVE), assumptions);

test('a kept pool has the cash flow of its loans, whatever their terms and speeds', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, (loans, asked) => {
      const assumptions = { ...asked, servicerAdvances: false };
      const whole = projectCollateral(loans, assumptions, SOFR_CURVE);
      const kept = projectKept(keep(loans, assumptions), assumptions);
      equal(kept.periods, whole.periods);
      for (const [name, flow] of Object.entries(whole)) {
        if (!(flow instanceof Float64Array)) continue;
        const same = kept[name as keyof typeof kept] as Float64Array;
        for (const [month, amount] of flow.entries()) near(same[month], amount, 1e-6, `${name} of month ${month + 1}`);
      }
    }),
    { numRuns: 300 },
  );
});

test('loans of one age are walked once, whatever their lengths, and those past the standard curve count as one age', () => {
  const loans = Array.from({ length: 240 }, (_, index) => aLoan({ remainingMonths: 120 + index, ageMonths: 25 + (index % 40) }));
  const psa = assuming({ prepayment: { measure: 'psa', values: [150] }, recoveryLagMonths: 6 });
  equal(keep(loans, psa).groups.length, 6);
  equal(keep(loans, assuming()).groups.length, 1);
});

test('a kept pool refuses another lag and advances, for which it was not folded', () => {
  const kept = keep([aLoan()], assuming({ recoveryLagMonths: 6 }));
  throws(() => projectKept(kept, assuming({ recoveryLagMonths: 7 })), RangeError);
  throws(() => projectKept(kept, assuming({ recoveryLagMonths: 6, servicerAdvances: true })), RangeError);
});
