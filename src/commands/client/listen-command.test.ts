import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { verify } from '@octokit/webhooks-methods';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { closedPort, startReceiver } from '../../../test/support/receivers.ts';
import { newSecret } from '../../features/webhooks/signature.ts';
import { connect } from './connection.ts';
import { listen, type ListenOptions } from './listen-command.ts';
import { until } from '../../../test/support/until.ts';

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
  const listening = listenTo(urlOf(gateway), holder, stop.signal, {
    forwardTo: receiver.url,
    secret,
    log: (line) => lines.push(line),
  });
  await until(() => lines.length === 1);
  await fire('sc.completed');
  await until(() => receiver.received.length === 1);
  const [failed] = (await gateway.call('GET', '/v1/api/webhooks/deliveries?status=FAILED', { as: holder })).body.data;
  await gateway.call('POST', `/v1/api/webhooks/deliveries/${failed.id}/replay`, { as: holder });
  await until(() => receiver.received.length === 2);
  stop.abort();
  await assert.rejects(listening, { name: 'AbortError' });
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
  const url = new URL(await closedPort()).origin;
  const { signal } = new AbortController();
  await assert.rejects(listenTo(url, { token: 'none' }, signal, { forwardTo: url }), {
    code: 'NETWORK_ERROR',
    message: /ECONNREFUSED/,
  });
});

test('a key that is revoked meanwhile ends it', { timeout: 60_000 }, async () => {
  await using gateway = await startGateway();
  await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  const [holder, operator] = [await gateway.key('both', 'House'), await gateway.key('operator')];
  const lines: string[] = [];
  const { signal } = new AbortController();
  const listening = listenTo(urlOf(gateway), holder, signal, { forwardTo: await closedPort(), log: (line) => lines.push(line) });
  const ended = assert.rejects(listening, { name: 'SluiceError', status: 401, code: 'KEY_REVOKED' });
  await until(() => lines.length === 1);
  const revoked = await gateway.call('POST', `/v1/operator/keys/${holder.key_id}/revoke`, {
    as: operator,
    body: { reason: 'lost' },
  });
  assert.equal(revoked.status, 200, revoked.text);
  await ended;
});

const urlOf = ({ app }: Gateway): string => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

async function listenTo(url: string, { token }: { token: string }, signal: AbortSignal, options: ListenOptions): Promise<void> {
  const settings = { url, key: token, keyFrom: 'SLUICE_KEY', profile: null, role: 'both' };
  await listen(await connect(settings, signal), { pollMs: 20, ...options });
}
