import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, sequential } from '../../../test/support/structures.ts';
import type { ScenarioDetail } from '../../finance/structure/calculate.ts';
import { openRemittances, type Remittance } from '../../finance/structure/remittance.ts';
import { rollForward } from '../../finance/structure/roll-forward.ts';
import type { Structure, Tranche } from '../../finance/structure/structure.ts';
import { derive, openingOf } from './derive.ts';
import { projectedPerformance, reportedPerformance } from './performance.ts';

const collateral = (changes: Partial<ScenarioDetail['collateral'][number]>): ScenarioDetail['collateral'][number] => ({
  period: 1,
  date: '2027-01-15',
  opening: 1_000_000,
  scheduled_principal: 0,
  prepayment: 0,
  default: 0,
  recovery: 0,
  loss: 0,
  advanced_principal: 0,
  interest: 0,
  fees: 0,
  closing: 1_000_000,
  ...changes,
});

const assetLiabilityRow = (
  facts: Partial<ScenarioDetail['asset_liability']['rows'][number]>,
): ScenarioDetail['asset_liability']['rows'][number] => ({
  period: 1,
  date: '2027-01-15',
  collateral_balance: 0,
  collateral_principal: 0,
  collateral_interest: 0,
  collateral_loss: 0,
  call_proceeds: 0,
  account_income: 0,
  fees: 0,
  note_balance: 0,
  note_interest: 0,
  note_principal: 0,
  residual: 0,
  released_outside: 0,
  reserve_balance: 0,
  excess_spread: null,
  over_collateralization: 0,
  oc: null,
  ...facts,
});

/** The pool's metrics that rows of the collateral project, over 1,000,000 originally. */
function poolOf(rows: Partial<ScenarioDetail['collateral'][number]>[], payment: Structure['payment'] = {}, advances = false) {
  const structure = sequential([note('A', 1_000_000, 5, 1)], { payment: { first_payment_date: '2027-01-15', ...payment } });
  const asset_liability = { collateral_wal: null, notes_wal: null, wal_mismatch: null, rows: [] };
  const detail: ScenarioDetail = { scenario: 'base', collateral: rows.map(collateral), tranches: {}, asset_liability, trace: [] };
  return projectedPerformance(structure, detail, { poolOriginal: 1_000_000, advances }).pool;
}

test('speeds are annual: an SMM of 0.5143 % is 6 % CPR (Fabozzi, Bond Markets, Analysis and Strategies)', () => {
  const [prepaid] = poolOf([{ prepayment: 5_143 }]);
  assert.ok(Math.abs((prepaid?.cpr ?? 0) - 6) < 0.0005, String(prepaid?.cpr));
  const [defaulted] = poolOf([{ default: 5_143 }]);
  assert.ok(Math.abs((defaulted?.cdr ?? 0) - 6) < 0.0005, String(defaulted?.cdr));
});

test('a prepayment is measured against the balance after scheduled principal', () => {
  // 990,000 could prepay and 9,900 did: an SMM of 1 %, 100 × (1 − 0.99^12) = 11.3615 % a year.
  assert.equal(poolOf([{ scheduled_principal: 10_000, prepayment: 9_900 }])[0]?.cpr, 11.3615);
});

test('a quarter’s speed is annualised over four quarters', () => {
  // 100 × (1 − 0.99^4) = 3.9404 %.
  assert.equal(poolOf([{ prepayment: 10_000 }], { frequency: 'QUARTERLY' })[0]?.cpr, 3.9404);
});

test('a first payment of several collection months is annualised over these, later ones over the months between payments', () => {
  // 1 % in two months is 100 × (1 − 0.99^6) = 5.8520 % a year, in one 11.3615 %; interest of 10,000 in two months is 6 % a year.
  const two = { prepayment: 10_000, default: 0, interest: 10_000 };
  const projected = poolOf([two, { period: 2, prepayment: 10_000, interest: 5_000 }], { first_collection_months: 2 });
  assert.deepEqual(
    projected.map((row) => [row.cpr, row.wac]),
    [
      [5.852, 6],
      [11.3615, 6],
    ],
  );
  assert.equal(poolOf([{ default: 10_000 }], { first_collection_months: 2 })[0]?.cdr, 5.852);
  // One of the two months has been collected by a date that is a month behind, and none by one that is two behind.
  assert.equal(poolOf([two], { first_collection_months: 2, delay_months: 1 })[0]?.wac, 12);
  assert.deepEqual(poolOf([{}], { first_collection_months: 2, delay_months: 2 })[0]?.cpr, 0);
});

test('the coupon is the interest on the balance that paid it', () => {
  assert.equal(poolOf([{ interest: 5_000 }])[0]?.wac, 6);
  // Defaulted balance pays none unless the servicer advances.
  assert.equal(poolOf([{ interest: 4_900, default: 20_000 }])[0]?.wac, 6);
  assert.equal(poolOf([{ interest: 5_000, default: 20_000 }], {}, true)[0]?.wac, 6);
});

test('the coupon under advances is on the defaulted balance too, until it is liquidated', () => {
  // 20,000 default in the first month and are liquidated at the end of the second: their interest is advanced in both.
  const months = [
    { interest: 5_000, default: 20_000, advanced_principal: 2_000, closing: 980_000 },
    { opening: 980_000, closing: 980_000, interest: 4_990, recovery: 18_000 },
    { opening: 980_000, closing: 980_000, interest: 4_900 },
  ];
  assert.deepEqual(
    poolOf(months, {}, true).map(({ wac }) => wac),
    [6, 6, 6],
  );
});

test('the coupon of a quarter is on the balances of its months', () => {
  // 1,000,000, 980,000 and 960,000 earn half a percent each.
  const quarter = { interest: 14_700, scheduled_principal: 60_000, closing: 940_000 };
  assert.equal(poolOf([quarter], { frequency: 'QUARTERLY' })[0]?.wac, 6);
  // Of 982,000 on average 2,000 default in a month, and pay nothing in it.
  const defaults = { interest: 14_700, scheduled_principal: 48_000, default: 6_000, closing: 946_000 };
  assert.equal(poolOf([defaults], { frequency: 'QUARTERLY' })[0]?.wac, 6);
});

test('losses add up in percent of the original pool, and severity is of the balance that was resolved', () => {
  const rows = poolOf([
    { loss: 1_000, recovery: 3_000 },
    { loss: 500, recovery: 0 },
    { loss: 0, recovery: 0 },
  ]);
  assert.deepEqual(
    rows.map((row) => [row.cumulative_net_loss, row.severity]),
    [
      [0.1, 25],
      [0.15, 100],
      [0.15, null],
    ],
  );
});

test('a pool that is paid off has no speed, no coupon and no division by zero', () => {
  const [row] = poolOf([{ opening: 0, closing: 0 }]);
  assert.deepEqual([row?.cpr, row?.cdr, row?.wac, row?.severity, row?.cumulative_net_loss], [null, null, null, null, 0]);
});

/** A first report on 1,000,000 of loans behind A (700,000) and B (200,000): 50,000 of principal and a charge-off of 10,000. */
function report(changes: Partial<Remittance['collateral']> = {}): Remittance {
  return {
    period: 1,
    payment_date: '2027-01-15',
    collateral: {
      beginning_pool_balance: 1_000_000,
      scheduled_principal: 30_000,
      prepayments: 20_000,
      gross_losses: 10_000,
      recoveries: 4_000,
      ending_pool_balance: 940_000,
      reserve_balance: 5_000,
      ...changes,
    },
    tranches: [
      { tranche: 'A', beginning_balance: 700_000, interest_paid: 2_916.67, principal_paid: 60_000, ending_balance: 640_000 },
      {
        tranche: 'B',
        beginning_balance: 200_000,
        interest_paid: 900,
        interest_shortfall: 100,
        principal_paid: 0,
        ending_balance: 200_000,
      },
    ],
  };
}

function reported(changes: Partial<Remittance['collateral']> = {}) {
  const structure = sequential([note('A', 700_000, 5, 1), note('B', 200_000, 6, 2)]);
  const sent = report(changes);
  return reportedPerformance(structure, sent, rollForward(openRemittances(structure, 1_000_000), sent, structure));
}

test('the speeds of a report are annualised over the payments of a year', () => {
  const speeds = (frequency: 'MONTHLY' | 'QUARTERLY') => {
    const structure = sequential([note('A', 700_000, 5, 1), note('B', 200_000, 6, 2)], {
      payment: { first_payment_date: '2027-01-15', frequency },
    });
    const sent = report({ scheduled_principal: 40_100, prepayments: 9_599, gross_losses: 5_000 });
    const { pool } = reportedPerformance(structure, sent, rollForward(openRemittances(structure, 1_000_000), sent, structure));
    return [pool.cpr, pool.cdr];
  };
  // 9,599 of the 959,900 left after scheduled principal is 1 %: 100 × (1 − 0.99^12), and over four quarters 100 × (1 − 0.99^4).
  // 5,000 of 1,000,000 is 0.5 %: 100 × (1 − 0.995^12) and 100 × (1 − 0.995^4).
  assert.deepEqual(speeds('MONTHLY'), [11.361513, 5.837719]);
  assert.deepEqual(speeds('QUARTERLY'), [3.940399, 1.98505]);
});

test('the first report of several collection months is annualised over these', () => {
  const structure = sequential([note('A', 700_000, 5, 1), note('B', 200_000, 6, 2)], {
    payment: { first_payment_date: '2027-01-15', first_collection_months: 2 },
  });
  const sent = report({ scheduled_principal: 40_100, prepayments: 9_599, gross_losses: 5_000 });
  const { pool } = reportedPerformance(structure, sent, rollForward(openRemittances(structure, 1_000_000), sent, structure));
  // 1 % and 0.5 % in two months: 100 × (1 − 0.99^6) and 100 × (1 − 0.995^6).
  assert.deepEqual([pool.cpr, pool.cdr], [5.851985, 2.962749]);
});

test('credit enhancement of a class is the pool and the reserve beyond it and what ranks before it', () => {
  const { tranches } = reported();
  // A: (940,000 + 5,000 − 640,000) / 940,000; B: (945,000 − 840,000) / 940,000. OC: (940,000 − 840,000) / 940,000.
  assert.deepEqual(
    tranches.map((row) => [row.tranche, row.credit_enhancement, row.oc, row.factor, row.shortfall]),
    [
      ['A', 32.446809, 10.638298, 0.91428571, 0],
      ['B', 11.170213, 10.638298, 1, 100],
    ],
  );
});

test('classes of one rank have the same enhancement', () => {
  const structure = sequential([note('A', 700_000, 5, 1), note('B', 200_000, 6, 1)]);
  const sent = report();
  const { tranches } = reportedPerformance(structure, sent, rollForward(openRemittances(structure, 1_000_000), sent, structure));
  assert.deepEqual(
    tranches.map((row) => row.credit_enhancement),
    [11.170213, 11.170213],
  );
});

test('a notional class takes nothing of the pool from the classes that rank behind it', () => {
  const strip: Tranche = {
    tranche: 'IO',
    notional: { percent: 100, of: 'NOTES', of_tranches: ['A'] },
    coupon: { type: 'FIXED', rate: 1 },
    seniority: 2,
  };
  const structure = sequential([note('A', 700_000, 5, 1), strip, note('B', 200_000, 6, 3)]);
  const closing = (tranche: string, balance: number) => ({
    period: 1,
    date: '2027-01-15',
    opening: balance,
    interest_due: 0,
    interest_paid: 0,
    interest_shortfall: 0,
    accreted: 0,
    principal: 0,
    write_down: 0,
    closing: balance,
    factor: 1,
    tranche,
  });
  const facts = { collateral_balance: 940_000, reserve_balance: 5_000 };
  const detail = {
    scenario: 'base',
    collateral: [],
    tranches: { A: [closing('A', 640_000)], IO: [closing('IO', 640_000)], B: [closing('B', 200_000)] },
    asset_liability: { collateral_wal: null, notes_wal: null, wal_mismatch: null, rows: [assetLiabilityRow(facts)] },
    trace: [],
  };
  const { tranches } = projectedPerformance(structure, detail, { poolOriginal: 1_000_000, advances: false });
  // As without the strip. What pays the strip is behind A alone.
  assert.deepEqual(
    tranches.map((row) => [row.tranche, row.credit_enhancement]),
    [
      ['A', 32.446809],
      ['IO', 32.446809],
      ['B', 11.170213],
    ],
  );
});

test('a reported pool has its figures as reported, and null where the report has none', () => {
  const { pool } = reported({ loan_count: 59, delinquent_60: 1.25 });
  assert.deepEqual(
    [pool.pool_balance, pool.loan_count, pool.delinquent_30, pool.delinquent_60, pool.wac, pool.wam],
    [940_000, 59, null, 1.25, null, null],
  );
  // Net loss 6,000 of 1,000,000; severity 6,000 of the 10,000 charged off.
  assert.deepEqual([pool.cumulative_net_loss, pool.severity], [0.6, 60]);
});

test('delinquent balances of a report are shown in percent of its ending pool, unless it gives the percentages', () => {
  const { pool } = reported({ delinquent_30_amount: 9_400, delinquent_60_amount: 4_700, delinquent_60: 0.51 });
  assert.deepEqual([pool.delinquent_30, pool.delinquent_60, pool.delinquent_90], [1, 0.51, null]);
});

test('a report of a notional class shows what its coupon is of after the payment, and the share of that at closing', () => {
  const strip: Tranche = {
    tranche: 'IO',
    notional: { percent: 50, of: 'NOTES', of_tranches: ['A'] },
    coupon: { type: 'FIXED', rate: 1 },
  };
  const structure = sequential([note('A', 700_000, 5, 1), strip, note('B', 200_000, 6, 3)]);
  const terms = { structure, balance: '1000000', cut_off_date: '2026-11-30', closing_date: '2026-12-15', fixings: {} };
  const sent = report();
  const paid = { tranche: 'IO', beginning_balance: 0, interest_paid: 291.67, principal_paid: 0, ending_balance: 0 };
  const { derived, findings } = derive(terms, openingOf(terms), { ...sent, tranches: [...sent.tranches, paid] });
  assert.deepEqual(findings, null);
  const rows = derived?.performance.tranches.map(({ tranche, balance, factor }) => [tranche, balance, factor]);
  assert.deepEqual(rows, [
    ['A', 640_000, 0.91428571],
    ['B', 200_000, 1],
    ['IO', 320_000, 0.91428571],
  ]);
});
