import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoanType } from '../types.ts';
import { strats, type StratsInput } from './strats.ts';
import { type LoanCells, openLoanFiles } from './testing/loan-file.ts';

async function stratified(loans: readonly LoanCells[], request: Partial<StratsInput>, loanType: LoanType = 'Auto') {
  await using files = await openLoanFiles();
  const loansPath = await files.write(loanType, loans);
  return await strats({ engine: files.engine, loansPath, loanType, asOf: '2026-06-30', by: 'ltv', ...request });
}

async function groupsOf(loans: readonly LoanCells[], request: Partial<StratsInput>, loanType: LoanType = 'Auto') {
  const found = await stratified(loans, request, loanType);
  assert.ok(found.ok, JSON.stringify(found));
  return found.strats;
}

/** Keys of the groups and how many loans each has. */
async function counted(loans: readonly LoanCells[], request: Partial<StratsInput>, loanType: LoanType = 'Auto') {
  const { groups } = await groupsOf(loans, request, loanType);
  return groups.map(({ key, loan_count }) => `${key}: ${loan_count}`);
}

const each = (field: string, values: readonly LoanCells[string][]) =>
  values.map((value) => ({ current_balance: 1, [field]: value }));

test('an edge belongs to the band above it, to the millionth', async () => {
  const loans = each('ltv', [79.999999, 80, 80.000001, 89.999999, 90, null]);
  assert.deepEqual(await counted(loans, { bands: '80,90' }), [
    'below 80: 1',
    '80 to below 90: 3',
    '90 and above: 1',
    '(missing): 1',
  ]);
});

test('bands without a loan are left out, and each names its edges', async () => {
  const { groups, bands } = await groupsOf(each('ltv', [-5, 100]), { bands: '0,50,100' });
  assert.deepEqual(
    groups.map(({ key, lower, upper }) => [key, lower, upper]),
    [
      ['below 0', null, 0],
      ['100 and above', 100, null],
    ],
  );
  assert.deepEqual(bands, [0, 50, 100]);
});

test('edges are numbers that ascend; the first that is not is named', async () => {
  const wrong: [string, RegExp][] = [
    ['80,80', /edge 2 is 80; numbers must ascend/],
    ['80,90,85', /edge 3 is 85/],
    ['80,x', /edge 2 is x/],
    ['80,,90', /edge 2 is empty/],
    [',80', /edge 1 is empty/],
    ['80,', /edge 2 is empty/],
    [' ', /edge 1 is/],
    ['', /edge 1 is empty/],
    ['80;90', /edge 1 is 80;90/],
    ['Infinity', /edge 1 is Infinity/],
    ['1e999', /edge 1 is 1e999/],
    ['month', /edge 1 is month/],
    ['0x10,900', /edge 1 is 0x10/],
    ['0b1', /edge 1 is 0b1/],
  ];
  for (const [bands, message] of wrong) {
    const found = await stratified(each('ltv', [1]), { bands });
    assert.ok(!found.ok && found.fault.code === 'INVALID_BANDS', bands);
    assert.deepEqual([found.fault.parameter, message.test(found.fault.message)], ['bands', true], found.fault.message);
  }
  for (const bands of ['80', '-1.5,0,1e3', ' 80 , 90 ']) assert.ok((await stratified(each('ltv', [1]), { bands })).ok, bands);
});

test('the fault of the second field names the second parameter', async () => {
  const found = await stratified(each('ltv', [1]), { bands: '80', thenBy: 'credit_score', thenBands: '2,1' });
  assert.ok(!found.ok);
  assert.deepEqual([found.fault.code, found.fault.parameter], ['INVALID_BANDS', 'then_bands']);
  const unknown = await stratified(each('ltv', [1]), { thenBy: 'fico' });
  assert.deepEqual(!unknown.ok && unknown.fault, {
    code: 'UNKNOWN_FIELD',
    parameter: 'then_by',
    field: 'fico',
    message: '"fico" is not a field of Auto loans; see the dictionary',
  });
});

test('scores, days past due, loan to value and debt to income fall into the usual bands', async () => {
  const usual: [LoanType, string, number[]][] = [
    ['Auto', 'credit_score', [580, 620, 660, 700, 740, 780]],
    ['Business', 'owner_credit_score', [580, 620, 660, 700, 740, 780]],
    ['Auto', 'days_past_due', [1, 30, 60, 90, 120]],
    ['Mortgage', 'ltv', [60, 70, 80, 90, 100, 110, 120]],
    ['Mortgage', 'cltv', [60, 70, 80, 90, 100, 110, 120]],
    ['Mortgage', 'dti', [10, 20, 30, 36, 43, 50]],
  ];
  for (const [type, by, edges] of usual)
    assert.deepEqual((await groupsOf(each(by, [edges[0]]), { by }, type)).bands, edges, `${type} ${by}`);
  assert.deepEqual(await counted(each('days_past_due', [0, 1, 29, 30, 119, 120]), { by: 'days_past_due' }), [
    'below 1: 1',
    '1 to below 30: 2',
    '30 to below 60: 1',
    '90 to below 120: 1',
    '120 and above: 1',
  ]);
});

test('a number of at most twenty values is grouped by its values, in their order', async () => {
  const few = Array.from({ length: 20 }, (_, index) => 84 - index * 4);
  const { groups, bands } = await groupsOf(each('original_term_months', [...few, null]), { by: 'original_term_months' });
  assert.deepEqual(bands, null);
  assert.deepEqual(
    groups.map(({ key }) => key),
    [...few.toReversed().map(String), '(missing)'],
  );
  const rates = await groupsOf(each('interest_rate', [10, 9.5, 9.25]), { by: 'interest_rate' });
  assert.deepEqual(
    rates.groups.map(({ key }) => key),
    ['9.25', '9.5', '10'],
  );
});

test('a number of more values falls into some ten bands of equal width, round edges, every loan in one', async () => {
  for (const [low, step, count] of [
    [0, 1, 21],
    [1_000, 13.7, 150],
    [-40, 0.9, 120],
    [5_000_000, 123_456, 90],
    [0.001, 0.0003, 60],
  ] as const) {
    const values = Array.from({ length: count }, (_, index) => Number((low + index * step).toFixed(6)));
    const { groups, bands } = await groupsOf(each('interest_rate', values), { by: 'interest_rate' });
    assert.ok(bands && bands.length >= 4 && bands.length <= 11, `${bands?.length} edges`);
    const widths = bands.slice(1).map((edge, index) => edge - (bands[index] ?? 0));
    for (const width of widths)
      assert.ok(Math.abs(width - (widths[0] ?? 0)) < 1e-9 * Math.abs(widths[0] ?? 0), widths.join(', '));
    const digits = (widths[0] ?? 0).toExponential().split('e')[0];
    assert.ok(
      ['1', '2', '2.5', '5'].some((round) => Math.abs(Number(digits) - Number(round)) < 1e-6),
      `width ${digits}`,
    );
    assert.ok((bands[0] ?? 0) > low && (bands.at(-1) ?? 0) <= (values.at(-1) ?? 0), 'the open ends are not empty');
    assert.equal(
      groups.reduce((sum, { loan_count }) => sum + loan_count, 0),
      count,
    );
    for (const { lower, upper, loan_count } of groups) {
      const inside = values.filter((value) => (lower === null || value >= lower) && (upper === null || value < upper));
      assert.equal(loan_count, inside.length, `${lower} to ${upper}`);
    }
  }
});

test('dates are grouped by year, quarter or month, in the order of the calendar', async () => {
  const loans = each('origination_date', ['2025-12-31', '2026-01-01', '2026-03-31', '2026-04-01', '2024-02-29', null]);
  const by = 'origination_date';
  assert.deepEqual(await counted(loans, { by }), ['2024: 1', '2025: 1', '2026: 3', '(missing): 1']);
  assert.deepEqual(await counted(loans, { by, bands: 'quarter' }), [
    '2024-Q1: 1',
    '2025-Q4: 1',
    '2026-Q1: 2',
    '2026-Q2: 1',
    '(missing): 1',
  ]);
  assert.deepEqual((await counted(loans, { by, bands: 'month' })).slice(2, 5), ['2026-01: 1', '2026-03: 1', '2026-04: 1']);
  for (const bands of ['day', '2025', 'YEAR', '']) {
    const found = await stratified(loans, { by, bands });
    assert.deepEqual([found.ok, !found.ok && found.fault.message], [false, 'expected one of month, quarter, year for a date']);
  }
});

test('words and flags are their own groups, the largest balance first, and take no bands', async () => {
  const loans = [
    { current_balance: 5, state: 'CA', co_obligor: true },
    { current_balance: 4, state: 'TX', co_obligor: null },
    { current_balance: 3, state: 'CA', co_obligor: false },
    { current_balance: 9, state: null, co_obligor: false },
    { current_balance: 4, state: 'AL', co_obligor: true },
  ];
  assert.deepEqual(await counted(loans, { by: 'state' }), ['(missing): 1', 'CA: 2', 'AL: 1', 'TX: 1'], 'equal ones by name');
  assert.deepEqual(await counted(loans, { by: 'co_obligor' }), ['false: 2', 'true: 2', '(missing): 1']);
  const found = await stratified(loans, { by: 'state', bands: '1' });
  assert.deepEqual(
    [found.ok, !found.ok && found.fault.message],
    [false, 'state is not a number or a date: its values are the groups'],
  );
});
