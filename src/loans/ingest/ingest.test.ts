import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingestInline } from './ingest.ts';
import { openRoom } from '../testing/take-tape.ts';

const AUTO =
  'Loan ID,Original Amount Financed,Current Balance,Original Term,Remaining Term,APR,State,New/Used,Contract Date,Maturity,Days Past Due';
const good = (id: string, amount = '20000', current = '15000') =>
  `${id},${amount},${current},60,40,6.5%,NC,N,2019-01-15,2024-01-15,0`;

function autoTape(...rows: string[]): string {
  return `${AUTO}\n${rows.join('\n')}\n`;
}

test('a clean tape gives every row as a loan, with exact balances and no row findings', async () => {
  await using room = await openRoom();
  const tape = await room.take({ loanType: 'Auto', csv: autoTape(good('A1', '20000.10'), good('A2', '20000.20')) });
  assert.deepEqual([tape.rows, tape.accepted, tape.rejected], [2, 2, 0]);
  assert.equal(tape.total_balance, '30000.00');
  assert.equal(tape.balance_basis, 'CURRENT');
  assert.equal(tape.qc_failed, false);
  assert.deepEqual(tape.mapping.missing_required, []);
  assert.deepEqual(await tape.issues(), []);
  const [loan] = await tape.loans(
    'row_number, line, loan_id, original_balance, interest_rate, origination_date, new_used, vehicle_make',
  );
  assert.deepEqual(loan, {
    row_number: 1,
    line: 2,
    loan_id: 'A1',
    original_balance: '20000.100000',
    interest_rate: '6.500000',
    origination_date: '2019-01-15',
    new_used: 'NEW',
    vehicle_make: null,
  });
});

test('a row without an amount above 0 is rejected and the tape goes on', async () => {
  await using room = await openRoom();
  const rows = [
    good('A1'),
    good('A2', '', ''),
    good('A3', 'a lot'),
    good('A4', '0'),
    good('A5', '-0.01'),
    good('A6', 'N/A', '.'),
  ];
  const tape = await room.take({ loanType: 'Auto', csv: autoTape(...rows) });
  assert.deepEqual([tape.rows, tape.accepted, tape.rejected], [6, 1, 5]);
  const errors = (await tape.issues()).filter((issue) => issue.severity === 'ERROR');
  assert.deepEqual(
    errors.map((issue) => [issue.row_number, issue.rule_id, issue.actual]),
    [
      [2, 'AMOUNT_MISSING', null],
      [3, 'AMOUNT_UNREADABLE', 'a lot'],
      [4, 'AMOUNT_NOT_POSITIVE', '0'],
      [5, 'AMOUNT_NOT_POSITIVE', '-0.01'],
      [6, 'AMOUNT_MISSING', 'N/A'],
    ],
  );
  assert.equal(tape.issue_counts.error, 5);
});

test('the current balance is the amount of a row without an original balance, which is missed all the same', async () => {
  await using room = await openRoom();
  const rows = [good('A1'), good('A2', ''), good('A3', '', '0'), good('A4', '', 'a lot'), good('A5', 'a lot')];
  const tape = await room.take({ loanType: 'Auto', csv: autoTape(...rows) });
  assert.deepEqual([tape.rows, tape.accepted, tape.total_balance], [5, 2, '30000.00']);
  const found = (await tape.issues()).filter((issue) => issue.severity === 'ERROR' || issue.rule_id === 'MISSING_VALUE');
  assert.deepEqual(
    found.map((issue) => [issue.row_number, issue.rule_id, issue.field]),
    [
      [2, 'MISSING_VALUE', 'original_balance'],
      [3, 'AMOUNT_NOT_POSITIVE', 'current_balance'],
      [4, 'AMOUNT_MISSING', 'original_balance'],
      [5, 'AMOUNT_UNREADABLE', 'original_balance'],
    ],
  );
});

test('more than 10 % of rejected rows fail the tape, exactly 10 % do not', async () => {
  await using room = await openRoom();
  const rows = (bad: number, count: number) =>
    Array.from({ length: count }, (_, index) => good(`A${index}`, index < bad ? '0' : String(10_000 + index)));
  assert.equal((await room.take({ loanType: 'Auto', csv: autoTape(...rows(1, 10)) })).qc_failed, false);
  assert.equal((await room.take({ loanType: 'Auto', csv: autoTape(...rows(2, 19)) })).qc_failed, true);
});

test('a row that equals an earlier one in every column is rejected; one with the same id and other content is kept and reported', async () => {
  await using room = await openRoom();
  const tape = await room.take({
    loanType: 'Auto',
    csv: autoTape(good('A1'), good('A2'), good('A1'), good('A2', '20001'), good('A1')),
  });
  assert.deepEqual([tape.accepted, tape.rejected], [3, 2]);
  assert.deepEqual(
    (await tape.issues('DUPLICATE_ROW')).map((issue) => [issue.row_number, issue.actual]),
    [
      [3, 'same as row 1'],
      [5, 'same as row 1'],
    ],
  );
  assert.deepEqual(
    (await tape.issues('DUPLICATE_LOAN_ID')).map((issue) => issue.row_number),
    [2, 4],
  );
  assert.deepEqual(
    (await tape.loans('row_number')).map((row) => row.row_number),
    [1, 2, 4],
  );
});

test('without a current balance column the original balance serves, for weights too', async () => {
  await using room = await openRoom();
  const csv = 'Loan ID,Original Amount Financed,APR\nA1,100,1%\nA2,300,5%\n';
  const tape = await room.take({ loanType: 'Auto', csv });
  assert.equal(tape.balance_basis, 'ORIGINAL');
  assert.equal(tape.total_balance, '400.00');
  assert.equal(tape.statistics.interest_rate?.weighted_average, '4.00000000');
  assert.deepEqual(
    (await tape.loans('current_balance')).map((row) => row.current_balance),
    ['100.000000', '300.000000'],
  );
});

test('without an original balance column the current balance decides whether a row is a loan', async () => {
  await using room = await openRoom();
  const tape = await room.take({ loanType: 'Auto', csv: 'Loan ID,Current Balance\nA1,100\nA2,0\n' });
  assert.deepEqual([tape.needs_mapping, tape.accepted, tape.rejected, tape.balance_basis], [false, 1, 1, 'CURRENT']);
});

test('without an amount column the loans wait for a mapping, and the mapping brings them', async () => {
  await using room = await openRoom();
  const tape = await room.take({
    loanType: 'Credit Card',
    csv: 'card_id,issued,ceiling\n1005,2016-10-31,5000\n104,2016-12-31,7000\n',
  });
  assert.equal(tape.needs_mapping, true);
  assert.deepEqual([tape.accepted, tape.rejected, tape.qc_failed, tape.files.loans], [0, 0, false, null]);
  const finding = await tape.issues('AMOUNT_COLUMN_MISSING');
  assert.deepEqual(
    finding.map((issue) => issue.expected),
    ['a column of amounts that is credit_limit'],
  );
  const mapped = await tape.remap([{ source: 'ceiling', target: 'credit_limit' }]);
  assert.deepEqual(
    [mapped.needs_mapping, mapped.accepted, mapped.total_balance, mapped.balance_basis],
    [false, 2, '12000.00', 'LIMIT'],
  );
});

test('cards are exposed under loan_id and account_id alike', async () => {
  await using room = await openRoom();
  const tape = await room.take({ loanType: 'Credit Card', csv: 'ID,LIMIT_BAL,BILL_AMT1\n0001,20000,-15\n0002,5000,2500\n' });
  assert.deepEqual(await tape.loans('loan_id, account_id, credit_limit, utilization'), [
    { loan_id: '0001', account_id: '0001', credit_limit: '20000.000000', utilization: null },
    { loan_id: '0002', account_id: '0002', credit_limit: '5000.000000', utilization: '50.000000' },
  ]);
  assert.equal(tape.total_balance, '2485.00');
});

test('without an id column row numbers serve, and a blank among real ids meets none of them', async () => {
  await using room = await openRoom();
  const without = await room.take({ loanType: 'Auto', csv: 'Amount Financed,APR\n100,5%\n200,6%\n' });
  assert.equal(without.synthetic_ids, true);
  assert.deepEqual(
    (await without.loans('loan_id')).map((row) => row.loan_id),
    ['1', '2'],
  );
  const blank = await room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed\n2,100\n,200\n' });
  assert.deepEqual(
    (await blank.loans('loan_id')).map((row) => row.loan_id),
    ['2', 'row-2'],
  );
});

test('loan to value is derived exactly where no column gives it', async () => {
  await using room = await openRoom();
  const tape = await room.take({
    loanType: 'Auto',
    csv: 'Loan ID,Amount Financed,Vehicle Value\nA1,2,3\nA2,1,8\nA3,5,0\nA4,1,64000000\n',
  });
  const loans = await tape.loans('ltv');
  // 1/64,000,000 is 0.0000015625 %: to the sixth place, half-even
  assert.deepEqual(
    loans.map((row) => row.ltv),
    ['66.666667', '12.500000', null, '0.000002'],
  );
});

test('what the reader saw is among the issues: malformed rows are rejected, totals and banners are no loans', async () => {
  await using room = await openRoom();
  const csv = `ACME AUTO TRUST,,\nLoan ID,Amount Financed,APR\nA1,100,5%\nA2,200,6%,7,8,9\nA3,300,6%\nTotal,600,\n`;
  const tape = await room.take({ loanType: 'Auto', csv });
  const rules = new Set((await tape.issues()).map((issue) => issue.rule_id));
  assert.ok(rules.has('BANNER_LINES') && rules.has('TOTALS_ROW') && rules.has('MALFORMED_ROW'), [...rules].join());
  assert.deepEqual([tape.rows, tape.accepted, tape.rejected, tape.total_balance], [3, 2, 1, '400.00']);
});

test('findings about the tape come before the rows, rows in their order', async () => {
  await using room = await openRoom();
  const tape = await room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed,APR\nA1,100,55%\nA2,-1,6%\n' });
  const issues = await tape.issues();
  const numbers = issues.map((issue) => issue.row_number ?? 0);
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
  );
  assert.equal(numbers[0], 0);
  assert.equal(issues.length, tape.issue_counts.error + tape.issue_counts.warning);
});

test('the reporting date of the tape is its as-of date, else the day of the intake', async () => {
  await using room = await openRoom();
  const dated = await room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed,Cutoff Date\nA1,100,2020-07-31\n' });
  assert.equal(dated.as_of_date, '2020-07-31');
  const plain = await room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed\nA1,100\n', asOf: '2026-01-02' });
  assert.equal(plain.as_of_date, '2026-01-02');
});

test('the same tape gives the same files, byte for byte of their rows', async () => {
  await using room = await openRoom();
  const csv = autoTape(good('A1'), good('A2', '0'), good('A3', '99999999'));
  const [first, second] = [await room.take({ loanType: 'Auto', csv }), await room.take({ loanType: 'Auto', csv })];
  assert.deepEqual(await first.loans(), await second.loans());
  assert.deepEqual(await first.issues(), await second.issues());
});

test('hostile headers and amounts of any size are only text and numbers', async () => {
  await using room = await openRoom();
  const csv = `__proto__,constructor,"Loan ID","Amount Financed","it's ""quoted"", -- ;"\n1,2,A1,999999999999,x\n1,2,A2,99999999999999999999,'; DROP TABLE x\n`;
  const tape = await room.take({ loanType: 'Auto', csv });
  assert.deepEqual([tape.accepted, tape.rejected], [1, 1]);
  assert.deepEqual(
    (await tape.issues('AMOUNT_UNREADABLE')).map((issue) => issue.row_number),
    [2],
  );
});

test('inline loans are read in canonical units, keyed by canonical names, and checked like a tape', async () => {
  await using room = await openRoom();
  const outDir = await room.newDir();
  const loans = [
    {
      loan_id: '00123',
      original_balance: 20000.1,
      interest_rate: 0.9,
      origination_date: '2019-01-15',
      state: 'NC',
      dealer: 'x,"y"',
    },
    { loan_id: 'B', original_balance: 500, interest_rate: null, co_obligor: true, dealer: 7 },
    { loan_id: 'C', original_balance: -1 },
  ];
  const result = await ingestInline({ engine: room.engine, loanType: 'Auto', outDir, asOf: '2026-11-20', loans });
  assert.deepEqual([result.rows, result.accepted, result.rejected, result.total_balance], [3, 2, 1, '20500.10']);
  assert.deepEqual(result.mapping.unmapped, ['dealer']);
  const rows = await room.engine.rows(`SELECT loan_id, interest_rate, co_obligor FROM read_parquet('${result.files.loans}')`);
  assert.deepEqual(rows, [
    { loan_id: '00123', interest_rate: '0.900000', co_obligor: null },
    { loan_id: 'B', interest_rate: null, co_obligor: true },
  ]);
  const raw = await room.engine.rows(`SELECT c5 FROM read_parquet('${result.files.raw}')`);
  assert.deepEqual(
    raw.map((row) => row.c5),
    ['x,"y"', '7', null],
  );
});

test('inline loans that say nothing wait for an amount like any tape without one', async () => {
  await using room = await openRoom();
  const outDir = await room.newDir();
  const result = await ingestInline({ engine: room.engine, loanType: 'Auto', outDir, asOf: '2026-11-20', loans: [{}, {}, {}] });
  assert.deepEqual([result.rows, result.needs_mapping, result.accepted], [3, true, 0]);
});
