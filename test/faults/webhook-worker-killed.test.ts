import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { emit } from '../../src/events/emit.ts';
import { startGateway } from '../support/gateway.ts';
import { startServer } from '../support/processes.ts';
import { startReceiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';

const KILLS = 20;
const EVENTS_BETWEEN = 40;
const RECEIVERS = 5;
/** So many requests of a round are answered before the worker is killed. */
const ANSWERED = 20;
const LEASE_SECONDS = 15;

test('a worker killed twenty times under load loses no event and repeats only what was under way', {
  timeout: 540_000,
}, async () => {
  await using gateway = await startGateway();
  let toAnswer = 0;
  // A request that has no answer is under way when its worker is killed, however slow the machine is.
  await using receiver = await startReceiver((response) => {
    if (toAnswer > 0) setTimeout(() => response.writeHead(204).end(), 3);
    toAnswer -= 1;
  });
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-killed-'));
  const env = { DATABASE_URL: gateway.deps.databaseUrl };
  const data = { deal_id: 'deal_1', previous_status: 'IN_REVIEW', current_status: 'QC_COMPLETED' };
  // Every round has receivers of its own: those of a dead worker's leases wait until these have run out.
  const fire = async (round: number): Promise<void> => {
    const holder = await gateway.key('both', `House ${round}`);
    for (let count = 0; count < RECEIVERS; count += 1)
      await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url: receiver.url } });
    const event = { organization_id: holder.organization_id, event: 'deal.status_changed', data, alert: null } as const;
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      emit(
        tx,
        Array.from({ length: EVENTS_BETWEEN }, () => event),
      ),
    );
  };
  // The encryption key is in the data folder of the gateway that sealed the secrets.
  const settings = { ...env, SLUICE_DATA_DIR: gateway.deps.config.dataDir };
  const underWay = new Set<string>();
  const claimed = async (): Promise<string[]> => {
    const held = 'select delivery_id from webhook_queue where claim_id is not null';
    return (await gateway.deps.db.tx({ platform: true }, (tx) => tx.rows<{ delivery_id: string }>(held))).map(
      (row) => row.delivery_id,
    );
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    await fire(kill);
    toAnswer = ANSWERED;
    const worker = await startServer(dataDir, { command: ['work'], env: settings });
    await until(() => toAnswer < 0, 120_000, 'a request that has no answer', 1);
    await worker.end('SIGKILL');
    const held = await claimed();
    assert.ok(held.length > 0, 'the kill hit while something was under way');
    for (const id of held) underWay.add(id);
  }
  // What the last killed worker held is due again when its lease has run out.
  const leases = 'select max(extract(epoch from lease_until - now()))::float8 as longest from webhook_queue';
  const { longest = 0 } = (await gateway.deps.db.tx({ platform: true }, (tx) => tx.one<{ longest: number }>(leases))) ?? {};
  assert.ok(longest <= LEASE_SECONDS, `${longest} seconds`);
  toAnswer = Number.POSITIVE_INFINITY;
  await using last = await startServer(dataDir, { command: ['work'], env: settings });
  void last;
  const expected = KILLS * EVENTS_BETWEEN * RECEIVERS;
  const left = async (): Promise<number> => {
    const count = `select count(*)::int as n from webhook_deliveries where status <> 'DELIVERED'`;
    return (await gateway.deps.db.tx({ platform: true }, (tx) => tx.one<{ n: number }>(count)))?.n ?? -1;
  };
  await until(async () => (await left()) === 0, 240_000, 'the delivery of what was left', 100);
  const copies = new Map<string, unknown[]>();
  for (const { headers } of receiver.received) {
    const delivery = String(headers['x-platform-delivery']);
    copies.set(delivery, [...(copies.get(delivery) ?? []), headers['webhook-id']]);
  }
  assert.equal(copies.size, expected);
  const repeated = [...copies].filter(([, ids]) => ids.length > 1);
  assert.ok(repeated.length > 0, 'what was under way came again');
  assert.deepEqual(
    repeated.filter(([id]) => !underWay.has(id)),
    [],
  );
  assert.ok(
    repeated.every(([, ids]) => new Set(ids).size === 1),
    'a repeat has the same webhook-id',
  );
  rmSync(dataDir, { recursive: true, force: true });
});

test('a worker told to stop ends in time, and leaves nothing claimed', { timeout: 540_000 }, async () => {
  await using gateway = await startGateway();
  await using receiver = await startReceiver((response) => void setTimeout(() => response.writeHead(204).end(), 300));
  const holder = await gateway.key('both', 'House');
  await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url: receiver.url } });
  const data = { deal_id: 'deal_1', previous_status: 'IN_REVIEW', current_status: 'QC_COMPLETED' };
  const event = { organization_id: holder.organization_id, event: 'deal.status_changed', data, alert: null } as const;
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    emit(
      tx,
      Array.from({ length: 50 }, () => event),
    ),
  );
  const worker = await startServer(gateway.deps.config.dataDir, {
    command: ['work'],
    env: { DATABASE_URL: gateway.deps.databaseUrl },
  });
  await until(() => receiver.received.length > 0, 120_000, 'the first request', 2);
  await worker.end('SIGTERM');
  assert.equal(worker.process.exitCode, 0, 'it was not killed for want of an end');
  const row = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.one<{ claimed: number; waiting: number }>(
      'select count(claim_id)::int as claimed, count(*)::int as waiting from webhook_queue',
    ),
  );
  assert.equal(row?.claimed, 0);
  assert.equal(row?.waiting, 50 - receiver.received.length);
});
