import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { text as read } from 'node:stream/consumers';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ROUTES } from '../../src/app.ts';
import { whyNoTool } from '../../src/mcp/catalog.ts';
import { DEFAULT_TOOLS } from '../../src/mcp/default-tools.ts';
import { mayReach } from '../../src/platform/http/may-reach.ts';
import type { Route } from '../../src/platform/http/route.ts';
import type { Role } from '../../src/platform/http/caller.ts';
import { type Gateway, type Holder, startGateway } from '../support/gateway.ts';
import { addressOf, type Assistant, assistantOf, namesOf } from '../support/mcp.ts';
import { seedWorld } from '../support/seeded.ts';

const ROLES: Role[] = ['originator', 'investor', 'both', 'operator'];
const HELPERS = ['searchOperations', 'describeOperation', 'callOperation', 'readDocument'];
const MOST_BYTES = 16 * 1024;
/** Largest list of tools that a connection without parameters gets, in bytes and tools. */
const MOST_LISTED = { reads: [36_000, 34], writes: [52_000, 48] } as const;

const offered = (role: Role, test: (route: Route) => boolean): string[] =>
  ROUTES.filter((route) => mayReach(role, route.access) && whyNoTool(route) === null && test(route)).map(
    (route) => route.operation,
  );

test('the tools of a key', async (t) => {
  await using gateway = await startGateway();
  const keys = Object.fromEntries(
    await Promise.all(ROLES.map(async (role) => [role, await gateway.key(role)] as const)),
  ) as Record<Role, Holder>;

  await t.test('are those operations that its role may call, all of them and no other', async () => {
    for (const role of ROLES) {
      await using assistant = await assistantOf(gateway, keys[role], '?tools=all&allow_writes=true');
      const names = namesOf(await assistant.tools());
      assert.deepEqual(names, [...offered(role, () => true), ...HELPERS.toSpliced(3, 0, 'callWriteOperation')]);
      assert.ok(names.includes('getMe') && new Set(names).size === names.length);
    }
  });

  await t.test('only read unless the connection allows changes', async () => {
    for (const role of ROLES) {
      await using assistant = await assistantOf(gateway, keys[role], '?tools=all');
      const tools = await assistant.tools();
      assert.deepEqual(namesOf(tools), [...offered(role, ({ method }) => method === 'GET'), ...HELPERS]);
      assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true && annotations.destructiveHint === false));
    }
  });

  await t.test('are those of its scopes where it is narrowed', async () => {
    const operator = await gateway.key('operator', 'Platform');
    const { body } = await gateway.call('POST', '/v1/operator/keys', {
      as: operator,
      body: {
        organization: 'Narrow house',
        role: 'both',
        environment: 'development',
        requester: 'a test',
        use_case: 'a test',
        scopes: ['webhooks:read', 'alerts:*'],
      },
    });
    await using assistant = await assistantOf(gateway, body.data, '?tools=all&allow_writes=true');
    const names = namesOf(await assistant.tools());
    for (const name of ['getMe', 'listWebhookDeliveries', 'listAlerts', 'markAlerts']) assert.ok(names.includes(name), name);
    for (const name of ['createWebhookSubscription', 'listLoanDeals', 'placeOrder']) assert.ok(!names.includes(name), name);
    assert.equal((await assistant.call('callOperation', { operation: 'listLoanDeals' })).isError, true);
  });

  await t.test('have schemas that are valid, and say what changes records and asks for a confirmation', async () => {
    const ajv = addFormats.default(new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true }));
    for (const role of ROLES) {
      await using assistant = await assistantOf(gateway, keys[role], '?tools=all&allow_writes=true');
      for (const tool of await assistant.tools()) {
        assert.doesNotThrow(() => ajv.compile(tool.inputSchema), tool.name);
        assert.match(tool.name, /^[a-zA-Z]{1,64}$/);
        const route = ROUTES.find(({ operation }) => operation === tool.name);
        if (!route) continue;
        const reads = route.method === 'GET';
        assert.deepEqual([tool.name, tool.annotations?.readOnlyHint], [tool.name, reads]);
        assert.equal(tool.inputSchema.required?.includes('confirm') ?? false, !reads, tool.name);
        const parameters = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
        assert.ok(
          parameters.every((name) => tool.inputSchema.required?.includes(name)),
          tool.name,
        );
        assert.ok(
          reads || tool.annotations?.destructiveHint === true || !/^(delete|cancel|revoke|reject|withdraw)/.test(tool.name),
        );
      }
    }
  });

  await t.test('are few in a list that names no set: only known operations, and something for each role', async () => {
    for (const name of DEFAULT_TOOLS) {
      const route = ROUTES.find(({ operation }) => operation === name);
      assert.ok(route && whyNoTool(route) === null, `${name} is no tool`);
    }
    assert.equal(new Set(DEFAULT_TOOLS).size, DEFAULT_TOOLS.length);
    for (const role of ROLES) {
      for (const [query, [bytes, count]] of [
        ['', MOST_LISTED.reads],
        ['?allow_writes=true', MOST_LISTED.writes],
      ] as const) {
        await using assistant = await assistantOf(gateway, keys[role], query);
        const tools = await assistant.tools();
        const size = Buffer.byteLength(JSON.stringify(tools));
        assert.ok(size <= bytes && tools.length <= count && tools.length >= 15, `${role}${query}: ${tools.length} in ${size}`);
      }
    }
  });

  await t.test('can be those of chapters; a set that there is not is refused with the names of all', async () => {
    await using assistant = await assistantOf(gateway, keys.both, '?tools=trades');
    assert.deepEqual(namesOf(await assistant.tools()), ['listTrades', 'getTrade', ...HELPERS]);
    for (const query of ['?tools=wonders', '?allow_writes=yes', '?allow-writes=true', '?allow_writes=true&allow_writes=true']) {
      const answer = await gateway.call('POST', `/mcp${query}`, { as: keys.both, body: message('tools/list') });
      assert.deepEqual(
        [query, answer.status, answer.body.jsonrpc, typeof answer.body.error.message],
        [query, 400, '2.0', 'string'],
      );
    }
  });
});

const message = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const ACCEPT = { accept: 'application/json, text/event-stream' };

test('what a tool reads is what the API says, in at most 16 KiB, of every operation that a seeded sandbox has records for', async () => {
  await using gateway = await startGateway();
  const world = await seedWorld(gateway);
  const assistants = new Map<Holder, Assistant>();
  let read = 0;
  for (const route of ROUTES.filter((each) => each.method === 'GET' && whyNoTool(each) === null)) {
    const address = await world.addressOf(route);
    if (address === null) continue;
    const holder = world.holderOf(route.access);
    const assistant = assistants.get(holder) ?? (await assistantOf(gateway, holder));
    assistants.set(holder, assistant);
    const { isError, body, bytes } = await assistant.call('callOperation', {
      operation: route.operation,
      arguments: argumentsOf(route, address),
    });
    assert.ok(!isError && bytes <= MOST_BYTES, `${route.operation}: ${bytes} ${JSON.stringify(body).slice(0, 300)}`);
    const said = await world.get(withLimit(address, route), route);
    // What is not whole has a note.
    if (body.notes === undefined && !MOVING.test(route.operation))
      assert.deepEqual([route.operation, body.data], [route.operation, said.body.data]);
    read += 1;
  }
  for (const assistant of assistants.values()) await assistant[Symbol.asyncDispose]();
  assert.ok(read > 120, `only ${read} operations were read`);
});

/** Their data are not the same twice: the limit, what waits, the log of requests, the log of readings. */
const MOVING = /^(getMe|getPlatformHealth|list.*(Requests|Accesses)|get.*Request|verifyAuditLog|list.*AuditEntries)$/;

function argumentsOf(route: Route, address: string): Record<string, unknown> {
  const [path = '', query = ''] = address.split('?');
  const parts = path.split('/');
  const params = route.path
    .split('/')
    .flatMap((part, index): [string, string][] =>
      part.startsWith(':') ? [[part.slice(1), decodeURIComponent(parts[index] ?? '')]] : [],
    );
  return { ...Object.fromEntries(params), ...Object.fromEntries(new URLSearchParams(query)) };
}

const withLimit = (address: string, route: Route): string =>
  'limit' in (route.query?.properties ?? {}) && !address.includes('limit=')
    ? `${address}${address.includes('?') ? '&' : '?'}limit=10`
    : address;

test('a call', async (t) => {
  await using gateway = await startGateway();
  const key = await gateway.key('both');
  const stranger = await gateway.key('both', 'Another house');
  for (let count = 0; count < 14; count += 1) await createSet(gateway, key, `Set ${count}`);
  await using assistant = await assistantOf(gateway, key);
  await using writer = await assistantOf(gateway, key, '?allow_writes=true');

  await t.test('of a list gives a small page and says how to get the next one', async () => {
    const first = await assistant.call('callOperation', { operation: 'listCriteriaSets' });
    assert.deepEqual([first.body.data.length, first.body.total], [10, 14]);
    assert.match(first.body.notes[0], /call again with cursor/);
    const second = await assistant.call('callOperation', {
      operation: 'listCriteriaSets',
      arguments: { cursor: first.body.next_cursor },
    });
    assert.deepEqual([second.body.data.length, second.body.next_cursor, second.body.notes], [4, undefined, undefined]);
  });

  await t.test('with fields gives these alone, and says of a name that is none which there are', async () => {
    const { body } = await assistant.call('callOperation', {
      operation: 'listCriteriaSets',
      arguments: { limit: 1, fields: ['name', 'nmae'] },
    });
    assert.deepEqual(body.data, [{ name: 'Set 13' }]);
    assert.match(body.notes[0], /nmae names nothing in the data, which has .*\bname\b/);
  });

  await t.test('that the API refuses is an error with code, message, fields and request id', async () => {
    const { isError, body } = await assistant.call('callOperation', {
      operation: 'listCriteriaSets',
      arguments: { limit: 1_000, from: 'yesterday' },
    });
    assert.ok(isError);
    assert.deepEqual([body.code, body.status], ['VALIDATION_FAILED', 400]);
    assert.deepEqual(body.fields.map(({ field }: { field: string }) => field).sort(), ['from', 'limit']);
    const logged = await gateway.deps.requestLog
      ?.flush()
      .then(() => gateway.call('GET', `/v1/api/requests/${body.request_id}`, { as: key }));
    assert.deepEqual([logged?.status, logged?.body.data.path], [200, '/v1/api/originator/sc/criteria']);
    const messages = await gateway.call('GET', '/v1/api/requests?path=/mcp&limit=1', { as: key });
    assert.deepEqual([messages.body.data[0].path, messages.body.data[0].status], ['/mcp', 200]);
  });

  await t.test('with an argument that there is not, or that leads elsewhere, is not sent', async () => {
    for (const [operation, given, field] of [
      ['listCriteriaSets', { limt: 1 }, 'limt'],
      ['getCriteriaSet', {}, 'criteriaId'],
      ['getCriteriaSet', { criteriaId: '..' }, 'criteriaId'],
      ['getCriteriaSet', { criteriaId: '.' }, 'criteriaId'],
      ['getCriteriaSet', { criteriaId: '' }, 'criteriaId'],
      ['getCriteriaSet', { criteriaId: { a: 1 } }, 'criteriaId'],
      ['listCriteriaSets', { type: ['Auto'] }, 'type'],
      ['listCriteriaSets', { fields: ['a..b'] }, 'fields'],
    ] as const) {
      const { isError, body } = await assistant.call('callOperation', { operation, arguments: given });
      assert.deepEqual([isError, body.code, body.fields[0].field], [true, 'INVALID_ARGUMENT', field], JSON.stringify(given));
    }
    const elsewhere = await assistant.call('callOperation', {
      operation: 'getCriteriaSet',
      arguments: { criteriaId: '../../me' },
    });
    assert.deepEqual([elsewhere.isError, elsewhere.body.code], [true, 'NOT_FOUND']);
  });

  await t.test('finds no record of another organization', async () => {
    const { body } = await assistant.call('callOperation', { operation: 'listCriteriaSets', arguments: { limit: 1 } });
    await using other = await assistantOf(gateway, stranger);
    const given = { operation: 'getCriteriaSet', arguments: { criteriaId: body.data[0].criteria_id } };
    assert.equal((await assistant.call('callOperation', given)).body.data.name, 'Set 13');
    assert.equal((await other.call('callOperation', given)).body.code, 'NOT_FOUND');
  });

  await t.test('of an operation of another role, of a file or of a secret says why there is no tool', async () => {
    await assert.rejects(assistant.call('listOperatorKeys'), /There is no tool of that name/);
    for (const [operation, code] of [
      ['listOperatorKeys', 'UNKNOWN_OPERATION'],
      ['getCriteriaSets', 'UNKNOWN_OPERATION'],
      ['downloadTapeFile', 'NOT_A_TOOL'],
      ['createWebhookSubscription', 'NOT_A_TOOL'],
      ['streamAlerts', 'NOT_A_TOOL'],
      ['uploadFile', 'NOT_A_TOOL'],
      ['createCriteriaSet', 'READ_ONLY'],
    ] as const) {
      const { isError, body } = await assistant.call('callOperation', { operation });
      assert.deepEqual([isError, operation, body.code], [true, operation, code]);
    }
    assert.match(
      (await assistant.call('callOperation', { operation: 'getCriteriaSets' })).body.message,
      /Did you mean getCriteriaSet\?/,
    );
  });

  await t.test('that changes records needs a connection that allows it and a confirmation, whichever tool it takes', async () => {
    const body = setOf('Confirmed');
    const count = async (): Promise<number> =>
      (await gateway.call('GET', '/v1/api/originator/sc/criteria', { as: key })).body.pagination.total;
    const before = await count();
    const refused = async (call: Promise<{ isError: boolean; body: { code: string } }>): Promise<string> => {
      const answer = await call;
      assert.ok(answer.isError);
      return answer.body.code;
    };
    assert.equal(await refused(assistant.call('createCriteriaSet', { body, confirm: 'createCriteriaSet' })), 'READ_ONLY');
    const byName = { operation: 'createCriteriaSet', arguments: { body }, confirm: 'createCriteriaSet' };
    assert.equal(await refused(assistant.call('callWriteOperation', byName)), 'READ_ONLY');
    assert.equal(await refused(writer.call('createCriteriaSet', { body })), 'CONFIRMATION_REQUIRED');
    assert.equal(await refused(writer.call('createCriteriaSet', { body, confirm: true })), 'CONFIRMATION_REQUIRED');
    assert.equal(await refused(writer.call('callWriteOperation', { ...byName, confirm: 'yes' })), 'CONFIRMATION_REQUIRED');
    const inside = { operation: 'createCriteriaSet', arguments: { body, confirm: 'createCriteriaSet' } };
    assert.equal(await refused(writer.call('callWriteOperation', inside)), 'CONFIRMATION_REQUIRED');
    assert.equal(await refused(writer.call('callOperation', inside)), 'INVALID_ARGUMENT');
    assert.equal(await count(), before);
    const made = await writer.call('callWriteOperation', byName);
    assert.deepEqual([made.isError, made.body.data.name, await count()], [false, 'Confirmed', before + 1]);
    // The key of a call makes its repetition safe; without it a second call is a second change.
    const again = await writer.call('createCriteriaSet', {
      body,
      confirm: 'createCriteriaSet',
      idempotency_key: made.body.idempotency_key,
    });
    assert.deepEqual([again.body.data.criteria_id, await count()], [made.body.data.criteria_id, before + 1]);
    await writer.call('createCriteriaSet', { body, confirm: 'createCriteriaSet' });
    assert.equal(await count(), before + 2);
  });

  await t.test('never shows a signed address, and says how a person gets it', async () => {
    const body = { loanType: 'Auto', fileName: 'tape.csv', fileFormat: 'text/csv' };
    const shown = await writer.call('openLoanDeal', { body, confirm: 'openLoanDeal' });
    assert.equal(shown.isError, false, JSON.stringify(shown.body));
    assert.doesNotMatch(JSON.stringify(shown.body), /\/v1\/uploads\//);
    assert.match(shown.body.notes[0], /upload_url is a signed address.*Idempotency-Key/);
    const outside = await gateway.call('POST', '/v1/api/originator/loans/initiate', {
      as: key,
      body,
      headers: { 'idempotency-key': shown.body.idempotency_key },
    });
    assert.equal(outside.body.data.deal_id, shown.body.data.deal_id);
    assert.match(outside.body.data.upload_url, /\/v1\/uploads\//);
  });

  await t.test('finds and describes operations by words', async () => {
    const found = await assistant.call('searchOperations', { query: 'sets of criteria' });
    assert.ok(found.body.data.some(({ operation }: { operation: string }) => operation === 'listCriteriaSets'));
    assert.ok(found.body.data.every(({ changes_records }: { changes_records: boolean }) => !changes_records));
    for (const { operation } of ROUTES.filter(({ access }) => mayReach('both', access))) {
      const { isError, body, bytes } = await assistant.call('describeOperation', { operation });
      assert.ok(!isError && body.data.operation === operation && bytes <= MOST_BYTES, `${operation}: ${bytes}`);
    }
    const structure = await assistant.call('describeOperation', { operation: 'setPoolStructure' });
    assert.match(structure.body.notes[0], /No room for \d+ schemas: .*fields: \["schemas\./);
    const [, left = ''] = /schemas: (\w+)/.exec(structure.body.notes[0]) ?? [];
    const part = await assistant.call('describeOperation', { operation: 'setPoolStructure', fields: [`schemas.${left}`] });
    assert.ok(part.body.data[`schemas.${left}`], left);
  });
});

const setOf = (name: string) => ({
  name,
  loan_type: 'Auto',
  loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } }],
});

async function createSet(gateway: Gateway, as: Holder, name: string): Promise<void> {
  const made = await gateway.call('POST', '/v1/api/originator/sc/criteria', { as, body: setOf(name) });
  assert.equal(made.status, 201, JSON.stringify(made.body));
}

test('documents are resources, and a model reads them in parts too', async () => {
  await using gateway = await startGateway();
  await using assistant = await assistantOf(gateway, await gateway.key('investor'));
  const { resources } = await assistant.client.listResources();
  const uris = resources.map(({ uri }) => uri);
  for (const uri of ['sluice://guide/structures', 'sluice://dictionary/Credit%20Card', 'sluice://errors'])
    assert.ok(uris.includes(uri), uri);
  const { resourceTemplates } = await assistant.client.listResourceTemplates();
  for (const uri of [
    ...uris,
    'sluice://errors/STALE',
    'sluice://operations/setPoolStructure',
    'sluice://dictionary/Credit Card',
  ]) {
    const { contents } = await assistant.client.readResource({ uri });
    const [content] = contents as { text: string }[];
    assert.ok(content && content.text.length > 100, uri);
    let text = '';
    for (let part = 1; ; part += 1) {
      const { body, bytes } = await assistant.call('readDocument', { uri, part });
      assert.ok(bytes <= MOST_BYTES, `${uri} ${bytes}`);
      text += body.data;
      if (body.notes === undefined) break;
      assert.match(body.notes[0], new RegExp(`part: ${part + 1} `));
    }
    assert.equal(text, content.text);
  }
  await assert.rejects(assistant.client.readResource({ uri: 'sluice://guide/../../README' }), /no such resource/);
  const [errors] = resourceTemplates.filter(({ uriTemplate }) => uriTemplate === 'sluice://errors/{code}');
  const { completion } = await assistant.client.complete({
    ref: { type: 'ref/resource', uri: errors?.uriTemplate ?? '' },
    argument: { name: 'code', value: 'KEY_' },
  });
  assert.ok(completion.values.includes('KEY_EXPIRED') && completion.values.every((value) => value.startsWith('KEY_')));
});

test('the door of /mcp', async (t) => {
  await using gateway = await startGateway({ SLUICE_PUBLIC_URL: 'https://sluice.example' });
  const key = await gateway.key('investor');
  const post = (options: Parameters<Gateway['call']>[2] = {}) =>
    gateway.call('POST', '/mcp', { as: key, body: message('tools/list'), headers: ACCEPT, ...options });

  await t.test('is shut without a key: 401 with WWW-Authenticate, in the terms of JSON-RPC', async () => {
    for (const as of [null, 'not.a.key']) {
      const answer = await post({ as });
      assert.deepEqual([answer.status, answer.headers['www-authenticate']], [401, 'Bearer']);
      assert.deepEqual([answer.body.jsonrpc, answer.body.id, answer.body.error.code], ['2.0', null, -32_000]);
      assert.match(answer.body.error.data.code, /^KEY_/);
    }
    assert.equal((await post()).status, 200);
  });

  await t.test('is shut to pages of other sites, also under a name that has come to mean this machine', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'https://sluice.example.evil.example' },
      { host: 'evil.example:8080' },
    ]) {
      const answer = await post({ headers: { ...ACCEPT, ...headers } });
      assert.deepEqual([headers, answer.status, answer.body.error?.data.code], [headers, 403, 'ORIGIN_FORBIDDEN']);
    }
    for (const headers of [{ origin: 'https://sluice.example' }, { host: 'sluice.example' }, { origin: 'http://localhost:6274' }])
      assert.equal((await post({ headers: { ...ACCEPT, ...headers } })).status, 200, JSON.stringify(headers));
  });

  await t.test('says what is wrong with a message in the terms of JSON-RPC', async () => {
    const json = { ...ACCEPT, 'content-type': 'application/json' };
    const huge = JSON.stringify(message('tools/call', { name: 'getMe', arguments: { x: 'x'.repeat(1_100_000) } }));
    for (const [options, status] of [
      [{ raw: '{"jsonrpc":', headers: json }, 400],
      [{ raw: '{"a":1,"a":2}', headers: json }, 400],
      [{ raw: '{}', headers: json }, 400],
      [{ raw: '[]', headers: json }, 400],
      [{ raw: JSON.stringify(Array(50).fill(message('tools/list'))), headers: json }, 400],
      [{ raw: '{}', headers: { ...ACCEPT, 'content-type': 'text/plain' } }, 415],
      [{ raw: huge, headers: json }, 413],
      [{ headers: { accept: 'text/html' } }, 406],
      [{ headers: { ...ACCEPT, 'mcp-protocol-version': '1999-01-01' } }, 400],
    ] as const) {
      const answer = await post({ ...options, ...('raw' in options ? { body: undefined } : {}) });
      assert.deepEqual(
        [answer.status, answer.body.jsonrpc, typeof answer.body.error?.code],
        [status, '2.0', 'number'],
        answer.text.slice(0, 300),
      );
    }
  });

  await t.test('tells apart what is no JSON, what is no message and what is wrong in the parameters of one', async () => {
    const json = { ...ACCEPT, 'content-type': 'application/json' };
    for (const [raw, status, code, told] of [
      ['{"jsonrpc":', 400, -32_700, /JSON/],
      ['', 400, -32_700, /JSON/],
      ['{}', 400, -32_600, /no message of JSON-RPC/],
      ['"x"', 400, -32_600, /no message of JSON-RPC/],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32_600, /no message of JSON-RPC/],
      [
        JSON.stringify(message('tools/call', { name: 'getMe', arguments: 'x' })),
        200,
        -32_602,
        /^params\.arguments: expected object/,
      ],
      [JSON.stringify(message('tools/call', { arguments: {} })), 200, -32_602, /^params\.name: expected string/],
      [JSON.stringify(message('tools/call', ['getMe'])), 400, -32_600, /no message of JSON-RPC/],
      [JSON.stringify(message('resources/read', { uri: 1 })), 200, -32_602, /^params\.uri: expected string/],
      [JSON.stringify(message('no/method')), 200, -32_601, /Method not found/],
    ] as const) {
      const answer = await post({ raw, headers: json, body: undefined });
      assert.deepEqual([raw, answer.status, answer.body.error?.code], [raw, status, code], answer.text.slice(0, 300));
      assert.match(answer.body.error.message, told);
      assert.doesNotMatch(answer.body.error.message, /[[\]{}]/, 'words, and no dump');
      assert.equal(answer.body.id, status === 200 ? 1 : null);
    }
  });

  await t.test('has no stream and no session: other methods are 405', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await gateway.call(method, '/mcp', { as: key, headers: { accept: 'text/event-stream' } });
      assert.deepEqual([method, answer.status, answer.headers.allow, answer.body.jsonrpc], [method, 405, 'POST', '2.0']);
    }
    const taken = await post({ headers: { ...ACCEPT, 'mcp-session-id': 'of another key' } });
    assert.deepEqual([taken.status, taken.headers['mcp-session-id']], [200, undefined]);
  });
});

test('a tool call counts against the limit of the key, and says when it is reached how long to wait', async () => {
  await using gateway = await startGateway({ SLUICE_RATE_LIMIT: '2' });
  const key = await gateway.key('investor');
  const call = () =>
    gateway.call('POST', '/mcp', { as: key, headers: ACCEPT, body: message('tools/call', { name: 'getMe', arguments: {} }) });
  assert.equal(JSON.parse((await call()).body.result.content[0].text).data.rate_limit.remaining, 0);
  const refused = await call();
  assert.deepEqual([refused.status, refused.body.error.data.code], [429, 'RATE_LIMITED']);
  assert.ok(Number(refused.headers['retry-after']) > 0);
});

test('two servers serve one assistant: no message needs the memory of another', async () => {
  await using one = await startGateway();
  const key = await one.key('both');
  const two = await one.app.over(one.deps);
  try {
    await addressOf(one);
    const ask = async (app: Gateway['app'], method: string, params: unknown) => {
      const headers = { ...ACCEPT, authorization: `Bearer ${key.token}`, 'content-type': 'application/json' };
      const { payload } = await app.inject({
        method: 'POST',
        url: '/mcp',
        headers,
        payload: JSON.stringify(message(method, params)),
      });
      return JSON.parse(payload).result;
    };
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a test', version: '1' } };
    assert.equal((await ask(one.app, 'initialize', hello)).protocolVersion, '2025-11-25');
    const { tools } = await ask(two, 'tools/list', {});
    assert.ok(tools.length > 10);
    assert.equal((await ask(two, 'tools/call', { name: 'getMe', arguments: {} })).isError, undefined);
  } finally {
    await two.close();
  }
});

test('a tool call that arrives while the gateway stops gets its result', async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.key('investor');
  const address = await addressOf(gateway);
  const text = JSON.stringify(message('tools/call', { name: 'getMe', arguments: {} }));
  const headers = { ...ACCEPT, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sending = send(`${address}/mcp`, { method: 'POST', headers: { ...headers, 'content-length': text.length } });
  const [arrived, answered] = [once(gateway.app.server, 'request'), once(sending, 'response')];
  sending.write(text.slice(0, 10));
  await arrived;
  const closed = gateway.app.close();
  sending.end(text.slice(10));
  const [response] = (await answered) as [IncomingMessage];
  const { result } = JSON.parse(await read(response)) as { result: { isError?: boolean; content: { text: string }[] } };
  assert.deepEqual([response.statusCode, result.isError], [200, undefined], JSON.stringify(result));
  assert.equal(JSON.parse(result.content[0]?.text ?? '').data.role, 'investor');
  await closed;
});
