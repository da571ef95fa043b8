import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateTape } from '../generate/generate-tape.ts';
import { type Issue, openRoom } from '../testing/take-tape.ts';
import { LOAN_TYPES } from '../types.ts';

type Key = Pick<Issue, 'row_number' | 'line' | 'rule_id' | 'field' | 'severity'>;

function keys(findings: readonly Key[]): string[] {
  const list = findings.map(({ row_number, line, rule_id, field, severity }) =>
    [row_number, line, rule_id, field, severity].join(' '),
  );
  return list.sort((a, b) => (a < b ? -1 : 1));
}

for (const loanType of LOAN_TYPES) {
  test(`${loanType}: every planted defect is found on its line, and nothing else is`, async () => {
    await using room = await openRoom();
    const tape = generateTape({ type: loanType, rows: 300, defects: true, seed: 11 });
    let csv = '';
    for await (const piece of tape.csv()) csv += piece;
    const taken = await room.take({ loanType, csv, asOf: '2026-11-20' });
    assert.equal(taken.rows, 300);
    assert.deepEqual(keys(await taken.issues()), keys(tape.findings('csv')));
  });

  test(`${loanType}: a clean tape has every required field and no finding`, async () => {
    await using room = await openRoom();
    const tape = generateTape({ type: loanType, rows: 200, seed: 12 });
    let csv = '';
    for await (const piece of tape.csv()) csv += piece;
    const taken = await room.take({ loanType, csv, asOf: '2026-11-20' });
    assert.deepEqual(await taken.issues(), []);
    assert.deepEqual([taken.accepted, taken.rejected, taken.mapping.missing_required.length], [200, 0, 0]);
  });
}
