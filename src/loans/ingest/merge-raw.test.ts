import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { writeIssuesFile } from '../export/issues-file.ts';
import { openRoom } from '../testing/take-tape.ts';

test('a tape merged by loan id replaces the loans it has, adds new ones and leaves the rest in its place', async () => {
  await using room = await openRoom();
  const first = await room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed,State\nA,100,NC\nB,200,SC\nC,300,TX\n' });
  const csv = 'Amount Financed,Loan ID,Make\n250,B,KIA\n400,D,FORD\n';
  const merged = await room.take({ loanType: 'Auto', csv, mergeInto: first.files.raw });
  assert.deepEqual(await merged.loans('row_number, loan_id, original_balance, state, vehicle_make'), [
    { row_number: 1, loan_id: 'A', original_balance: '100.000000', state: 'NC', vehicle_make: null },
    { row_number: 2, loan_id: 'B', original_balance: '250.000000', state: 'SC', vehicle_make: 'KIA' },
    { row_number: 3, loan_id: 'C', original_balance: '300.000000', state: 'TX', vehicle_make: null },
    { row_number: 4, loan_id: 'D', original_balance: '400.000000', state: null, vehicle_make: 'FORD' },
  ]);
  assert.deepEqual([merged.rows, merged.total_balance], [4, '1050.00']);
});

test('a loan id that a program wrote as a number with a point meets the same id without it', async () => {
  await using room = await openRoom();
  const first = await room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed\n100000,100\n00123,200\n' });
  const csv = 'Loan ID,Amount Financed\n 100000.0,150\n123,300\n';
  const merged = await room.take({ loanType: 'Auto', csv, mergeInto: first.files.raw });
  assert.deepEqual(await merged.loans('row_number, loan_id, original_balance'), [
    { row_number: 1, loan_id: '100000', original_balance: '150.000000' },
    { row_number: 2, loan_id: '00123', original_balance: '200.000000' },
    { row_number: 3, loan_id: '123', original_balance: '300.000000' },
  ]);
});

test('a corrected issues file merges into the very rows it names, ids or not', async () => {
  await using room = await openRoom();
  const first = await room.take({ loanType: 'Auto', csv: 'Amount Financed,APR\n100,5%\n-200,6%\n300,7%\n' });
  const path = join(await room.newDir(), 'issues.csv');
  const { raw, issues } = first.files;
  await pipeline(
    writeIssuesFile({ engine: room.engine, rawPath: raw, issuesPath: issues, format: 'csv' }),
    createWriteStream(path),
  );
  await writeFile(path, (await readFile(path, 'utf8')).replace('-200,6%', '200,6%'));
  const merged = await room.take({ loanType: 'Auto', path, mergeInto: raw });
  assert.deepEqual([merged.rows, merged.accepted, merged.rejected, merged.total_balance], [3, 3, 0, '600.00']);
  assert.equal((await room.take({ loanType: 'Auto', path })).rows, 1);
});

test('what was seen in a row that stays is found in the merged tape too', async () => {
  await using room = await openRoom();
  const csv = 'Loan ID,Amount Financed,State\nA,100,N\u0000C\nB,2\u000000,SC\nC,300,TX\n';
  const first = await room.take({ loanType: 'Auto', csv });
  const rowsWithNuls = async (tape: typeof first) => (await tape.issues('NUL_BYTES')).map(({ row_number }) => row_number);
  assert.deepEqual(await rowsWithNuls(first), [1, 2]);
  const next = await room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed\nB,250\n', mergeInto: first.files.raw });
  assert.deepEqual(await rowsWithNuls(next), [1]);
});

test('tapes without an id column in common cannot be merged', async () => {
  await using room = await openRoom();
  const first = await room.take({ loanType: 'Auto', csv: 'Amount Financed,APR\n100,5%\n200,5%\n' });
  await assert.rejects(
    room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed\nA,100\n', mergeInto: first.files.raw }),
    /id column/,
  );
});
