import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { projectCollateral } from '../collateral.ts';
import { assuming, near } from '../test-support.ts';
import { calculate, type ScenarioDetail } from './calculate.ts';
import { compileStructure } from './compiled-structure.ts';
import { type DealState, stateOf } from './deal-state.ts';
import { indexCurvesOf } from './normalize.ts';
import type { CalculationPool } from './normal-request.ts';
import { segmentationOf } from './assumptions.ts';
import { NO_SEGMENT } from '../loan-columns.ts';
import { monthsPaid } from './opening.ts';
import { openRemittances } from './remittance.ts';
import type { CalculationRequest } from './request.ts';
import type { Structure } from './structure.ts';
import { recordTrace } from './trace.ts';
import { priceAtYield, trancheCash } from './tranche-cash.ts';
import { runWaterfall } from './waterfall.ts';
import { createWaterfallRun } from './waterfall-run.ts';

const POOL: CalculationPool = {
  loans: [loan(60_000_000, 8, 60), loan(25_000_000, 9.5, 48, 12), loan(5_000_000, 4, 12, 20)],
  loanType: 'Auto',
  originalBalance: 90_000_000,
  cutOff: '2026-11-30',
  closing: '2026-12-15',
};

const SPEEDS = assuming({
  prepayment: { measure: 'cpr', values: [9] },
  default: { measure: 'cdr', values: [3] },
  severityPercent: 40,
});
const CURVES = { SOFR: [{ period: 1, rate: 4 }] };
const REQUEST: CalculationRequest = {
  type: 'PRICING',
  assumptions: { cpr: 9, cdr: 3, severity: 40 },
  index_curves: CURVES,
  yields: { A: 6, B: 8, F: 5 },
};

const FLOATER = {
  ...note('F', 10_000_000, 0, 2),
  coupon: { type: 'FLOATING' as const, index: 'SOFR', margin_bp: 150, cap: 'NET_WAC' as const, carry_over: true },
  day_count: 'ACT/360' as const,
};

const DEAL: Structure = sequential([note('A', 60_000_000, 5.5, 1), FLOATER, note('B', 15_000_000, 7, 3)], {
  fees: [{ fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' }],
  accounts: [{ account: 'reserve', initial: 450_000, target: { percent: 1, of: 'POOL_CURRENT' }, non_declining: true }],
  triggers: [{ trigger: 'losses', metric: 'CUMULATIVE_NET_LOSS', op: 'gte', value: 1, curable: false }],
  waterfall: [
    { pay: 'FEE', to: ['servicing'] },
    { pay: 'INTEREST', to: ['A', 'F', 'B'] },
    { pay: 'CARRY_OVER', to: ['F'] },
    { pay: 'RESERVE', to: ['reserve'] },
    { pay: 'PRINCIPAL', to: ['A', 'F', 'B'] },
    { pay: 'PRINCIPAL', to: ['A'], amount: { percent: 100, of: 'NOTES' }, when: 'losses' },
    { pay: 'RESIDUAL', to: ['R'] },
  ],
  clean_up_call: { percent: 10 },
});

/** The state of a deal after a payment of the uninterrupted run, as it is stored. */
function stateAfter(structure: Structure, period: number): DealState & { payment_date: string } {
  const collateral = projectCollateral(POOL.loans, SPEEDS, { series: { weightedRate: true } });
  const compiled = compileStructure(structure, {
    ...POOL,
    poolOriginal: POOL.originalBalance,
    collateralMonths: collateral.periods,
    indexCurves: indexCurvesOf(REQUEST),
  });
  let state: DealState | null = null;
  const trace = {
    ...recordTrace(),
    endPeriod(run: Parameters<typeof stateOf>[0]) {
      const { paid } = compiled.periods.dates[run.periodIndex];
      if (run.periodIndex + 1 === period) state = stateOf(run, paid);
    },
  };
  runWaterfall(createWaterfallRun(compiled), collateral, { trace });
  ok(state);
  return JSON.parse(JSON.stringify(state));
}

async function run(request: Partial<CalculationRequest>, structure: Structure, pool: CalculationPool = POOL) {
  const calculated = await calculate({ ...REQUEST, ...request }, pool, structure);
  ok(calculated.ok, JSON.stringify(calculated));
  return { ...calculated.result, detail: calculated.details[0] };
}

/** Rows with numbers, those after a period. */
const after = <Row extends { period: number }>(rows: readonly Row[], period: number) =>
  rows.filter((row) => row.period > period).map((row) => Object.entries(row).filter(([, value]) => typeof value === 'number'));

function sameRows(restarted: ScenarioDetail, whole: ScenarioDetail, period: number): void {
  const tables = (detail: ScenarioDetail) => ({
    collateral: detail.collateral,
    ...detail.tranches,
    asset_liability: detail.asset_liability.rows,
  });
  const expected = Object.entries(tables(whole));
  for (const [name, rows] of Object.entries(tables(restarted))) {
    const other = after<{ period: number }>(expected.find(([each]) => each === name)?.[1] ?? [], period);
    const own = after<{ period: number }>(rows, period);
    equal(own.length, rows.length, `${name} has no row of the past`);
    equal(own.length, other.length, name);
    for (const [index, row] of own.entries())
      for (const [place, [field, value]] of row.entries())
        near(value, other[index][place][1], 0.021, `${name}, ${field}, row ${index}`);
  }
}

test('the factor of a notional class is over its notional at the closing date, also from the state after a payment', async () => {
  const coupon = { type: 'FIXED', rate: 0.25 } as const;
  const strips: Structure['tranches'] = [
    { tranche: 'X', notional: { percent: 100, of: 'NOTES', of_tranches: ['A', 'B'] }, coupon },
    { tranche: 'P', notional: { percent: 50, of: 'POOL_BEGINNING' }, coupon },
    {
      tranche: 'S',
      notional: [
        { from_period: 1, value: 8_000_000 },
        { from_period: 12, value: 2_000_000 },
      ],
      coupon,
    },
  ];
  const steps = DEAL.waterfall.map((step) =>
    step.pay === 'INTEREST' ? { ...step, to: [...(step.to ?? []), 'X', 'P', 'S'] } : step,
  );
  for (const rounding of ['NONE', 'CENT'] as const) {
    const deal: Structure = {
      ...DEAL,
      payment: { ...DEAL.payment, rounding },
      tranches: [...strips, ...DEAL.tranches],
      waterfall: steps,
    };
    const opening = { from: 'LATEST' as const, state: stateAfter(deal, 7) };
    const { detail } = await run({ yields: {} }, deal, { ...POOL, opening });
    // Of 60 and 15 million of notes, of half of a pool of 90 million, and of 8 million as planned.
    for (const [name, original] of [
      ['X', 75_000_000],
      ['P', 45_000_000],
      ['S', 8_000_000],
    ] as const) {
      const rows = detail.tranches[name] ?? [];
      equal(rows[0]?.period, 8);
      for (const { closing, factor } of rows) near(factor, closing / original, 1e-8, `${name}: ${factor}`);
    }
    equal(detail.tranches.S?.[4]?.factor, 0.25);
  }
});

for (const rounding of ['NONE', 'CENT'] as const) {
  test(`a calculation from the state after a payment is the rest of the one from closing (rounding ${rounding})`, async () => {
    const deal = { ...DEAL, payment: { ...DEAL.payment, rounding } };
    for (const period of [1, 7, 30]) {
      const state = stateAfter(deal, period);
      const settled = { settlement_date: '2029-08-20', as_of: '2029-08-20' };
      const whole = await run(settled, deal);
      const later = await run(settled, deal, { ...POOL, opening: { from: 'LATEST', state } });
      sameRows(later.detail, whole.detail, period);
      equal(later.results[0]?.called_period, whole.results[0]?.called_period);
      for (const [index, tranche] of later.results[0].tranches.entries()) {
        const other = whole.results[0].tranches[index];
        for (const field of ['wal', 'price', 'yield', 'modified_duration', 'effective_duration', 'discount_margin_bp'] as const)
          near(tranche[field] ?? -1, other[field] ?? -1, 2e-5, `${tranche.tranche}, ${field}`);
        equal(tranche.last_period, other.last_period);
      }
      equal(later.results[0].collateral.wal, later.detail.asset_liability.collateral_wal);
      near(later.results[0].collateral.wal, whole.results[0].collateral.wal ?? 0, 1e-5);
      near(later.detail.asset_liability.notes_wal, whole.detail.asset_liability.notes_wal ?? 0, 1e-5);
    }
  });
}

test('its rows price a tranche at a yield as it does itself', async () => {
  const state = stateAfter(DEAL, 7);
  const opening = { from: 7, state };
  for (const settlement_date of [state.payment_date, '2027-08-02', '2028-02-20']) {
    const { results, detail } = await run({ settlement_date, as_of: state.payment_date }, DEAL, { ...POOL, opening });
    for (const { tranche, price, yield: quoted } of results[0].tranches.filter((each) => each.tranche !== 'R')) {
      const cash = trancheCash(DEAL, tranche, detail.tranches[tranche] ?? [], {
        settlementDate: settlement_date,
        yieldBasis: 'BEY',
        cutOff: POOL.cutOff,
        closing: POOL.closing,
        indexCurves: indexCurvesOf(REQUEST),
        opening: state,
      });
      ok(cash, tranche);
      near(Number(priceAtYield(cash, quoted ?? 0)), price ?? 0, 3e-6, `${tranche}, ${settlement_date}`);
    }
  }
});

test('what is supposed of the loans is told, with the factor', async () => {
  const state = { ...stateAfter(DEAL, 7), pool_balance: 70_000_000 };
  const { warnings, detail, as_of, settlement_date } = await run({}, DEAL, {
    ...POOL,
    opening: { from: 'LATEST', state, warnings: ['something of the report'] },
  });
  equal(detail.collateral[0]?.opening, 70_000_000);
  deepEqual([as_of, settlement_date], [state.payment_date, state.payment_date]);
  equal(warnings[0], 'something of the report');
  ok(
    /^the loans are those of the closing tape after 7 months of their schedules: .* multiplied by 0\.\d{8} to the \$70,000,000/.test(
      warnings[1] ?? '',
    ),
    warnings[1],
  );
  ok(warnings.some((warning) => /recoveries on loans that defaulted before the report of period 7 are not known/.test(warning)));
});

test('dates before the payment are refused; a pool that has outlived the schedules of its tape cannot be projected', async () => {
  const state = stateAfter(DEAL, 7);
  const refused = await calculate(
    { ...REQUEST, as_of: '2027-07-01', settlement_date: '2026-12-15' },
    { ...POOL, opening: { from: 7, state } },
    DEAL,
  );
  ok(!refused.ok);
  deepEqual(
    refused.faults.map(({ path }) => path),
    ['as_of', 'settlement_date'],
  );
  const outlived = { ...state, period: 61, payment_date: '2032-01-15' };
  await rejects(
    run({}, DEAL, { ...POOL, opening: { from: 61, state: outlived } }),
    /all loans of the closing tape are paid after month 61/,
  );
});

test('a payment period has the months of its collection: long first ones, quarters, delays', () => {
  const months = (payment: Structure['payment'], period: number) => monthsPaid({ ...DEAL, payment: payment ?? {} }, POOL, period);
  equal(months({}, 5), 5);
  equal(months({ first_collection_months: 2 }, 5), 6);
  equal(months({ frequency: 'QUARTERLY' }, 5), 15);
  equal(months({ delay_months: 1 }, 5), 4);
  equal(months({ delay_months: 2 }, 1), 0);
});

test('accounts of cards have no schedule: their balances are scaled as they are', async () => {
  const cards: CalculationPool = {
    ...POOL,
    loanType: 'Credit Card',
    loans: [loan(50_000_000, 18, 12), loan(40_000_000, 20, 12)],
  };
  const assumptions = { payment_rate: 12, portfolio_yield: 20, charge_off: 5, severity: 100 };
  const deal = sequential([note('A', 60_000_000, 5.5, 1)]);
  const state = { ...openRemittances(deal, 90_000_000), period: 20, payment_date: '2028-08-15', pool_balance: 45_000_000 };
  const { warnings, detail } = await run({ assumptions, yields: {} }, deal, { ...cards, opening: { from: 'LATEST', state } });
  equal(detail.collateral[0]?.opening, 45_000_000);
  ok(warnings[0]?.includes('closing tape: their balance of $90,000,000 is multiplied by 0.50000000'), warnings[0]);
});

test('every type of calculation starts there: break-evens, losses of paths, tables of prices, replines, segments', async () => {
  const state = stateAfter(DEAL, 7);
  const pool: CalculationPool = { ...POOL, opening: { from: 'LATEST', state } };
  const base = await run({}, DEAL, pool);
  const price = base.results[0].tranches[0].price ?? 0;
  const table = await run({ type: 'PRICE_TABLE', tranche: 'A', yields: [6], prices: undefined }, DEAL, pool);
  equal(table.rows?.[0]?.cells[0]?.price, price);
  const replines = await run({ granularity: 'REPLINE' }, DEAL, pool);
  near(replines.results[0].tranches[0].price, price, 1e-6);
  const segmented = { where: { field: 'state', op: 'eq', value: 'TX' } };
  const segments = new Map([[segmentationOf([segmented]), Int8Array.from([0, NO_SEGMENT, 0])]]);
  const divided = await run({ assumptions: { ...REQUEST.assumptions, segments: [segmented] } }, DEAL, { ...pool, segments });
  near(divided.results[0].tranches[0].price, price, 1e-6);
  const even = await run({ type: 'BREAKEVEN' }, DEAL, pool);
  const [a, f, b] = even.results[0].tranches.map((tranche) => tranche.break_even_cdr ?? -1);
  ok(a > f && f > b && b > 3, `${a}, ${f}, ${b}`);
  const risk = await run({ type: 'RISK', risk: { paths: 50, factors: { cdr: { sigma: 0.4 } } } }, DEAL, pool);
  ok((risk.results[0].risk?.collateral.mean ?? 0) > 0);
  near(risk.results[0].risk?.collateral.mean, (100 * base.results[0].collateral.loss) / 90_000_000, 0.6);
});

test('a deal whose pool is paid has nothing more to project', async () => {
  const paid = { ...stateAfter(DEAL, 7), pool_balance: 0, tranches: {}, accounts: {} };
  const { detail, results } = await run({}, DEAL, { ...POOL, opening: { from: 'LATEST', state: paid } });
  equal(results[0].tranches[0].price, null);
  ok(detail.collateral.every((row) => row.opening === 0 && row.interest === 0));
});
