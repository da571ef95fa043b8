import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../../test/support/property.ts';
import type { PoolTest } from '../language.ts';
import { enlarge } from './enlarge.ts';
import { holds, modelOf, type PoolLoans } from './model.ts';

const UNIT = 10_000n;
const inside = { field: 'state', op: 'eq', value: 'CA' } as const;
const KINDS: Omit<PoolTest, 'id'>[] = [
  { type: 'share', where: inside, op: 'lte', value: 0.4 },
  { type: 'share', where: inside, op: 'gte', value: 0.2 },
  { type: 'weighted_average', field: 'interest_rate', op: 'lte', value: 10 },
  { type: 'weighted_average', field: 'interest_rate', op: 'between', value: [6, 11] },
  { type: 'average', field: 'interest_rate', op: 'lt', value: 10 },
  { type: 'sum', field: 'interest_rate', op: 'lte', value: 60 },
  { type: 'count', where: inside, op: 'lte', value: 3 },
  { type: 'max', field: 'interest_rate', op: 'lte', value: 14 },
  { type: 'concentration', group_by: ['state'], op: 'lte', value: 0.5 },
  { type: 'concentration', group_by: ['state'], top: 2, op: 'lte', value: 0.8 },
  { type: 'concentration', group_by: ['state'], op: 'lte', value: 0.3, rank_limits: [0.6, 0.4] },
  { type: 'concentration', group_by: ['state'], op: 'gte', value: 0.3 },
  { type: 'hhi', group_by: ['state'], op: 'lte', value: 0.4 },
];
const TESTS = KINDS.map((each, index): PoolTest => ({ id: `P${index}`, ...each }));

const loan = fc.record({
  cost: fc.integer({ min: 1, max: 2_000 }),
  rate: fc.constantFrom(null, 4, 7, 9.5, 10, 10.5, 12, 15),
  isInside: fc.boolean(),
  group: fc.constantFrom(-1, 0, 1, 2, 3),
});

function poolOf(
  loans: readonly { cost: number; rate: number | null; isInside: boolean; group: number }[],
  each: PoolTest,
): PoolLoans {
  return {
    cost: loans.map(({ cost }) => cost),
    unit: UNIT,
    weight: BigInt64Array.from(loans, ({ cost }) =>
      each.type === 'average' || each.type === 'count' || each.type === 'sum' ? 1_000_000n : BigInt(cost) * UNIT,
    ),
    value: BigInt64Array.from(loans, ({ rate }) => BigInt(Math.round((rate ?? 0) * 1e6))),
    measured: Uint8Array.from(loans, ({ rate }) => (rate === null ? 0 : 1)),
    inside: Uint8Array.from(loans, ({ isInside }) => (each.where === undefined || isInside ? 1 : 0)),
    group: Int32Array.from(loans, ({ group }) => group),
    groupKeys: ['a', 'b', 'c', 'd'],
  };
}

/** A limit of an average is also met where nothing is left to measure. */
function isMet(each: PoolTest, loans: PoolLoans, kept: (index: number) => boolean): boolean {
  const sides = each.op === 'between' ? [true, false] : [each.op === 'lte' || each.op === 'lt'];
  const measured = loans.measured.some((isMeasured, index) => isMeasured === 1 && kept(index) && loans.inside[index] === 1);
  const isAverage = each.type === 'weighted_average' || each.type === 'average';
  return (isAverage && !measured) || sides.every((above) => holds(modelOf(each, loans, above), loans, kept));
}

test('the removal for several tests at once meets them all, and lies between its bound and the best of all subsets', () => {
  let together = 0;
  fc.assert(
    fc.property(
      fc.array(loan, { minLength: 3, maxLength: 10 }),
      fc.subarray(TESTS, { minLength: 1, maxLength: 4 }),
      (loans, tests) => {
        const measured = tests.map((each) => ({
          test: each,
          result: { passed: null },
          pool: { loans: poolOf(loans, each), rowNumbers: [] },
        }));
        const [found, best] = [enlarge(measured, 0), enlarge(measured)];
        if (found.removed === null) return;
        assert.ok(best.removed, 'what is found exists');
        const cost = found.removed.reduce((sum, index) => sum + (loans[index]?.cost ?? 0), 0);
        assert.ok(found.bound <= best.bound && best.bound <= cost, `${found.bound} ≤ ${best.bound} ≤ ${cost} by ${found.method}`);
        if (found.optimal) assert.equal(cost, best.bound);
        const gone = new Set(found.removed);
        for (const { test: each, pool } of measured)
          assert.ok(
            isMet(each, pool.loans, (index) => !gone.has(index)),
            `${each.id} by ${found.method}`,
          );
        if (found.method.includes('together')) together += 1;
      },
    ),
    { numRuns: 3_000 },
  );
  assert.ok(together > 20, `${together} of the removals come from the relaxation of all tests`);
});

test('two limits of a large pool are met within a thousandth of the bound', () => {
  const loans = Array.from({ length: 30_000 }, (_, index) => ({
    cost: 1_000_000 + ((index * 7_919) % 4_000_000),
    rate: 5 + ((index * 31) % 97) / 10,
    isInside: index % 3 === 0,
    group: index % 4,
  }));
  const tests = TESTS.filter(({ id }) => id === 'P0' || id === 'P2').map((each) =>
    each.id === 'P0' ? { ...each, value: 0.25 } : { ...each, value: 8 },
  );
  const found = enlarge(
    tests.map((each) => ({ test: each, result: { passed: null }, pool: { loans: poolOf(loans, each), rowNumbers: [] } })),
  );
  assert.ok(found.removed);
  const cost = found.removed.reduce((sum, index) => sum + (loans[index]?.cost ?? 0), 0);
  assert.match(found.method, /together/);
  assert.ok(cost - found.bound < cost / 1_000, `gap ${cost - found.bound} of ${cost}`);
});
