import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openEngine } from '../engine/engine.ts';
import { writeIssuesFile } from '../export/issues-file.ts';
import { tapeLimits } from '../reading/raw-table.ts';
import { runIngestTask } from './ingest-tape.ts';

test('a tape of as many columns as a tape may have is read, and its issues file is written, in the usual memory', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'wide-'));
  try {
    const columns = tapeLimits('csv').maxColumns;
    const rows = 700;
    const more = Array.from({ length: columns - 3 }, (_, index) => index);
    const header = ['Loan Number', 'Original Balance', 'FICO Score', ...more.map((index) => `Attribute ${index}`)];
    const lines = Array.from({ length: rows }, (_, row) => [`L${row + 1}`, '1000', '1200', ...more.map((index) => row + index)]);
    // The last row repeats the one before in every column.
    const last = lines.at(-2) ?? [];
    const path = join(dir, 'wide.csv');
    await writeFile(path, [header, ...lines.slice(0, -1), last].map((line) => `${line.join(',')}\n`).join(''));
    const outDir = join(dir, 'out');
    await mkdir(outDir);
    const reply = await runIngestTask({
      path,
      format: 'csv',
      mode: 'REPLACE',
      loanType: 'Auto',
      rawPath: null,
      bases: [],
      asOf: '2026-07-01',
      overrides: [],
      remembered: [],
      outDir,
    });
    assert.ok('ingested' in reply);
    const { ingested } = reply;
    assert.deepEqual([ingested.rows, ingested.accepted, ingested.mapping.unmapped.length], [rows, rows - 1, columns - 3]);
    await using engine = await openEngine({ workDir: dir, allowedDirectories: [outDir] });
    const files = { rawPath: ingested.files.raw, issuesPath: ingested.files.issues };
    const issues = await text(writeIssuesFile({ engine, ...files, format: 'csv' }));
    const written = issues.trimEnd().split('\r\n');
    assert.equal(written.length, rows + 1);
    assert.ok(written[1]?.startsWith(`L1,1000,1200,0,1,`) && written[1].includes(`,${columns - 4},1,OUT_OF_RANGE,`));
    assert.match(written[rows] ?? '', /DUPLICATE_ROW/);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
