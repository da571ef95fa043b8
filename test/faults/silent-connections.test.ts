import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emit } from '../../src/events/emit.ts';
import { startDeliveries } from '../../src/features/webhooks/engine.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { JOB_NAMES } from '../../src/job-names.ts';
import { type JobHandler, openJobs } from '../../src/platform/jobs/jobs.ts';
import { type Answer, startGateway } from '../support/gateway.ts';
import { cloneDatabase } from '../support/postgres.ts';
import { startReceiver } from '../support/receivers.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';
import { until } from '../support/until.ts';

const EVENT = {
  event: 'deal.status_changed',
  data: { deal_id: 'deal_1', previous_status: 'IN_REVIEW', current_status: 'QC_COMPLETED' },
  alert: null,
} as const;

test('a gateway whose connections to the database all fall silent, without being closed', { timeout: 540_000 }, async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  await using proxy = await startSilentProxy(database.url);
  await using gateway = await startGateway({ DATABASE_URL: proxy.url(database.url) });
  await using receiver = await startReceiver();
  await using other = openDatabase({ url: database.url, role: 'sluice_app' });
  await using _engine = startDeliveries(gateway.deps);

  const handled: unknown[] = [];
  const handle: JobHandler = async (data) => void handled.push(data.turn);
  const handlers = {
    'ingest-tape': handle,
    'run-criteria': handle,
    'run-calculation': handle,
    'bulk-ingest': handle,
    'read-pool-tape': handle,
    notices: handle,
    housekeeping: handle,
  };
  await using worker = await openJobs({ url: proxy.url(database.url), names: JOB_NAMES, onError: () => {} });
  await worker.work(handlers);
  await using queue = await openJobs({ url: database.url, names: JOB_NAMES, onError: () => {}, supervise: false });
  const queueJob = (turn: string) => other.tx({ platform: true }, (tx) => queue.enqueue(tx, 'run-criteria', { turn }));

  let signals = 0;
  gateway.deps.db.signals.on('a-channel', () => {
    signals += 1;
  });
  const holder = await gateway.key('both', 'House');
  await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url: receiver.url } });
  const fire = () => other.tx({ platform: true }, (tx) => emit(tx, [{ ...EVENT, organization_id: holder.organization_id }]));
  const list = () => gateway.call('GET', '/v1/api/alerts', { as: holder });
  await Promise.all(Array.from({ length: 30 }, list));
  await Promise.all([fire(), queueJob('before')]);
  await until(() => receiver.received.length === 1 && handled.length === 1, 120_000, 'a delivery and a job before');
  // One that was received and not yet written down would come again.
  const isDelivered = async () =>
    (await gateway.call('GET', '/v1/api/webhooks/deliveries', { as: holder })).body.data[0]?.status === 'DELIVERED';
  await until(isDelivered, 120_000, 'the record of the delivery');
  const seen = signals;
  other.signals.send('a-channel');
  await until(() => signals > seen, 120_000, 'a signal before');

  proxy.silence();
  const silentAt = performance.now();

  await t.test('asks a key’s holder to come again within 15 seconds each time, and serves the key again', async () => {
    const statuses: number[] = [];
    while (statuses.at(-1) !== 200) {
      const began = performance.now();
      const answer = await within(15_000, list());
      assert.ok(performance.now() - began < 15_000);
      statuses.push(answer.status);
      assert.ok(performance.now() - silentAt < 60_000, statuses.join());
      if (answer.status === 200) break;
      assert.deepEqual([answer.status, answer.body.code], [503, 'UNAVAILABLE']);
      assert.ok(Number(answer.headers['retry-after']) >= 1);
    }
    assert.ok(statuses.length > 1, 'the silence was not met');
    assert.equal((await list()).status, 200);
  });

  await t.test('delivers webhooks again', async () => {
    await fire();
    await until(() => receiver.received.length === 2, 120_000, 'a delivery afterwards');
  });

  await t.test('takes jobs again', async () => {
    await queueJob('afterwards');
    await until(() => handled.includes('afterwards'), 120_000, 'a job afterwards');
  });

  await t.test('gets the signals of other processes again', async () => {
    const before = signals;
    await until(
      () => {
        other.signals.send('a-channel');
        return signals > before + 1;
      },
      120_000,
      'a signal afterwards',
      500,
    );
  });
});

async function within(timeoutMs: number, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([answer, over]);
  } finally {
    clearTimeout(timer);
  }
}
