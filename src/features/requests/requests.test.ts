import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { dataOf } from '../../../test/support/desk.ts';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal } from '../../../test/support/pools.ts';
import { autoTape, CSV, put } from '../../../test/support/tapes.ts';
import { createRequestLog } from '../../platform/http/request-logger.ts';
import type { Database } from '../../platform/db/database.ts';

/** Waits until the log has what was asked so far. */
async function settled(gateway: Gateway): Promise<void> {
  await setImmediate();
  await gateway.deps.requestLog?.flush();
}

async function logged(gateway: Gateway, as: Holder, requestId: string, base = '/v1/api') {
  await settled(gateway);
  return dataOf(await gateway.call('GET', `${base}/requests/${encodeURIComponent(requestId)}`, { as }));
}

const INITIATE = '/v1/api/originator/loans/initiate';

test('a request is found by its id, with what may be kept of it', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Seller');
  const body = { loanType: 'Auto', fileFormat: CSV, fileName: 'auto.csv', note: 'call John 555-0100', nested: { deep: 1 } };
  const answer = await gateway.call('POST', INITIATE, {
    as,
    body,
    headers: { 'x-request-id': 'mine/1 a', 'idempotency-key': 'k-1' },
  });
  const { deal_id, upload_url } = dataOf(answer);
  const found = await logged(gateway, as, 'mine/1 a');
  assert.deepEqual(found.request.body, { loanType: 'Auto', fileFormat: CSV, fileName: 'auto.csv' });
  assert.equal(found.request.unknown_fields, 2);
  assert.equal(found.request.bytes, JSON.stringify(body).length);
  assert.deepEqual(
    [found.request_id, found.method, found.path, found.status, found.code, found.key_id, found.idempotency_key, found.replayed],
    ['mine/1 a', 'POST', INITIATE, 201, null, as.key_id, 'k-1', false],
  );
  assert.equal(found.deal_id, deal_id);
  assert.ok(found.ms >= 0 && Math.abs(Date.parse(found.at) - Date.now()) < 60_000);
  assert.deepEqual([found.response.body.data.deal_id, found.response.body.data.status], [deal_id, 'DRAFT']);
  const whole = JSON.stringify(found);
  for (const never of [upload_url, 'John', '555-0100', '/v1/uploads/', 'note']) assert.ok(!whole.includes(never), never);
  assert.deepEqual(
    found.response.omitted.filter((each: { reason: string }) => each.reason !== 'TEXT'),
    [
      { path: 'body.data.upload_url', reason: 'SECRET', count: 1 },
      { path: 'body.data.upload_headers', reason: 'ADDRESS', count: 1 },
    ],
  );
});

test('what a completed tape caused is listed: its event, its delivery with its state, and the job', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Seller');
  const hook = dataOf(
    await gateway.call('POST', '/v1/api/webhooks/subscriptions', {
      as,
      body: { url: 'http://127.0.0.1:1029/hook', events: ['deal.status_changed'] },
      headers: { 'x-request-id': 'hook' },
    }),
  );
  const initiated = await gateway.call('POST', INITIATE, { as, body: { loanType: 'Auto', fileFormat: CSV, fileName: 'a.csv' } });
  await put(gateway, initiated, autoTape(20));
  const complete = { dealId: initiated.body.data.deal_id, fileName: 'a.csv' };
  const send = (requestId: string) =>
    gateway.call('POST', '/v1/api/originator/loans/complete', {
      as,
      body: complete,
      headers: { 'x-request-id': requestId, 'idempotency-key': 'once' },
    });
  const { job_id, deal_id } = dataOf(await send('first'));
  const found = await logged(gateway, as, 'first');
  assert.deepEqual([found.job_ids, found.deal_id, found.caused_more], [[job_id], deal_id, 0]);
  const events = dataOf({ ...(await gateway.call('GET', '/v1/api/events?type=deal.status_changed', { as })) });
  assert.deepEqual(
    found.events,
    events.map(({ id, event, timestamp }: { id: string; event: string; timestamp: string }) => ({ id, event, timestamp })),
  );
  assert.equal(found.events.length, 1);
  assert.equal(found.deliveries.length, 1);
  const [delivery] = found.deliveries;
  assert.deepEqual([delivery.subscription_id, delivery.event_id, delivery.status], [hook.id, found.events[0].id, 'PENDING']);
  const etag = (await gateway.call('GET', '/v1/api/requests/first', { as })).headers.etag;
  await gateway.runDeliveries();
  const later = await gateway.call('GET', '/v1/api/requests/first', { as, headers: { 'if-none-match': String(etag) } });
  assert.deepEqual(
    [later.status, later.body.data.deliveries[0].status],
    [200, 'FAILED'],
    'a delivery that went on is another version',
  );

  assert.equal((await send('second')).headers['idempotency-replayed'], 'true');
  const replay = await logged(gateway, as, 'second');
  assert.deepEqual([replay.replayed, replay.status, replay.events, replay.deliveries, replay.job_ids], [true, 202, [], [], []]);
  assert.equal(replay.response.body.data.job_id, job_id);

  const secret = JSON.stringify(await logged(gateway, as, 'hook'));
  assert.ok(!secret.includes(hook.secret) && !secret.includes('127.0.0.1'), 'neither secret nor address');
});

test('refusals are in the log with their codes, and none of the words that they repeat', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Seller');
  const token = as.token;
  const calls: [id: string, method: string, path: string, expected: [number, string], body?: unknown][] = [
    ['role', 'GET', '/v1/operator/keys?q=John', [403, 'ROLE_FORBIDDEN']],
    ['path', 'GET', `/v1/api/${token}`, [404, 'NOT_FOUND']],
    ['deal', 'GET', '/v1/api/originator/loans/John%20Smith', [404, 'NOT_FOUND']],
    ['one word', 'GET', '/v1/api/originator/loans/JohnSmith', [404, 'NOT_FOUND']],
    ['a number of a loan', 'GET', '/v1/api/originator/loans/deal_none/loans/John-4711', [404, 'NOT_FOUND']],
    ['no path', 'GET', '/v1/api/borrowers/John4711', [404, 'NOT_FOUND']],
    ['method', 'DELETE', '/v1/api/alerts', [405, 'METHOD_NOT_ALLOWED']],
    ['parameter', 'GET', '/v1/api/alerts?John_Smith=1', [400, 'UNKNOWN_PARAMETER']],
    ['field', 'POST', INITIATE, [400, 'VALIDATION_FAILED'], { loanType: 'John Smith', fileName: 'a.csv' }],
    [
      'open',
      'POST',
      '/v1/api/originator/loans/bulk',
      [400, 'VALIDATION_FAILED'],
      { deals: [{ loanType: 1, loans: [{ 'John Smith': {} }] }] },
    ],
    [
      'many',
      'POST',
      '/v1/api/originator/loans/bulk',
      [400, 'VALIDATION_FAILED'],
      { deals: Array.from({ length: 40 }, () => ({ loanType: 1, loans: 1 })) },
    ],
    ['body', 'POST', INITIATE, [413, 'PAYLOAD_TOO_LARGE'], { fileName: 'John'.repeat(1_300_000) }],
  ];
  for (const [id, method, path, [status, code], body] of calls) {
    const answer = await gateway.call(method, path, { as, ...(body ? { body } : {}), headers: { 'x-request-id': id } });
    assert.deepEqual([answer.status, answer.body.code], [status, code], id);
    const found = await logged(gateway, as, id);
    assert.deepEqual([found.status, found.code, found.response.body.code], [status, code, code], id);
    const whole = JSON.stringify(found);
    assert.ok(!whole.includes('John') && !whole.includes(token), whole);
  }
  const field = await logged(gateway, as, 'field');
  assert.deepEqual(
    field.request.omitted,
    [{ path: 'body.loanType', reason: 'INVALID', count: 1 }],
    'a value that the schema does not allow is named, not shown',
  );
  assert.deepEqual(field.response.body.errors.map((each: { field: string }) => each.field).toSorted(), [
    'fileFormat',
    'loanType',
  ]);
  assert.deepEqual((await logged(gateway, as, 'open')).response.body.errors[0].code, 'INVALID');
  const { body, truncated } = (await logged(gateway, as, 'many')).response;
  assert.deepEqual(
    [body.errors.length, truncated, field.response.truncated],
    [50, true, false],
    'the first problems of a refusal',
  );
  assert.equal((await logged(gateway, as, 'body')).request.bytes > 5_000_000, true);
  assert.equal((await logged(gateway, as, 'parameter')).request.unknown_fields, 1);
  assert.equal((await logged(gateway, as, 'no path')).path, '/v1/api/borrowers/…');
  // Secrets where a caller's own text is kept: the request has an id that the gateway made, and no key.
  for (const secret of ['whsec_3kZr0qH1v9', 'sluice_share_3kZr-0qH1v9', 'eyJhbGciOiJFZERTQSJ9']) {
    const headers = { 'x-request-id': secret, 'idempotency-key': secret };
    const sent = await gateway.call('POST', `/v1/api/originator/loans/${secret}/withdraw`, { as, headers });
    const found = await logged(gateway, as, String(sent.headers['x-request-id']));
    assert.deepEqual(
      [sent.status, found.path, found.idempotency_key],
      [404, '/v1/api/originator/loans/:dealId/withdraw', null],
      secret,
    );
  }
  // A key that nobody holds belongs to no organization.
  await gateway.call('GET', '/v1/api/me', { as: `${token}x`, headers: { 'x-request-id': 'nobody' } });
  await settled(gateway);
  const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows(`select 1 from request_log where request_id = 'nobody'`),
  );
  assert.deepEqual(rows, []);
});

test('what a request caused in another organization is not told', async () => {
  await using gateway = await startGateway();
  const [seller, operator] = [await gateway.key('originator', 'Seller'), await gateway.key('operator', 'Platform')];
  await approvedDeal(gateway, seller, operator, { rows: 20 });
  await settled(gateway);
  const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ actor_id: string; path: string; event_ids: string[] | null }>(
      `select actor_id, path, event_ids from request_log where method = 'POST' and status < 300`,
    ),
  );
  const approval = rows.find(({ actor_id, path }) => actor_id === operator.key_id && path.endsWith('/approve'));
  assert.ok(approval, 'the operator has approved the deal');
  const told = dataOf(await gateway.call('GET', '/v1/api/events?type=loan.approved', { as: seller }));
  assert.deepEqual([told.length, approval.event_ids], [1, null]);
});

test('a search, a reason and a filter are free text; a refused limit and a defect are in the log too', async () => {
  await using gateway = await startGateway({ SLUICE_RATE_LIMIT: '6' });
  const as = await gateway.key('originator', 'Seller');
  const get = (id: string, path: string) => gateway.call('GET', path, { as, headers: { 'x-request-id': id } });
  await get('search', '/v1/api/search?q=LOAN-4711');
  await get('filter', '/v1/api/originator/loans/deal_none/loans?q=4711&filter=current_balance%20gt%204711&sort=current_balance');
  const { peek } = gateway.deps.db;
  gateway.deps.db.peek = () => Promise.reject(new Error('a defect that quotes 4711'));
  assert.equal((await get('defect', '/v1/api/alerts')).status, 500);
  gateway.deps.db.peek = peek;
  for (let count = 0; count < 3; count += 1) await get('asked', '/v1/api/alerts');
  assert.equal((await get('limit', '/v1/api/alerts?limit=5')).status, 429);
  await settled(gateway);
  const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ request_id: string; status: number; code: string | null; kept: string }>(
      'select distinct on (request_id) request_id, status, code, concat(path, request, response) as kept from request_log order by request_id',
    ),
  );
  const of = (id: string) => rows.find((row) => row.request_id === id);
  assert.deepEqual([of('defect')?.status, of('defect')?.code], [500, 'INTERNAL']);
  assert.deepEqual([of('limit')?.status, of('limit')?.code], [429, 'RATE_LIMITED']);
  for (const { kept } of rows) assert.ok(!kept.includes('4711'), kept);
  assert.match(of('search')?.kept ?? '', /"query":\{\}.*\{"path":"query.q","reason":"TEXT","count":1\}/);
  assert.match(of('filter')?.kept ?? '', /"sort":"current_balance"/);
});

test('requests of another organization are not there, and the operator reads its own under its own path', async () => {
  await using gateway = await startGateway();
  const [ours, theirs] = [await gateway.key('both', 'Ours'), await gateway.key('both', 'Theirs')];
  const operator = await gateway.key('operator', 'Platform');
  const me = (as: Holder) => gateway.call('GET', '/v1/api/me', { as, headers: { 'x-request-id': 'shared' } });
  for (const as of [ours, theirs, operator, ours]) await me(as);
  const found = await logged(gateway, ours, 'shared');
  assert.deepEqual([found.key_id, found.earlier.length, found.earlier_count], [ours.key_id, 1, 1]);
  assert.equal((await logged(gateway, theirs, 'shared')).earlier_count, 0);
  assert.equal((await logged(gateway, operator, 'shared', '/v1/operator')).key_id, operator.key_id);
  await gateway.call('GET', '/v1/api/me', { as: theirs, headers: { 'x-request-id': 'theirs' } });
  await settled(gateway);
  for (const [as, base] of [
    [ours, '/v1/api'],
    [operator, '/v1/operator'],
  ] as const) {
    const absent = await gateway.call('GET', `${base}/requests/theirs`, { as });
    assert.deepEqual([absent.status, absent.body.code], [404, 'NOT_FOUND']);
    const listed = dataOf(await gateway.call('GET', `${base}/requests?limit=100`, { as }));
    assert.deepEqual(new Set(listed.map((row: { key_id: string }) => row.key_id)), new Set([as.key_id]));
  }
  for (const [as, path] of [
    [operator, '/v1/api/requests'],
    [ours, '/v1/operator/requests'],
  ] as const)
    assert.equal((await gateway.call('GET', path, { as })).status, 403);
});

test('the list is filtered by status, code, method, path, key, deal and time', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Seller');
  const initiated = dataOf(
    await gateway.call('POST', INITIATE, { as, body: { loanType: 'Auto', fileFormat: CSV, fileName: 'a.csv' } }),
  );
  const deal = `/v1/api/originator/loans/${initiated.deal_id}`;
  await gateway.call('GET', deal, { as });
  await gateway.call('GET', '/v1/api/alerts?limit=0', { as });
  await gateway.call('GET', '/v1/api/alerts', { as });
  await settled(gateway);
  const list = async (query: string) => {
    const rows = dataOf(await gateway.call('GET', `/v1/api/requests?${query}`, { as }));
    return rows.map(
      ({ method, path, status }: { method: string; path: string; status: number }) => `${method} ${path} ${status}`,
    );
  };
  assert.deepEqual(await list('status=400'), ['GET /v1/api/alerts 400']);
  assert.deepEqual(await list('code=VALIDATION_FAILED'), ['GET /v1/api/alerts 400']);
  assert.deepEqual(await list('method=POST'), [`POST ${INITIATE} 201`]);
  assert.deepEqual(await list('path=/v1/api/alerts'), ['GET /v1/api/alerts 200', 'GET /v1/api/alerts 400']);
  assert.deepEqual(await list(`path=${encodeURIComponent('/v1/api/originator/loans/{dealId}')}`), [`GET ${deal} 200`]);
  assert.deepEqual(await list(`deal_id=${initiated.deal_id}`), [`GET ${deal} 200`, `POST ${INITIATE} 201`]);
  assert.deepEqual(await list('key_id=key_none'), []);
  assert.equal((await list(`key_id=${as.key_id}&to=2020-01-01`)).length, 0);
  for (const wrong of ['status=1', 'code=no', 'method=get', 'path=', 'statu=200'])
    assert.equal((await gateway.call('GET', `/v1/api/requests?${wrong}`, { as })).status, 400, wrong);
});

test('switched off, nothing is written and both routes say so', async () => {
  await using gateway = await startGateway({ SLUICE_REQUEST_LOG: 'off' });
  for (const [role, base] of [
    ['both', '/v1/api'],
    ['operator', '/v1/operator'],
  ] as const) {
    const as = await gateway.key(role, role);
    for (const path of ['requests', 'requests/some']) {
      const answer = await gateway.call('GET', `${base}/${path}`, { as });
      assert.deepEqual([answer.status, answer.body.code], [404, 'REQUEST_LOG_OFF']);
      assert.match(String(answer.body.message), /SLUICE_REQUEST_LOG=off/);
    }
  }
  const rows = await gateway.deps.db.tx({ platform: true }, (tx) => tx.rows('select 1 from request_log'));
  assert.deepEqual(rows, []);
});

test('what the log cannot take is dropped, counted, and told in the next entry of the organization', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('both', 'Busy');
  const { limits, metrics, log } = gateway.deps;
  await gateway.deps.requestLog?.[Symbol.asyncDispose]();
  let refusing = true;
  const db: Database = {
    ...limits,
    tx: (scope, work) => (refusing ? Promise.reject(new Error('no database')) : limits.tx(scope, work)),
  };
  const full = createRequestLog({ db, metrics, log, labels: new Set(), mostEntries: 2, flushMs: 60_000, retryMs: 60_000 });
  gateway.deps.requestLog = full;
  const me = async (id: string) => {
    await gateway.call('GET', '/v1/api/me', { as, headers: { 'x-request-id': id } });
    await setImmediate();
  };
  for (const id of ['a', 'b', 'c', 'd', 'e']) await me(id);
  const dropped = async (reason: string) =>
    (await metrics.requestsNotLogged.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
  assert.equal(await dropped('full'), 3);
  await full.flush();
  assert.equal(await dropped('failed'), 2, 'after its attempts a batch is given up');
  refusing = false;
  await me('f');
  await full.flush();
  const answer = dataOf(await gateway.call('GET', '/v1/api/requests/f', { as }));
  assert.equal(answer.dropped_before, 5);
  await me('g');
  await full.flush();
  assert.equal(dataOf(await gateway.call('GET', '/v1/api/requests/g', { as })).dropped_before, 0);
  await setImmediate();
  await full.flush();
  refusing = true;
  for (const id of ['h', 'i', 'full']) await me(id);
  await full.flush();
  await me('tells of them and is lost too');
  await full.flush();
  refusing = false;
  await me('j');
  await full.flush();
  assert.equal(dataOf(await gateway.call('GET', '/v1/api/requests/j', { as })).dropped_before, 4);
  await me('k');
  refusing = true;
  await full[Symbol.asyncDispose]();
  assert.equal(
    (await dropped('stopped')) + (await dropped('failed')) >= 3,
    true,
    'the end of a process counts what it could not write',
  );
});

test('a process that stops writes what waits', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('both', 'Last');
  await gateway.call('GET', '/v1/api/me', { as, headers: { 'x-request-id': 'last' } });
  await setImmediate();
  await gateway.deps.requestLog?.[Symbol.asyncDispose]();
  assert.equal((await gateway.call('GET', '/v1/api/requests/last', { as })).status, 200);
});

test('each day has its partition, which goes after 30 days; an entry without one is not lost', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('both', 'Old');
  await gateway.call('GET', '/v1/api/me', { as, headers: { 'x-request-id': 'new' } });
  await settled(gateway);
  const owner = await gateway.owner();
  try {
    const partitions = async () =>
      (
        await owner.query<{ name: string }>(
          `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'request_log'::regclass order by 1`,
        )
      ).rows.map(({ name }) => name);
    const before = await partitions();
    assert.equal(before.length, 4, 'today, two days ahead, and the one for the rest');
    const copy = (id: string, days: number) =>
      owner.query(
        `insert into request_log select (jsonb_populate_record(r, jsonb_build_object('request_id', $1::text, 'at', now() + make_interval(days => $2)))).* from request_log r where request_id = 'new'`,
        [id, days],
      );
    await owner.query(`set row_security = on; select set_config('sluice.scope', 'platform', false)`);
    await owner.query(
      `create table request_log_20200106 partition of request_log for values from ('2020-01-06Z') to ('2020-01-07Z')`,
    );
    await copy('waits', 5);
    await copy('gone', -1);
    await owner.query(`update request_log set at = '2020-01-06T12:00Z' where request_id = 'gone'`);
    assert.equal((await owner.query('select 1 from request_log_default')).rowCount, 1);
    await gateway.deps.db.tx({ platform: true }, (tx) => tx.rows('select sluice_partition_upkeep()'));
    assert.deepEqual(await partitions(), before);
  } finally {
    await owner.end();
  }
  assert.equal((await gateway.call('GET', '/v1/api/requests/gone', { as })).status, 404);
  for (const id of ['new', 'waits']) assert.equal((await gateway.call('GET', `/v1/api/requests/${id}`, { as })).status, 200, id);
});
