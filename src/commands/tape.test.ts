import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { autoTape } from '../../test/support/tapes.ts';
import { parquetOf } from '../loans/reading/testing/parquet-for-test.ts';
import { tapeCheck } from './tape.ts';

test('a local tape is checked in any of its forms, and a file of another kind is named', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'tape-command-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const check = async (name: string, bytes: string | Buffer) => {
    await writeFile(join(dir, name), bytes);
    const [printed, notices]: [string[], string[]] = [[], []];
    const output = { print: (line: string) => void printed.push(line), notice: (line: string) => void notices.push(line) };
    const code = await tapeCheck(join(dir, name), { loanType: 'Auto', zone: 'America/New_York' }, output);
    return { code, notices, report: printed[0] === undefined ? null : JSON.parse(printed[0]) };
  };
  const lake = await parquetOf(`SELECT 'L' || i AS loan_id, 500 AS original_balance FROM range(3) t(i)`);
  for (const [name, bytes, rows] of [
    ['a.csv', autoTape(4), 4],
    ['a.csv.gz', gzipSync(autoTape(5)), 5],
    ['a[1].parquet', lake, 3],
  ] as const) {
    const { code, report } = await check(name, bytes);
    assert.deepEqual([code, report.rows, report.accepted], [0, rows, rows], name);
    assert.deepEqual(
      report.issues.filter(({ rule_id }: { rule_id: string }) => rule_id === 'FORMAT_DIFFERS'),
      [],
      name,
    );
  }
  const refused = await check('a.parquet', '{"loan_id":"A1"}\n{"loan_id":"A2"}\n');
  assert.deepEqual([refused.code, refused.report], [1, null]);
  assert.match(refused.notices[0] ?? '', /^UNREADABLE_FILE: This is a file of JSON lines\./);
});
