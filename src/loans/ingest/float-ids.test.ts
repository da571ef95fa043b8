import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetOf } from '../reading/testing/parquet-for-test.ts';
import { rowsXml, workbookOf } from '../reading/testing/workbook-for-test.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const HEADER = ['Loan ID', 'Original Amount Financed', 'Current Balance', 'Contract Date'];
const tape = (ids: string[]) => [HEADER.join(','), ...ids.map((id) => `${id},20000,18000,2025-01-15`)].join('\n');

test('ids that pandas wrote as floats are those of the tape without .0, and the finding says so', async () => {
  const plain = await room.take({ loanType: 'Auto', csv: tape(['100000', '100001', '100002']) });
  const floats = await room.take({ loanType: 'Auto', csv: tape(['100000.0', '100001.0', '100002.0']) });
  assert.deepEqual(await floats.loans('loan_id'), await plain.loans('loan_id'));
  const [finding] = floats.tape_findings.filter(({ rule_id }) => rule_id === 'ID_WITH_FRACTION');
  assert.deepEqual(
    [finding?.field, finding?.column, finding?.actual, finding?.expected],
    ['loan_id', 'Loan ID', '100000.0', '100000'],
  );
  assert.match(finding?.message ?? '', /^3 values of "Loan ID" end in \.0/);
  assert.equal((await floats.issues('ID_WITH_FRACTION')).length, 1);
  assert.deepEqual(
    plain.tape_findings.filter(({ rule_id }) => rule_id === 'ID_WITH_FRACTION'),
    [],
  );
});

test('a float in a cell of a workbook and in a column of Parquet is the same id', async () => {
  const rows = ['100000.0', '1.00001E5', '100002'].map((id, at) => [
    `<c r="A${at + 2}"><v>${id}</v></c>`,
    20_000,
    18_000,
    '2025-01-15',
  ]);
  const path = join(room.dir, 'tape.xlsx');
  await writeFile(path, workbookOf({ sheets: [{ name: 'Tape', rows: rowsXml([HEADER, ...rows]) }] }));
  const workbook = await room.take({ loanType: 'Auto', path, format: 'xlsx' });
  const parquetPath = join(room.dir, 'tape.parquet');
  await writeFile(
    parquetPath,
    await parquetOf(
      `SELECT (100000 + i)::DOUBLE AS "Loan ID", 20000 AS "Original Amount Financed", 18000.00::DECIMAL(18,2) AS "Current Balance", TIMESTAMPTZ '2025-01-15 10:00:00+00' AS "Contract Date" FROM range(3) t(i)`,
    ),
  );
  const parquet = await room.take({ loanType: 'Auto', path: parquetPath, format: 'parquet' });
  const csv = await room.take({ loanType: 'Auto', csv: tape(['100000', '100001', '100002']) });
  const columns = 'loan_id, original_balance, current_balance, origination_date';
  assert.deepEqual(await workbook.loans(columns), await csv.loans(columns));
  assert.deepEqual(await parquet.loans(columns), await csv.loans(columns));
});
