import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import fc from '../../../test/support/property.ts';
import { roundDown } from '../money.ts';
import { near } from '../test-support.ts';
import { calculate } from './calculate.ts';
import { indexCurvesOf } from './normalize.ts';
import type { CalculationRequest } from './request.ts';
import type { Structure } from './structure.ts';
import { priceAtYield, trancheCash, type TrancheCash, yieldAtPrice } from './tranche-cash.ts';

const POOL = {
  loans: [loan(60_000_000, 8, 60), loan(30_000_000, 9.5, 48, 12)],
  loanType: 'Auto',
  originalBalance: 90_000_000,
  cutOff: '2026-11-30',
  closing: '2026-12-15',
};
const FLOATER = {
  ...note('F', 5_000_000, 0, 3),
  coupon: { type: 'FLOATING' as const, index: 'SOFR', margin_bp: 150 },
  day_count: 'ACT/360' as const,
};
const DEAL: Structure = sequential([note('A', 60_000_000, 5.5, 1), note('B', 15_000_000, 7, 2), FLOATER], {
  payment: { first_payment_date: '2027-01-15', business_day: 'FOLLOWING', dated_date: '2026-12-10', first_accrual: 'ACTUAL' },
});
const REQUEST: CalculationRequest = {
  type: 'PRICING',
  purpose: 'MARK',
  assumptions: { cpr: 6, cdr: 2, severity: 50, recovery_lag_months: 3 },
  index_curves: {
    SOFR: [
      { period: 1, rate: 4 },
      { period: 13, rate: 3 },
    ],
  },
};

async function run(request: Partial<CalculationRequest>) {
  const asked = { ...REQUEST, ...request };
  const calculation = await calculate(asked, POOL, DEAL);
  assert.ok(calculation.ok, JSON.stringify(calculation));
  const { result, details } = calculation;
  const cashOf = (name: string): TrancheCash | null =>
    trancheCash(DEAL, name, details[0].tranches[name] ?? [], {
      settlementDate: result.settlement_date,
      yieldBasis: asked.yield_basis ?? 'BEY',
      cutOff: POOL.cutOff,
      closing: POOL.closing,
      indexCurves: indexCurvesOf(asked),
    });
  return { priced: result.results[0].tranches, cashOf };
}

test('the rows of a calculation price a tranche at a yield as the calculation itself does, whatever its basis, coupon and settlement', async () => {
  for (const yield_basis of ['BEY', 'MONTHLY'] as const) {
    // Before the first payment, on a payment date, and within an accrual period.
    for (const settlement_date of ['2026-12-15', '2027-01-15', '2027-03-20']) {
      const { priced, cashOf } = await run({ yield_basis, settlement_date, yields: { A: 8, B: 6.25, F: 4.75 } });
      for (const { tranche, price, yield: quoted } of priced.filter((each) => each.tranche !== 'R')) {
        const cash = cashOf(tranche);
        assert.ok(cash, tranche);
        // A cent a payment on millions of face: less than a millionth of a point.
        near(Number(priceAtYield(cash, quoted ?? 0)), price ?? 0, 3e-6, `${tranche}, ${yield_basis}, ${settlement_date}`);
      }
    }
  }
});

test('a coupon of 5.5 % that sells at 8 % sells below par', async () => {
  const { cashOf } = await run({});
  const cash = cashOf('A');
  assert.ok(cash);
  const price = Number(priceAtYield(cash, 8));
  assert.ok(price < 97 && price > 90, String(price));
});

test('a tranche that is not there, is the residual or is paid off has no cash to price', async () => {
  const { cashOf } = await run({});
  assert.deepEqual([cashOf('R'), cashOf('nobody')], [null, null]);
  const paidOff = await run({ settlement_date: '2035-01-15' });
  assert.equal(paidOff.cashOf('A'), null);
});

/** A bullet or an amortizing tranche with a coupon of its own, settled within its first period. */
const Cash = fc
  .record({
    months: fc.integer({ min: 2, max: 360 }),
    coupon: fc.integer({ min: 0, max: 1_500 }),
    offset: fc.integer({ min: 1, max: 30 }),
    bullet: fc.boolean(),
    basis: fc.constantFrom('BEY' as const, 'MONTHLY' as const),
  })
  .map(({ months, coupon, offset, bullet, basis }): TrancheCash => {
    const balance = 10_000_000;
    const paid = (index: number) => (bullet ? (index === months - 1 ? balance : 0) : balance / months);
    const interest = (index: number) => ((bullet ? balance : (balance * (months - index)) / months) * coupon) / 120_000;
    const index = Array.from({ length: months }, (_, place) => place);
    return {
      flows: {
        years: index.map((place) => (place * 30 + offset) / 360),
        amounts: index.map((place) => paid(place) + interest(place)),
      },
      balance,
      accrued: (balance * coupon * (30 - offset)) / 3_600_000,
      basis,
    };
  });
/** A limit as an order states it: percent with at most 6 decimals. */
const Limit = fc.integer({ min: 0, max: 40_000_000 }).map((millionths) => millionths / 1_000_000);

test('whoever pays the price at a yield earns that yield within 0.0005, and never less', () => {
  fc.assert(
    fc.property(Cash, Limit, (cash, limit) => {
      const price = priceAtYield(cash, limit);
      fc.pre(Number(price) > 1);
      assert.match(price, /^\d+\.\d{6}$/);
      const earned = yieldAtPrice(cash, Number(price)) ?? Number.NaN;
      // The solver's own precision.
      assert.ok(earned >= limit - 1e-9, `${earned} is below ${limit}`);
      assert.ok(earned - limit <= 0.0005, `${earned} is far above ${limit}`);
    }),
  );
});

test('a number is rounded down by the decimals that it prints as', () => {
  const cases: [number, number, string][] = [
    [96.9040129, 6, '96.904012'],
    [100, 6, '100.000000'],
    [99.9999999999, 6, '99.999999'],
    [-0.0000001, 6, '-0.000001'],
    [0.1, 1, '0.1'],
    [5e-7, 6, '0.000000'],
  ];
  for (const [value, places, expected] of cases) assert.equal(roundDown(value, places), expected, String(value));
});
