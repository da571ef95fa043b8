import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const RULES = ['CURRENCY_NOT_USD', 'MIXED_CURRENCIES', 'SIGN_COLUMN_UNUSED', 'CHARGE_OFF_COLUMN_UNUSED'];

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
  for (const header of ['Currency', 'Loan Currency', 'Ccy', 'RREL28', 'CURR_CD', 'Loan Cur', 'Denomination', 'ISO Code'])
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

test('a column without a field that says which loans are charged off is told, by its words or by its header', async () => {
  const one = (charged: string, other: string) => (row: number) => (row % 10 === 0 ? charged : other);
  const tells = (header: string, sample: string) => [['CHARGE_OFF_COLUMN_UNUSED', header, `4 rows, such as ${sample}`]];
  for (const header of ['Status', 'Loan Status', 'Acct Stat', 'Disposition'])
    assert.deepEqual(await told(header, one('Charged-Off', 'Current')), tells(header, 'CHARGED-OFF'));
  assert.deepEqual(await told('Status', one('C/O', 'Not charged off')), tells('Status', 'C/O'));
  assert.deepEqual(await told('Charge-Off Date', one('2026-05-01', '')), tells('Charge-Off Date', '2026-05-01'));
  assert.deepEqual(await told('ChargeOffDt', one('05/2026', 'N/A')), tells('ChargeOffDt', '05/2026'));
  assert.deepEqual(await told('Net Charge Off', one('$1200.50', '$0.00')), tells('Net Charge Off', '$1200.50'));
  assert.deepEqual(await told('Written Off', one('Y', 'No')), tells('Written Off', 'Y'));
});

test('columns that do not say it, that say it of all rows or of something else, and tapes with a field for it are no such finding', async () => {
  const one = (charged: string, other: string) => (row: number) => (row % 10 === 0 ? charged : other);
  assert.deepEqual(await told('Status', one('Paid Off', 'Current')), []);
  assert.deepEqual(await told('Dealer', one('Charged Off', 'Current')), []);
  assert.deepEqual(await told('Charge-Off Method', () => 'Day 120'), []);
  assert.deepEqual(await told('Prior Charge-Offs', one('2', '0')), []);
  assert.deepEqual(await told('Charge-Off Date', () => ''), []);
  assert.deepEqual(await told('Charge-Off Amount', one('1200.50', '0')), []);
  const both = (row: number) => (row % 10 === 0 ? '1200.50,Charged Off' : '0,Current');
  assert.deepEqual(await told('Charge-Off Amount,Status', both), []);
  assert.deepEqual(
    await told('Account Status,Disposition', (row) => `${row % 2 ? 'OPEN' : 'CLOSED'},C/O ${row}`, 'Credit Card'),
    [],
  );
});
