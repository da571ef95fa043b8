import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded.ts';
import { cloneDatabase } from '../support/postgres.ts';
import { autoTape } from '../support/tapes.ts';
import { ask, createMachine, issueKey, type Machine, readDeal, sendTape } from './processes.ts';
import { until } from '../support/until.ts';

const ROWS = 50_000;
const TAKEN_OVER_MS = 60_000;
const ENDED_MS = 180_000;

test('a worker that is killed in the middle of a tape', async (t) => {
  await using machine = createMachine();
  const gateway = await machine.start(['serve', '--no-worker']);
  const token = await issueKey(machine, 'originator', 'Acme');
  const doomed = await machine.start(['work']);
  const deal = await sendTape(gateway, token, autoTape(ROWS));
  await until(() => working(machine).length > 0, 120_000, 'the beginning of the checks');
  doomed.signal('SIGKILL', 'group');
  await doomed.exited;
  const killedAt = Date.now();
  const database = await startEmbeddedPostgres({ directory: join(machine.dataDir, 'postgres') });
  await using _joined = { [Symbol.asyncDispose]: () => database.stop() };

  await t.test('leaves the deal in review, with nothing of it to be seen', async () => {
    const seen = await readDeal(gateway, token, deal);
    assert.equal(seen.status, 'IN_REVIEW');
    assert.deepEqual([seen.qc.state, seen.loan_count], ['RUNNING', 0]);
  });

  await t.test('is followed within a minute by another one, which ends the tape whole', async () => {
    await machine.start(['work']);
    await until(async () => (await readDeal(gateway, token, deal)).status === 'QC_COMPLETED', ENDED_MS, 'the end of the checks');
    // How long the checks take then is the machine's affair.
    const takenOverMs = (await startOfChecks(database.url)) - killedAt;
    assert.ok(takenOverMs > 0 && takenOverMs < TAKEN_OVER_MS, `it began ${takenOverMs} ms afterwards`);
    const seen = await readDeal(gateway, token, deal);
    assert.deepEqual([seen.qc.state, seen.qc.rows, seen.qc.accepted, seen.qc.rejected], ['DONE', ROWS, ROWS, 0]);
    // Σ (18 000 + 10 i) for i below the number of rows.
    assert.equal(seen.total_balance, 18_000 * ROWS + 5 * ROWS * (ROWS - 1));
    const last = await ask(gateway, 'GET', `/v1/api/originator/loans/${deal}/loans?page=${ROWS / 100}&limit=100`, { token });
    assert.equal(last.body.pagination.total, ROWS);
    assert.equal(last.body.data.at(-1).row_number, ROWS);
  });

  await t.test('makes nothing happen twice', async () => {
    const events = (await ask(gateway, 'GET', '/v1/api/events?limit=100', { token })).body.data;
    const statuses = events.map((event: { data: { current_status: string } }) => event.data.current_status);
    assert.deepEqual(statuses, ['IN_REVIEW', 'QC_COMPLETED']);
    const seen = await readDeal(gateway, token, deal);
    assert.deepEqual(
      seen.history.map((move: { to: string }) => move.to),
      ['DRAFT', 'IN_REVIEW', 'QC_COMPLETED'],
    );
    assert.equal((await ask(gateway, 'GET', `/v1/api/originator/loans/${deal}/tapes`, { token })).body.data.length, 1);
  });

  await t.test('leaves no files of its broken work behind once it has been followed', () => {
    assert.deepEqual(working(machine), []);
  });
});

test('a tape that ends three workers is given up with an alert, and a new version may be sent', async () => {
  const database = await cloneDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await using machine = createMachine({ DATABASE_URL: database.url });
    const gateway = await machine.start(['serve', '--no-worker']);
    const token = await issueKey(machine, 'originator', 'Acme');
    const deal = await sendTape(gateway, token, autoTape(ROWS));
    for (let killed = 0; killed < 3; killed += 1) {
      const worker = await machine.start(['work']);
      const begun = async (): Promise<boolean> =>
        working(machine).length > 0 && (await readDeal(gateway, token, deal)).qc.state === 'RUNNING';
      await until(begun, 120_000, 'the beginning of the checks');
      worker.signal('SIGKILL', 'group');
      await worker.exited;
      assert.equal((await readDeal(gateway, token, deal)).qc.state, 'RUNNING');
      // What the queue does with a job whose heartbeat has stopped, without the wait for it.
      await client.query(`update pgboss.job set state = 'retry', start_after = now() where name = 'ingest-tape'`);
    }
    const last = await machine.start(['work']);
    await until(async () => (await readDeal(gateway, token, deal)).qc.state === 'FAILED', 120_000, 'the end of the attempts');
    assert.equal((await readDeal(gateway, token, deal)).status, 'IN_REVIEW');
    const alerts = (await ask(gateway, 'GET', '/v1/api/alerts', { token })).body.data;
    assert.deepEqual([alerts[0].type, alerts[0].priority, alerts[0].entity_id], ['loan.checks_failed', 'HIGH', deal]);
    const body = { fileName: 'next.csv', fileFormat: 'text/csv' };
    assert.equal((await ask(gateway, 'POST', `/v1/api/originator/loans/${deal}/tapes`, { token, body })).status, 201);
    last.signal('SIGTERM');
    assert.equal(await last.exited, 0, last.stderr());
  } finally {
    await client.end();
    await database.drop();
  }
});

/** When the last attempt at the only tape began. */
async function startOfChecks(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ started_on: Date }>(`select started_on from pgboss.job where name = 'ingest-tape'`);
    assert.equal(rows.length, 1);
    return rows[0]?.started_on.getTime() ?? 0;
  } finally {
    await client.end();
  }
}

const working = (machine: Machine): string[] =>
  readdirSync(join(machine.dataDir, 'work'), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('ingest-'));
