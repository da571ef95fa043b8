import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEngine } from '../engine/engine.ts';
import { openRoom } from '../testing/take-tape.ts';
import { writeIssuesFile } from './issues-file.ts';

test('an issues file of hundreds of thousands of findings is written whole within little memory', async () => {
  await using room = await openRoom();
  const rows = 120_000;
  const bad = Array.from({ length: rows }, (_, index) => `L${index},${index + 1},soon,never,x,y,z`);
  const header = 'Loan ID,Original Balance,Origination Date,Maturity Date,Interest Rate,Original Term,Current Balance';
  const tape = await room.take({ loanType: 'Auto', csv: `${header}\n${bad.join('\n')}\n` });
  // the mapping refuses columns without one fitting value, so they are named
  const mapped = await tape.remap(
    [
      ['Origination Date', 'origination_date'],
      ['Maturity Date', 'maturity_date'],
      ['Interest Rate', 'interest_rate'],
      ['Original Term', 'original_term_months'],
      ['Current Balance', 'current_balance'],
    ].map(([source, target]) => ({ source: source ?? '', target: target ?? null })),
  );
  const workDir = join(room.dir, 'small');
  await mkdir(workDir);
  await using engine = await openEngine({ workDir, allowedDirectories: [room.dir], memoryLimit: '300MB' });
  let lines = 0;
  const input = { engine, rawPath: mapped.files.raw, issuesPath: mapped.files.issues, format: 'csv' } as const;
  for await (const chunk of writeIssuesFile(input)) lines += String(chunk).split('\r\n').length - 1;
  assert.equal(mapped.issue_counts.warning >= 5 * rows, true);
  assert.equal(lines, rows + 1);
});
