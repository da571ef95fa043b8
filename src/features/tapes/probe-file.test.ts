import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startGateway } from '../../../test/support/gateway.ts';
import { generateTape } from '../../loans/generate/generate-tape.ts';
import { parquetOf } from '../../loans/reading/testing/parquet-for-test.ts';
import { probeFile } from './probe-file.ts';

test('a workbook and Parquet are looked at in a process of their own, text in the one that serves', async (context) => {
  await using gateway = await startGateway();
  const { compute } = gateway.deps;
  const run = context.mock.method(compute, 'run');
  const dir = await mkdtemp(join(tmpdir(), 'probe-'));
  try {
    const tape = generateTape({ type: 'Auto', rows: 5, seed: 3 });
    const csv = Buffer.concat(await Array.fromAsync(tape.csv(), (chunk) => Buffer.from(chunk)));
    const files: [Buffer, number][] = [
      [csv, 0],
      [gzipSync(csv), 0],
      [Buffer.concat(await Array.fromAsync(tape.xlsx())), 1],
      [await parquetOf('SELECT 1 AS loan_id, 2 AS balance'), 1],
      [Buffer.from('504b0304140000000000', 'hex'), 1],
    ];
    for (const [place, [bytes, processes]] of files.entries()) {
      const path = join(dir, String(place));
      await writeFile(path, bytes);
      run.mock.resetCalls();
      const outcome = await probeFile({ compute }, path, { owner: 'org_ours' });
      assert.deepEqual([outcome.ok, run.mock.callCount()], [place !== 4, processes], String(place));
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
