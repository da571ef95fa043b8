import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';

const HEADER = 'Loan ID,Amount Financed,State,APR,FICO';
const ROWS = ['A,100,NC,5%,700', 'B,200,SC,6%,710', 'C,300,TX,7%,720'];
const ADDED = '_row,_rule,_reason,_actual,_expected';

/** The room of a tape of three loans, and what becomes of a corrected file of these lines. */
async function openCorrections(rows: readonly string[] = ROWS) {
  const room = await openRoom();
  const first = await room.take({ loanType: 'Auto', csv: `${[HEADER, ...rows].join('\n')}\n` });
  const correct = async (lines: readonly string[], header = `${HEADER},${ADDED}`) => {
    const csv = `${[header, ...lines].join('\n')}\n`;
    const taken = await room.take({ loanType: 'Auto', csv, mergeInto: first.files.raw });
    const issues = (await taken.issues()).filter(({ rule_id }) => rule_id.startsWith('CORRECTION'));
    const findings = issues.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
    return {
      taken,
      amounts: (await taken.loans('original_balance')).map(({ original_balance }) => Number(original_balance)),
      told: findings.map(({ rule_id, severity, line, row_number, actual }) => [rule_id, severity, line, row_number, actual]),
      findings,
    };
  };
  return { room, first, correct, [Symbol.asyncDispose]: () => room[Symbol.asyncDispose]() };
}

test('lines of a corrected file that name no row of the version are left out and told, the others are applied', async () => {
  await using desk = await openCorrections();
  const { amounts, told, findings, taken } = await desk.correct([
    'X,999,NC,5%,700,4,r,m,a,e',
    'X,999,NC,5%,700,0,r,m,a,e',
    'X,999,NC,5%,700,,r,m,a,e',
    'X,999,NC,5%,700,two,r,m,a,e',
    'X,999,NC,5%,700,1.6,r,m,a,e',
    'X,999,NC,5%,700,1e0,r,m,a,e',
    'X,999,NC,5%,700,-1,r,m,a,e',
    'C,333,TX,7%,720, 3.0 ,r,m,a,e',
  ]);
  assert.deepEqual([amounts, taken.rows], [[100, 200, 333], 3]);
  assert.deepEqual(told, [
    ['CORRECTION_ROW_UNKNOWN', 'ERROR', 2, null, '4'],
    ['CORRECTION_ROW_UNKNOWN', 'ERROR', 3, null, '0'],
    ['CORRECTION_ROW_UNREADABLE', 'ERROR', 4, null, null],
    ['CORRECTION_ROW_UNREADABLE', 'ERROR', 5, null, 'two'],
    ['CORRECTION_ROW_UNREADABLE', 'ERROR', 6, null, '1.6'],
    ['CORRECTION_ROW_UNREADABLE', 'ERROR', 7, null, '1e0'],
    ['CORRECTION_ROW_UNREADABLE', 'ERROR', 8, null, '-1'],
  ]);
  assert.match(String(findings.find(({ line }) => line === 2)?.expected), /1 to 3/);
});

test('of lines that name the same row none is applied', async () => {
  await using desk = await openCorrections();
  const { amounts, told } = await desk.correct([
    'B,222,SC,6%,710,2,r,m,a,e',
    'C,333,TX,7%,720,3,r,m,a,e',
    'B,255,SC,6%,710,2,r,m,a,e',
  ]);
  assert.deepEqual(amounts, [100, 200, 333]);
  assert.deepEqual(told, [
    ['CORRECTION_ROW_REPEATED', 'ERROR', 2, null, '2'],
    ['CORRECTION_ROW_REPEATED', 'ERROR', 4, null, '2'],
  ]);
});

test('columns that the file lacks keep their values, columns that the version lacks are left out, and both are told', async () => {
  await using desk = await openCorrections();
  const { taken, told, findings } = await desk.correct(
    ['B,222,SC,640,2,r,m,a,e'],
    `Loan ID,Amount Financed,State,FICO Score,${ADDED}`,
  );
  assert.deepEqual(await taken.loans('original_balance, interest_rate, credit_score'), [
    { original_balance: '100.000000', interest_rate: '5.000000', credit_score: '700.000000' },
    { original_balance: '222.000000', interest_rate: '6.000000', credit_score: '710.000000' },
    { original_balance: '300.000000', interest_rate: '7.000000', credit_score: '720.000000' },
  ]);
  assert.deepEqual(
    told.map(([rule, severity]) => [rule, severity]),
    [['CORRECTION_COLUMNS_DIFFER', 'WARNING']],
  );
  assert.match(String(findings[0]?.message), /Not in the file: APR, FICO;.*Not in the version: FICO Score;/);
  const moved = await desk.correct(['2,r,m,a,e,6%,710,SC,222,B'], `${ADDED},APR,FICO,State,Amount Financed,Loan ID`);
  assert.deepEqual([moved.amounts, moved.told], [[100, 222, 300], []], 'the order of columns means nothing');
});

test('a row that has little in common with the one that it replaces is told; the correction of a malformed row is not', async () => {
  await using desk = await openCorrections(['A,100,NC,5%,700', 'B,200,SC', 'C,300,TX,7%,720']);
  const { told, amounts } = await desk.correct(['Z,900,CA,9%,700,1,r,m,a,e', 'B,250,SC,6%,710,2,r,m,a,e']);
  assert.deepEqual(amounts, [900, 250, 300]);
  assert.deepEqual(told, [['CORRECTION_ROW_DIFFERS', 'WARNING', 2, 1, '1 of 5 values']]);
});

test('a malformed line that is left out spoils no row of the version', async () => {
  await using desk = await openCorrections();
  const { taken, amounts } = await desk.correct(['X,1,NC', 'C,333,TX,7%,720,3,r,m,a,e']);
  assert.deepEqual([amounts, taken.rejected], [[100, 200, 333], 0]);
  assert.deepEqual(await taken.issues('MALFORMED_ROW'), []);
});

test('beyond a thousand lines of one fault their number is told', async () => {
  await using desk = await openCorrections();
  const { told, findings, taken } = await desk.correct(
    Array.from({ length: 1_003 }, (_, index) => `X,1,NC,5%,700,${index + 4},r,m,a,e`),
  );
  assert.equal(told.length, 1_001);
  assert.ok(findings.some(({ message }) => message.startsWith('3 more lines')));
  assert.equal(taken.issues_by_rule.find(({ rule_id }) => rule_id === 'CORRECTION_ROW_UNKNOWN')?.count, 1_001);
});

test('what was told about a correction is told again under another mapping', async () => {
  await using desk = await openCorrections();
  const { taken } = await desk.correct(['X,999,NC,5%,700,9,r,m,a,e']);
  const again = await taken.remap([{ source: 'FICO', target: null }]);
  assert.deepEqual(again.issues_by_rule.find(({ rule_id }) => rule_id === 'CORRECTION_ROW_UNKNOWN')?.count, 1);
});

test('a corrected file without a version to merge it into is read as a whole tape, and says so', async () => {
  await using room = await openRoom();
  const taken = await room.take({ loanType: 'Auto', csv: `${HEADER},${ADDED}\n${ROWS[0]},7,r,m,a,e\n` });
  const [notice] = await taken.issues('CORRECTION_WITHOUT_VERSION');
  assert.deepEqual([taken.rows, notice?.severity, notice?.actual], [1, 'WARNING', '1 rows']);
});
