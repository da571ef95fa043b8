import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';

test('the operator reads what waits by kind, for how long, and who does not take what it is sent', async () => {
  await using gateway = await startGateway();
  const [operator, seller] = [await gateway.key('operator'), await gateway.key('originator', 'Waiting Lending')];
  const health = async () => (await gateway.call('GET', '/v1/operator/health', { as: operator })).body.data;
  const tapes = async () => (await health()).jobs.find(({ name }: { name: string }) => name === 'ingest-tape');
  assert.deepEqual(await tapes(), { name: 'ingest-tape', waiting: 0, running: 0, failed: 0, oldest_seconds: 0 });
  await sendTape(gateway, seller, { loanType: 'Auto', bytes: autoTape(3) });
  assert.equal((await tapes()).waiting, 1);
  // As one that an outage has put off.
  await gateway.deps.db.direct(
    `update pgboss.job set state = 'retry', created_on = now() - interval '10 minutes', start_after = now() + interval '5 minutes'
     where name = 'ingest-tape'`,
  );
  const { oldest_seconds: oldest, ...putOff } = await tapes();
  assert.deepEqual(putOff, { name: 'ingest-tape', waiting: 1, running: 0, failed: 0 });
  assert.ok(oldest >= 600 && oldest < 660, String(oldest));

  const url = 'https://receiver.example/sluice';
  const hook = await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: seller, body: { url } });
  assert.deepEqual((await health()).receivers, []);
  const sample = `/v1/api/webhooks/subscriptions/${hook.body.data.id}/test`;
  await gateway.call('POST', sample, { as: seller, body: { event: 'loan.approved' } });
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec('update webhook_subscriptions set failing_since = sluice_now() where subscription_id = $1', [hook.body.data.id]),
  );
  const { receivers, receivers_more, deliveries, emails } = await health();
  const [{ since, ...receiver }] = receivers;
  assert.ok(since);
  assert.deepEqual(receiver, {
    subscription_id: hook.body.data.id,
    organization_id: seller.organization_id,
    active: true,
    disabled_reason: null,
    waiting: deliveries.waiting,
  });
  assert.ok(deliveries.waiting > 0);
  await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(`update webhook_queue set due_at = sluice_now() + interval '1 hour'`),
  );
  const later = await health();
  assert.deepEqual(later.deliveries, { waiting: 0, running: 0, oldest_seconds: 0 }, 'what is tried again later is not due');
  assert.equal(later.receivers[0].waiting, deliveries.waiting);
  assert.deepEqual([receivers_more, emails], [false, { waiting: 0, running: 0, oldest_seconds: 0 }]);
  assert.equal((await gateway.call('GET', '/v1/operator/health', { as: seller })).status, 403);
});
