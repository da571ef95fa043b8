import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openOnDemand } from './open-on-demand.ts';

function scratch(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'sluice-engine-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test('opens with the first question and answers every form of it', async () => {
  using work = scratch();
  await using engine = openOnDemand({ workDir: work.path, allowedDirectories: [] });
  await engine.run('CREATE TABLE t AS SELECT * FROM range(3) AS r(i)');
  assert.deepEqual(await engine.rows('SELECT i FROM t ORDER BY i'), [{ i: 0 }, { i: 1 }, { i: 2 }]);
  assert.deepEqual(await engine.first('SELECT max(i) AS most FROM t WHERE i < $1', [2]), { most: 1 });
  const streamed = [];
  for await (const batch of engine.stream('SELECT i FROM t ORDER BY i')) streamed.push(...batch);
  assert.equal(streamed.length, 3);
});

test('questions that come at once share one engine', async () => {
  using work = scratch();
  await using engine = openOnDemand({ workDir: work.path, allowedDirectories: [] });
  await Promise.all([engine.run('CREATE TABLE a AS SELECT 1 AS n'), engine.run('CREATE TABLE b AS SELECT 2 AS n')]);
  assert.deepEqual(await engine.rows('SELECT a.n + b.n AS sum FROM a, b'), [{ sum: 3 }]);
});

test('a failure to open belongs to its question: the next one opens the engine', async () => {
  using work = scratch();
  let memoryLimit = 'no amount';
  const options = {
    workDir: work.path,
    allowedDirectories: [],
    get memoryLimit() {
      return memoryLimit;
    },
  };
  await using engine = openOnDemand(options);
  await assert.rejects(engine.rows('SELECT 1 AS n'));
  memoryLimit = '64MB';
  assert.deepEqual(await engine.rows('SELECT 1 AS n'), [{ n: 1 }]);
});

test('a closed engine refuses, whether it was opened before or never', async () => {
  using work = scratch();
  const [used, unused] = [1, 2].map(() => openOnDemand({ workDir: work.path, allowedDirectories: [] }));
  assert.ok(used && unused);
  await used.rows('SELECT 1 AS n');
  for (const engine of [used, unused]) {
    await engine.close();
    await engine.close();
    await assert.rejects(engine.rows('SELECT 1 AS n'), /closed/);
  }
});
