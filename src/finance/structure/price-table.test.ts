import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loan, note, sequential } from '../../../test/support/structures.ts';
import { calculate } from './calculate.ts';
import type { CalculationPool } from './normal-request.ts';
import type { CalculationRequest } from './request.ts';
import type { Structure } from './structure.ts';

const POOL: CalculationPool = {
  loans: [loan(600_000, 8, 60), loan(400_000, 9.5, 48, 12)],
  loanType: 'Auto',
  originalBalance: 1_000_000,
  cutOff: '2026-11-30',
  closing: '2026-12-15',
};

const FLOATER = note('B', 150_000, 0, 2, { coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 150 } });
const DEAL: Structure = sequential([note('A', 700_000, 5, 1), FLOATER]);
const REQUEST: CalculationRequest = {
  type: 'PRICE_TABLE',
  assumptions: { cpr: 6, cdr: 1, severity: 40, recovery_lag_months: 2 },
  scenarios: [{ scenario: 'base' }, { scenario: 'fast', cpr: 25 }],
  index_curves: { SOFR: [{ period: 1, rate: 4 }] },
  benchmark_curve: {
    points: [
      { years: 1, rate: 4 },
      { years: 5, rate: 4.5 },
    ],
  },
};

async function run(changes: Partial<CalculationRequest>) {
  const calculated = await calculate({ ...REQUEST, ...changes }, POOL, DEAL);
  assert.ok(calculated.ok, JSON.stringify(calculated));
  return calculated.result;
}

const FIELDS = [
  'price',
  'yield',
  'spread_bp',
  'discount_margin_bp',
  'modified_duration',
  'wal',
  'first_period',
  'last_period',
] as const;

test('each cell is what a calculation of that price alone gives, to the bit', async () => {
  for (const tranche of ['A', 'B']) {
    const prices = [96.5, 100, 101.25];
    const { rows = [] } = await run({ tranche, prices });
    assert.deepEqual(
      rows.map(({ price, yield: rate, cells }) => [price, rate, cells.map(({ scenario }) => scenario)]),
      prices.map((price) => [price, null, ['base', 'fast']]),
    );
    for (const row of rows) {
      const { results } = await run({ type: 'PRICING', prices: { [tranche]: row.price ?? 0 } });
      for (const [place, cell] of row.cells.entries()) {
        const alone = results[place].tranches.find((each) => each.tranche === tranche);
        for (const field of FIELDS)
          assert.equal(cell[field], alone?.[field], `${tranche} ${row.price} ${cell.scenario} ${field}`);
      }
    }
  }
});

test('yields give the prices that give the yields again', async () => {
  const { rows = [] } = await run({ tranche: 'A', yields: [4, 6.25] });
  for (const { yield: asked, cells } of rows) {
    for (const { price, yield: rate, scenario } of cells) {
      assert.ok(Math.abs((rate ?? 0) - (asked ?? 0)) < 1e-7, `${scenario} ${rate}`);
      const { results } = await run({ type: 'PRICING', prices: { A: price ?? 0 } });
      const again = results.find((each) => each.scenario === scenario)?.tranches[0].yield ?? 0;
      assert.ok(Math.abs(again - (asked ?? 0)) < 1e-6, `${scenario} ${again}`);
    }
  }
});

test('the residual has no price at any price', async () => {
  const { rows = [] } = await run({ tranche: 'R', prices: [100] });
  assert.deepEqual(
    rows[0].cells.map((cell) => [cell.price, cell.yield, cell.discount_margin_bp]),
    [
      [null, null, null],
      [null, null, null],
    ],
  );
});

test('a table that is not asked in full, or asked of another type, is refused with the field', async () => {
  const faults = async (changes: Partial<CalculationRequest>) => {
    const calculated = await calculate({ ...REQUEST, ...changes }, POOL, DEAL);
    return calculated.ok ? [] : calculated.faults.map(({ path }) => path);
  };
  assert.deepEqual(await faults({ prices: [100] }), ['tranche']);
  assert.deepEqual(await faults({ tranche: 'X', prices: [100] }), ['tranche']);
  assert.deepEqual(await faults({ tranche: 'A' }), ['prices']);
  assert.deepEqual(await faults({ tranche: 'A', prices: [100], yields: [5] }), ['prices']);
  assert.deepEqual(await faults({ tranche: 'A', prices: { A: 100 } }), ['prices', 'prices']);
  assert.deepEqual(await faults({ type: 'PRICING', prices: [100] }), ['prices']);
  assert.deepEqual(await faults({ type: 'PRICING', tranche: 'A' }), ['tranche']);
});
