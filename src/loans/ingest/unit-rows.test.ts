import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const NAMES = 'Loan ID,Original Amount Financed,Current Balance,Interest Rate,Original Term,Origination Date,Borrower Name';

async function take(units: string, values: (row: number) => string) {
  const loans = Array.from({ length: 12 }, (_, row) => `L${row},${values(row)},Ann Lee ${row}`);
  return await room.take({ loanType: 'Auto', csv: [NAMES, units, ...loans].join('\n') });
}

const FIELDS = 'original_balance, current_balance, interest_rate, original_term_months, origination_date';

test('the units and the order of dates in a row under the header are those of its columns', async () => {
  const taken = await take(
    "text,EUR k,$'000,%,years,dd/mm/yyyy,text",
    (row) => `20.5,18.${row + 10},${row / 10 + 1},5,03/04/2023`,
  );
  const [loan] = await taken.loans(FIELDS);
  assert.deepEqual(
    [Number(loan.original_balance), Number(loan.current_balance), Number(loan.interest_rate), Number(loan.original_term_months)],
    [20_500, 18_100, 1, 60],
  );
  assert.equal(loan.origination_date, '2023-04-03');
  assert.deepEqual(
    taken.tape_findings
      .filter(({ rule_id }) => /CURRENCY|DATE_ORDER/.test(rule_id))
      .map(({ rule_id, actual }) => [rule_id, actual]),
    [['CURRENCY_NOT_USD', 'EUR']],
  );
  assert.deepEqual((await taken.issues('SECOND_HEADER_ROW')).length, 1);
  assert.ok(taken.decisions.some((text) => /"Original Term": multiplied by 12 .*its header says "\(years\)"/.test(text)));
  const again = await taken.remap([{ source: 'Current Balance', target: 'current_balance', transform: { scale: 1 } }]);
  assert.deepEqual([taken.total_balance, again.total_balance], ['217860.00', '217.86']);
});

test('a second header row that states no unit, and a column that states its own, are read as before', async () => {
  const taken = await take(
    'id,amount,balance,rate,term,date,name',
    (row) => `20500.5,18000.${row + 10},7.5,60,2023-04-${row + 10}`,
  );
  const [loan] = await taken.loans(FIELDS);
  assert.deepEqual([Number(loan.current_balance), Number(loan.original_term_months)], [18_000.1, 60]);
  const own = await room.take({
    loanType: 'Auto',
    csv: `Loan ID,Current Balance ($000),Term\n,USD,months\n${Array.from({ length: 12 }, (_, row) => `L${row},18.${row + 10},60`).join('\n')}`,
  });
  assert.equal(own.total_balance, '217860.00');
});

test('what stands under the name of a sealed column is not kept', async () => {
  const taken = await take(
    'text,USD,USD,%,months,yyyy-mm-dd,Bob Roe',
    (row) => `20500.5,18000.${row + 10},7.5,60,2023-04-${row + 10}`,
  );
  assert.deepEqual(
    taken.mapping.sealed?.map(({ source }) => source),
    ['Borrower Name'],
  );
  const metadata = await room.engine.rows<{ value: string }>(
    `SELECT CAST(value AS VARCHAR) AS value FROM parquet_kv_metadata('${taken.files.raw}')`,
  );
  assert.ok(metadata.some(({ value }) => value.includes('yyyy-mm-dd')));
  assert.ok(!metadata.some(({ value }) => value.includes('Bob Roe')));
});
