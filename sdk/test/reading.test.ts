import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raiseAlert } from '../../src/events/emit.ts';
import { EVENT_NAMES } from '../../src/events/events.ts';
import { type Gateway, type Holder, startGateway } from '../../test/support/gateway.ts';
import { Sluice, SluiceError } from '../src/index.ts';
import { faultyServer, hangUp, json, openDoor, quickClock } from './support.ts';

const LOANS = '/v1/api/originator/loans';

async function taken<Item>(items: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const kept: Item[] = [];
  for await (const item of items) if (kept.push(item) === count) break;
  return kept;
}

/** Fires sandbox events, all of the first name unless said otherwise. */
async function fire(sluice: Sluice, count: number): Promise<void> {
  for (let fired = 0; fired < count; fired += 1) await sluice.post('/v1/sandbox/events', { body: { event: 'sc.completed' } });
}

test('a loop over a list has every record once, in pages by cursor, whatever comes meanwhile', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const sluice = door.client((await gateway.key('originator')).token);
  const draft = (name: string) =>
    sluice.uploadTape(new Blob(['Loan ID,Current Balance\nA1,5\n']), { loanType: 'Auto', name, wait: false });
  for (let made = 0; made < 5; made += 1) await draft(`deal ${made}`);
  const names: string[] = [];
  const deals = sluice.pages(LOANS, { params: { query: { limit: 2, type: 'Auto' } } });
  for await (const { name } of deals) {
    names.push(name);
    if (names.length === 1) await draft('a newcomer');
  }
  assert.deepEqual(names, ['deal 4', 'deal 3', 'deal 2', 'deal 1', 'deal 0']);
  assert.equal((await taken(deals, 9)).length, 6, 'a second loop begins anew');
  assert.equal(
    (await taken(sluice.pages('/v1/api/alerts', { params: { query: { limit: 4 } } }), 9)).length,
    6,
    'an alert for each tape',
  );
});

test('the log of events is read to its end, or followed, and goes on behind the event that one has', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const key = await gateway.key('both');
  const first = door.client(key.token, { clock: quickClock() });
  await fire(first, 103);
  const all = await taken(first.events(), 1_000);
  assert.equal(all.length, 103);
  const ids = all.map(({ id }) => id);
  const rest = await taken(first.events({ after: ids[99] ?? '', type: 'sc.completed' }), 1_000);
  assert.deepEqual(
    rest.map(({ id }) => id),
    ids.slice(100),
  );
  // Two waits without news, then one event: the waits grow and begin anew.
  const clock = quickClock((): unknown => ([1, 2].includes(clock.slept.length) ? undefined : fire(first, 1)));
  const following = door.client(key.token, { clock });
  const [news] = await taken(following.events({ after: ids.at(-1) ?? '', follow: true }), 1);
  assert.ok(news && !ids.includes(news.id));
  assert.deepEqual(clock.slept, [1_000, 1_500, 2_250]);
  if (news.event === 'sc.completed') assert.equal(typeof news.data.exception_file_id, 'string');
});

test('whoever follows the events waits while the gateway is away, is told, and misses none', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const key = await gateway.key('both');
  const firing = door.client(key.token);
  await fire(firing, 1);
  let reads = 0;
  const failing = async (request: Request): Promise<Response> => {
    reads += 1;
    if (reads > 1 && reads < 20) throw new TypeError('fetch failed');
    return await fetch(request);
  };
  const lost: unknown[] = [];
  const clock = quickClock(() => (reads === 19 ? fire(firing, 1) : undefined));
  const following = new Sluice({ url: door.url, key: key.token, clock, fetch: failing });
  const events = await taken(following.events({ follow: true, onLost: (error) => lost.push(error) }), 2);
  assert.equal(new Set(events.map(({ id }) => id)).size, 2);
  assert.ok(lost.length > 0 && lost.every((error) => error instanceof SluiceError && error.code === 'NETWORK_ERROR'));
  reads = 1;
  await assert.rejects(
    taken(following.events({ follow: true }), 1),
    { code: 'NETWORK_ERROR' },
    'the first read is not waited for',
  );
  reads = 1;
  await assert.rejects(taken(following.alerts({ after: 'alt_1' }), 1), { code: 'NETWORK_ERROR' }, 'nor the first stream');
});

test('every event of the platform has its type', () => {
  const names: Record<(typeof EVENT_NAMES)[number], true> = Object.fromEntries(EVENT_NAMES.map((name) => [name, true])) as never;
  const typed: Record<import('../src/index.ts').EventName, true> = names;
  assert.equal(Object.keys(typed).length, EVENT_NAMES.length);
});

test('alerts come as they are raised; after a lost connection those that were missed come first', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const key = await gateway.key('both');
  const notice = { category: 'deal', priority: 'HIGH', message: 'm', entity_type: 'deal', entity_id: 'deal_1' } as const;
  await raise(gateway, key, { ...notice, title: 'before' });
  const clock = quickClock(() => raise(gateway, key, { ...notice, title: 'missed' }));
  const cutting = async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    if (!request.url.endsWith('/stream')) return response;
    const first = clock.slept.length === 0;
    if (first) await raise(gateway, key, { ...notice, title: 'live' });
    return first ? new Response(response.body?.pipeThrough(endAfterAlert()), response) : response;
  };
  const sluice = new Sluice({ url: door.url, key: key.token, clock, fetch: cutting });
  const alerts = await taken(sluice.alerts(), 2);
  assert.deepEqual(
    alerts.map(({ title }) => title),
    ['live', 'missed'],
  );
});

test('who follows alerts while there is none misses none that is raised before the stream is there again', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const key = await gateway.key('both');
  const notice = { category: 'deal', priority: 'HIGH', message: 'm', entity_type: 'deal', entity_id: 'deal_1' } as const;
  const clock = quickClock(() => raise(gateway, key, { ...notice, title: 'missed' }));
  let streams = 0;
  const cutting = async (request: Request): Promise<Response> => {
    if (!request.url.endsWith('/stream') || (streams += 1) > 1) return await fetch(request);
    return new Response(ReadableStream.from([]), { headers: { 'content-type': 'text/event-stream' } });
  };
  const sluice = new Sluice({ url: door.url, key: key.token, clock, fetch: cutting });
  assert.deepEqual(
    (await taken(sluice.alerts(), 1)).map(({ title }) => title),
    ['missed'],
  );
});

test('a stream of alerts that has fallen silent is given up, told, and made again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const alert = 'id: alt_2\nevent: alert\ndata: {"id":"alt_2"}\n\n';
  const silent = new ReadableStream(
    {
      pull: () => {
        setImmediate(() => t.mock.timers.tick(60_000));
      },
    },
    { highWaterMark: 0 },
  );
  const bodies = [silent, new Response(alert).body];
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async (): Promise<Response> => new Response(bodies.shift() ?? null, { headers });
  const lost: unknown[] = [];
  const sluice = new Sluice({ url: 'http://127.0.0.1:1', key: 'k', clock: quickClock(), fetch });
  const alerts = await taken(sluice.alerts({ after: 'alt_1', onLost: (error) => lost.push(error) }), 1);
  assert.deepEqual(
    alerts.map(({ id }) => id),
    ['alt_2'],
  );
  assert.match(String(lost), /silent for 60000 ms/);
});

/** Ends the stream behind the first alert. */
function endAfterAlert(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      if (new TextDecoder().decode(chunk).includes('event: alert')) controller.terminate();
    },
  });
}

const raise = (gateway: Gateway, { organization_id }: Holder, notice: Parameters<typeof raiseAlert>[3]): Promise<void> =>
  gateway.deps.db.tx({ platform: true }, (tx) => raiseAlert(tx, organization_id, 'sc.failed', notice));

test('alerts that the key may not read are refused at once', async () => {
  await using gateway = await startGateway();
  const door = await openDoor(gateway);
  const sluice = door.client((await gateway.key('both')).token);
  await assert.rejects(taken(sluice.alerts({ operator: true }), 1), { code: 'ROLE_FORBIDDEN' });
});

test('waiting reads again in growing intervals, not before Retry-After, and gives what became of it', async () => {
  const job = (status: string, headers = {}) => json(200, { success: true, data: { status } }, headers);
  using server = await faultyServer(job('PENDING'), job('PROCESSING', { 'retry-after': '3' }), job('PROCESSING'), job('FAILED'));
  const clock = quickClock();
  const sluice = new Sluice({ url: server.url, clock });
  const path = '/v1/api/originator/loans/jobs/{jobId}';
  const options = { params: { path: { jobId: 'job_1' } } };
  assert.equal((await sluice.waitFor(path, options)).status, 'FAILED');
  assert.deepEqual(clock.slept, [250, 3_000, 562.5]);
  const seen: string[] = [];
  const awaited = sluice.waitFor(path, {
    ...options,
    until: ({ status }) => status === 'COMPLETED',
    onRead: ({ status }) => void seen.push(status),
    timeout: 1_000,
  });
  await assert.rejects(awaited, { code: 'WAIT_TIMEOUT', message: /not finished within 1000 ms/ });
  assert.deepEqual(seen, ['FAILED', 'FAILED', 'FAILED']);
});

test('waiting goes on over a restart of the gateway, and tells one that does not come back', async () => {
  const job = (status: string) => json(200, { success: true, data: { status } });
  const path = '/v1/api/originator/loans/jobs/{jobId}';
  const params = { path: { jobId: 'job_1' } };
  using server = await faultyServer(job('PENDING'), ...Array.from({ length: 7 }, () => json(502, {})), job('COMPLETED'));
  const lost: unknown[] = [];
  const sluice = new Sluice({ url: server.url, clock: quickClock() });
  const done = await sluice.waitFor(path, { params, onLost: (error) => lost.push(error) });
  assert.deepEqual([done.status, lost.length], ['COMPLETED', 1]);
  using gone = await faultyServer(job('PENDING'), hangUp);
  const clock = quickClock();
  await assert.rejects(new Sluice({ url: gone.url, clock }).waitFor(path, { params }), { code: 'NETWORK_ERROR' });
  assert.ok(clock.slept.reduce((sum, ms) => sum + ms, 0) > 120_000);
  using never = await faultyServer(hangUp);
  await assert.rejects(new Sluice({ url: never.url, clock: quickClock() }).waitFor(path, { params }), { code: 'NETWORK_ERROR' });
  assert.equal(never.seen.length, 5, 'the first read fails as any other');
});

test('a loop over a list goes on over a restart of the gateway behind the record that it had, and tells one that does not come back', async () => {
  const page = (id: number, next_cursor: string | null) =>
    json(200, { success: true, data: [{ id }], pagination: { next_cursor } });
  using server = await faultyServer(page(1, 'c1'), ...Array.from({ length: 7 }, () => json(502, {})), page(2, null));
  const lost: unknown[] = [];
  const client = (url: string) => new Sluice({ url, clock: quickClock() });
  const deals = client(server.url).pages(LOANS, { onLost: (error) => lost.push(error) });
  assert.deepEqual([await taken(deals, 9), lost.length], [[{ id: 1 }, { id: 2 }], 1]);
  assert.match(server.seen.at(-1)?.url ?? '', /cursor=c1/);
  using gone = await faultyServer(page(1, 'c1'), hangUp);
  await assert.rejects(taken(client(gone.url).pages(LOANS), 9), { code: 'NETWORK_ERROR' });
  assert.ok(gone.seen.length > 20, 'it was asked again and again');
  using never = await faultyServer(hangUp);
  await assert.rejects(taken(client(never.url).pages(LOANS), 9), { code: 'NETWORK_ERROR' });
  assert.equal(never.seen.length, 5, 'the first page fails as any other request');
});

test('a loop over loans reads as many a page as that list gives', async () => {
  using server = await faultyServer(json(200, { success: true, data: [], pagination: { next_cursor: null } }));
  const sluice = new Sluice({ url: server.url, clock: quickClock() });
  await taken(sluice.pages('/v1/api/originator/loans/{dealId}/loans', { params: { path: { dealId: 'deal_1' } } }), 1);
  await taken(sluice.pages(LOANS), 1);
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    [`${LOANS}/deal_1/loans?limit=500`, `${LOANS}?limit=100`],
  );
});

test('waiting ends by the signal, and says what is missing for a record without a state', async () => {
  using server = await faultyServer(json(200, { success: true, data: { name: 'no state' } }));
  const sluice = new Sluice({ url: server.url, clock: quickClock() });
  await assert.rejects(sluice.waitFor('/v1/api/me'), /no `qc.state`, `state` or `status`: pass `until`/);
  const controller = new AbortController();
  const stopped = sluice.waitFor('/v1/api/me', {
    signal: controller.signal,
    until: () => {
      controller.abort(new Error('enough'));
      return false;
    },
  });
  await assert.rejects(stopped, (error) => !(error instanceof SluiceError) && /enough/.test(String(error)));
});
