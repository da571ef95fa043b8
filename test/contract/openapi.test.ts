import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { validate } from '@scalar/openapi-parser';
import Type from 'typebox';
import { ROUTES } from '../../src/app.ts';
import { named, namedOneOf } from '../../src/platform/http/named.ts';
import { openApi } from '../../src/platform/http/openapi.ts';
import { route } from '../../src/platform/http/route.ts';
import { nullable, pageQuery, pathId } from '../../src/platform/http/schemas.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

type Node = { [keyword: string]: unknown };
type Operation = {
  requestBody?: { content: Record<string, { schema: Node }> };
  parameters?: Node[];
  security?: unknown[];
  responses: Record<string, { $ref?: string; headers?: Node; content?: Record<string, { schema: Node }> }>;
};
type Document = { paths: Record<string, Record<string, Operation>>; components: Record<string, Record<string, Node>> };

/** The response is that of whichever trade route the sandbox stands for. */
const FREE_FORM = ['post /v1/sandbox/trades/{tradeId}/settle'];
const LARGEST_BYTES = 2_000_000;
const LARGEST_COMPRESSED_BYTES = 250_000;

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
const description = JSON.parse(text) as Document;

test('the OpenAPI document is valid OpenAPI 3.1', async () => {
  const { valid, version, errors } = await validate(JSON.parse(text));
  assert.deepEqual({ valid, version, errors }, { valid: true, version: '3.1', errors: [] });
});

test('the OpenAPI document is small: what recurs is a component', () => {
  const served = JSON.stringify(description);
  assert.ok(served.length < LARGEST_BYTES, `${served.length} bytes`);
  const compressed = gzipSync(served).length;
  assert.ok(compressed < LARGEST_COMPRESSED_BYTES, `${compressed} bytes compressed`);
});

test('every response names the headers that it carries', () => {
  const wrong = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { parameters = [], security, responses }]) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const name = response.$ref?.split('/').at(-1);
        const { headers = {}, content = {} } = name
          ? ((description.components.responses ?? {})[name] as { headers?: Node; content?: Node })
          : response;
        const takesKey = parameters.some(({ $ref }) => $ref === '#/components/parameters/Idempotency-Key');
        const isFile = Object.keys(content).some((type) => !['application/json', 'text/event-stream'].includes(type));
        const expected = [
          'X-Request-Id',
          'Sluice-Version',
          ...(security || status === '401' ? [] : ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']),
          ...(status === '401' ? ['WWW-Authenticate'] : []),
          ...(['429', '503'].includes(status) ? ['Retry-After'] : []),
          ...(status.startsWith('2') && takesKey ? ['Idempotency-Replayed'] : []),
          ...(status.startsWith('2') && isFile ? ['Content-Disposition'] : []),
        ];
        return expected.filter((header) => !(header in headers)).map((header) => `${method} ${path} ${status} ${header}`);
      }),
    ),
  );
  assert.deepEqual(wrong, []);
});

test('an ETag is described where there is one: not of a record that is gone, and not of an act that waits', async () => {
  await using gateway = await startGateway();
  const customer = await gateway.key('both', 'Harbor Lending');
  const operator = await gateway.key('operator', 'Platform');
  const { organization_id } = await gateway.key('investor', 'Buyer');
  const hooks = '/v1/api/webhooks/subscriptions';
  const profiles = '/v1/operator/organizations';
  const hook = (await gateway.call('POST', hooks, { as: customer, body: { url: 'http://127.0.0.1:2001/' } })).body.data;
  const profile = {
    kyc_status: 'VERIFIED',
    kyc_expires_on: null,
    sanctions_status: 'CLEAR',
    qib: true,
    accredited: true,
    us_person: true,
    tax_form: null,
    erisa_plan: false,
  };
  const set = { as: operator, body: profile };
  const sends = async (method: string, template: string, id: string, request: Parameters<Gateway['call']>[2]) => {
    const { status, headers } = await gateway.call(method, template.replace(/\{\w+\}/, id), request);
    const described = description.paths[template]?.[method.toLowerCase()]?.responses[status]?.headers ?? {};
    assert.equal('ETag' in described, 'etag' in headers, `${method} ${template} ${status}`);
    return status;
  };
  assert.equal(await sends('GET', `${hooks}/{id}`, hook.id, { as: customer }), 200);
  assert.equal(await sends('PATCH', `${hooks}/{id}`, hook.id, { as: customer, body: { active: false } }), 200);
  assert.equal(await sends('DELETE', `${hooks}/{id}`, hook.id, { as: customer }), 200);
  assert.equal(await sends('PUT', `${profiles}/{organizationId}/profile`, organization_id, set), 200);
  await gateway.call('PUT', '/v1/operator/approval-policy', { as: operator, body: { acts: { PROFILE_SET: 2 } } });
  assert.equal(await sends('PUT', `${profiles}/{organizationId}/profile`, organization_id, set), 202);
});

test('a response that is a file says of which type', () => {
  assert.deepEqual(text.match(/"(application\/octet-stream)": \{\s*"schema": \{\s*"type": "string"\s*\}/), null);
  for (const [path, type] of [
    ['/v1/api/originator/loans/{dealId}/issues/file', 'text/csv'],
    ['/v1/api/originator/analytics/pools/{poolId}/calculations/{calculationId}/cashflows', 'text/csv'],
    ['/v1/operator/pools/{poolId}/calculations/{calculationId}/cashflows', 'text/csv'],
    ['/v1/downloads/{token}', 'application/pdf'],
  ] as const)
    assert.ok(description.paths[path]?.get?.responses['200']?.content?.[type], path);
});

test('a response that shows a secret once is described as a repeated request gets it too', () => {
  const shown = ROUTES.filter(({ secretFields, onReplay }) => secretFields && !onReplay);
  assert.ok(shown.length > 0);
  for (const { method, path, secretFields = [], reply } of shown) {
    const { properties = {}, required = [] } = reply as { properties?: Node; required?: string[] };
    assert.ok('secret_omitted' in properties, `${method} ${path}`);
    assert.deepEqual(
      secretFields.filter((name) => required.includes(name)),
      [],
      `${method} ${path}`,
    );
  }
});

test('what an error has beside its code is a field of the error', () => {
  const { properties = {} } = description.components.schemas?.Error ?? {};
  for (const field of ['existing_deal_id', 'current_status', 'allowed', 'needed', 'loans', 'conflict_ids', 'tranches'])
    assert.ok(isNode(properties) && field in properties, field);
});

test('no object and no enum is written twice in the OpenAPI document', () => {
  const seen = new Map<string, string>();
  for (const { schema, at } of schemasOf(description, '')) {
    const { description: _description, default: _default, ...shape } = schema;
    const values = shape.enum as unknown[] | undefined;
    const hasFields = shape.type === 'object' && Object.keys(shape.properties ?? {}).length > 0;
    if (!hasFields && (values?.length ?? 0) < 2) continue;
    const key = JSON.stringify(shape, (_, value: unknown) =>
      isNode(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
    );
    assert.equal(seen.get(key), undefined, `${at} repeats ${seen.get(key)}`);
    seen.set(key, at);
  }
  assert.ok(seen.size > 300, `${seen.size} schemas`);
});

test('every JSON body and every record that a route returns has a name, so that clients have a type for it', () => {
  const unnamed = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { requestBody, responses }]) => {
      const bodies = [
        requestBody,
        ...Object.entries(responses).flatMap(([status, each]) => (Number(status) < 300 ? [each] : [])),
      ];
      return bodies
        .map((each) => each?.content?.['application/json']?.schema)
        .filter((schema) => schema?.type === 'object' && Object.keys((schema.properties ?? {}) as Node).length > 0)
        .map(() => `${method} ${path}`);
    }),
  );
  assert.deepEqual(unnamed.toSorted(), FREE_FORM);
});

test('errors, paging and the headers of every request are components', () => {
  const { parameters = {}, responses = {} } = description.components;
  for (const name of ['pageInQuery', 'limitInQuery', 'X-Request-Id', 'Idempotency-Key']) assert.ok(parameters[name], name);
  for (const name of ['Unauthorized', 'Forbidden', 'NotFound', 'RateLimited', 'Internal']) assert.ok(responses[name], name);
});

test('a schema without a name that occurs twice, a name of two schemas, and two names of one stop the making of the document', () => {
  const one = () => Type.Object({ id: Type.String(), size: Type.Integer() });
  const other = Type.Object({ id: Type.String() });
  assert.throws(() => openApi([reads('/a', one()), reads('/b', one())]), /without a name occur more than once.*\["id","size"\]/s);
  const name = (schema: ReturnType<typeof Type.Object>, title: string) => named(title, schema.properties);
  assert.throws(() => openApi([reads('/a', name(one(), 'A')), reads('/b', name(other, 'A'))]), /two schemas are named A/);
  assert.throws(() => openApi([reads('/a', name(one(), 'A')), reads('/b', name(one(), 'B'))]), /A and B are the same/);
});

test('one of several equal schemas gives all of them its name; a nullable enum refers to the enum', () => {
  const values = ['UP', 'DOWN'] as const;
  const thing = { state: namedOneOf('State', values, 'Where it goes.'), before: nullable(namedOneOf('State', values)) };
  const made = openApi([reads('/a', named('Thing', thing)), reads('/b', Type.Object(thing))]) as unknown as Document;
  const { schemas = {} } = made.components;
  assert.deepEqual(Object.keys(schemas), ['Error', 'ErrorCode', 'FieldProblem', 'State', 'Thing', 'ThingResponse']);
  assert.deepEqual(schemas.Thing?.properties, {
    state: { $ref: '#/components/schemas/State' },
    before: { anyOf: [{ $ref: '#/components/schemas/State' }, { type: 'null' }] },
  });
  assert.deepEqual(schemas.State, { type: 'string', enum: ['UP', 'DOWN'], description: 'Where it goes.' });
});

test('the document has every route of the server', () => {
  const described = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  const served = ROUTES.map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`);
  assert.deepEqual(described.toSorted(), served.toSorted());
});

function reads(path: string, reply: ReturnType<typeof Type.Object>) {
  const params = pathId('thingId', 'thg');
  return route({
    operation: 'getThing',
    method: 'GET',
    path: `${path}/:thingId`,
    access: 'public',
    tag: 'Things',
    summary: 'Read a thing',
    params,
    query: pageQuery({}),
    reply,
    handler: async () => ({}),
  });
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every schema of the document, at whatever depth; not what stands in its examples. */
function schemasOf(node: unknown, at: string): { schema: Node; at: string }[] {
  if (Array.isArray(node)) return node.flatMap((each, index) => schemasOf(each, `${at}/${index}`));
  if (!isNode(node)) return [];
  const below = Object.entries(node)
    .filter(([name]) => name !== 'example' && name !== 'default')
    .flatMap(([name, each]) => schemasOf(each, `${at}/${name}`));
  return typeof node.type === 'string' || Array.isArray(node.type) ? [{ schema: node, at }, ...below] : below;
}
