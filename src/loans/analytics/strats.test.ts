import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import type { LoanType } from '../types.ts';
import { type Strats, strats, type StratsInput } from './strats.ts';
import { type LoanCells, openLoanFiles } from './testing/loan-file.ts';

async function stratsOf(loans: readonly LoanCells[], request: Partial<StratsInput>, loanType: LoanType = 'Auto') {
  await using files = await openLoanFiles();
  const loansPath = await files.write(loanType, loans);
  return await strats({ engine: files.engine, loansPath, loanType, asOf: '2026-06-30', by: 'state', ...request });
}

async function soundStrats(
  loans: readonly LoanCells[],
  request: Partial<StratsInput>,
  loanType: LoanType = 'Auto',
): Promise<Strats> {
  const found = await stratsOf(loans, request, loanType);
  assert.ok(found.ok, JSON.stringify(found));
  return found.strats;
}

const LOANS = [
  {
    current_balance: 100,
    interest_rate: 5,
    remaining_term_months: 60,
    original_term_months: 72,
    credit_score: 700,
    state: 'CA',
    ltv: 80,
  },
  {
    current_balance: 300,
    interest_rate: 9,
    remaining_term_months: 40,
    original_term_months: 60,
    credit_score: null,
    state: 'CA',
    ltv: 60,
  },
  {
    current_balance: 100,
    interest_rate: null,
    remaining_term_months: 20,
    original_term_months: 24,
    credit_score: 620,
    state: 'TX',
    ltv: null,
  },
];

test('averages are weighted by balance, and a loan without a value is left out of both sums', async () => {
  const { total, groups } = await soundStrats(LOANS, {});
  assert.deepEqual(total, {
    loan_count: 3,
    balance: 500,
    average_balance: 166.67,
    averages: {
      wac: 8, // (100 × 5 + 300 × 9) / 400
      wam: 40, // (6,000 + 12,000 + 2,000) / 500
      wa_age_months: 15.2, // (100 × 12 + 300 × 20 + 100 × 4) / 500
      wa_credit_score: 660, // (70,000 + 62,000) / 200
      wa_ltv: 65, // (8,000 + 18,000) / 400
      wa_pti: null,
    },
  });
  assert.deepEqual(
    groups.map(({ key, share, balance, averages }) => [key, share, balance, averages.wac, averages.wa_credit_score]),
    [
      ['CA', 0.8, 400, 8, 700],
      ['TX', 0.2, 100, null, 620],
    ],
  );
});

test('a missing balance counts as zero: its loan is counted and weighs nothing', async () => {
  const { total } = await soundStrats([...LOANS, { current_balance: null, interest_rate: 100, state: 'CA' }], {});
  assert.deepEqual([total.loan_count, total.balance, total.averages.wac], [4, 500, 8]);
});

test('a second field parts every group, and shares inside a group are of that group', async () => {
  const { groups, bands, then_bands } = await soundStrats(LOANS, { thenBy: 'ltv', thenBands: '70' });
  assert.deepEqual(
    groups.map(({ key, share, groups: inside }) => [key, share, inside?.map((each) => [each.key, each.share, each.balance])]),
    [
      [
        'CA',
        0.8,
        [
          ['below 70', 0.75, 300],
          ['70 and above', 0.25, 100],
        ],
      ],
      ['TX', 0.2, [['(missing)', 1, 100]]],
    ],
  );
  assert.deepEqual([bands, then_bands], [null, [70]]);
  const { groups: plain } = await soundStrats(LOANS, {});
  assert.ok(plain.every((each) => !('groups' in each)));
});

test('a pool is grouped by the deals that its loans came from', async () => {
  const { groups } = await soundStrats(
    LOANS.map((loan, index) => ({ ...loan, deal_id: index === 0 ? 'deal_b' : 'deal_a' })),
    { by: 'deal_id' },
  );
  assert.deepEqual(
    groups.map(({ key, balance }) => [key, balance]),
    [
      ['deal_a', 400],
      ['deal_b', 100],
    ],
  );
});

test('a field that the loan type does not have is refused by its name', async () => {
  for (const by of ['fico', 'LTV', 'ltv"; --', 'row_number', '']) {
    const found = await stratsOf(LOANS, { by });
    assert.deepEqual(
      [found.ok, !found.ok && found.fault.code, !found.ok && found.fault.parameter],
      [false, 'UNKNOWN_FIELD', 'by'],
    );
  }
  const cards = await stratsOf([{ current_balance: 1 }], { by: 'ltv' }, 'Credit Card');
  assert.equal(cards.ok, false, 'a field of another type');
});

test('a thousand groups are given, one more is refused', async () => {
  await using files = await openLoanFiles();
  const one = await files.write('Auto', [{ current_balance: 1 }]);
  for (const [count, ok] of [
    [1_000, true],
    [1_001, false],
  ] as const) {
    const loansPath = `${files.dir}/many-${count}.parquet`;
    await files.engine.run(
      `COPY (SELECT l.* REPLACE (CAST(n AS VARCHAR) AS obligor_id) FROM range(${count}) r(n), read_parquet('${one}') l) TO '${loansPath}' (FORMAT parquet)`,
    );
    const found = await strats({ engine: files.engine, loansPath, loanType: 'Auto', asOf: '2026-06-30', by: 'obligor_id' });
    assert.equal(found.ok, ok);
    if (!found.ok) assert.deepEqual([found.fault.code, found.fault.parameter], ['TOO_MANY_GROUPS', 'by']);
  }
});

test('cards have a rate, a utilization and no term; amounts of all types come from their own columns', async () => {
  const { total } = await soundStrats(
    [
      { current_balance: 100, apr: 20, utilization: 50, open_date: '2025-06-30' },
      { current_balance: 300, apr: 24, utilization: 10, open_date: '2024-06-30' },
    ],
    {},
    'Credit Card',
  );
  assert.deepEqual(total.averages, { wac: 23, wa_age_months: 21, wa_credit_score: null, wa_utilization: 20 });
  const business = await soundStrats([{ current_balance: 1, owner_credit_score: 710, dscr: 1.25 }], {}, 'Business');
  assert.deepEqual([business.total.averages.wa_credit_score, business.total.averages.wa_dscr], [710, 1.25]);
});

test('a tape of no loans has no groups', async () => {
  assert.deepEqual(await soundStrats([], {}), {
    bands: null,
    then_bands: null,
    total: { loan_count: 0, balance: 0, average_balance: null, averages: {} },
    groups: [],
  });
});

const tapes = fc.array(
  fc.record({
    current_balance: fc.constantFrom(null, 0, 0.01, 33.33, 1_000_000.5),
    interest_rate: fc.constantFrom(null, 0, 5.125, 9.75),
    state: fc.constantFrom(null, 'CA', 'TX'),
    credit_score: fc.constantFrom(null, 579, 580, 700, 850),
  }),
  { minLength: 1, maxLength: 12 },
);

test('the groups add up to the whole, in loans, in balance and in weighted sums', async () => {
  await fc.assert(
    fc.asyncProperty(tapes, async (loans) => {
      const { total, groups } = await soundStrats(loans, { by: 'credit_score', thenBy: 'state' });
      const add = (parts: readonly { loan_count: number; balance: number }[]) => [
        parts.reduce((sum, { loan_count }) => sum + loan_count, 0),
        Math.round(parts.reduce((sum, { balance }) => sum + balance * 100, 0)),
      ];
      assert.deepEqual(add(groups), add([total]));
      for (const each of groups) assert.deepEqual(add(each.groups ?? []), add([each]));
      const rated = loans.filter(({ interest_rate }) => interest_rate !== null);
      const weight = rated.reduce((sum, { current_balance }) => sum + (current_balance ?? 0), 0);
      const weighted = rated.reduce(
        (sum, { current_balance, interest_rate }) => sum + (current_balance ?? 0) * (interest_rate ?? 0),
        0,
      );
      const { wac = null } = total.averages;
      if (weight === 0) assert.equal(wac, null);
      else assert.ok(Math.abs((wac ?? Number.NaN) - weighted / weight) < 1e-6);
    }),
    { numRuns: 25 },
  );
});
