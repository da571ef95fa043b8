import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import { signedHeaders } from '../../src/features/webhooks/signature.ts';
import { startGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';
import { startReceiver } from '../../test/support/receivers.ts';
import { verifyWebhook, type WebhookEvent } from '../src/index.ts';
import { webhookReceiver as expressReceiver } from '../src/webhooks/express.ts';
import { webhookReceiver as fastifyReceiver } from '../src/webhooks/fastify.ts';
import { type ReceiverOptions, webhookReceiver } from '../src/webhooks/web.ts';
import { openDoor } from './support.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const [OLD, NEW] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_b2xkLWVub3VnaC1mb3ItYS10ZXN0LXNlY3JldA=='];
const BODY = Buffer.from(
  JSON.stringify({ event: 'deal.status_changed', timestamp: '2026-11-20T12:00:00.000Z', data: { deal_id: 'é' } }),
);

const headersOf = (previous: string | null = null, atMs = NOW_MS, eventId = 'evt_1'): Record<string, string> => {
  const message = { eventId, deliveryId: 'dlv_1', event: 'deal.status_changed', body: BODY };
  const headers = signedHeaders(message, { current: NEW, previous }, atMs);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
};
const refused = (code: string) => ({ name: 'WebhookVerificationError', code });
const verify = (headers = headersOf(), secret: string | string[] = NEW, body: string | Uint8Array = BODY) =>
  verifyWebhook(body, headers, secret, { nowMs: NOW_MS });

test('what the gateway delivers is verified, before, while and after its secret is changed', async () => {
  await using gateway = await startGateway();
  await using receiver = await startReceiver();
  const door = await openDoor(gateway);
  const sluice = door.client((await gateway.key('both')).token);
  const hook = await sluice.post('/v1/api/webhooks/subscriptions', { body: { url: receiver.url, events: ['trade.settled'] } });
  const former = hook.secret;
  assert.ok(former);
  const deliver = async () => {
    await sluice.post('/v1/sandbox/events', { body: { event: 'trade.settled' } });
    await gateway.runDeliveries();
    const got = receiver.received.at(-1);
    assert.ok(got);
    return got;
  };
  const rotated = { params: { path: { id: hook.id } }, body: { grace_seconds: 3600 } };
  const first = await deliver();
  const event = await verifyWebhook(first.body, first.headers, former);
  assert.ok(event.event === 'trade.settled');
  const face: number = event.data.face;
  const [logged] = await Array.fromAsync(sluice.events());
  assert.deepEqual([event.id, event.data, event.deliveryId], [logged?.id, logged?.data, first.headers['x-platform-delivery']]);
  assert.ok(face > 0);
  const { secret } = await sluice.post('/v1/api/webhooks/subscriptions/{id}/rotate-secret', rotated);
  assert.ok(secret);
  const during = await deliver();
  for (const each of [former, secret, [former, secret]]) await verifyWebhook(during.body, during.headers, each);
  await gateway.advance(3_700);
  const after = await deliver();
  await verifyWebhook(after.body, after.headers, [former, secret]);
  await assert.rejects(verifyWebhook(after.body, after.headers, former), refused('SIGNATURE_MISMATCH'));
});

test('the vector of Standard Webhooks verifies', async () => {
  const headers = new Headers({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v2,xx v1,bad= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
  await verifyWebhook('{"test": 2432232314}', headers, OLD, { nowMs: 1_614_265_330_000 });
});

test('bytes, text and headers in any case are taken; a changed body, id, time or secret is refused', async () => {
  assert.equal((await verify()).id, 'evt_1');
  await verify(headersOf(OLD), OLD);
  await verify(headersOf(), [OLD, NEW], BODY.toString());
  await verify(Object.fromEntries(Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), value])));
  await assert.rejects(verify(headersOf(), OLD), refused('SIGNATURE_MISMATCH'));
  await assert.rejects(verify(headersOf(), NEW, `${BODY.toString()} `), refused('SIGNATURE_MISMATCH'));
  await assert.rejects(verify({ ...headersOf(), 'webhook-id': 'evt_2' }), refused('SIGNATURE_MISMATCH'));
  await assert.rejects(
    verify({ ...headersOf(), 'webhook-timestamp': String(NOW_MS / 1_000 + 1) }),
    refused('SIGNATURE_MISMATCH'),
  );
  await assert.rejects(verify({ ...headersOf(), 'webhook-timestamp': 'soon' }), refused('TIMESTAMP_UNREADABLE'));
  await assert.rejects(verify({ 'webhook-id': 'evt_1' }), refused('HEADER_MISSING'));
  await assert.rejects(verify(headersOf(), 'hunter2!'), /expected `whsec_`/);
  await assert.rejects(verify(headersOf(), []), /No secret was given/);
});

test('a setting that is missing is told, and lets no request pass', async () => {
  const old = headersOf(null, NOW_MS - 86_400_000);
  const unset = Number(process.env.THERE_IS_NO_SUCH_VARIABLE);
  await assert.rejects(verifyWebhook(BODY, old, NEW, { nowMs: NOW_MS, toleranceSeconds: unset }), /`toleranceSeconds` is NaN/);
  await assert.rejects(verifyWebhook(BODY, old, NEW, { nowMs: unset }), /`nowMs` NaN/);
  // @ts-expect-error -- as JavaScript passes a variable that is not set
  await assert.rejects(verifyWebhook(BODY, headersOf(), process.env.THERE_IS_NO_SUCH_VARIABLE), /not one of a webhook/);
});

test('a request is taken up to five minutes from its time, and not beyond', async () => {
  for (const seconds of [-300, 300]) await verify(headersOf(null, NOW_MS + seconds * 1_000));
  await assert.rejects(verify(headersOf(null, NOW_MS - 301_000)), refused('TIMESTAMP_TOO_OLD'));
  await assert.rejects(verify(headersOf(null, NOW_MS + 301_000)), refused('TIMESTAMP_TOO_NEW'));
  await verifyWebhook(BODY, headersOf(null, NOW_MS - 301_000), NEW, { nowMs: NOW_MS, toleranceSeconds: 301 });
});

/** The receivers, each behind a function that posts to it. */
type Post = (headers: Record<string, string>, body?: Buffer) => Promise<number>;
type Receiver = { post: Post; close(): Promise<unknown> };
const RECEIVERS: Record<string, (options: ReceiverOptions) => Promise<Receiver>> = {
  web: async (options) => {
    const receive = webhookReceiver(options);
    return {
      post: async (headers, body = BODY) =>
        (await receive(new Request('http://here/hook', { method: 'POST', headers, body: new Uint8Array(body) }))).status,
      close: async () => {},
    };
  },
  express: async (options) => await listening(expressReceiver(options)),
  fastify: async (options) => {
    const app = Fastify();
    await app.register(fastifyReceiver, { ...options, path: '/hook' });
    const base = await app.listen({ host: '127.0.0.1', port: 0 });
    return { post: poster(`${base}/hook`), close: () => app.close() };
  },
};

async function listening(listener: RequestListener): Promise<Receiver> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    post: poster(`http://127.0.0.1:${port}/hook`),
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const poster =
  (url: string): Post =>
  async (headers, body = BODY) => {
    const { 'content-length': _length, ...rest } = headers;
    return (await fetch(url, { method: 'POST', headers: rest, body: new Uint8Array(body) })).status;
  };

for (const [name, open] of Object.entries(RECEIVERS))
  test(`the receiver for ${name} answers first, handles each event once, and tells what fails`, async () => {
    const seen = new Set<string>();
    const handled: WebhookEvent[] = [];
    const errors: unknown[] = [];
    const gates: (() => void)[] = [];
    let isStoreDown = false;
    const receiver = await open({
      secret: async () => [OLD, NEW],
      toleranceSeconds: 1e9,
      accept: ({ id }) => {
        if (isStoreDown) throw new Error('the store is down');
        return !seen.has(id) && Boolean(seen.add(id));
      },
      handle: (event) =>
        new Promise((resolve, reject) => {
          handled.push(event);
          gates.push(() => (event.id === 'evt_2' ? reject(new Error('handler')) : resolve()));
        }),
      onError: (error, event) => errors.push([event?.id ?? null, error instanceof Error ? error.message.slice(0, 20) : error]),
    });
    try {
      // The first handler has not ended when the answer and the next requests come.
      assert.equal(await receiver.post(headersOf()), 204);
      assert.equal(await receiver.post(headersOf()), 204);
      assert.equal(await receiver.post(headersOf(null, NOW_MS, 'evt_2')), 204);
      assert.equal(await receiver.post({ ...headersOf(), 'webhook-signature': 'v1,AAAA' }), 401);
      isStoreDown = true;
      assert.equal(await receiver.post(headersOf(null, NOW_MS, 'evt_3')), 500);
      assert.equal(await receiver.post(headersOf(), Buffer.alloc(1_100_000)), 413);
      await until(() => gates.length === 2);
      for (const open of gates) open();
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(
        handled.map(({ id, event }) => [id, event]),
        [
          ['evt_1', 'deal.status_changed'],
          ['evt_2', 'deal.status_changed'],
        ],
      );
      assert.deepEqual(errors, [
        [null, 'No signature matches'],
        ['evt_3', 'the store is down'],
        ['evt_2', 'handler'],
      ]);
    } finally {
      await receiver.close();
    }
  });

test('a body that a parser of Express has read is told; a raw one is taken', async () => {
  const errors: unknown[] = [];
  const handled: string[] = [];
  const options: ReceiverOptions = {
    secret: NEW,
    toleranceSeconds: 1e9,
    handle: ({ id }) => void handled.push(id),
    onError: (error) => errors.push(String(error)),
  };
  const receive = expressReceiver(options);
  const statuses: number[] = [];
  for (const body of [JSON.parse(BODY.toString()) as unknown, BODY]) {
    const response = { statusCode: 0, setHeader: () => {}, end: () => {} };
    await receive({ headers: headersOf(), body, async *[Symbol.asyncIterator]() {} }, response);
    statuses.push(response.statusCode);
  }
  assert.deepEqual([statuses, handled], [[500, 204], ['evt_1']]);
  assert.match(String(errors), /before express\.json\(\)/);
});

/** A receiver that listens, and what happens to it. */
async function listeningReceiver(name: 'express' | 'fastify', accept?: ReceiverOptions['accept']) {
  const [handled, errors]: [string[], unknown[]] = [[], []];
  const options: ReceiverOptions = {
    secret: NEW,
    toleranceSeconds: 1e9,
    ...(accept && { accept }),
    handle: ({ id }) => void handled.push(id),
    onError: (error) => errors.push(error),
  };
  const app = Fastify();
  if (name === 'fastify') await app.register(fastifyReceiver, { ...options, path: '/hook' });
  const server = name === 'fastify' ? app.server : createServer(expressReceiver(options));
  if (name === 'fastify') await app.listen({ host: '127.0.0.1', port: 0 });
  else await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  /** Sends a request as it is written, of which the receiver sees the end of the connection. */
  const send = (body: Buffer, length: number) => {
    const socket = connect(port, '127.0.0.1');
    const headers = Object.entries({ ...headersOf(), host: 'here', 'content-length': String(length) });
    socket.write(`POST /hook HTTP/1.1\r\n${headers.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n`);
    socket.write(body);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    server.once('connection', (accepted) => accepted.once('close', resolve));
    return { socket, gone };
  };
  const close = async () => {
    server.closeAllConnections();
    await (name === 'fastify' ? app.close() : new Promise((resolve) => server.close(resolve)));
  };
  return { send, handled, errors, [Symbol.asyncDispose]: close };
}

for (const name of ['express', 'fastify'] as const)
  test(`a sender that is gone while its event is accepted does not keep the receiver for ${name} from handling it`, async () => {
    const gate = Promise.withResolvers<boolean>();
    let isAsked = false;
    await using receiver = await listeningReceiver(name, () => {
      isAsked = true;
      return gate.promise;
    });
    const { socket, gone } = receiver.send(BODY, BODY.length);
    await until(() => isAsked);
    socket.destroy();
    await gone;
    gate.resolve(true);
    await until(() => receiver.handled.length > 0, 120_000, 'the handler');
    assert.deepEqual([receiver.handled, receiver.errors], [['evt_1'], []]);
  });

test('a request that ends within its body is told and does not end the process', async () => {
  await using receiver = await listeningReceiver('express');
  const { socket, gone } = receiver.send(Buffer.from('{"a'), 100);
  socket.end();
  await gone;
  await until(() => receiver.errors.length > 0, 120_000, 'the error');
  assert.deepEqual([receiver.errors.length, receiver.handled], [1, []]);
  const torn = new ReadableStream({ start: (controller) => controller.error(new Error('torn')) });
  const errors: string[] = [];
  const receive = webhookReceiver({ secret: NEW, handle: () => {}, onError: (error) => errors.push(String(error)) });
  const request = new Request('http://here/hook', { method: 'POST', body: torn, duplex: 'half' });
  assert.deepEqual([(await receive(request)).status, errors], [400, ['Error: torn']]);
});
