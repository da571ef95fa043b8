import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { NO_SEGMENT } from '../loan-columns.ts';
import { near } from '../test-support.ts';
import { segmentationOf } from './assumptions.ts';
import { calculate } from './calculate.ts';
import type { CalculationPool } from './normal-request.ts';
import { openRemittances } from './remittance.ts';
import type { CalculationRequest } from './request.ts';

const DEAL = sequential([note('A', 700_000, 5, 1), note('B', 150_000, 7, 2)]);
const DEFERRED = { where: { field: 'state', op: 'eq', value: 'TX' }, deferment_interest: 'CAPITALISE' as const };

/** Loans in their deferment at every opening below, one past it at the later one, and one without. */
const POOL: CalculationPool = {
  loans: [
    { ...loan(500_000, 8, 60), deferMonths: 24 },
    { ...loan(200_000, 6, 72, 3), deferMonths: 24 },
    { ...loan(100_000, 7, 48), deferMonths: 8 },
    loan(200_000, 5, 30, 6),
  ],
  loanType: 'Student',
  originalBalance: 1_000_000,
  cutOff: '2026-11-30',
  closing: '2026-12-15',
  segments: new Map([[segmentationOf([DEFERRED]), Int8Array.from([NO_SEGMENT, 0, NO_SEGMENT, NO_SEGMENT])]]),
};

const TREATMENTS: NonNullable<CalculationRequest['scenarios']> = [
  { scenario: 'capitalised', deferment_interest: 'CAPITALISE' },
  { scenario: 'spread', deferment_interest: 'SPREAD' },
  { scenario: 'paid', deferment_interest: 'PAY' },
  { scenario: 'spread but in Texas', deferment_interest: 'SPREAD', segments: [DEFERRED] },
];

async function run(request: Partial<CalculationRequest>, pool: CalculationPool = POOL) {
  const calculated = await calculate({ type: 'CASHFLOW', assumptions: { cpr: 5 }, ...request }, pool, DEAL);
  ok(calculated.ok, JSON.stringify(calculated));
  return calculated;
}

/** The pool after the payment of a period that left it with a balance. */
function openedAt(period: number, balance: number, pool: CalculationPool = POOL): CalculationPool {
  const payment_date = `2027-${String(period).padStart(2, '0')}-15`;
  const state = { ...openRemittances(DEAL, pool.originalBalance), period, payment_date, pool_balance: balance };
  return { ...pool, opening: { from: period, state } };
}

for (const [place, { scenario }] of TREATMENTS.entries()) {
  test(`loans in deferment go on from a payment as they would have from closing: ${scenario}`, async () => {
    const whole = (await run({ scenarios: TREATMENTS })).details[place].collateral;
    for (const period of [1, 5, 8, 12]) {
      const opened = openedAt(period, whole[period - 1].closing);
      const together = (await run({ scenarios: TREATMENTS }, opened)).details[place].collateral;
      const alone = (await run({ scenarios: [TREATMENTS[place]] }, opened)).details[0].collateral;
      for (const rest of [together, alone]) {
        equal(rest.length, whole.length - period);
        for (const [index, row] of rest.entries())
          for (const field of ['opening', 'scheduled_principal', 'prepayment', 'interest', 'closing'] as const)
            near(row[field], whole[period + index][field], 0.03, `from ${period}, ${field} of period ${row.period}`);
      }
    }
  });
}

test('what the loans were multiplied with is told for each treatment, and the rest once', async () => {
  const [capitalised, spread, paid] = TREATMENTS;
  const scenarios = [capitalised, spread, { ...capitalised, scenario: 'faster', cpr: 9 }];
  const told = (await run({ scenarios }, openedAt(5, 900_000))).result.warnings.map((text) => text.split(' after 5 months')[0]);
  deepEqual(told.slice(0, 3), [
    'scenarios "capitalised", "faster": the loans are those of the closing tape',
    'recoveries on loans that defaulted before the report of period 5 are not known and taken as 0',
    'scenario "spread": the loans are those of the closing tape',
  ]);
  const without = { ...POOL, loans: [loan(1_000_000, 8, 60)] };
  const alike = (await run({ scenarios: [capitalised, spread, paid] }, openedAt(5, 900_000, without))).result.warnings;
  equal(alike.filter((text) => text.includes('closing tape')).length, 1);
  ok(alike[0].startsWith('the loans are those of the closing tape after 5 months'), alike[0]);
});

test('one loan that had resets, or follows an unknown index, is told as one', async () => {
  const floating = { index: 'SOFR', marginPercent: 2, resetMonths: 12, firstResetMonth: 3 };
  const loans = [loan(500_000, 8, 60), { ...loan(500_000, 8, 60), floating }];
  const opened = openedAt(5, 900_000, { ...POOL, loans });
  const known = await run({ index_curves: { SOFR: [{ period: 1, rate: 4 }] } }, opened);
  ok(known.result.warnings.includes('1 loan had resets before: it keeps the coupon of the closing tape until its next reset'));
  const unknown = await run({}, opened);
  ok(unknown.result.warnings.includes('1 loan follows SOFR, which has no index curve: it keeps its current coupon'));
});
