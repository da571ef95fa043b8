import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import pg from 'pg';
import { testServer } from '../../../test/support/postgres.ts';
import { copyIn, copyOut } from './copy.ts';
import { until } from '../../../test/support/until.ts';

const ROWS = 100_000;
const TABLE = `copy (select n, repeat('x', 1000) from generate_series(1, ${ROWS}) n) to stdout`;

test('copies between a table and a stream', async (t) => {
  const { url } = await testServer();
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const client = await connect();
  t.after(() => client.end());

  await t.test('bring every row out and in again', async () => {
    const chunks: Buffer[] = [];
    const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => done(void chunks.push(chunk)) });
    assert.equal(await copyOut(client, TABLE, sink), ROWS);
    await client.query('create temporary table copied (n integer, filler text)');
    assert.equal(await copyIn(client, 'copy copied from stdin', arriving(chunks)), ROWS);
    const { rows } = await client.query(
      'select count(*)::int as n, sum(n)::bigint::text as sum, min(length(filler)) as least from copied',
    );
    assert.deepEqual(rows[0], { n: ROWS, sum: String((ROWS * (ROWS + 1)) / 2), least: 1_000 });
  });

  await t.test('wait for a reader that is slow, and keep nothing for it in memory', async () => {
    const own = await connect();
    const { rows } = await own.query<{ pid: number }>('select pg_backend_pid() as pid');
    const gate = Promise.withResolvers<void>();
    let bytes = 0;
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        bytes += chunk.length;
        void gate.promise.then(() => done());
      },
    });
    const copied = copyOut(own, TABLE, sink);
    const waits = async (): Promise<boolean> => {
      const seen = await client.query(`select 1 from pg_stat_activity where pid = $1 and wait_event = 'ClientWrite'`, [
        rows[0]?.pid,
      ]);
      return seen.rowCount === 1;
    };
    await until(waits, 120_000, 'the wait of the server');
    assert.ok(bytes + sink.writableLength < 4 * 1024 * 1024, `${bytes + sink.writableLength} bytes are held`);
    gate.resolve();
    assert.equal(await copied, ROWS);
    await own.end();
  });

  await t.test('leave the connection ready for the next statement, however slow the sink of the last one was', async () => {
    for (let rows = 0; rows < 200; rows += 3) {
      const sink = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void setImmediate(done) });
      await copyOut(client, `copy (select repeat('x', 1000) from generate_series(1, ${rows})) to stdout`, sink);
      sink.end();
      assert.equal((await client.query('select 1 as one')).rows[0].one, 1);
    }
  });

  await t.test('fail with what the server, the source or the sink says, and the statement with them', async () => {
    const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
    await assert.rejects(copyOut(client, 'copy (select 1 / 0) to stdout', discard), /division by zero/);
    await assert.rejects(
      copyIn(client, 'copy copied from stdin', arriving([Buffer.from('no number\tx\n')])),
      /invalid input syntax/,
    );
    const broken = (async function* () {
      yield Buffer.from('1\tx\n');
      throw new Error('the file cannot be read');
    })();
    await assert.rejects(copyIn(client, 'copy copied from stdin', broken), /the file cannot be read/);
    assert.equal((await client.query('select 1 as one')).rows[0].one, 1);
    const own = await connect();
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left')) });
    await assert.rejects(copyOut(own, TABLE, full), /no space left/);
  });
});

async function* arriving(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}
