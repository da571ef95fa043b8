import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const HEADER = ['Loan ID', 'Original Amount Financed', 'Current Balance', 'Contract Date', 'State', 'New/Used', 'APR'];
const STATES = ['TX', 'OH', 'CA', 'NY'];
const ROWS = Array.from({ length: 24 }, (_, at) => [
  String(at + 1).padStart(5, '0'),
  String(20_000 + at),
  String(18_000 + at),
  `2025-01-${String(at + 1).padStart(2, '0')}`,
  STATES[at % 4] ?? '',
  at % 2 === 0 ? 'New' : 'Used',
  '5.25',
]);
const tape = (write: (cell: string) => string) => [HEADER.join(','), ...ROWS.map((row) => row.map(write).join(','))].join('\n');
const FIELDS = 'loan_id, original_balance, current_balance, origination_date, state, new_used, interest_rate';

test('a tape whose cells a spreadsheet keeps as texts has the loans of the same tape without its marks', async () => {
  const plain = await room.take({ loanType: 'Auto', csv: tape((cell) => cell) });
  const expected = await plain.loans(FIELDS);
  assert.equal(expected.length, ROWS.length);
  for (const write of [(cell: string) => `="${cell}"`, (cell: string) => `"=""${cell} """`]) {
    const marked = await room.take({ loanType: 'Auto', csv: tape(write) });
    assert.deepEqual(await marked.loans(FIELDS), expected);
  }
});

test('an id with characters that nobody sees is the id without them', async () => {
  const plain = await room.take({ loanType: 'Auto', csv: tape((cell) => cell) });
  const unseen = await room.take({ loanType: 'Auto', csv: tape((cell) => cell).replaceAll(/^000/gm, '00\u200b0\u2060') });
  assert.deepEqual(await unseen.loans('loan_id'), await plain.loans('loan_id'));
});
