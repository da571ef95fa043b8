import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buffer, text } from 'node:stream/consumers';
import { readXlsx } from 'hucre/xlsx';
import { openRoom } from '../testing/take-tape.ts';
import { compareRuns } from './compare.ts';
import { writeExceptions } from './exceptions.ts';
import type { CriteriaSet } from './language.ts';
import { runCriteria } from './run.ts';

const CSV = [
  'Loan ID,Current Balance,Original Amount Financed,LTV,State,Note,Note',
  '00123,1000,2000,90%,CA,=1+1,x',
  '123456789012345678,2000,2500,130%,TX,"-2+3, or so",y',
  '00125,3000,3500,,NY,plain,-5',
  '00126,4000,4500,100%,CA,@SUM(A1),z',
].join('\n');

const SET: CriteriaSet = {
  loan_type: 'Auto',
  loan_rules: [
    { id: 'LTV', description: 'LTV at most 120', rule: { field: 'ltv', op: 'lte', value: 120 } },
    { id: 'STATE', rule: { field: 'state', op: 'in', value: ['CA', 'NV'] } },
    { id: 'WARN', severity: 'warn', rule: { field: 'ltv', op: 'lte', value: 1 } },
  ],
};

async function exceptionsRun(set = SET) {
  const room = await openRoom();
  const { result } = await room.take({ loanType: 'Auto', csv: CSV });
  const files = { engine: room.engine, loansPath: result.files.loans ?? '', raw: { path: result.files.raw } };
  const { outcomesPath, failed } = await runCriteria({ ...files, set, outDir: await room.newDir() });
  return { room, failed, files, outcomesPath, input: { ...files, outcomesPath, set } };
}

test('the CSV has the original columns in order, one row per failed loan, rules and reasons joined, formulas neutralised', async () => {
  const { room, input } = await exceptionsRun();
  await using _ = room;
  const lines = (await text(writeExceptions({ ...input, format: 'csv' }))).replace('\ufeff', '').trim().split('\r\n');
  assert.deepEqual(lines, [
    'Loan ID,Current Balance,Original Amount Financed,LTV,State,Note,Note,_row,_rule,_reason,_actual,_expected',
    `123456789012345678,2000,2500,130%,TX,"'-2+3, or so",y,2,LTV; STATE,BREACH: LTV at most 120; BREACH,130; TX,"ltv lte 120; state in [CA, NV]"`,
    '00125,3000,3500,,NY,plain,-5,3,LTV; STATE,MISSING: LTV at most 120; BREACH,(missing); NY,"ltv lte 120; state in [CA, NV]"',
  ]);
});

test('the workbook keeps ids as text and the same rows', async () => {
  const { room, input } = await exceptionsRun();
  await using _ = room;
  const { sheets } = await readXlsx(await buffer(writeExceptions({ ...input, format: 'xlsx' })));
  assert.deepEqual(
    sheets[0].rows.map((row) => [row[0], row[5], row[8]]),
    [
      ['Loan ID', 'Note', '_rule'],
      ['123456789012345678', "'-2+3, or so", 'LTV; STATE'],
      ['00125', 'plain', 'LTV; STATE'],
    ],
  );
});

test('the JSON is an array with every failure in full, repeated headers distinguished', async () => {
  const { room, input } = await exceptionsRun();
  await using _ = room;
  const rows = JSON.parse(await text(writeExceptions({ ...input, format: 'json' }))) as Record<string, unknown>[];
  assert.equal(rows.length, 2);
  assert.deepEqual([rows[0].Note, rows[0].note_2, rows[0]._row], ['-2+3, or so', 'y', 2]);
  assert.deepEqual(
    ((rows[1]._failures ?? []) as { reason: string }[]).map(({ reason }) => reason),
    ['MISSING', 'BREACH'],
  );
});

test('a run without failed loans makes an empty file that can still be read', async () => {
  const { room, input } = await exceptionsRun({ loan_type: 'Auto', loan_rules: [] });
  await using _ = room;
  assert.deepEqual(JSON.parse(await text(writeExceptions({ ...input, format: 'json' }))), []);
  assert.equal((await text(writeExceptions({ ...input, format: 'csv' }))).split('\r\n').length, 2);
});

test('two runs are compared loan by loan: newly failing, newly passing, by rule and balance', async () => {
  const { room, files, input } = await exceptionsRun();
  await using _ = room;
  const other: CriteriaSet = {
    loan_type: 'Auto',
    loan_rules: [
      { id: 'STATE', rule: { field: 'state', op: 'in', value: ['TX', 'NY'] } },
      { id: 'NEW', rule: { field: 'ltv', op: 'not_null' } },
    ],
  };
  const second = await runCriteria({ ...files, set: other, outDir: await room.newDir() });
  const compared = await compareRuns(room.engine, input, { ...files, outcomesPath: second.outcomesPath, set: other });
  assert.deepEqual(compared.newly_failing, { loans: 2, balance: '5000.00', loan_ids: ['00123', '00126'] });
  assert.deepEqual(compared.newly_passing, { loans: 1, balance: '2000.00', loan_ids: ['123456789012345678'] });
  assert.deepEqual(compared.unchanged, { loans: 1, balance: '3000.00' });
  assert.deepEqual(
    compared.rules.map(({ rule_id, newly_failing, newly_passing }) => [rule_id, newly_failing?.loans, newly_passing?.loans]),
    [
      ['LTV', undefined, undefined],
      ['STATE', 2, 2],
      ['WARN', undefined, undefined],
      ['NEW', undefined, undefined],
    ],
  );
});
