import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { buildServer } from './server.ts';
import { createLoadShedder } from './load-shedder.ts';
import { route } from './route.ts';
import { asId } from '../ids.ts';
import Type from 'typebox';
import { until } from '../../../test/support/until.ts';

/** A shedder on a clock of its own: `serve(ms, perSecond)` answers at a rate for a while, `offer(n)` says how many of n get in. */
function simulate() {
  let now = 0;
  let inside = 0;
  const shedder = createLoadShedder({ now: () => now, leastInFlight: 10, mostWaitMs: 5_000 });
  const offer = (count: number): number => {
    let taken = 0;
    for (let i = 0; i < count; i += 1) if (shedder.enter()) taken += 1;
    inside += taken;
    return taken;
  };
  const serve = (ms: number, perSecond: number): void => {
    const [end, step] = [now + ms, 1_000 / perSecond];
    for (now += step; now <= end; now += step) {
      if (inside === 0) continue;
      shedder.leave(true);
      inside -= 1;
    }
    now = end;
  };
  return { offer, serve, wait: (ms: number) => (now += ms), inside: () => inside };
}

test('requests that would be answered in time are taken', () => {
  const { offer, serve } = simulate();
  assert.equal(offer(400), 400);
  for (let second = 0; second < 30; second += 1) {
    serve(1_000, 100);
    assert.equal(offer(100), 100, `second ${second}: 400 in flight at 100 a second are answered in 4 seconds`);
  }
});

test('those that would wait longer are refused, and taken again when the rate is back', () => {
  const { offer, serve, inside } = simulate();
  offer(600);
  serve(2_500, 20);
  assert.equal(offer(100), 0, '550 in flight at 20 a second would take 27 seconds');
  const before = inside();
  serve(4_000, 100);
  assert.ok(inside() < before);
  assert.equal(offer(50), 50, 'at 100 a second what is left is answered within five');
});

test('a burst after a quiet time is given a window before it is judged', () => {
  const { offer, serve, wait } = simulate();
  wait(60_000);
  assert.equal(offer(2_000), 2_000);
  serve(1_900, 10);
  assert.equal(offer(1), 1);
  serve(200, 10);
  assert.equal(offer(1), 0);
});

test('few requests are never refused, however slow they are', () => {
  const { offer, wait } = simulate();
  offer(9);
  wait(120_000);
  assert.equal(offer(1), 1);
});

test('a process that cannot keep up refuses with 503 and Retry-After 1, and still says that it lives', async () => {
  await using gateway = await startGateway();
  const holder = await gateway.key('investor');
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const slow = route({
    operation: 'getSlow',
    method: 'GET',
    path: '/v1/api/slow',
    access: 'customer',
    tag: 'Test',
    summary: 'Wait',
    reply: Type.Object({}),
    handler: async () => {
      await gate;
      return {};
    },
  });
  let now = 0;
  const app = await buildServer({
    deps: gateway.deps,
    routes: [slow],
    authenticate: async () => ({
      ...holder,
      organization: 'x',
      role: 'investor',
      environment: 'development',
      api_version: null,
      scopes: null,
      person: null,
      networks: null,
      label: null,
      expires_at: new Date(),
    }),
    constraints: {},
    load: { now: () => now, leastInFlight: 5 },
  });
  app.get('/livez', { config: { access: 'public' } as never }, async () => ({ status: 'ok' }));
  const call = () => app.inject({ url: '/v1/api/slow', headers: { host: 'a' } });
  const first = Array.from({ length: 6 }, call);
  // The sixth found five before it and starts the window.
  await new Promise((resolve) => setImmediate(resolve));
  now = 3_000;
  const refused = await call();
  assert.deepEqual([refused.statusCode, refused.headers['retry-after'], refused.json().code], [503, '1', 'OVERLOADED']);
  assert.equal((await app.inject({ url: '/livez', headers: { host: 'a' } })).statusCode, 200);
  release();
  assert.deepEqual(
    (await Promise.all(first)).map((each) => each.statusCode),
    [200, 200, 200, 200, 200, 200],
  );
  assert.equal((await call()).statusCode, 200);
  await app.close();
});

/** A server whose requests to `/v1/slow` wait until they are released, with a shedder that lets two be in flight on a clock of the test. */
async function startSlow(gateway: Gateway) {
  const waiting = new Set<() => void>();
  const about = { access: 'key', tag: 'Test', summary: 'Test' } as const;
  const reply = Type.Object({ text: Type.Optional(Type.String()) });
  const routes = [
    route({
      ...about,
      operation: 'getSlow',
      method: 'GET',
      path: '/v1/slow',
      reply,
      handler: () =>
        new Promise<object>((resolve) => {
          const release = (): void => {
            waiting.delete(release);
            resolve({});
          };
          waiting.add(release);
        }),
    }),
    route({
      ...about,
      operation: 'getLarge',
      method: 'GET',
      path: '/v1/large',
      reply,
      handler: async () => ({ text: 'x'.repeat(8_000_000) }),
    }),
    route({
      ...about,
      operation: 'createBody',
      method: 'POST',
      path: '/v1/body',
      body: Type.Object({}),
      reply,
      handler: async () => ({}),
    }),
  ];
  let now = 0;
  const caller = {
    key_id: asId('key', 'key_1'),
    actor_id: asId('key', 'key_1'),
    organization_id: asId('org', 'org_1'),
    organization: 'x',
    role: 'investor',
    environment: 'development',
  } as const;
  const app = await buildServer({
    deps: gateway.deps,
    routes,
    authenticate: async () => ({
      ...caller,
      api_version: null,
      scopes: null,
      person: null,
      networks: null,
      label: null,
      expires_at: new Date(),
    }),
    constraints: {},
    load: { now: () => now, leastInFlight: 2 },
  });
  const seen = { bodies: 0, answers: 0 };
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (request.method === 'POST') seen.bodies += 1;
    return payload;
  });
  app.addHook('onSend', async () => void (seen.answers += 1));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  /** Connections that send `text` and read nothing; `count` of them. */
  const open = (count: number, text: string): Socket[] =>
    Array.from({ length: count }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.write(text);
      return socket.pause();
    });
  const status = async (path: string): Promise<number> => (await app.inject({ url: path, headers: { host: 'a' } })).statusCode;
  return { app, waiting, seen, open, status, wait: (ms: number) => (now += ms) };
}

test('work whose clients went away counts until it ends, so that clients who give up early cannot pile it up', async () => {
  await using gateway = await startGateway();
  const { app, waiting, open, status, wait } = await startSlow(gateway);
  const clients = open(3, 'GET /v1/slow HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => waiting.size === 3);
  for (const client of clients) client.destroy();
  await until(async () => (await connectionsOf(app.server)) === 0);
  wait(10_000);
  assert.equal(await status('/v1/slow'), 503);
  for (const release of waiting) release();
  await until(async () => (await status('/v1/large')) === 200);
  await app.close();
});

test('bodies that arrive slowly do not make the process refuse others', async () => {
  await using gateway = await startGateway();
  const { app, seen, open, status, wait } = await startSlow(gateway);
  const head = 'POST /v1/body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{';
  const clients = open(8, head);
  await until(() => seen.bodies === 8);
  for (let i = 0; i < 3; i += 1) {
    wait(3_000);
    assert.equal(await status('/v1/large'), 200);
  }
  for (const client of clients) client.destroy();
  await app.close();
});

test('answers that their clients do not read do not make the process refuse others', async () => {
  await using gateway = await startGateway();
  const { app, seen, open, status, wait } = await startSlow(gateway);
  const clients = open(8, 'GET /v1/large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
  await until(() => seen.answers === 16);
  for (let i = 0; i < 3; i += 1) {
    wait(3_000);
    assert.equal(await status('/v1/large'), 200);
  }
  for (const client of clients) client.destroy();
  await app.close();
});

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
