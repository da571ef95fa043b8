import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import type { LoanType } from '../types.ts';
import { riskProfile } from './risk.ts';
import { type LoanCells, openLoanFiles } from './testing/loan-file.ts';

async function profileOf(loans: readonly LoanCells[], type: LoanType = 'Auto') {
  await using files = await openLoanFiles();
  return await riskProfile(files.engine, await files.write(type, loans), type, '2026-06-30');
}

test('every numeric field has its average, and what of the pool has no value for it', async () => {
  const { weighted_averages } = await profileOf([
    { current_balance: 100, credit_score: 700, ltv: 80.5 },
    { current_balance: 300.25, credit_score: null, ltv: 60 },
    { current_balance: null, credit_score: 500 },
  ]);
  const named = new Map(weighted_averages.map((each) => [each.field, each]));
  assert.deepEqual(named.get('credit_score'), {
    field: 'credit_score',
    unit: named.get('credit_score')?.unit,
    value: 700,
    loans_missing: 1,
    balance_missing: 300.25,
  });
  // (8,050 + 18,015) / 400.25
  assert.deepEqual(
    [named.get('ltv')?.value, named.get('ltv')?.loans_missing, named.get('ltv')?.balance_missing],
    [65.121799, 1, 0],
  );
  assert.deepEqual(
    [named.get('pti')?.value, named.get('pti')?.loans_missing, named.get('pti')?.balance_missing],
    [null, 3, 400.25],
  );
  assert.ok(!named.has('current_balance'), 'amounts are summed, not averaged');
  assert.ok(!named.has('state') && !named.has('origination_date') && !named.has('co_obligor'));
});

test('the totals have no figures of single fields among their averages', async () => {
  const { total } = await profileOf([{ current_balance: 100, credit_score: 700 }]);
  assert.deepEqual(Object.keys(total.averages).sort(), ['wa_age_months', 'wa_credit_score', 'wa_ltv', 'wa_pti', 'wac', 'wam']);
});

test('the ten largest obligors are listed, the largest first and equal ones by name', async () => {
  const loans = Array.from({ length: 12 }, (_, index) => ({
    current_balance: index < 2 ? 50 : 12 - index,
    obligor_id: `o${String.fromCharCode(108 - index)}`,
  }));
  const { top_obligors } = await profileOf([...loans, { current_balance: 1, obligor_id: 'oz' }]);
  assert.deepEqual(
    top_obligors?.map(({ name, balance }) => [name, balance]),
    [
      ['ok', 50],
      ['ol', 50],
      ['oj', 10],
      ['oi', 9],
      ['oh', 8],
      ['og', 7],
      ['of', 6],
      ['oe', 5],
      ['od', 4],
      ['oc', 3],
    ],
  );
  assert.equal(top_obligors?.[2]?.share, 0.064103, '10 of 156, six decimals');
});

test('loans without a value are one group, and a tape where none has one has no concentration', async () => {
  const { top_states, top_obligors, hhi } = await profileOf([
    { current_balance: 40, state: 'CA' },
    { current_balance: 30, state: null },
    { current_balance: 30, state: null },
  ]);
  assert.deepEqual(
    top_states?.map(({ name, loan_count, balance, share }) => [name, loan_count, balance, share]),
    [
      ['(missing)', 2, 60, 0.6],
      ['CA', 1, 40, 0.4],
    ],
  );
  assert.deepEqual([top_obligors, hhi], [null, { obligor: null, state: 0.52 }]);
});

test('the Herfindahl index is one for a single group and the n-th part for n equal ones', async () => {
  const equal = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ current_balance: 10.01, obligor_id: `o${index}`, state: 'CA' }));
  for (const count of [1, 2, 3, 7]) {
    const { hhi } = await profileOf(equal(count));
    assert.deepEqual([hhi.state, hhi.obligor], [1, Number((1 / count).toFixed(8))]);
  }
});

test('loans fall into buckets by their days past due, the first day of each included', async () => {
  const days = [-1, 0, 1, 29, 30, 59, 60, 89, 90, 119, 120, 500, null];
  const { delinquency } = await profileOf(days.map((days_past_due) => ({ current_balance: 1, days_past_due })));
  assert.deepEqual(
    delinquency.map(({ name, from_days, to_days, loan_count, balance }) => [name, from_days, to_days, loan_count, balance]),
    [
      ['CURRENT', 0, 0, 2, 2],
      ['1-29', 1, 29, 2, 2],
      ['30-59', 30, 59, 2, 2],
      ['60-89', 60, 89, 2, 2],
      ['90-119', 90, 119, 2, 2],
      ['120+', 120, null, 2, 2],
      ['(missing)', null, null, 1, 1],
    ],
  );
});

test('a bucket without loans is listed as empty; where every loan tells its days none is missing', async () => {
  const { delinquency } = await profileOf([{ current_balance: 5, days_past_due: 90 }]);
  assert.deepEqual(
    delinquency.map(({ name, loan_count, share }) => [name, loan_count, share]),
    [
      ['CURRENT', 0, 0],
      ['1-29', 0, 0],
      ['30-59', 0, 0],
      ['60-89', 0, 0],
      ['90-119', 1, 1],
      ['120+', 0, 0],
    ],
  );
});

test('a tape of no loans has a profile: nothing, and no share of it', async () => {
  const { total, top_obligors, top_states, hhi, delinquency } = await profileOf([]);
  assert.deepEqual([total.loan_count, total.balance, total.average_balance, top_obligors, top_states], [0, 0, null, null, null]);
  assert.deepEqual(hhi, { obligor: null, state: null });
  assert.ok(delinquency.every(({ loan_count, share }) => loan_count === 0 && share === 0));
});

test('each loan type has a profile over its own fields', async () => {
  for (const type of ['Auto', 'Personal', 'Mortgage', 'Student', 'Business', 'Credit Card'] as const) {
    const { total, weighted_averages, top_states } = await profileOf([{ current_balance: 10, state: 'CA' }], type);
    assert.deepEqual([total.balance, top_states?.[0]?.name, weighted_averages.length > 3], [10, 'CA', true], type);
  }
});

const loan = fc.record({
  current_balance: fc.constantFrom(0, 0.01, 10, 33.33, 5_000_000),
  state: fc.constantFrom(null, 'CA', 'TX', 'NY'),
  days_past_due: fc.constantFrom(null, 0, 15, 45, 200),
});

test('the index is the sum of squared shares, and buckets hold every loan once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(loan, { minLength: 1, maxLength: 12 }), async (loans) => {
      const { hhi, delinquency, total } = await profileOf(loans);
      const whole = loans.reduce((sum, { current_balance }) => sum + current_balance, 0);
      const byState = Map.groupBy(loans, ({ state }) => state);
      const shares = [...byState.values()].map(
        (group) => group.reduce((sum, { current_balance }) => sum + current_balance, 0) / whole,
      );
      const known = loans.some(({ state }) => state !== null) && whole > 0;
      if (known) assert.ok(Math.abs((hhi.state ?? 9) - shares.reduce((sum, share) => sum + share * share, 0)) < 1e-7);
      else assert.equal(hhi.state, null);
      assert.equal(
        delinquency.reduce((sum, { loan_count }) => sum + loan_count, 0),
        total.loan_count,
      );
      const millionths = delinquency.reduce((sum, { share }) => sum + Math.round(share * 1e6), 0);
      assert.equal(millionths, whole > 0 ? 1_000_000 : 0);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});
