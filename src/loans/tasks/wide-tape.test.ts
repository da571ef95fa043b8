import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openEngine } from '../engine/engine.ts';
import { writeIssuesFile } from '../export/issues-file.ts';
import type { MergeBase } from '../ingest/choose-base.ts';
import type { IngestResult } from '../ingest/ingest-types.ts';
import { tapeLimits } from '../reading/raw-table.ts';
import { runIngestTask } from './ingest-tape.ts';

test('a tape of as many columns as a tape may have is read, and its corrected issues file merged, in the usual memory', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'wide-'));
  try {
    const columns = tapeLimits('csv').maxColumns;
    const rows = 300;
    const more = Array.from({ length: columns - 3 }, (_, index) => index);
    const header = ['Loan Number', 'Original Balance', 'FICO Score', ...more.map((index) => `Attribute ${index}`)];
    const lines = Array.from({ length: rows }, (_, row) => [`L${row + 1}`, '1000', '1200', ...more.map((index) => row + index)]);
    // The last row repeats the one before in every column.
    const last = lines.at(-2) ?? [];
    const tape = [header, ...lines.slice(0, -1), last].map((line) => `${line.join(',')}\n`).join('');
    const first = await ingest(dir, 'first', tape);
    assert.deepEqual([first.rows, first.accepted, first.mapping.unmapped.length], [rows, rows - 1, columns - 3]);
    const issues = await issuesFile(dir, first);
    const written = issues.trimEnd().split('\r\n');
    assert.equal(written.length, rows + 1);
    assert.ok(written[1]?.startsWith('L1,1000,1200,0,1,') && written[1].includes(`,${columns - 4},1,OUT_OF_RANGE,`));
    assert.match(written[rows] ?? '', /DUPLICATE_ROW/);

    const corrected = issues.replaceAll(',1200,', ',700,');
    const { raw, issues: issuesPath } = first.files;
    const merged = await ingest(dir, 'merged', corrected, [{ version: 1, rawPath: raw, issuesPath }]);
    assert.deepEqual([merged.rows, merged.accepted, merged.mapping.unmapped.length], [rows, rows - 1, columns - 3]);
    const [rules, before] = [merged, first].map(({ issues_by_rule }) => issues_by_rule.map(({ rule_id }) => rule_id));
    assert.deepEqual([rules?.includes('OUT_OF_RANGE'), before?.includes('OUT_OF_RANGE')], [false, true]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

test('more columns than operators may stand inside each other are sealed, and a row whose values stand anywhere', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'wide-'));
  try {
    const columns = 1_100;
    const more = Array.from({ length: columns - 2 }, (_, index) => index);
    const header = ['Loan Number', 'Original Balance', ...more.map((index) => `SSN ${index}`)];
    const row = (id: string, first = '1') => [id, '1000', ...more.map((index) => (index === 0 ? first : '1'))].join(',');
    // A row with a value too many, and two that differ in one sealed value.
    const lines = [row('L1'), row('L1', '2'), `${row('L2')},1`, row('L1')];
    const tape = await ingest(dir, 'sealed', [header.join(','), ...lines].map((line) => `${line}\n`).join(''));
    assert.deepEqual([tape.mapping.sealed?.length, tape.rows], [columns - 2, lines.length]);
    const rules = tape.issues_by_rule.filter(({ rule_id }) => ['MALFORMED_ROW', 'DUPLICATE_ROW'].includes(rule_id));
    assert.deepEqual(rules.map(({ rule_id, count }) => [rule_id, count]).toSorted(), [
      ['DUPLICATE_ROW', 1],
      ['MALFORMED_ROW', 1],
    ]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

async function ingest(dir: string, name: string, csv: string, bases: readonly MergeBase[] = []): Promise<IngestResult> {
  const [path, outDir] = [join(dir, `${name}.csv`), join(dir, name)];
  await writeFile(path, csv);
  await mkdir(outDir);
  const reply = await runIngestTask({
    path,
    format: 'csv',
    mode: bases.length > 0 ? 'MERGE' : 'REPLACE',
    loanType: 'Auto',
    rawPath: null,
    bases,
    asOf: '2026-07-01',
    overrides: [],
    remembered: [],
    outDir,
  });
  if ('problem' in reply) throw new Error(reply.problem);
  return reply.ingested;
}

async function issuesFile(dir: string, { files }: IngestResult): Promise<string> {
  await using engine = await openEngine({ workDir: dir, allowedDirectories: [dir] });
  return await text(writeIssuesFile({ engine, rawPath: files.raw, issuesPath: files.issues, format: 'csv' }));
}
