import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CsvScanner } from './csv-scanner.ts';
import { tapeLimits } from './raw-table.ts';
import type { Row } from './row.ts';
import { type FootVerdict, judgeFoot } from './table-foot.ts';
import { fileOf, tableOf } from './testing/read-for-test.ts';

function rowsOf(lines: readonly string[]): Row[] {
  const scanner = new CsvScanner({ delimiter: ',', lineEnd: 'LF' }, tapeLimits('csv'));
  scanner.feed(Buffer.from(lines.join('\n')));
  scanner.end();
  const rows: Row[] = [];
  while (scanner.next()) rows.push(scanner.row.copy());
  return rows;
}

/** What the last lines are under loans of `id,count,balance,note`, of which two files have the row number and the line too. */
async function judged(loans: readonly string[], foot: readonly string[]): Promise<FootVerdict[]> {
  const lines = loans.map((loan, index) => `${index + 1},${index + 2},${loan}\n`);
  const paths = [await fileOf(lines.slice(0, 1).join('')), await fileOf(lines.slice(1).join(''))];
  return await judgeFoot(rowsOf(foot), async () => paths, 4, tapeLimits('csv'));
}

const LOANS = ['A,1,100.25,x', 'B,2,200.50,y', 'C,3,"$1,000.25",z'];

test('a line whose largest number is the sum of its column is one of totals', async () => {
  assert.deepEqual(await judged(LOANS, [',,1301,']), ['TOTALS']);
  assert.deepEqual(await judged(LOANS, [',,"$1,301.00",']), ['TOTALS']);
  assert.deepEqual(await judged(LOANS, [',2,1301,an average']), ['TOTALS']);
  assert.deepEqual(await judged(LOANS, [',6,,']), ['TOTALS']);
  assert.deepEqual(await judged(LOANS, [',6,1300,']), ['LOAN']);
  assert.deepEqual(await judged(LOANS, [',1301,,']), ['LOAN']);
  assert.deepEqual(await judged(LOANS, [',,-1301,']), ['LOAN']);
});

test('a cent of rounding is forgiven, more is not, and a billionth of a large sum is', async () => {
  assert.deepEqual(await judged(LOANS, [',,1301.01,', ',,1300.99,', ',,1301.02,', ',,1300.98,']), [
    'TOTALS',
    'TOTALS',
    'LOAN',
    'LOAN',
  ]);
  const large = ['A,1,60000000000,x', 'B,1,40000000000,x'];
  assert.deepEqual(await judged(large, [',,100000000099,', ',,100000000101,']), ['TOTALS', 'LOAN']);
});

test('a line without an id whose amounts are averages is none of the loans', async () => {
  const loans = Array.from({ length: 6 }, (_, index) => `L${index},${1_000 + 7 * index},${900.25 + index},60`);
  assert.deepEqual(await judged(loans, [',1017.50,902.75,60']), ['AVERAGES']);
  assert.deepEqual(await judged(loans, [',1018,903,60']), ['AVERAGES'], 'without decimals');
  assert.deepEqual(await judged(loans, [',1017.50,,60']), ['LOAN'], 'one amount may be an average by chance, and every term is');
  assert.deepEqual(await judged(loans, [',1017.50,902.85,60']), ['LOAN']);
  assert.deepEqual(await judged(loans, ['L9,1017.50,902.75,60']), ['LOAN'], 'it has an id');
  assert.deepEqual(await judged(Array(6).fill('L,1000,900,60'), [',1000,900,60']), ['LOAN'], 'all loans are the same');
});

test('a negative sum is a sum, a sum of nothing proves nothing', async () => {
  assert.deepEqual(await judged(['A,1,(5),x', 'B,2,-7,x'], [',,-12,']), ['TOTALS']);
  assert.deepEqual(await judged(['A,1,5,x', 'B,2,-5,x'], [',,0,']), ['LOAN']);
  assert.deepEqual(await judged(['A,1,x,x'], [',,0,']), ['LOAN']);
});

test('a line that begins with a loan number is a loan, whatever it sums up to', async () => {
  for (const id of ['id-4', 'LN 0042', 'A4', 'é_7', 'L/9', 'L#9'])
    assert.deepEqual(await judged(LOANS, [`${id},,1301,`]), ['LOAN'], id);
  for (const id of ['4', 'Sum', 'id-', 'LN--4', 'ABCDEFGHIJK4', 'A4x', ''])
    assert.deepEqual(await judged(LOANS, [`${id},,1301,`]), ['TOTALS'], id);
});

test('words alone are a remark unless a loan follows them', async () => {
  assert.deepEqual(await judged(LOANS, ['Source: core system,,,']), ['REMARK']);
  assert.deepEqual(await judged(LOANS, ['Source: core system,,,', ',,7,']), ['LOAN', 'LOAN']);
  assert.deepEqual(await judged(LOANS, [',,7,', 'Source: core system,,,', ',,1301,', 'End,,,']), [
    'LOAN',
    'REMARK',
    'TOTALS',
    'REMARK',
  ]);
});

test('the file of the loans is not read where no line has a number', async () => {
  const path = async (): Promise<string[]> => Promise.reject(new Error('read'));
  assert.deepEqual(await judgeFoot(rowsOf(['Source,,,']), path, 4, tapeLimits('csv')), ['REMARK']);
  await assert.rejects(judgeFoot(rowsOf(['5,,,']), path, 4, tapeLimits('csv')), /read/);
  assert.deepEqual(await judgeFoot(rowsOf(['5,,,', 'Source,,,']), async () => null, 4, tapeLimits('csv')), ['LOAN', 'REMARK']);
});

test('a line under two loans may be their sum; under one loan the same balance proves nothing', async () => {
  const tape = async (...loans: string[]) => (await tableOf(['loan_id,state,balance', ...loans].join('\n'))).table;
  const two = await tape('A,NY,100', 'B,CA,200', ',,300');
  assert.deepEqual([two.rowCount, two.noticeCounts], [2, { TOTALS_ROW: 1 }]);
  const one = await tape('A,NY,100', ',,100');
  assert.deepEqual([one.rowCount, one.noticeCounts], [2, {}]);
});

test('a number beyond the columns of the table has no sum', async () => {
  const path = await fileOf('1,2,A,1,5,x,9\n');
  assert.deepEqual(await judgeFoot(rowsOf([',,,,9']), async () => [path], 4, tapeLimits('csv')), ['LOAN']);
});

test('a full line without an id may be one of totals where nine in ten of the first loans have an id, and not below', async () => {
  // of the sixty lines that are looked at 59 are loans: 54 of them are nine in ten
  const tape = async (without: number) => {
    const rows = Array.from({ length: 80 }, (_, index) => `${index < without ? '' : `L${index}`},NY,7,36,10\n`);
    return (await tableOf(`loan_id,state,score,term,balance\n${rows.join('')},all,7,36,800\n`)).table;
  };
  const [enough, tooFew] = [await tape(5), await tape(6)];
  assert.deepEqual([enough.rowCount, enough.noticeCounts], [80, { TOTALS_ROW: 1 }]);
  assert.deepEqual([tooFew.rowCount, tooFew.noticeCounts], [81, { TOTALS_ROW_SUSPECTED: 1 }]);
});
