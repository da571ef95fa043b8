import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loan, sum } from '../../../test/support/structures.ts';
import { assuming } from '../test-support.ts';
import { projectCollateral, projectSchedules } from '../collateral.ts';
import type { Assumptions } from '../types.ts';
import { keepSchedules } from './paths.ts';

/** Loans of two lengths and of ages around the ends of the standard curves. */
const LOANS = [0, 12, 29, 30, 31, 59, 119, 121, 140].flatMap((age) => [loan(1000 + age, 6, 120, age), loan(500, 7, 84, age)]);

const SPEEDS: [name: string, schedules: number, assumptions: Partial<Assumptions>][] = [
  ['CPR and CDR', 2, { prepayment: { measure: 'cpr', values: [8] } }],
  ['PSA', 8, { prepayment: { measure: 'psa', values: [150] } }],
  ['SDA', 16, { default: { measure: 'sda', values: [200] } }],
  ['ABS', 18, { prepayment: { measure: 'abs', values: [0.3] } }],
  ['advances', 18, { servicerAdvances: true }],
];

for (const [name, count, changes] of SPEEDS) {
  test(`kept schedules give the cash flow of the loans under ${name}`, () => {
    const assumptions = assuming({
      default: { measure: 'cdr', values: [3] },
      severityPercent: 40,
      recoveryLagMonths: 5,
      ...changes,
    });
    const schedules = keepSchedules(LOANS, assumptions);
    assert.equal(schedules.length, count);
    const kept = projectSchedules(schedules, assumptions);
    const whole = projectCollateral(LOANS, assumptions);
    for (const flow of ['scheduledPrincipal', 'prepayment', 'defaulted', 'loss', 'interest', 'closing'] as const) {
      for (const [month, amount] of whole[flow].entries()) {
        assert.ok(Math.abs(amount - kept[flow][month]) < 1e-8, `${flow} of month ${month + 1}`);
      }
    }
    assert.ok(sum(whole.loss) > 0);
  });
}
