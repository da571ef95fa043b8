import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const RULES = ['CURRENCY_NOT_USD', 'MIXED_CURRENCIES', 'SIGN_COLUMN_UNUSED'];

async function told(header: string, valueOf: (row: number) => string, loanType: 'Auto' | 'Credit Card' = 'Auto') {
  const rows = Array.from({ length: 40 }, (_, row) => `L${row},20000,18000,2025-01-15,${valueOf(row)}`);
  const amount = loanType === 'Auto' ? 'Original Amount Financed' : 'Credit Limit';
  const csv = [`Loan ID,${amount},Current Balance,Contract Date,${header}`, ...rows].join('\n');
  const { tape_findings } = await room.take({ loanType, csv });
  return tape_findings
    .filter(({ rule_id }) => RULES.includes(rule_id))
    .map(({ rule_id, column, actual }) => [rule_id, column, actual]);
}

test('a column that names another currency than the dollar, or several, is told', async () => {
  for (const header of ['Currency', 'Loan Currency', 'Ccy', 'RREL28'])
    assert.deepEqual(await told(header, () => 'EUR'), [['CURRENCY_NOT_USD', header, '40 EUR']]);
  const mixed = (row: number) => (row % 4 === 0 ? '="usd"' : 'EUR');
  assert.deepEqual(await told('Currency', mixed), [['MIXED_CURRENCIES', 'Currency', '30 EUR, 10 USD']]);
  assert.deepEqual(await told('Currency', mixed, 'Credit Card'), [['MIXED_CURRENCIES', 'Currency', '30 EUR, 10 USD']]);
});

test('dollars everywhere, and a column that only has the name, are no finding', async () => {
  assert.deepEqual(await told('Currency', (row) => (row % 2 === 0 ? 'USD' : '')), []);
  assert.deepEqual(await told('Currency', (row) => `dealer ${row}`), []);
  assert.deepEqual(await told('Occupancy', () => 'EUR'), []);
});

test('a column of signs beside the amounts is told where both occur', async () => {
  const by = (one: string, other: string) => (row: number) => (row % 4 === 0 ? one : other);
  assert.deepEqual(await told('Bal Sign', by('CR', 'DR')), [['SIGN_COLUMN_UNUSED', 'Bal Sign', '30 DR, 10 CR']]);
  assert.deepEqual(await told('D/C', by('c', 'd')), [['SIGN_COLUMN_UNUSED', 'D/C', '30 D, 10 C']]);
  assert.deepEqual(await told('+/-', by('-', '+')), [['SIGN_COLUMN_UNUSED', '+/-', '30 +, 10 -']]);
  assert.deepEqual(await told('Bal Sign', () => 'DR'), []);
  assert.deepEqual(await told('Sign', by('Aries', 'DR')), []);
});
