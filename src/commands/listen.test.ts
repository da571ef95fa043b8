import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { startGateway } from '../../test/support/gateway.ts';
import { closedPort, startReceiver } from '../../test/support/receivers.ts';
import { newSecret } from '../features/webhooks/signature.ts';
import { listen } from './listen.ts';
import { until } from '../../test/support/until.ts';

test('events and replays come to a program on this machine, signed, from the moment that it listens', async () => {
  await using gateway = await startGateway();
  await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  await using receiver = await startReceiver(204);
  const holder = await gateway.key('both', 'House');
  const fire = (event: string) => gateway.call('POST', '/v1/sandbox/events', { as: holder, body: { event } });
  await gateway.call('POST', '/v1/api/webhooks/subscriptions', { as: holder, body: { url: await closedPort() } });
  await fire('loan.approved');
  await gateway.runDeliveries();
  const stop = new AbortController();
  const lines: string[] = [];
  const secret = newSecret();
  const listening = listen({
    gateway: `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`,
    key: holder.token,
    forwardTo: receiver.url,
    secret,
    pollMs: 20,
    signal: stop.signal,
    log: (line) => lines.push(line),
  });
  await until(() => lines.length === 1);
  await fire('sc.completed');
  await until(() => receiver.received.length === 1);
  const [failed] = (await gateway.call('GET', '/v1/api/webhooks/deliveries?status=FAILED', { as: holder })).body.data;
  await gateway.call('POST', `/v1/api/webhooks/deliveries/${failed.id}/replay`, { as: holder });
  await until(() => receiver.received.length === 2);
  stop.abort();
  await listening;
  assert.deepEqual(
    receiver.received.map((each) => each.headers['x-platform-event']),
    ['sc.completed', 'loan.approved'],
  );
  for (const { body, headers } of receiver.received) {
    assert.deepEqual(Object.keys(JSON.parse(body.toString())), ['event', 'timestamp', 'data']);
    assert.equal(await verify(secret, body.toString(), String(headers['x-platform-signature'])), true);
  }
  assert.match(lines[1] ?? '', /^sc\.completed evt_\w+ → 204 \(\d+ ms\)$/);
});

test('a gateway that is not there is named, with the reason', async () => {
  const gateway = new URL(await closedPort()).origin;
  const { signal } = new AbortController();
  const listening = listen({ gateway, key: 'none', forwardTo: gateway, signal, log: () => {} });
  await assert.rejects(listening, { message: `no response from ${gateway}: ECONNREFUSED` });
});
