import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const HEADER = 'Loan ID,Original Balance,Current Balance,Contract Date,State';
/** Loans of 1,000.25 each, of which 900.10 are left. */
const LOANS = Array.from({ length: 20 }, (_, at) => `L${at},1000.25,900.10,2025-01-${10 + at},TX`);

async function told(...lines: string[]) {
  const tape = await room.take({ loanType: 'Auto', csv: [HEADER, ...lines].join('\n') });
  assert.equal(tape.rows, lines.filter((line) => line.startsWith('L')).length, 'lines of totals are no loans');
  const issues = await tape.issues('TOTALS_DIFFER');
  return issues.map(({ column_name, line, actual }) => [column_name, line, actual]);
}

test('a total that is not the sum of what was read is told, with both figures', async () => {
  assert.deepEqual(await told(...LOANS, 'Total,20005.00,18002.00,,'), []);
  assert.deepEqual(await told(...LOANS.slice(0, 15), 'Total,20005.00,18002.00,,'), [
    ['Current Balance', 17, '13501.50'],
    ['Original Balance', 17, '15003.75'],
  ]);
  assert.deepEqual(await told(...LOANS, 'Grand Total:,"$20,005.00","$18,500.00",,'), [['Current Balance', 22, '18002.00']]);
  assert.deepEqual(await told('Total,25000,,,', ...LOANS), [['Original Balance', 2, '20005.00']], 'above the loans');
});

test('one line of totals that does not fit is told beside those that do not either', async () => {
  assert.deepEqual(await told(...LOANS.slice(0, 5), 'Subtotal,5001.25,,,', ...LOANS.slice(5), 'Sum,21000.00,,,'), [
    ['Original Balance', 23, '20005.00'],
  ]);
});

test('totals that are rounded, those of groups, and figures that are no sums are not told', async () => {
  assert.deepEqual(await told(...LOANS, 'Total,20005,18003,,'), [], 'in whole dollars');
  const half = ['Subtotal,10002.50,9001.00,,'];
  assert.deepEqual(await told(...LOANS.slice(0, 10), ...half, ...LOANS.slice(10), ...half), []);
  assert.deepEqual(
    await told(...LOANS.slice(0, 10), ...half, ...LOANS.slice(10), ...half, 'Grand Total,20005.00,18002.00,,'),
    [],
  );
  assert.deepEqual(await told(...LOANS, 'Total,20,20,,'), [], 'a number of loans');
  assert.deepEqual(await told(...LOANS, 'Average,1000.25,900.00,,'), []);
  assert.deepEqual(await told(...LOANS, 'Total,,,,20'), []);
  assert.deepEqual(await told(...LOANS, 'Total current balance:,18002.00,,,'), [], 'of another column than it stands in');
  const unread = LOANS.map((loan, at) => (at === 3 ? loan.replace('900.10', 'see note') : loan));
  assert.deepEqual(await told(...unread, 'Total,20005.00,18002.00,,'), [], 'a finding of the row tells it');
});
