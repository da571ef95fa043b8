import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import Type from 'typebox';
import { type Answer, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import fc from '../../../test/support/property.ts';
import { autoTape, CSV, put } from '../../../test/support/tapes.ts';
import { ROUTES } from '../../app.ts';
import { ApiError } from './errors.ts';
import { findStoredResponse, hashRequest, storeResponse, takesKey } from './idempotency.ts';
import { type Route, route } from './route.ts';
import type { Caller } from './caller.ts';
import { buildServer } from './server.ts';

const INITIATE = '/v1/api/originator/loans/initiate';
const COMPLETE = '/v1/api/originator/loans/complete';
const KEYS = '/v1/operator/keys';
const auto = { loanType: 'Auto', fileFormat: CSV, fileName: 'auto.csv' };

function send(gateway: Gateway, as: Holder, path: string, body: unknown, key?: string): Promise<Answer> {
  return gateway.call('POST', path, { as, body, ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }) });
}

const replayed = (answer: Answer): boolean => answer.headers['idempotency-replayed'] === 'true';

test('an Idempotency-Key', async (t) => {
  await using gateway = await startGateway();
  const [ours, theirs] = [await gateway.key('both', 'Ours'), await gateway.key('both', 'Theirs')];
  const operator = await gateway.key('operator', 'Platform');
  const dealsOf = async (holder: Holder): Promise<number> =>
    (await gateway.call('GET', '/v1/api/originator/loans', { as: holder })).body.pagination.total;
  const stored = () =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ key: string; text: string }>('select key, body::text as text from idempotency_keys'),
    );
  let draft: Answer;

  await t.test('gives a repeated request the first answer again, marked, and does nothing a second time', async () => {
    draft = await send(gateway, ours, INITIATE, auto, 'draft');
    const again = await send(gateway, ours, INITIATE, auto, 'draft');
    assert.deepEqual([draft.status, replayed(draft)], [201, false]);
    assert.deepEqual([again.status, replayed(again)], [201, true]);
    const { upload_url: _first, expires_at: _firstEnd, ...first } = draft.body.data;
    const { upload_url: _second, expires_at: _secondEnd, ...second } = again.body.data;
    assert.deepEqual(second, first);
    assert.equal(await dealsOf(ours), 1);
  });

  await t.test('knows a path by its decoded letters, as the route does', async () => {
    const written = await send(gateway, ours, '/v1/api/alerts/mark', { status: 'READ', before: '2026-01-01' }, 'spelling');
    const encoded = await send(gateway, ours, '/v1/api/%61lerts/mark', { status: 'READ', before: '2026-01-01' }, 'spelling');
    assert.deepEqual([written.status, encoded.status, replayed(encoded)], [200, 200, true]);
  });

  await t.test('gives the version of the record again that the first answer had', async () => {
    const hooks = '/v1/api/webhooks/subscriptions';
    const { id } = (await send(gateway, ours, hooks, { url: 'https://hooks.example/etag' })).body.data;
    const pause = () =>
      gateway.call('PATCH', `${hooks}/${id}`, { as: ours, body: { active: false }, headers: { 'idempotency-key': 'etag' } });
    const first = await pause();
    assert.match(String(first.headers.etag), /^"/);
    const change = await gateway.call('PATCH', `${hooks}/${id}`, { as: ours, body: { active: true } });
    const again = await pause();
    assert.deepEqual([again.status, replayed(again), again.headers.etag], [200, true, first.headers.etag]);
    assert.notEqual(again.headers.etag, change.headers.etag, 'never that of a later change, which the answer does not show');
    const stale = await gateway.call('PATCH', `${hooks}/${id}`, {
      as: ours,
      body: { active: false },
      headers: { 'if-match': String(again.headers.etag) },
    });
    assert.deepEqual([stale.status, stale.body.code], [412, 'STALE']);
  });

  await t.test('gives the very text of the first answer again', async () => {
    const send = () =>
      gateway.app.inject({
        method: 'POST',
        url: '/v1/api/originator/sc/criteria',
        headers: { authorization: `Bearer ${ours.token}`, 'idempotency-key': 'text' },
        payload: { name: 'Any', loan_type: 'Auto', loan_rules: [] },
      });
    const first = await send();
    const again = await send();
    assert.deepEqual([again.statusCode, again.payload], [201, first.payload]);
  });

  await t.test('is the same whatever the order of the fields in the body', async () => {
    const turned = Object.fromEntries(Object.entries(auto).reverse());
    assert.ok(replayed(await send(gateway, ours, INITIATE, turned, 'draft')));
  });

  await t.test('of another request is refused and changes nothing', async () => {
    for (const [path, body] of [
      [INITIATE, { ...auto, loanType: 'Mortgage' }],
      [COMPLETE, { dealId: draft.body.data.deal_id, fileName: 'auto.csv' }],
    ] as const) {
      const refused = await send(gateway, ours, path, body, 'draft');
      assert.deepEqual([refused.status, refused.body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    assert.equal(await dealsOf(ours), 1);
  });

  await t.test('means nothing to another organization', async () => {
    const other = await send(gateway, theirs, INITIATE, { ...auto, loanType: 'Student' }, 'draft');
    assert.deepEqual([other.status, replayed(other)], [201, false]);
    assert.notEqual(other.body.data.deal_id, draft.body.data.deal_id);
  });

  await t.test('makes 50 simultaneous requests have one effect; each is answered, told to wait, or answered again', async () => {
    const body = { ...auto, loanType: 'Personal' };
    const before = await dealsOf(ours);
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(gateway, ours, INITIATE, body, 'crowd')));
    const firsts = answers.filter((answer) => answer.status === 201 && !replayed(answer));
    assert.equal(firsts.length, 1);
    for (const answer of answers) {
      if (answer.status === 201) assert.equal(answer.body.data.deal_id, firsts[0]?.body.data.deal_id);
      else {
        assert.deepEqual([answer.status, answer.body.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
        assert.ok(Number(answer.headers['retry-after']) >= 1);
      }
    }
    assert.equal(await dealsOf(ours), before + 1);
  });

  await t.test('is not used up by a request that was refused', async () => {
    const wrong = await send(gateway, ours, INITIATE, { ...auto, loanType: 'Boat' }, 'second try');
    const taken = await send(gateway, ours, INITIATE, auto, 'third try');
    assert.deepEqual([wrong.status, taken.status, taken.body.code], [400, 409, 'DRAFT_EXISTS']);
    const right = await send(gateway, ours, INITIATE, { ...auto, loanType: 'Mortgage' }, 'second try');
    assert.deepEqual([right.status, replayed(right)], [201, false]);
    assert.deepEqual(
      (await stored()).map(({ key }) => key).filter((key) => key === 'third try'),
      [],
    );
  });

  await t.test('answers with an address that works, made anew', async () => {
    assert.doesNotMatch((await stored()).map(({ text }) => text).join(), /upload_url|\/v1\/uploads\//);
    const again = await send(gateway, ours, INITIATE, auto, 'draft');
    assert.equal((await put(gateway, again, autoTape(5))).status, 200);
  });

  await t.test('makes a completed request that is sent again concurrently succeed, not conflict with itself', async () => {
    const body = { dealId: draft.body.data.deal_id, fileName: 'auto.csv' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(gateway, ours, COMPLETE, body, 'complete')));
    assert.equal(answers.filter((answer) => answer.status === 202 && !replayed(answer)).length, 1);
    for (const answer of answers) {
      assert.ok(answer.status === 202 || answer.body.code === 'IDEMPOTENCY_IN_PROGRESS', `${answer.status} ${answer.body.code}`);
    }
    const last = await send(gateway, ours, COMPLETE, body, 'complete');
    assert.deepEqual([last.status, replayed(last)], [202, true]);
    assert.equal(await gateway.runJobs(), 1);
  });

  await t.test('keeps no token and no signing secret: the repeated answer says that it is left out', async () => {
    const request = { organization: 'New', role: 'both', environment: 'development', requester: 'A', use_case: 'B' };
    const issued = await send(gateway, operator, KEYS, request, 'issue');
    const hook = await send(gateway, ours, '/v1/api/webhooks/subscriptions', { url: 'http://127.0.0.1:1025/hook' }, 'hook');
    assert.deepEqual([issued.status, hook.status], [201, 201], JSON.stringify([issued.body, hook.body]));
    const texts = (await stored()).map(({ text }) => text).join('\n');
    for (const secret of [issued.body.data.token, hook.body.data.secret]) assert.ok(secret && !texts.includes(secret));
    const again = await send(gateway, operator, KEYS, request, 'issue');
    assert.ok(replayed(again));
    assert.equal(again.body.data.key_id, issued.body.data.key_id);
    assert.deepEqual([again.body.data.token, again.body.data.secret_omitted], [undefined, true]);
    const keys = await gateway.call('GET', `${KEYS}?organization_id=${issued.body.data.organization_id}`, { as: operator });
    assert.equal(keys.body.pagination.total, 1);
  });

  await t.test('is kept for 24 hours', async () => {
    const age = (hours: number) =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec(`update idempotency_keys set created_at = now() - make_interval(mins => $1) where key = 'issue'`, [hours * 60]),
      );
    const request = { organization: 'New', role: 'both', environment: 'development', requester: 'A', use_case: 'B' };
    await age(23.9);
    assert.ok(replayed(await send(gateway, operator, KEYS, request, 'issue')));
    await age(24.1);
    assert.ok(!replayed(await send(gateway, operator, KEYS, request, 'issue')));
  });

  await t.test('has 1 to 255 printable characters', async () => {
    for (const key of ['', 'k'.repeat(256)]) {
      const refused = await send(gateway, ours, INITIATE, { ...auto, loanType: 'Student' }, key);
      assert.deepEqual([refused.status, refused.body.errors?.[0].field], [400, 'Idempotency-Key'], `of ${key.length}`);
    }
    assert.equal((await send(gateway, ours, INITIATE, { ...auto, loanType: 'Student' }, 'k'.repeat(255))).status, 201);
  });
});

test('a repeated request that finds the work of the first one done is answered with it, not refused because of it', async () => {
  await using gateway = await startGateway();
  const holder = await gateway.key('both');
  const caller: Caller = {
    ...holder,
    organization: 'both house',
    role: 'both',
    environment: 'development',
    api_version: null,
    scopes: null,
    person: null,
    networks: null,
    label: null,
    expires_at: new Date(8.64e15),
  };
  const [bothIn, firstDone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const once = route({
    operation: 'createThing',
    method: 'POST',
    path: '/v1/api/once',
    access: 'customer',
    tag: 'Test',
    summary: 'Do something that can be done once',
    reply: Type.Object({ done: Type.Boolean() }),
    status: 201,
    handler: async ({ write }) => {
      calls += 1;
      if (calls === 2) {
        bothIn.resolve();
        await firstDone.promise;
        throw new ApiError('CONFLICT');
      }
      await bothIn.promise;
      return write(async () => ({ done: true }));
    },
  });
  const app = await buildServer({ deps: gateway.deps, routes: [once], authenticate: async () => caller, constraints: {} });
  const call = () => app.inject({ method: 'POST', url: once.path, headers: { 'idempotency-key': 'one' } });
  const first = call().then((answer) => {
    firstDone.resolve();
    return answer;
  });
  const [done, again] = await Promise.all([first, call()]);
  assert.deepEqual([done.statusCode, again.statusCode], [201, 201], again.payload);
  assert.deepEqual([again.headers['idempotency-replayed'], again.json()], ['true', done.json()]);
  await app.close();
});

test('a repeated request is answered with what was sent the first time, not with what the handler knew', async () => {
  await using gateway = await startGateway();
  const holder = await gateway.key('both');
  const caller: Caller = {
    ...holder,
    organization: 'house',
    role: 'both',
    environment: 'development',
    api_version: null,
    scopes: null,
    person: null,
    networks: null,
    label: null,
    expires_at: new Date(8.64e15),
  };
  const made = route({
    operation: 'createThing',
    method: 'POST',
    path: '/v1/api/made',
    access: 'customer',
    tag: 'Test',
    summary: 'Make something',
    reply: Type.Object({ at: Type.String() }),
    status: 201,
    handler: ({ write }) => write(async () => ({ at: '2026-01-01', organization_id: 'inside' })),
  });
  const app = await buildServer({ deps: gateway.deps, routes: [made], authenticate: async () => caller, constraints: {} });
  const call = () => app.inject({ method: 'POST', url: made.path, headers: { 'idempotency-key': 'one' } });
  const [first, again] = [await call(), await call()];
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.deepEqual([first.json().data, again.json().data], [{ at: '2026-01-01' }, { at: '2026-01-01' }]);
  await app.close();
});

test('a key on a file that is checked without being kept is no obstacle', async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.key('originator');
  // Over a socket: a request that never was one has a body without the connection's ties.
  const base = await gateway.app.listen({ port: 0, host: '127.0.0.1' });
  const check = () =>
    fetch(`${base}/v1/api/originator/loans/check?loanType=Auto`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': CSV, 'idempotency-key': 'once' },
      body: autoTape(3),
    });
  for (const answer of [await check(), await check()]) assert.equal(answer.status, 200, await answer.text());
});

const SECRET_NAME = /(^|_)(secret|token|password|private_key)$|^(up|down)load_url$/;

test('every route whose response has a secret declares it, and makes a signed address anew for a repeated request', () => {
  const secretsOf = ({ reply }: Route): string[] => Object.keys(reply.properties ?? {}).filter((name) => SECRET_NAME.test(name));
  const storing = ROUTES.filter((each) => takesKey(each) && secretsOf(each).length > 0);
  assert.ok(storing.length >= 11);
  const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
  const undeclared = storing.filter((each) => secretsOf(each).some((name) => !each.secretFields?.includes(name)));
  assert.deepEqual(undeclared.map(nameOf), []);
  const notFresh = storing.filter((each) => secretsOf(each).some((name) => name.endsWith('_url')) && !each.onReplay);
  assert.deepEqual(notFresh.map(nameOf), []);
  const idle = ROUTES.filter(({ reply, secretFields }) => secretFields?.some((name) => !(name in (reply.properties ?? {}))));
  assert.deepEqual(idle.map(nameOf), []);
});

test('a request is known by its method, path and body, whatever the order of the fields', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, each]) => [name, shuffled(each)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (body, other) => {
      const hash = hashRequest('POST', '/v1/x', body);
      assert.equal(hashRequest('POST', '/v1/x', shuffled(body)), hash);
      assert.notEqual(hashRequest('PATCH', '/v1/x', body), hash);
      assert.notEqual(hashRequest('POST', '/v1/y', body), hash);
      const same = isDeepStrictEqual(JSON.parse(JSON.stringify(body)), JSON.parse(JSON.stringify(other)));
      assert.equal(hashRequest('POST', '/v1/x', other) === hash, same);
    }),
  );
});

test('a response is stored without the fields that its route calls secret, and says so unless they are made anew', async () => {
  await using gateway = await startGateway();
  const { organization_id: organizationId } = await gateway.key('both', 'House');
  const storedAs = (key: string, data: unknown, route: Pick<Route, 'secretFields' | 'onReplay'>) =>
    gateway.deps.db.tx({ organization: organizationId }, async (tx) => {
      const idempotency = { organizationId, key, requestHash: 'hash' };
      await storeResponse(tx, idempotency, { status: 201, body: { success: true, data }, etag: null }, route);
      return (await findStoredResponse(tx, idempotency))?.body.data;
    });
  const secretFields = ['pin', 'address'];
  assert.deepEqual(await storedAs('1', { id: 1, pin: 5 }, { secretFields }), { id: 1, secret_omitted: true });
  assert.deepEqual(
    await storedAs('2', { id: 1, address: 'x' }, { secretFields, onReplay: async (_deps, _caller, data) => data }),
    { id: 1 },
  );
  assert.deepEqual(await storedAs('3', { id: 1 }, { secretFields }), { id: 1 });
  assert.deepEqual(await storedAs('4', { id: 1, pin: 5 }, {}), { id: 1, pin: 5 });
  assert.deepEqual(await storedAs('5', [{ pin: 5 }], { secretFields }), [{ pin: 5 }]);
});
