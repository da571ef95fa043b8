import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { type Engine, openEngine } from './engine.ts';
import { copyToParquet, parquet, sqlText } from './sql.ts';

let workDir = '';
let engine: Engine;
before(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'engine-'));
  engine = await openEngine({ workDir, allowedDirectories: [] });
});
after(async () => {
  await engine.close();
  await rm(workDir, { recursive: true });
});

test('sums of money keep every cent and dates are ISO text', async () => {
  const row =
    await engine.first(`select 0.1::decimal(18,2) + 0.2::decimal(18,2) as money, count(*) as n, date '2024-02-29' as day,
    2::hugeint * 4611686018427387904 as wide, [1::bigint, null] as list, 'nan'::double as odd, null::date as nothing`);
  const expected = {
    money: '0.30',
    n: 1,
    day: '2024-02-29',
    wide: '9223372036854775808',
    list: [1, null],
    odd: 'NaN',
    nothing: null,
  };
  assert.deepEqual({ ...row }, expected);
});

test('parameters are values, never SQL', async () => {
  assert.deepEqual(await engine.rows('select ? as a, ? as b', ["x' or 1=1", null]), [{ a: "x' or 1=1", b: null }]);
});

test('files outside the named directories cannot be read or written', async () => {
  await assert.rejects(engine.rows(`select * from read_text('/etc/hostname')`), /disabled by configuration|Permission/i);
  await assert.rejects(
    engine.run(`copy (select 1) to '/tmp/outside.parquet' (format parquet)`),
    /disabled by configuration|Permission/i,
  );
  await writeFile(join(workDir, 'a.csv'), 'x\n1\n');
  assert.deepEqual(await engine.rows(`select * from read_csv(${sqlText(join(workDir, 'a.csv'))}, header=true)`), [{ x: 1 }]);
});

test('settings and extensions are locked', async () => {
  await assert.rejects(engine.run('set enable_external_access = true'), /lock/i);
  await assert.rejects(engine.run('install httpfs'), /disabled|lock|Permission/i);
});

test('an error says its kind and its place, and nothing of the rows or of the statement', async () => {
  const path = join(workDir, 'broken.csv');
  await writeFile(path, Buffer.concat([Buffer.from('1,2,Ann\n2,x,Quackenbush\n3,4,Quackenbush '), Buffer.from([0xff, 10])]));
  const columns = (last: string) => `{'a': 'INTEGER', 'b': ${sqlText(last)}, 'c': 'VARCHAR'}`;
  const csv = (last: string) =>
    `select * from read_csv(${sqlText(path)}, auto_detect = false, header = false, delim = ',', columns = ${columns(last)})`;
  const statements = [
    csv('INTEGER'),
    csv('VARCHAR'),
    `select cast('Quackenbush' as integer)`,
    `select strptime('Quackenbush', '%Y')`,
    `select cast('{"a": Quackenbush' as json)`,
    `select error('Quackenbush')`,
    `selec 'Quackenbush'`,
    `select nothing from (select 'Quackenbush' as a)`,
    `select * from no_such_table where a = 'Quackenbush'`,
    `select regexp_matches('a', '(Quackenbush')`,
  ];
  const thrown: Error[] = [];
  for (const sql of statements) {
    await assert.rejects(engine.rows(sql), (error: Error) => thrown.push(error) > 0);
    await assert.rejects(Array.fromAsync(engine.stream(sql)), (error: Error) => thrown.push(error) > 0);
  }
  for (const error of thrown) assert.doesNotMatch(inspect(error, { showHidden: true }), /Quackenbush/);
  assert.match(thrown[0]?.message ?? '', /Conversion Error: line 2 of a text file$/);
  assert.match(thrown[2]?.message ?? '', /Invalid Input Error: line 3 of a text file$/);
});

test('a stream gives every row and leaves other statements free to run', async () => {
  let seen = 0;
  for await (const batch of engine.stream<{ i: number }>('select i from range(10000) t(i)')) {
    seen += batch.length;
    assert.equal((await engine.first('select 1 as one'))?.one, 1);
  }
  assert.equal(seen, 10_000);
});

test('columns of texts and of numbers come whole and in the order of their rows, and nothing else comes so', async () => {
  const rows = 100_000;
  const path = join(workDir, 'columns.parquet');
  await engine.run(copyToParquet(`SELECT i FROM range(${rows}) r(i)`, path));
  const text = "CASE WHEN i % 3 = 0 THEN NULL ELSE 'é' || i END";
  const [odd, all] = await engine.texts(`SELECT ${text}, CAST(i AS VARCHAR) FROM ${parquet(path)} LIMIT 5000`);
  assert.deepEqual([all.length, all[4_999], odd[3], odd[4_999]], [5_000, '4999', null, 'é4999']);
  assert.deepEqual(
    all,
    Array.from({ length: 5_000 }, (_, i) => String(i)),
  );
  const [halves] = await engine.numbers(`SELECT CASE WHEN i % 2 = 0 THEN i / 2 END FROM ${parquet(path)}`);
  assert.deepEqual([halves.length, ...halves.slice(0, 3), halves[99_998]], [rows, 0, null, 1, 49_999]);
  assert.deepEqual(await engine.texts("SELECT '' WHERE false"), await engine.numbers('SELECT 0.5::DOUBLE WHERE false'));
  await assert.rejects(engine.texts('SELECT 1'), { name: 'EngineError' });
  await assert.rejects(engine.numbers("SELECT 'a'"), { name: 'EngineError' });
});

test('an aborted statement stops and the engine goes on', async () => {
  const signal = AbortSignal.timeout(50);
  await assert.rejects(engine.run('select count(*) from range(100000000000) a(i) where hash(i) = 3', [], signal), /timeout/i);
  assert.equal((await engine.first('select 1 as one'))?.one, 1);
});

test('a file that was read is not kept in memory', async () => {
  for (let file = 0; file < 3; file += 1) {
    const path = `${workDir}/read-${file}.parquet`;
    await engine.run(`copy (select i, md5(i::text) as text from range(2000) t(i)) to ${sqlText(path)} (format parquet)`);
    assert.equal((await engine.rows(`select * from ${sqlText(path)} limit 20`)).length, 20);
  }
  const kept = await engine.rows(`select tag from duckdb_memory() where tag = 'EXTERNAL_FILE_CACHE' and memory_usage_bytes > 0`);
  assert.deepEqual(kept, []);
});

test('work beside the engine has its tables and does not wait for its statements', async () => {
  const stop = new AbortController();
  const endless = engine.run('select count(*) from range(100000000000) a(i) where hash(i) = 3', [], stop.signal);
  endless.catch(() => {});
  const seen = await engine.beside((other) =>
    other.withTable('select 7 as i', async (table) => {
      const read = await other.first<{ i: number }>(`select i from ${table}`);
      return read?.i;
    }),
  );
  assert.equal(seen, 7);
  stop.abort(new Error('enough'));
  await assert.rejects(endless, /enough/);
  const shared = await engine.withTable('select 8 as i', (table) =>
    engine.beside((other) => other.first(`select i from ${table}`)),
  );
  assert.equal(shared?.i, 8);
});

test('an engine closes when the work beside it has ended', async () => {
  const closing = await openEngine({ workDir, allowedDirectories: [] });
  const gate = Promise.withResolvers<void>();
  const working = closing.beside(async (other) => {
    await gate.promise;
    return await other.first('select 9 as i');
  });
  const closed = closing.close();
  gate.resolve();
  assert.equal((await working)?.i, 9);
  await closed;
  await assert.rejects(
    closing.beside(async () => {}),
    /closed/,
  );
});
