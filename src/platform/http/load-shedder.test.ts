import assert from 'node:assert/strict';
import { get, type Server } from 'node:http';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { buildServer } from './server.ts';
import { createLoadShedder } from './load-shedder.ts';
import { route } from './route.ts';
import Type from 'typebox';

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
      shedder.leave();
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

test('requests whose clients went away no longer count', async () => {
  await using gateway = await startGateway();
  const waiting = new Set<() => void>();
  const slow = route({
    method: 'GET',
    path: '/v1/slow',
    access: 'key',
    tag: 'Test',
    summary: 'Wait',
    reply: Type.Object({}),
    handler: () => new Promise<object>((resolve) => waiting.add(() => resolve({}))),
  });
  const shed = gateway.deps.metrics.shed;
  let now = 0;
  const caller = {
    key_id: 'key_1',
    organization_id: 'org_1',
    organization: 'x',
    role: 'investor',
    environment: 'development',
  } as const;
  const app = await buildServer({
    deps: gateway.deps,
    routes: [slow],
    authenticate: async () => ({ ...caller, expires_at: new Date() }),
    constraints: {},
    load: { now: () => now, leastInFlight: 2 },
  });
  const base = await app.listen({ port: 0, host: '127.0.0.1' });
  const clients = Array.from({ length: 3 }, () => get(`${base}/v1/slow`).on('error', () => {}));
  await until(() => waiting.size === 3);
  now = 10_000;
  for (const client of clients) client.destroy();
  await until(async () => (await connectionsOf(app.server)) === 0);
  const after = get(`${base}/v1/slow`).on('error', () => {});
  await until(() => waiting.size === 4);
  assert.equal((await shed.get()).values[0]?.value ?? 0, 0);
  for (const release of waiting) release();
  after.destroy();
  await app.close();
});

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, 'it did not happen in 20 seconds');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
