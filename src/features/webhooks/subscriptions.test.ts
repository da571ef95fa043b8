import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_NAMES } from '../../events/events.ts';
import { codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { inPlatform, newHolder } from './testing/webhooks.ts';
import { newId } from '../../platform/ids.ts';

const PATH = '/v1/api/webhooks/subscriptions';
const URL_ = 'http://127.0.0.1:1025/hook';

const create = (gateway: Gateway, as: Holder, body: Record<string, unknown> = {}) =>
  gateway.call('POST', PATH, { as, body: { url: URL_, ...body } });

test('webhook subscriptions', async (t) => {
  await using gateway = await startGateway();
  const [ours, theirs] = [await gateway.key('originator', 'Ours'), await gateway.key('investor', 'Theirs')];

  await t.test('a created one shows its secret once, and nowhere else', async () => {
    const { status, body } = await create(gateway, ours, { events: ['loan.approved', 'loan.approved'] });
    assert.equal(status, 201);
    assert.deepEqual(
      Object.keys(body.data).filter((key) => ['id', 'url', 'events', 'secret', 'created_at'].includes(key)).length,
      5,
    );
    assert.deepEqual(body.data.events, ['loan.approved']);
    assert.match(body.data.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const list = await gateway.call('GET', PATH, { as: ours });
    const one = await gateway.call('GET', `${PATH}/${body.data.id}`, { as: ours });
    const patched = await gateway.call('PATCH', `${PATH}/${body.data.id}`, { as: ours, body: { events: ['sc.completed'] } });
    for (const response of [list, one, patched]) assert.doesNotMatch(JSON.stringify(response.body), /whsec_|"secret"/);
    const stored = await gateway.deps.db.tx({ platform: true }, (tx) => tx.rows('select * from webhook_subscriptions'));
    assert.doesNotMatch(JSON.stringify(stored), new RegExp(body.data.secret.slice(6, 20).replace(/\W/g, '.')));
  });

  await t.test('without events all are sent, and the response names them', async () => {
    assert.deepEqual((await create(gateway, ours)).body.data.events, EVENT_NAMES);
  });

  await t.test('what cannot be subscribed is refused with the field', async () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ events: [] }, 'events'],
      [{ events: ['nope'] }, 'events.0'],
      [{ events: 'loan.approved' }, 'events'],
      [{ url: 'foo' }, 'url'],
      [{ url: 'ftp://x.example/' }, 'url'],
      [{ url: 'https:/x' }, 'url'],
      [{ url: 'http://user:pass@x.example/' }, 'url'],
      [{ url: `https://x.example/${'a'.repeat(2_048)}` }, 'url'],
      [{ url: 7 }, 'url'],
    ];
    for (const [body, field] of cases) {
      const { status, body: refusal } = await create(gateway, ours, body);
      assert.equal(status, 400, JSON.stringify(body).slice(0, 80));
      assert.equal(refusal.errors?.[0].field, field);
      assert.doesNotMatch(JSON.stringify(refusal), /user:pass/);
    }
  });

  await t.test(
    'an address with another service’s port, a control character or a fragment is refused, at a change too',
    async () => {
      const { id } = (await create(gateway, ours)).body.data;
      const change = (url: string) => gateway.call('PATCH', `${PATH}/${id}`, { as: ours, body: { url } });
      const ports = [0, 1, 22, 25, 79, 81, 442, 1023].map((port) => `http://127.0.0.1:${port}/hook`);
      const characters = [
        'http://127.0.0.1:1025/a\tb',
        'http://127.0.0.1:1025/a\r\nX: y',
        'http://127.0.0.1:1025/\u0007',
        'http://127.0.0.1:1025/\u0085',
      ];
      for (const url of [...ports, ...characters, 'http://127.0.0.1:1025/#', 'http://127.0.0.1:1025/hook?a=1#b']) {
        for (const { status, body } of [await create(gateway, ours, { url }), await change(url)]) {
          assert.deepEqual([url, status, body.errors?.[0].field], [url, 400, 'url']);
        }
      }
      for (const url of ['http://127.0.0.1', 'http://127.0.0.1:80/', 'http://127.0.0.1:443/', 'http://127.0.0.1:1024/%23']) {
        assert.equal((await change(url)).status, 200, url);
      }
      await gateway.call('DELETE', `${PATH}/${id}`, { as: ours });
    },
  );

  await t.test('metadata and link-local addresses, and the gateway itself, are refused everywhere', async () => {
    for (const url of [
      'http://169.254.169.254/latest',
      'http://[fe80::1]/',
      'http://0.0.0.0/',
      'http://metadata.google.internal/computeMetadata/v1/',
      'http://Instance-Data.EC2.internal./latest',
      `${gateway.deps.publicUrl()}/v1/api/alerts`,
    ]) {
      const { status, body } = await create(gateway, ours, { url });
      assert.deepEqual([status, body.code], [422, 'URL_NOT_ALLOWED'], url);
    }
  });

  await t.test('a name that does not resolve yet is accepted', async () => {
    assert.equal((await create(gateway, ours, { url: 'https://not-yet.invalid/hook' })).status, 201);
  });

  await t.test('another organization’s is as an absent one, in every way', async () => {
    const { id } = (await create(gateway, theirs)).body.data;
    const calls: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { active: false }],
      ['DELETE', ''],
      ['POST', '/test', { event: 'loan.approved' }],
      ['POST', '/rotate-secret', { grace_seconds: 0 }],
      ['POST', '/recover', { since: '2026-01-01' }],
    ];
    for (const [method, path, body] of calls) {
      const options = body === undefined ? { as: ours } : { as: ours, body };
      const seen = await gateway.call(method, `${PATH}/${id}${path}`, options);
      const absent = await gateway.call(method, `${PATH}/${newId('whs')}${path}`, options);
      assert.deepEqual([seen.status, seen.body.message], [404, absent.body.message], `${method} ${path}`);
    }
    const kept = await gateway.call('GET', `${PATH}/${id}`, { as: theirs });
    assert.deepEqual([kept.status, kept.body.data.active], [200, true]);
  });

  await t.test('the list is paged and filtered, newest first', async () => {
    const holder = await newHolder(gateway);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await create(gateway, holder)).body.data.id);
    const list = async (query: string) => (await gateway.call('GET', `${PATH}?${query}`, { as: holder })).body;
    const [first, second] = [await list('limit=2'), await list('limit=2&page=2')];
    assert.deepEqual(
      [...first.data, ...second.data].map((row: { id: string }) => row.id),
      ids,
    );
    const { total, totalPages, hasPrevPage } = second.pagination;
    assert.deepEqual([second.data.length, total, totalPages, hasPrevPage], [1, 3, 2, true]);
    await gateway.call('PATCH', `${PATH}/${ids[0]}`, { as: holder, body: { active: false } });
    assert.deepEqual([(await list('active=false')).data[0].id, (await list('active=true')).pagination.total], [ids[0], 2]);
  });

  await t.test('what is not named in a change stays, and a change of the address forgets its failures', async () => {
    const holder = await newHolder(gateway);
    const { id, url } = (await create(gateway, holder, { events: ['sc.completed'] })).body.data;
    const change = async (body: object) => (await gateway.call('PATCH', `${PATH}/${id}`, { as: holder, body })).body.data;
    await inPlatform(gateway, (tx) =>
      tx.exec('update webhook_subscriptions set failing_since = sluice_now() where subscription_id = $1', [id]),
    );
    const renamed = await change({ events: ['loan.approved', 'sc.completed', 'loan.approved'] });
    assert.deepEqual([renamed.events, renamed.url, renamed.active], [['loan.approved', 'sc.completed'], url, true]);
    assert.ok(renamed.failing_since);
    const moved = await change({ url: 'http://127.0.0.1:1026/hook' });
    assert.deepEqual([moved.url, moved.events, moved.failing_since], ['http://127.0.0.1:1026/hook', renamed.events, null]);
  });

  await t.test('paused twice it stays PAUSED since the first time, and resumed it has a clean record', async () => {
    const holder = await newHolder(gateway);
    const { id } = (await create(gateway, holder)).body.data;
    const set = async (active: boolean) =>
      (await gateway.call('PATCH', `${PATH}/${id}`, { as: holder, body: { active } })).body.data;
    const paused = await set(false);
    assert.deepEqual([paused.active, paused.disabled_reason, typeof paused.disabled_at], [false, 'PAUSED', 'string']);
    await gateway.advance(60);
    assert.equal((await set(false)).disabled_at, paused.disabled_at);
    const resumed = await set(true);
    assert.deepEqual([resumed.active, resumed.disabled_reason, resumed.disabled_at], [true, null, null]);
  });

  await t.test('a rotation without grace_seconds has the default, with a body or without', async () => {
    const holder = await newHolder(gateway);
    const { id } = (await create(gateway, holder)).body.data;
    for (const given of [{}, { body: {} }]) {
      const { status, body: rotated } = await gateway.call('POST', `${PATH}/${id}/rotate-secret`, { as: holder, ...given });
      assert.equal(status, 200);
      const ends = Date.parse(rotated.data.previous_secret_expires_at) - Date.now();
      assert.ok(ends > 86_340_000 && ends <= 86_460_000, String(ends));
    }
  });

  await t.test('every change is in the audit log, and no secret is', async () => {
    const holder = await newHolder(gateway);
    const operator = await gateway.key('operator', 'Platform');
    const { id, secret } = (await create(gateway, holder)).body.data;
    await gateway.call('PATCH', `${PATH}/${id}`, { as: holder, body: { active: false } });
    await gateway.call('POST', `${PATH}/${id}/rotate-secret`, { as: holder, body: { grace_seconds: 60 } });
    await gateway.call('DELETE', `${PATH}/${id}`, { as: holder });
    const { body } = await gateway.call('GET', `/v1/operator/audit?organization_id=${holder.organization_id}`, { as: operator });
    const entries = body.data.filter((entry: { entity_id: string }) => entry.entity_id === id);
    assert.deepEqual(entries.map((entry: { action: string }) => entry.action.replace('webhook_subscription.', '')).toSorted(), [
      'change',
      'create',
      'delete',
      'rotate_secret',
    ]);
    assert.ok(!JSON.stringify(entries).includes(secret.slice(6)));
  });

  await t.test('a removed one is gone', async () => {
    const { id } = (await create(gateway, ours)).body.data;
    const removed = await gateway.call('DELETE', `${PATH}/${id}`, { as: ours });
    assert.deepEqual([removed.status, removed.body.success, typeof removed.body.message], [200, true, 'string']);
    assert.equal((await gateway.call('DELETE', `${PATH}/${id}`, { as: ours })).status, 404);
  });

  await t.test('an organization has at most fifty, also when many are made at once', async () => {
    const many = await gateway.key('both', 'Many');
    const responses = await Promise.all(Array.from({ length: 60 }, () => create(gateway, many)));
    assert.equal(responses.filter(({ status }) => status === 201).length, 50);
    assert.ok(responses.every(({ status, body }) => status === 201 || body.code === 'SUBSCRIPTION_LIMIT'));
    const asked = async (url: string) => codeOf(await gateway.call('POST', PATH, { as: many, body: { url } }));
    assert.deepEqual(await asked('no address'), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(
      await asked('http://169.254.169.254/'),
      [422, 'SUBSCRIPTION_LIMIT'],
      'nothing is looked up beyond the limit',
    );
  });

  await t.test('a repeated request with one Idempotency-Key makes one, and its secret is not shown again', async () => {
    const holder = await gateway.key('both', 'Careful');
    const ask = () => gateway.call('POST', PATH, { as: holder, body: { url: URL_ }, headers: { 'idempotency-key': 'k' } });
    const [first, second] = [await ask(), await ask()];
    assert.equal(first.body.data.id, second.body.data.id);
    assert.deepEqual([second.body.data.secret, second.body.data.secret_omitted], [undefined, true]);
  });

  await t.test('without a valid key nothing is shown or made', async () => {
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['GET', '/v1/api/webhooks/deliveries'],
      ['GET', '/v1/api/webhooks/event-types'],
    ] as const) {
      assert.equal((await gateway.call(method, path, { as: 'nonsense', body: { url: URL_ } })).status, 401);
    }
  });

  await t.test('the event types are for customers here, and for the operator at its own address', async () => {
    const operator = await gateway.key('operator', 'Event types');
    const read = (as: Holder, base: string) => gateway.call('GET', `${base}/webhooks/event-types`, { as });
    assert.deepEqual(codeOf(await read(operator, '/v1/api')), [403, 'ROLE_FORBIDDEN']);
    assert.deepEqual(codeOf(await read(ours, '/v1/operator')), [403, 'ROLE_FORBIDDEN']);
    assert.deepEqual((await read(operator, '/v1/operator')).body.data, (await read(ours, '/v1/api')).body.data);
  });

  await t.test('the event types come with schemas and samples that keep them', async () => {
    const { body } = await gateway.call('GET', '/v1/api/webhooks/event-types', { as: ours });
    assert.deepEqual(
      body.data.map((each: { event: string }) => each.event),
      EVENT_NAMES,
    );
    for (const { name, event, schema, sample } of body.data) {
      assert.equal(name, event);
      const given = Object.keys(sample.data);
      const missing = schema.required.filter((name: string) => !given.includes(name));
      const unknown = given.filter((name) => !(name in schema.properties));
      assert.deepEqual([event, missing, unknown], [event, [], []]);
    }
  });
});

test('in production the address must be https and public', async () => {
  const { generateKeyPairSync } = await import('node:crypto');
  await using gateway = await startGateway({
    SLUICE_ENVIRONMENT: 'production',
    SLUICE_SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    SLUICE_ENCRYPTION_KEY: 'k'.repeat(43),
    SLUICE_PUBLIC_URL: 'https://gateway.example',
  });
  const holder = await gateway.key('both', 'Acme');
  assert.equal((await create(gateway, holder, { url: 'http://x.invalid/' })).status, 400);
  for (const url of [
    'https://127.0.0.1/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://gateway.example:8443/x',
  ])
    assert.equal((await create(gateway, holder, { url })).body.code, 'URL_NOT_ALLOWED', url);
  assert.equal((await create(gateway, holder, { url: 'https://x.invalid/' })).status, 201);
});
