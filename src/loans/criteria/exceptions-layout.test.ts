import assert from 'node:assert/strict';
import { buffer, text } from 'node:stream/consumers';
import { test } from 'node:test';
import { readXlsx } from 'hucre/xlsx';
import { openRoom } from '../testing/take-tape.ts';
import { writeExceptions } from './exceptions.ts';
import type { CriteriaSet } from './language.ts';
import { type RuleWaiver, runCriteria } from './run.ts';

const LTV: CriteriaSet = { loan_type: 'Auto', loan_rules: [{ id: 'LTV', rule: { field: 'ltv', op: 'lte', value: 100 } }] };

/** The exceptions of a set on a CSV tape, in each format. */
async function exceptionsOf(csv: readonly string[], set = LTV, waivers: RuleWaiver[] = []) {
  await using room = await openRoom();
  const { result } = await room.take({ loanType: 'Auto', csv: csv.join('\n') });
  const files = { engine: room.engine, loansPath: result.files.loans ?? '', raw: { path: result.files.raw } };
  const { outcomesPath, failed } = await runCriteria({ ...files, set, waivers, outDir: await room.newDir() });
  const input = { ...files, outcomesPath, set };
  const json = await text(writeExceptions({ ...input, format: 'json' }));
  return {
    failed,
    csv: (await text(writeExceptions({ ...input, format: 'csv' }))).replace(/^\ufeff/, ''),
    sheet: (await readXlsx(await buffer(writeExceptions({ ...input, format: 'xlsx' })))).sheets[0].rows,
    json,
    rows: JSON.parse(json) as Record<string, unknown>[],
  };
}

const HEADER = 'Loan ID,Current Balance,Original Amount Financed,LTV,State';
const OURS = '_row,_rule,_reason,_actual,_expected';

test('every source cell has a key of its own, whatever the headers are', async () => {
  const { rows, json } = await exceptionsOf([
    `${HEADER},Note,Note,note_2,,_row,_failures`,
    'A,1,2,130,CA,first,second,third,fourth,fifth,sixth',
  ]);
  const [row] = rows;
  assert.ok(row);
  const cells = Object.values(row).filter((value) => typeof value === 'string');
  for (const cell of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']) assert.ok(cells.includes(cell), cell);
  assert.deepEqual([row.Note, row.note_2, row._row], ['first', 'third', 1]);
  const keys = [...json.matchAll(/"([^"]+)":/g)].map(([, key]) => key);
  const outer = keys.slice(0, keys.indexOf('_failures') + 1);
  assert.equal(new Set(outer).size, outer.length, outer.join(', '));
});

test('values that only look like numbers, dates or formulas come back as they are on the tape', async () => {
  const { csv, rows, sheet } = await exceptionsOf([
    `${HEADER},Memo`,
    '007,1,2,130,CA,"quote "" and, comma"',
    '1E5,1,2,131,CA,+1 555 0100',
    '3-Mar,1,2,132,CA,@cmd',
    '4,1,2,133,CA,-12.50',
  ]);
  assert.deepEqual(
    rows.map((row) => [row['Loan ID'], row.Memo]),
    [
      ['007', 'quote " and, comma'],
      ['1E5', '+1 555 0100'],
      ['3-Mar', '@cmd'],
      ['4', '-12.50'],
    ],
  );
  assert.deepEqual(
    sheet.slice(1).map((row) => [row[0], row[5]]),
    [
      ['007', 'quote " and, comma'],
      ['1E5', "'+1 555 0100"],
      ['3-Mar', "'@cmd"],
      ['4', '-12.50'],
    ],
    'a number may begin with a minus',
  );
  const lines = csv.trim().split('\r\n');
  assert.equal(lines[0], `${HEADER},Memo,${OURS}`);
  assert.equal(lines[1], '007,1,2,130,CA,"quote "" and, comma",1,LTV,BREACH,130,ltv lte 100');
  assert.equal(lines[3], "3-Mar,1,2,132,CA,'@cmd,3,LTV,BREACH,132,ltv lte 100");
});

const RULES: CriteriaSet = {
  loan_type: 'Auto',
  loan_rules: [
    { id: 'LTV', description: 'LTV at most 100', rule: { field: 'ltv', op: 'lte', value: 100 } },
    { id: 'WARN', severity: 'warn', rule: { field: 'ltv', op: 'lte', value: 50 } },
    { id: 'STATE', rule: { field: 'state', op: 'eq', value: 'CA' } },
  ],
};
const TAPE = [HEADER, 'A,1,2,130,NY', 'B,1,2,90,CA', 'C,1,2,130,CA', 'D,1,2,,', 'E,1,2,90,NY'];

test('the file has the loans that failed, with the rules that fail them: no warnings, nothing that was waived', async () => {
  const waivers = ['A', 'C'].map((loan_id) => ({ loan_id, rule_id: 'LTV' }));
  const { rows, failed } = await exceptionsOf(TAPE, RULES, waivers);
  assert.deepEqual(
    rows.map((row) => [row._row, row._rule, row._reason, row._actual, row._expected]),
    [
      [1, 'STATE', 'BREACH', 'NY', 'state eq CA'],
      [4, 'LTV; STATE', 'MISSING: LTV at most 100; MISSING', '(missing); (missing)', 'ltv lte 100; state eq CA'],
      [5, 'STATE', 'BREACH', 'NY', 'state eq CA'],
    ],
  );
  assert.equal(failed, rows.length, 'one row for each failed loan');
});

test('the expected value is in words of the rule: lists in brackets, nothing for is_null and not_null', async () => {
  const set: CriteriaSet = {
    loan_type: 'Auto',
    loan_rules: [
      { id: 'IN', rule: { field: 'state', op: 'in', value: ['CA', 'NV'] } },
      { id: 'BETWEEN', rule: { field: 'ltv', op: 'between', value: [10, 20] } },
      { id: 'NULL', rule: { field: 'ltv', op: 'is_null' } },
      { id: 'FIELD', rule: { field: 'current_balance', op: 'gt', value_field: 'original_balance', factor: 2 } },
    ],
  };
  const { rows } = await exceptionsOf([HEADER, 'A,1,2,30,TX'], set);
  assert.deepEqual(rows[0]?._expected, 'state in [CA, NV]; ltv between [10, 20]; ltv is_null; current_balance gt 4');
  assert.deepEqual(rows[0]?._actual, 'TX; 30; 30; 1');
});

test('every exception of a tape of several row groups is written once, in the order of the tape', async () => {
  // the files are read in stretches of 122,880 rows from the first exception on
  const failing = [7, 8, 61_440, 61_441, 7 + 122_879, 7 + 122_880, 129_999, 130_000];
  await using room = await openRoom();
  const { result } = await room.take({ loanType: 'Auto', csv: [HEADER, 'A,1,2,130,CA', 'B,1,2,90,CA'].join('\n') });
  const enlarged = async (path: string, name: string) => {
    const to = `${room.dir}/${name}.parquet`;
    await room.engine.run(
      `COPY (SELECT t.* REPLACE (CAST(n AS INTEGER) AS row_number) FROM range(1, 130001) r(n)
       JOIN read_parquet('${path}') t ON t.row_number = CASE WHEN n IN (${failing.join(', ')}) THEN 1 ELSE 2 END
       ORDER BY n) TO '${to}' (FORMAT parquet, ROW_GROUP_SIZE 61440)`,
    );
    return to;
  };
  const loansPath = await enlarged(result.files.loans ?? '', 'many');
  const columns = HEADER.split(',').map((name, index) => ({ index, name, normalized: name.toLowerCase() }));
  const files = { engine: room.engine, loansPath, raw: { path: await enlarged(result.files.raw, 'many-raw'), columns } };
  const { outcomesPath, failed } = await runCriteria({ ...files, set: LTV, outDir: await room.newDir() });
  const rows = JSON.parse(await text(writeExceptions({ ...files, outcomesPath, set: LTV, format: 'json' }))) as {
    _row: number;
  }[];
  assert.equal(failed, failing.length);
  assert.deepEqual(
    rows.map(({ _row }) => _row),
    failing,
  );
});
