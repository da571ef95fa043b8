import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ComputeExhausted } from '../../platform/compute/failures.ts';
import { type Engine, type EngineOptions, openEngine } from './engine.ts';
import { sqlText } from './sql.ts';

async function opened(more: Partial<EngineOptions> = {}): Promise<{ engine: Engine; dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'engine-'));
  const engine = await openEngine({ workDir: dir, allowedDirectories: [], ...more });
  return {
    engine,
    dir,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const tables = (engine: Engine) => engine.rows<{ table_name: string }>('SELECT table_name FROM duckdb_tables()');

test('a closed engine refuses every form of question, and closing it again does nothing', async () => {
  await using room = await opened();
  const { engine } = room;
  await engine.close();
  await engine.close();
  await assert.rejects(engine.run('SELECT 1'), /engine is closed/);
  await assert.rejects(engine.rows('SELECT 1'), /engine is closed/);
  await assert.rejects(engine.first('SELECT 1'), /engine is closed/);
  await assert.rejects(engine.stream('SELECT 1').next(), /engine is closed/);
});

test('engines that were closed hold no more memory, however many they were', async () => {
  const held = [];
  for (let turn = 0; turn < 30; turn += 1) {
    await using room = await opened({ threads: 1 });
    await room.engine.run('CREATE TABLE t AS SELECT hash(i) AS h FROM range(3000000) r(i)');
    held.push(process.memoryUsage.rss());
  }
  // Each of them alone holds 24 MB.
  assert.ok(Math.max(...held) < 550 * 2 ** 20, `${Math.max(...held)} bytes`);
});

test('closing waits for the statement that runs', async () => {
  await using room = await opened();
  const counted = room.engine.first<{ n: number }>('SELECT count(*) AS n FROM range(5000000) r(i) WHERE hash(i) % 2 = 0');
  await room.engine.close();
  assert.ok(((await counted)?.n ?? 0) > 2_000_000);
});

test('a working table lives as long as its work, whether the work ends well or not', async () => {
  await using room = await opened();
  const { engine } = room;
  const sum = await engine.withTable('SELECT * FROM range(4) r(i)', async (table) => {
    assert.equal((await tables(engine)).length, 1);
    return await engine.withTable('SELECT 10 AS j', (other) =>
      engine.first<{ sum: number }>(`SELECT sum(i + j)::INTEGER AS sum FROM ${table}, ${other}`),
    );
  });
  assert.equal(sum?.sum, 46);
  assert.deepEqual(await tables(engine), []);
  await assert.rejects(
    engine.withTable('SELECT 1 AS i', () => Promise.reject(new Error('work failed'))),
    /work failed/,
  );
  await assert.rejects(
    engine.withTable('SELECT nothing', () => Promise.resolve(1)),
    /nothing/,
  );
  assert.deepEqual(await tables(engine), []);
});

test('a statement that fails leaves the engine to the next one', async () => {
  await using room = await opened();
  await assert.rejects(room.engine.rows('SELECT * FROM no_such_table'), /no_such_table/);
  const asked = [room.engine.rows('SELECT 1/'), room.engine.first<{ n: number }>('SELECT 2 AS n')] as const;
  await assert.rejects(asked[0]);
  assert.equal((await asked[1])?.n, 2);
});

test('statements run in the order in which they were asked', async () => {
  await using room = await opened();
  await room.engine.run('CREATE TABLE t (i INTEGER)');
  const asked = Array.from({ length: 30 }, (_, i) => room.engine.run('INSERT INTO t VALUES (?)', [i]));
  const seen = room.engine.rows<{ i: number }>('SELECT i FROM t');
  await Promise.all(asked);
  assert.deepEqual(
    (await seen).map(({ i }) => i),
    Array.from({ length: 30 }, (_, i) => i),
  );
});

test('a statement whose caller has gone before its turn does not run', async () => {
  await using room = await opened();
  await room.engine.run('CREATE TABLE t (i INTEGER)');
  const gone = AbortSignal.abort();
  await assert.rejects(room.engine.run('INSERT INTO t VALUES (1)', [], gone), { name: 'AbortError' });
  await assert.rejects(room.engine.rows('SELECT 1', [], gone), { name: 'AbortError' });
  await assert.rejects(room.engine.first('SELECT 1', [], gone), { name: 'AbortError' });
  assert.deepEqual(await room.engine.rows('SELECT * FROM t'), []);
});

test('running out of memory is told as that, and the engine goes on', async () => {
  await using room = await opened({ memoryLimit: '20MB', threads: 1 });
  const greedy = 'SELECT list(md5(i::VARCHAR)) AS l FROM range(2000000) r(i)';
  await assert.rejects(room.engine.rows(greedy), ComputeExhausted);
  await assert.rejects(async () => {
    for await (const _ of room.engine.stream(greedy));
  }, ComputeExhausted);
  assert.equal((await room.engine.first<{ n: number }>('SELECT 1 AS n'))?.n, 1);
});

test('a stream that is left early frees its connection, and one that fails says why', async () => {
  await using room = await opened();
  for await (const batch of room.engine.stream<{ i: number }>('SELECT i FROM range(100000) r(i)')) {
    assert.ok(batch.length > 0);
    break;
  }
  await assert.rejects(async () => {
    for await (const _ of room.engine.stream('SELECT CAST(i AS VARCHAR)::DATE FROM range(9) r(i)'));
  }, /Conversion Error/);
  const rows = [];
  for await (const batch of room.engine.stream('SELECT i FROM range(?) r(i)', [3])) rows.push(...batch);
  assert.deepEqual(rows, [{ i: 0 }, { i: 1 }, { i: 2 }]);
});

test('whole numbers come as numbers as long as a number holds them exactly, else as text', async () => {
  await using room = await opened();
  const row = await room.engine.first(`SELECT 9007199254740991::BIGINT AS most, 9007199254740992::BIGINT AS over,
    -9007199254740991::HUGEINT AS least, 18446744073709551615::UBIGINT AS word, 340282366920938463463374607431768211455::UHUGEINT AS wide,
    7::UTINYINT AS small, true AS flag, 1.10::DECIMAL(10,2) AS money, 0.5::DOUBLE AS half, 'x' AS text`);
  assert.deepEqual(
    { ...row },
    {
      most: 9_007_199_254_740_991,
      over: '9007199254740992',
      least: -9_007_199_254_740_991,
      word: '18446744073709551615',
      wide: '340282366920938463463374607431768211455',
      small: 7,
      flag: true,
      money: '1.10',
      half: 0.5,
      text: 'x',
    },
  );
});

test('values inside of lists and structures are plain too', async () => {
  await using room = await opened();
  const row = await room.engine.first(
    `SELECT [{key: 'a', weight: 1.50::DECIMAL(10,2), loans: 3::BIGINT, day: DATE '2024-02-29'}] AS groups, [[1::HUGEINT, NULL]] AS nested`,
  );
  assert.deepEqual(row, { groups: [{ key: 'a', weight: '1.50', loans: 3, day: '2024-02-29' }], nested: [[1, null]] });
});

test('only the directories that are named can be read, the ones beside and above them cannot', async () => {
  await using other = await opened();
  await using room = await opened({ allowedDirectories: [other.dir] });
  await writeFile(join(other.dir, 'a.csv'), 'x\n1\n');
  const read = (path: string) => room.engine.rows(`SELECT * FROM read_csv(${sqlText(path)}, header = true)`);
  assert.deepEqual(await read(join(other.dir, 'a.csv')), [{ x: 1 }]);
  const outside = await mkdtemp(join(tmpdir(), 'outside-'));
  await writeFile(join(outside, 'a.csv'), 'x\n1\n');
  for (const path of [
    join(outside, 'a.csv'),
    `${other.dir}/../${outside.split('/').at(-1)}/a.csv`,
    `${other.dir}x/a.csv`,
    '/etc/passwd',
  ])
    await assert.rejects(read(path), /disabled by configuration|Permission/i, path);
  await rm(outside, { recursive: true });
});

test('no statement opens the engine again: no setting, no extension, no other database', async () => {
  await using room = await opened();
  const attempts = [
    'SET lock_configuration = false',
    "SET allowed_directories = ['/']",
    "SET memory_limit = '64GB'",
    "PRAGMA temp_directory='/tmp/else'",
    "ATTACH '/tmp/else.duckdb' AS other",
    "LOAD '/tmp/evil.duckdb_extension'",
    'INSTALL json FROM community',
    "COPY (SELECT 1) TO '/tmp/else.csv'",
    "EXPORT DATABASE '/tmp/else'",
    "SELECT * FROM read_csv('https://example.com/a.csv')",
    "SELECT * FROM glob('/etc/*')",
  ];
  for (const sql of attempts) await assert.rejects(room.engine.run(sql), /lock|disabled|Permission/i, sql);
});
