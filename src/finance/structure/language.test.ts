import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collateralOf, loan, note, RESIDUAL, runDeal, runOver, sequential } from '../../../test/support/structures.ts';
import { projectCollateral } from '../collateral.ts';
import { assuming, near } from '../test-support.ts';
import type { Structure } from './structure.ts';

/* What the guide says where the words of the language leave it open (docs/guide/analytics.md, "What the words mean exactly"). */

test('the balance that defaults in a month pays no interest in it; with advances the servicer pays it to the month of liquidation', () => {
  const assumptions = assuming({ default: { measure: 'mdr', values: [10, 0] }, severityPercent: 50, recoveryLagMonths: 3 });
  const { interest } = projectCollateral([loan(1_200_000, 12, 12)], assumptions);
  near(interest[0], 0.9 * 12_000, 1e-9);
  const { interest: own, advancedInterest } = projectCollateral([loan(1_200_000, 12, 12)], {
    ...assumptions,
    servicerAdvances: true,
  });
  near(own[0] + advancedInterest[0], 12_000, 1e-9);
  assert.deepEqual(
    [...advancedInterest.subarray(0, 6)].map((amount) => amount > 0),
    [true, true, true, true, false, false],
  );
});

test('a Z tranche accretes in a period when a tranche that it waits for has a balance at its opening, even if the period retires it', () => {
  const z = note('Z', 400, 12, 2, { interest: 'ACCRUE_UNTIL', accrue_until: ['A'] });
  const months = [
    { scheduled: 100, interest: 20 },
    { scheduled: 100, interest: 20 },
    { scheduled: 100, interest: 20 },
  ];
  const { flows } = runOver(sequential([note('A', 150, 0, 1), z]), collateralOf(1000, months));
  const [a, zFlows] = flows.tranches;
  assert.deepEqual([...a.closing].map(Math.round), [46, 0, 0]);
  assert.deepEqual(
    [...zFlows.accreted].map((amount) => amount > 0),
    [true, true, false],
  );
  // The cash of the accretion joins the principal of the period.
  near(a.principal[0], 100 + zFlows.accreted[0], 1e-9);
  assert.ok(zFlows.interestDue[2] > 0);
});

test('on a call the steps come in their order without limits, then what they left unpaid by seniority, then the residual', () => {
  const structure: Structure = {
    payment: { first_payment_date: '2027-01-15', business_day: 'NONE' },
    tranches: [note('A', 300, 0, 1), note('B', 200, 0, 2), note('C', 100, 0, 3), RESIDUAL],
    triggers: [{ trigger: 'never', metric: 'POOL_FACTOR', op: 'lt', value: 0.001 }],
    waterfall: [
      { pay: 'PRINCIPAL', to: ['B'], limit: 1 },
      { pay: 'PRINCIPAL', to: ['A', 'C'], when: 'never' },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
    clean_up_call: { percent: 90 },
  };
  const months = [{ scheduled: 200 }, { scheduled: 800 }];
  const { flows, trace } = runOver(structure, collateralOf(1000, months));
  assert.equal(flows.calledAt, 0);
  assert.deepEqual(
    trace[0].steps.map(({ pay, paid }) => `${pay} ${paid}`),
    ['PRINCIPAL 200', 'PRINCIPAL 0', 'REDEMPTION 400', 'RESIDUAL 400'],
  );
});

test('an adjustable loan pays its new rate for the whole month in which it resets, at the index of that month', () => {
  const floating = { index: 'X', marginPercent: 1, resetMonths: 6, firstResetMonth: 4 };
  const curve = Array.from({ length: 24 }, (_, index) => 5 + index / 10);
  const { interest, opening } = projectCollateral([{ ...loan(1000, 9, 24), floating }], assuming(), {
    indexCurves: { X: curve },
  });
  const rates = [...interest].map((amount, month) => (1200 * amount) / opening[month]);
  for (const [month, rate] of [9, 9, 9, 6.3, 6.3, 6.3, 6.3, 6.3, 6.3, 6.9].entries()) near(rates[month], rate, 1e-9);
});

test('the floor of a NOTES target is a note balance: the notes stay at it until all that is left falls due', () => {
  const structure = sequential([note('A', 900_000, 5, 1)]);
  structure.waterfall[1] = {
    pay: 'PRINCIPAL',
    to: ['A'],
    amount: { target: 'NOTES', percent: 85, of: 'POOL_CURRENT', floor: 800_000 },
  };
  const { flows } = runDeal(structure, [loan(1_000_000, 12, 60)]);
  const { closing } = flows.tranches[0];
  assert.ok(closing[4] > 800_000);
  for (let period = 5; period < 59; period++) near(closing[period], 800_000, 1e-6, `period ${period + 1}`);
  assert.ok(closing[59] > 700_000, 'what went to the residual before is not there at the end');
});
