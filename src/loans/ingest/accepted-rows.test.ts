import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { openRoom } from '../testing/take-tape.ts';
import { ingestRawTable } from './ingest.ts';
import { readTape } from '../reading/read-tape.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const take = (csv: string, more = {}) => room.take({ loanType: 'Auto', csv, ...more });
const numbers = async (tape: Awaited<ReturnType<typeof take>>) => (await tape.loans('row_number')).map((loan) => loan.row_number);

test('of any rows the accepted are those with an amount that repeat no earlier row and are well formed, in their order', async () => {
  const amount = fc.constantFrom('100', '200.50', '0', '-5', '', 'NA', 'a lot');
  const row = fc.record({
    id: fc.constantFrom('L-1', 'L-2', 'L-3'),
    amount,
    note: fc.constantFrom('x', 'y'),
    broken: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
      // the last row is sound, so that no row before it is taken for a foot
      const lines = [
        ...rows.map(({ id, amount: text, note, broken }) => `${id},${text},${note}${broken ? ',too,many' : ''}`),
        'L-9,7,z',
      ];
      const tape = await take(`Loan ID,Original Balance,Remark\n${lines.join('\n')}\n`);
      const contents = lines.map((line) => line.split(',').slice(0, 3).join(','));
      const accepted = lines.flatMap((line, index) => {
        const [, text] = line.split(',');
        const sound = line.split(',').length === 3 && contents.indexOf(contents[index]) === index && Number(text) > 0;
        return sound ? [index + 1] : [];
      });
      assert.deepEqual(await numbers(tape), accepted);
      const cents = accepted.reduce((sum, number) => sum + Math.round(Number(lines[number - 1].split(',')[1]) * 100), 0);
      assert.deepEqual(
        [tape.rows, tape.accepted, tape.rejected],
        [lines.length, accepted.length, lines.length - accepted.length],
      );
      assert.equal(tape.total_balance, (cents / 100).toFixed(2));
      assert.equal(tape.qc_failed, lines.length - accepted.length > 0.1 * lines.length);
      const errors = new Set(
        (await tape.issues()).filter(({ severity }) => severity === 'ERROR').map((issue) => issue.row_number),
      );
      assert.equal(errors.size, lines.length - accepted.length, 'each rejected row has its reason');
    }),
    { numRuns: 20 },
  );
});

test('one row in ten may be rejected, one more fails the tape', async () => {
  const tape = async (rows: number, bad: number) => {
    const lines = Array.from({ length: rows }, (_, index) => `A${index},${index < bad ? 0 : index + 1}\n`);
    return (await take(`Loan ID,Original Balance\n${lines.join('')}`)).qc_failed;
  };
  assert.deepEqual([await tape(10, 1), await tape(20, 2), await tape(30, 3)], [false, false, false]);
  assert.deepEqual([await tape(9, 1), await tape(19, 2), await tape(10, 2), await tape(1, 1)], [true, true, true, true]);
});

test('a total of many loans keeps every cent', async () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `A${index},99999999999.01\n`);
  assert.equal((await take(`Loan ID,Original Balance\n${lines.join('')}`)).total_balance, '99999999999010.00');
});

test('a blank cell among current balances stays blank, the original balance serves where the column is missing only', async () => {
  const csv = 'Loan ID,Original Balance,Current Balance\nA,100,\nB,200,150\n';
  const tape = await take(csv);
  assert.deepEqual(await tape.loans('current_balance'), [{ current_balance: null }, { current_balance: '150.000000' }]);
  assert.deepEqual([tape.total_balance, tape.balance_basis], ['150.00', 'CURRENT']);
});

test('fields without a column are missing in the type of the field', async () => {
  const tape = await take('Loan ID,Original Balance\nA,100\n');
  const [types] = await tape.loans(
    'typeof(vehicle_make) AS a, typeof(maturity_date) AS b, typeof(co_obligor) AS c, typeof(credit_score) AS d',
  );
  assert.deepEqual(types, { a: 'VARCHAR', b: 'DATE', c: 'BOOLEAN', d: 'DECIMAL(18,6)' });
  const [loan] = await tape.loans('vehicle_make, maturity_date, co_obligor, credit_score');
  assert.deepEqual(Object.values(loan), [null, null, null, null]);
});

test('a missing id is named by its row, in the field of cards too, and ids that look like row numbers stay', async () => {
  const auto = await take('Loan ID,Original Balance\n1,5\n,6\n3,7\n');
  assert.deepEqual(
    (await auto.loans('loan_id')).map((loan) => loan.loan_id),
    ['1', 'row-2', '3'],
  );
  assert.equal(auto.synthetic_ids, false);
  const cards = await take('account_id,Credit Limit\nX,5\nNA,6\n', { loanType: 'Credit Card' });
  assert.deepEqual(await cards.loans('account_id, loan_id'), [
    { account_id: 'X', loan_id: 'X' },
    { account_id: 'row-2', loan_id: 'row-2' },
  ]);
  const without = await take('Credit Limit,Remark\n5,a\n6,b\n', { loanType: 'Credit Card' });
  assert.deepEqual([without.synthetic_ids, (await without.loans('loan_id')).map((loan) => loan.loan_id)], [true, ['1', '2']]);
});

test('the latest reporting date of the loans is the as-of date of their tape, and that of a rejected row is not', async () => {
  const tape = await take('Loan ID,Original Balance,Cutoff Date\nA,100,2020-06-30\nB,7,2020-07-31\nC,5,\nD,0,2204-01-31\n');
  assert.deepEqual([tape.accepted, tape.as_of_date], [3, '2020-07-31']);
  const none = await take('Loan ID,Original Balance,Cutoff Date\nA,100,soon\nB,5,2020-13-01\nC,5,\n', { asOf: '2021-01-02' });
  assert.equal(none.as_of_date, '2021-01-02');
});

test('an intake leaves its three files and nothing else', async () => {
  const tape = await take('Loan ID,Original Balance\nA,100\n');
  const files = (await readdir(dirname(tape.files.raw))).toSorted();
  assert.deepEqual(files, ['canonical.csv', 'issues.parquet', 'loans.parquet', 'raw.parquet', 'tape.csv']);
});

test('an intake that is aborted throws, and leaves no folder of its work', async () => {
  const outDir = await room.newDir();
  const source = await take('Loan ID,Original Balance\nA,100\n');
  const read = await readTape({ path: `${dirname(source.files.raw)}/tape.csv`, format: 'csv', workDir: outDir });
  assert.ok(read.ok);
  const signal = AbortSignal.abort();
  const input = { engine: room.engine, loanType: 'Auto', outDir, asOf: '2026-11-20', raw: read.table, signal } as const;
  await assert.rejects(ingestRawTable(input), { name: 'AbortError' });
  assert.deepEqual(
    (await readdir(outDir)).filter((name) => name.startsWith('work-')),
    [],
  );
});

test('a remapping reads the same texts again, and the tape itself stays as it is', async () => {
  const tape = await take('Loan ID,Original Balance,x\nA,100,5\nB,200,6\n');
  const before_ = await readFile(tape.files.raw);
  const mapped = await tape.remap([{ source: 'x', target: 'vehicle_value' }]);
  assert.deepEqual(await room.engine.rows(`SELECT vehicle_value FROM read_parquet('${mapped.files.loans}')`), [
    { vehicle_value: '5.000000' },
    { vehicle_value: '6.000000' },
  ]);
  assert.deepEqual(await readFile(mapped.files.raw), before_);
  assert.deepEqual([mapped.rows, mapped.mapping.unmapped], [2, []]);
});

test('the content of a column is judged by its first 2,000 rows', async () => {
  const rows = (good: number) =>
    Array.from({ length: 4_000 }, (_, index) => `A${index},100,${index < good ? 'NY' : '36'}\n`).join('');
  const target = async (good: number) =>
    (await take(`Loan ID,Original Balance,State\n${rows(good)}`)).mapping.mappings.find(({ source }) => source === 'State')
      ?.target;
  assert.equal(await target(2_000), 'state');
  assert.equal(await target(900), undefined);
});

test('the figures of a tape are over all its rows, its total over the accepted ones', async () => {
  const tape = await take('Loan ID,Original Balance,APR\nA,100,5%\nB,-50,7%\nC,,9%\n');
  const { original_balance: balance, interest_rate: rate } = tape.statistics;
  assert.deepEqual([balance.count, balance.sum, rate.count, rate.sum], [2, '50.000000', 3, '21.000000']);
  assert.equal(tape.total_balance, '100.00');
});
