import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquet } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { type PoolSource, type PoolTable, type PoolTableInput, ratio, writePoolTable } from './pool-table.ts';
import { type LoanCells, type LoanFiles, openLoanFiles } from './testing/loan-file.ts';

const source = (loansPath: string, more: Partial<PoolSource> = {}): PoolSource => ({
  deal_id: 'deal_1',
  deal_number: 1,
  tape_version: 1,
  loansPath,
  outcomesPaths: [],
  ...more,
});

async function pooled(files: LoanFiles, sources: readonly PoolSource[], more: Partial<PoolTableInput> = {}) {
  const path = `${files.dir}/pool.parquet`;
  const input = { engine: files.engine, loanType: 'Auto' as LoanType, cutOff: '2026-06-30', sources, condition: null, path };
  const table = await writePoolTable({ ...input, ...more });
  const rows = await files.engine.rows<Record<string, string | number>>(`SELECT * FROM ${parquet(path)}`);
  return { table, rows };
}

/** The pool of all loans of one tape. */
async function poolOf(loans: readonly LoanCells[], loanType: LoanType = 'Auto'): Promise<PoolTable> {
  await using files = await openLoanFiles();
  return (await pooled(files, [source(await files.write(loanType, loans))], { loanType })).table;
}

/** What a warning is about, without what follows from it. */
const subject = (warning: string) => warning.split(':')[0];

const LOANS = [
  { current_balance: 100, interest_rate: 5, remaining_term_months: 60 },
  { current_balance: 300, interest_rate: 9, remaining_term_months: 20 },
  { current_balance: 50, interest_rate: 7, remaining_term_months: 30 },
];

test('the loans of a pool stand in the order of its deals, each with the deal and version that it came from', async () => {
  await using files = await openLoanFiles();
  const first = await files.write('Auto', [LOANS[0] ?? {}, { ...LOANS[1], row_number: 7 }]);
  const second = await files.write('Auto', [LOANS[2] ?? {}]);
  const { table, rows } = await pooled(files, [
    source(second, { deal_id: 'deal_b', deal_number: 9, tape_version: 3 }),
    source(first, { deal_id: 'deal_a', deal_number: 4, tape_version: 1 }),
  ]);
  assert.deepEqual(
    rows.map(({ deal_id, tape_version, deal_number, row_number }) => [deal_id, tape_version, deal_number, row_number]),
    [
      ['deal_b', 3, 9, 1],
      ['deal_a', 1, 4, 1],
      ['deal_a', 1, 4, 7],
    ],
  );
  // (500 + 2,700 + 350) / 450; (6,000 + 6,000 + 1,500) / 450
  assert.deepEqual([table.loan_count, table.balance, table.wac, table.wam], [3, '450.00', '7.888889', '30.000000']);
});

test('a condition chooses loans, and a loan must have passed or been waived in every run that is named', async () => {
  await using files = await openLoanFiles();
  const loansPath = await files.write('Auto', [...LOANS, ...LOANS]);
  const run = async (name: string, outcomes: readonly string[]) => {
    const path = `${files.dir}/${name}.parquet`;
    const rows = outcomes.map((outcome, index) => `SELECT ${index + 1} AS row_number, '${outcome}' AS outcome`);
    await files.engine.run(`COPY (${rows.join(' UNION ALL ')}) TO '${path}' (FORMAT parquet)`);
    return path;
  };
  const one = await run('one', ['PASSED', 'WAIVED', 'FAILED', 'PASSED', 'WAIVED', 'PASSED']);
  const two = await run('two', ['PASSED', 'PASSED', 'PASSED', 'FAILED', 'WAIVED']);
  const rowsOf = async (outcomesPaths: string[], condition: string | null) =>
    (await pooled(files, [source(loansPath, { outcomesPaths })], { condition })).rows.map(({ row_number }) => row_number);
  assert.deepEqual(await rowsOf([], null), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await rowsOf([one], null), [1, 2, 4, 5, 6]);
  assert.deepEqual(await rowsOf([one, two], null), [1, 2, 5], 'a loan that a run does not know did not pass it');
  assert.deepEqual(await rowsOf([], 'interest_rate >= 7'), [2, 3, 5, 6]);
  assert.deepEqual(
    await rowsOf([one], 'interest_rate >= 7 OR interest_rate < 6'),
    [1, 2, 4, 5, 6],
    'the condition is one of all',
  );
});

test('the same loans of the same versions have one fingerprint; another version, loan or deal has another', async () => {
  await using files = await openLoanFiles();
  const all = await files.write('Auto', LOANS);
  const set = async (more: Partial<PoolSource>, condition: string | null = null) =>
    (await pooled(files, [source(all, more)], { condition })).table.loan_set;
  const own = await set({});
  assert.match(own, /^[0-9a-f]{64}$/);
  assert.equal(await set({}), own);
  const others = [
    await set({ tape_version: 2 }),
    await set({ deal_id: 'deal_2' }),
    await set({ deal_number: 2 }),
    await set({}, 'interest_rate > 5'),
  ];
  assert.equal(new Set([own, ...others]).size, 5);
});

test('rates and terms weigh by balance; a loan without one is left out of that average and counted in a warning', async () => {
  const { wac, wam, warnings, loan_count, balance } = await poolOf([
    ...LOANS,
    { current_balance: 1_000, remaining_term_months: 10 },
    { current_balance: 1_000, interest_rate: 8 },
    { current_balance: null, interest_rate: 50, remaining_term_months: 500 },
  ]);
  // (3,550 + 8,000) / 1,450; (13,500 + 10,000) / 1,450
  assert.deepEqual([loan_count, balance, wac, wam], [6, '2450.00', '7.965517', '16.206897']);
  assert.deepEqual(warnings.map(subject), [
    '1 of 6 loans have no rate',
    '1 of 6 loans have neither remaining term nor maturity date',
    '1 of 6 loans have no balance above zero',
  ]);
});

test('a pool in which no loan has a rate or a term has no average of it', async () => {
  const { wac, wam } = await poolOf([{ current_balance: 5 }, { current_balance: 0, interest_rate: 5, remaining_term_months: 5 }]);
  assert.deepEqual([wac, wam], [null, null]);
});

test('the remaining term is that of the tape, else the months from the cut-off to maturity', async () => {
  const { wam } = await poolOf([
    { current_balance: 1, remaining_term_months: 10, maturity_date: '2036-06-30' },
    { current_balance: 1, maturity_date: '2028-06-30' },
  ]);
  assert.equal(wam, '17.000000');
});

test('cards have a rate, no term and no warning about it', async () => {
  const { wac, wam, warnings } = await poolOf([{ current_balance: 10, apr: 21.5 }, { current_balance: 10 }], 'Credit Card');
  assert.deepEqual([wac, wam, warnings.map(subject)], ['21.500000', null, ['1 of 2 loans have no rate']]);
});

test('a pool without any rate or term says what projections take for them, as there is no average', async () => {
  const { wac, wam, warnings } = await poolOf([{ current_balance: 10 }, { current_balance: 10 }]);
  assert.deepEqual(
    [wac, wam, warnings],
    [
      null,
      null,
      [
        '2 of 2 loans have no rate: there is no average, and projections take 0 %',
        '2 of 2 loans have neither remaining term nor maturity date: there is no average, and projections take 1 month',
      ],
    ],
  );
});

test('a sound pool has no warnings', async () => {
  assert.deepEqual((await poolOf(LOANS)).warnings, []);
});

test('a ratio is exact to six places, half to even, and null without a sum or a weight', () => {
  const cases: [string | null, string | null, string | null][] = [
    ['1', '3', '0.333333'],
    ['2', '3', '0.666667'],
    ['0.0000005', '1', '0.000000'],
    ['0.0000015', '1', '0.000002'],
    ['-0.0000015', '1', '-0.000002'],
    ['12345678901234567890.123456', '1', '12345678901234567890.123456'],
    ['0', '5', '0.000000'],
    ['5', '0', null],
    ['5', '0.000000', null],
    [null, '5', null],
    ['5', null, null],
  ];
  for (const [sum, weight, expected] of cases) assert.equal(ratio(sum, weight), expected, `${sum} / ${weight}`);
});
