import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Sluice, SluiceError, type SluiceOptions } from '../src/index.ts';
import { type Fault, faultyServer, hangUp, json, ok, quickClock, refusal } from './support.ts';

const LOANS = '/v1/api/originator/loans';
const KEY = { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'a.csv' } as const;

/** A server with these answers, a client of it, and the waits of the client. */
async function behind(faults: Fault[], options: SluiceOptions = {}) {
  const server = await faultyServer(...faults);
  const clock = quickClock();
  return {
    server,
    clock,
    sluice: new Sluice({ url: server.url, key: 'k', clock, ...options }),
    [Symbol.dispose]: server[Symbol.dispose],
  };
}

const codeOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await call.then(
    () => assert.fail('it was accepted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SluiceError, String(error));
  return error.code;
};

test('a GET is sent again after a lost connection, after 502, 503 and 504, and after half a body', async () => {
  const half: Fault = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"success"');
    setImmediate(() => response.destroy());
  };
  for (const fault of [hangUp, half, refusal(503, 'UNAVAILABLE'), json(502, {}), json(504, {})]) {
    using it = await behind([fault, fault, ok]);
    assert.deepEqual(await it.sluice.get('/v1/api/me'), { done: true });
    assert.equal(it.server.seen.length, 3);
  }
});

test('a file that is read as a whole is sent for again after half of it; as a stream it ends with the error', async () => {
  const path = `${LOANS}/{dealId}/loans/file`;
  const params = { path: { dealId: 'deal_1' }, query: { format: 'csv' } } as const;
  const half: Fault = (response) => {
    response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '100' }).write('loan_id');
    setImmediate(() => response.destroy());
  };
  const full: Fault = (response) => response.writeHead(200, { 'content-type': 'text/csv' }).end('loan_id\n1\n');
  using it = await behind([half, half, full]);
  assert.equal(await it.sluice.get(path, { params, parseAs: 'text' }), 'loan_id\n1\n');
  using never = await behind([half]);
  for (const parseAs of ['text', 'blob', 'arrayBuffer'] as const)
    assert.equal(await codeOf(never.sluice.get(path, { params, parseAs })), 'NETWORK_ERROR', parseAs);
  const stream = await never.sluice.get(path, { params, parseAs: 'stream' });
  await assert.rejects(new Response(stream as ReadableStream).text());
});

test('the waits between attempts have full jitter and double', async () => {
  using it = await behind([refusal(503, 'UNAVAILABLE')]);
  assert.equal(await codeOf(it.sluice.get('/v1/api/me')), 'UNAVAILABLE');
  assert.deepEqual(it.clock.slept, [250, 500, 1_000, 2_000]);
  assert.equal(it.server.seen.length, 5);
});

test('Retry-After is waited for, in seconds and as a date; what it asks beyond two minutes is the caller’s to decide', async () => {
  using it = await behind([
    refusal(429, 'RATE_LIMITED', { 'retry-after': '7' }),
    refusal(429, 'RATE_LIMITED', { 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }),
    ok,
  ]);
  await it.sluice.get('/v1/api/me');
  assert.deepEqual(it.clock.slept, [7_250, 30_000 - 7_250 + 500]);
  using long = await behind([refusal(503, 'UNAVAILABLE', { 'retry-after': '600' })]);
  await assert.rejects(long.sluice.get('/v1/api/me'), { code: 'UNAVAILABLE', retryAfter: 600 });
  assert.deepEqual(long.clock.slept, []);
});

test('a POST has a key of its own, which its repetitions keep', async () => {
  using it = await behind([hangUp, refusal(409, 'IDEMPOTENCY_IN_PROGRESS', { 'retry-after': '1' }), ok]);
  await it.sluice.post(`${LOANS}/initiate`, { body: KEY });
  await it.sluice.post(`${LOANS}/initiate`, { body: KEY });
  const keys = it.server.seen.map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys.length, 4);
  assert.equal(new Set(keys.slice(0, 3)).size, 1);
  assert.equal(new Set(keys).size, 2);
  assert.deepEqual(
    it.server.seen.map(({ body }) => JSON.parse(body)),
    [KEY, KEY, KEY, KEY],
  );
});

test('a secret whose response was lost is an error that says so, with the record that was made', async () => {
  const record = { success: true, data: { id: 'wh_1', secret_omitted: true } };
  using it = await behind([hangUp, json(201, record, { 'x-request-id': 'req-2' })]);
  const call = it.sluice.post('/v1/api/webhooks/subscriptions', {
    body: { url: 'https://a.example', events: ['trade.settled'] },
  });
  await assert.rejects(call, { code: 'SECRET_OMITTED', status: 201, requestId: 'req-2', body: record, message: /[Rr]otate/ });
  using told = await behind([json(201, { success: true, data: { id: 'wh_1', secret: 'whsec_x', secret_omitted: false } })]);
  const { secret } = await told.sluice.post('/v1/api/webhooks/subscriptions', {
    body: { url: 'https://a.example', events: ['trade.settled'] },
  });
  assert.equal(secret, 'whsec_x');
});

test('a key that the caller gives is sent as it is; one whose first request is still carried out is waited for', async () => {
  const inProgress = refusal(409, 'IDEMPOTENCY_IN_PROGRESS', { 'retry-after': '1' });
  const options = { body: KEY, params: { header: { 'Idempotency-Key': 'mine' } } };
  using it = await behind([inProgress, inProgress, ok]);
  assert.deepEqual(await it.sluice.post(`${LOANS}/initiate`, options), { done: true });
  assert.deepEqual(
    it.server.seen.map(({ headers }) => headers['idempotency-key']),
    ['mine', 'mine', 'mine'],
  );
  assert.deepEqual(it.clock.slept, [1_250, 1_500]);
  using held = await behind([inProgress]);
  assert.equal(await codeOf(held.sluice.post(`${LOANS}/initiate`, options)), 'IDEMPOTENCY_IN_PROGRESS');
  assert.equal(held.server.seen.length, 5);
});

test('what may have been carried out and has no key is sent once; after 429 it is sent again', async () => {
  const put = (sluice: Sluice) => sluice.put('/v1/api/investor/watchlist/{dealId}', { params: { path: { dealId: 'deal_1' } } });
  using lost = await behind([hangUp, ok]);
  assert.equal(await codeOf(put(lost.sluice)), 'NETWORK_ERROR');
  assert.equal(lost.server.seen.length, 1);
  using sandbox = await behind([refusal(503, 'UNAVAILABLE'), ok]);
  assert.equal(await codeOf(sandbox.sluice.post('/v1/sandbox/events', { body: { event: 'loan.approved' } })), 'UNAVAILABLE');
  assert.deepEqual([sandbox.server.seen.length, sandbox.server.seen[0]?.headers['idempotency-key']], [1, undefined]);
  using limited = await behind([refusal(429, 'RATE_LIMITED'), ok]);
  await put(limited.sluice);
  assert.equal(limited.server.seen.length, 2);
});

test('a key is made for the operations that take one, and for no other', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Record<string, { parameters: { $ref?: string }[] }>>;
  };
  const takes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters }]) =>
      parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key')) ? [`${method} ${path}`] : [],
    ),
  );
  const gets = Object.keys(paths).flatMap((path) =>
    ['post', 'patch'].flatMap((method) =>
      paths[path]?.[method] && /\/v1\/(api|operator)\//.test(path) ? [`${method} ${path}`] : [],
    ),
  );
  // Its body is a file, which has no key.
  assert.deepEqual(new Set(gets), new Set([...takes, `post ${LOANS}/check`]));
});

test('a refusal is an error with what the body and the headers say', async () => {
  const fields = [{ field: 'loanType', code: 'INVALID', message: 'must be one of …' }];
  const body = {
    success: false,
    message: 'Wrong.',
    statusCode: 400,
    code: 'VALIDATION_FAILED',
    request_id: 'r1',
    doc_url: 'http://d',
    errors: fields,
  };
  using it = await behind([json(400, body)]);
  await assert.rejects(it.sluice.get('/v1/api/me'), {
    name: 'SluiceError',
    message: 'Wrong.',
    status: 400,
    code: 'VALIDATION_FAILED',
    requestId: 'r1',
    docUrl: 'http://d',
    retryAfter: null,
    fields,
    body,
  });
});

test('what is no response of the API is told as such, whatever its status', async () => {
  const page =
    (status: number, type: string): Fault =>
    (response) =>
      response.writeHead(status, { 'content-type': type }).end('<h1>Proxy</h1>');
  using refused = await behind([page(403, 'text/html')]);
  await assert.rejects(refused.sluice.get('/v1/api/me'), {
    code: 'UNEXPECTED_RESPONSE',
    status: 403,
    message: /text\/html.*Proxy/,
  });
  using broken = await behind([page(200, 'application/json')]);
  await assert.rejects(broken.sluice.get('/v1/api/me'), { code: 'UNEXPECTED_RESPONSE', status: 200, message: /not JSON.*Proxy/ });
});

test('a page of a proxy in the place of what was asked for is an error, for every way of asking', async () => {
  const page: Fault = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
  const text: Fault = (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('It works');
  const first = async (items: AsyncIterable<unknown>): Promise<unknown> => {
    for await (const item of items) return item;
    return undefined;
  };
  const file = { params: { path: { dealId: 'deal_1' }, query: { format: 'csv' } } } as const;
  const calls: Record<string, (sluice: Sluice) => Promise<unknown>> = {
    get: (sluice) => sluice.get('/v1/api/me'),
    post: (sluice) => sluice.post(`${LOANS}/initiate`, { body: KEY }),
    file: (sluice) => sluice.get(`${LOANS}/{dealId}/loans/file`, file),
    'file as text': (sluice) => sluice.get(`${LOANS}/{dealId}/loans/file`, { ...file, parseAs: 'text' }),
    pages: (sluice) => first(sluice.pages(LOANS)),
    events: (sluice) => first(sluice.events()),
    alerts: (sluice) => first(sluice.alerts({ after: 'alt_1' })),
    waitFor: (sluice) => sluice.waitFor('/v1/api/me', { until: () => true }),
    uploadTape: (sluice) => sluice.uploadTape(new Uint8Array([65]), { loanType: 'Auto' }),
  };
  for (const [name, call] of Object.entries(calls)) {
    using it = await behind([page]);
    await assert.rejects(
      call(it.sluice),
      { name: 'SluiceError', code: 'UNEXPECTED_RESPONSE', status: 200, message: /text\/html|not JSON/ },
      name,
    );
    assert.deepEqual([it.server.seen.length, it.clock.slept], [1, []], name);
  }
  using plain = await behind([text]);
  assert.equal(await codeOf(plain.sluice.get('/v1/api/me')), 'UNEXPECTED_RESPONSE');
  assert.equal(await codeOf(first(plain.sluice.alerts({ after: 'alt_1' }))), 'UNEXPECTED_RESPONSE');
  const bytes = await plain.sluice.get(`${LOANS}/{dealId}/loans/file`, file);
  assert.ok(bytes instanceof ReadableStream);
  assert.equal(await new Response(bytes).text(), 'It works', 'a file is of any type');
});

test('a change that is sent elsewhere is an error that names the place, and is not repeated as a GET', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    using it = await behind([
      (response) => response.writeHead(status, { location: 'https://sluice.example/v1/x?state=secret' }).end(),
      ok,
    ]);
    await assert.rejects(it.sluice.post(`${LOANS}/initiate`, { body: KEY }), {
      code: 'UNEXPECTED_RESPONSE',
      status,
      message: /https:\/\/sluice\.example\/v1\/x(?!.*secret)/,
    });
    assert.deepEqual(
      it.server.seen.map(({ method }) => method),
      ['POST'],
    );
  }
  using it = await behind([(response) => response.writeHead(302, { location: '/v1/api/me' }).end(), ok]);
  assert.deepEqual(await it.sluice.get('/v1/api/notification-preferences'), { done: true }, 'a GET goes where it is sent');
});

test('an attempt without a response ends at the timeout, and the error says so', async () => {
  using it = await behind([() => {}], { timeout: 500, retries: 1 });
  assert.equal(await codeOf(it.sluice.get('/v1/api/me')), 'TIMEOUT');
  assert.equal(it.server.seen.length, 2);
});

test('a signal ends a call while it is sent and while it waits, with its own reason', async () => {
  const sending = new AbortController();
  using silent = await behind([() => sending.abort(new Error('changed my mind'))]);
  await assert.rejects(silent.sluice.get('/v1/api/me', { signal: sending.signal }), /changed my mind/);
  const waiting = new AbortController();
  using failing = await faultyServer(refusal(503, 'UNAVAILABLE'));
  const clock = quickClock(() => waiting.abort(new Error('long enough')));
  const sluice = new Sluice({ url: failing.url, clock });
  await assert.rejects(sluice.get('/v1/api/me', { signal: waiting.signal }), /long enough/);
  assert.equal(failing.seen.length, 1);
});

test('retries: 0 sends once; settings that cannot be are refused with what is expected', async () => {
  using it = await behind([hangUp], { retries: 0 });
  assert.equal(await codeOf(it.sluice.get('/v1/api/me')), 'NETWORK_ERROR');
  assert.equal(it.server.seen.length, 1);
  assert.throws(() => new Sluice({ url: 'sluice.example.com' }), /not a URL of.*http:/);
  for (const url of ['localhost:18105', 'ftp://sluice.example.com', 'file:///tmp'])
    assert.throws(() => new Sluice({ url }), /is not a URL of http or https.*http:/, url);
  assert.throws(() => new Sluice({ url: 'http://a', retries: -1 }), /`retries` is -1; expected/);
  assert.throws(() => new Sluice({ url: 'http://a', timeout: 0 }), /`timeout` is 0; expected/);
});

test('address and key come from the environment where they are not given, and a missing address is told', async () => {
  using server = await faultyServer(ok);
  const before = { ...process.env };
  try {
    delete process.env.SLUICE_URL;
    assert.throws(() => new Sluice(), /pass `url`.*or set SLUICE_URL/);
    Object.assign(process.env, { SLUICE_URL: server.url, SLUICE_KEY: 'from the environment' });
    await new Sluice().get('/v1/api/me');
    await new Sluice({ key: 'given' }).get('/v1/api/me');
  } finally {
    process.env = before;
  }
  assert.deepEqual(
    server.seen.map(({ headers }) => headers.authorization),
    ['Bearer from the environment', 'Bearer given'],
  );
});
