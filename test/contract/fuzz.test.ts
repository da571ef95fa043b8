import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { jobHandlers } from '../../src/worker.ts';
import { type Answer, type Gateway, type Holder, startGateway } from '../support/gateway.ts';
import fc from '../support/property.ts';

/** How many requests of each kind every operation gets; `FUZZ_RUNS` looks further. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 6);
/** They end what the others need. */
const LEFT_OUT = ['/v1/sandbox/reset', '/v1/sandbox/seed', '/v1/sandbox/clock', '/v1/api/alerts/stream'];

type Schema = {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  type?: string | string[];
  required?: string[];
  description?: string;
};
type Parameter = { name: string; in: string; description?: string; schema: Schema };
type Content = { content?: Record<string, { schema?: Schema; example?: unknown }> };
type Operation = { parameters?: Parameter[]; requestBody?: Content; responses: Record<string, Content>; description?: string };
type Description = { paths: Record<string, Record<string, Operation>> };
type Request = { path: Record<string, unknown>; query: Record<string, unknown>; body: unknown };

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as object;
const description = withoutReferences(document) as Description;

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '0',
    '-1',
    '1e309',
    'NaN',
    '../../etc/passwd',
    "' OR 1=1--",
    '\u0000',
    '\ud800',
    '😀'.repeat(50),
  ),
  fc.constantFrom<unknown>(
    0,
    -1,
    0.001,
    1e308,
    Number.MAX_SAFE_INTEGER,
    true,
    [],
    {},
    [[]],
    [null],
    { a: { b: null } },
    'A'.repeat(3_000),
  ),
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true }),
  fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
);

test('no request that anybody can think of ends in a fault, an undescribed status or an undescribed answer', async () => {
  await using gateway = await startGateway();
  const holders = await holdersOf(gateway);
  const ids = await knownIds(gateway, holders);
  const ajv = new Ajv2020({ strict: false, allErrors: true, schemas: { openapi: document as never } });
  for (const format of ['money', 'plain-text']) ajv.addFormat(format, true);
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  const compiled = new Map<string, ValidateFunction | null>();
  const faults: string[] = [];
  const seen = new Map<number, number>();
  for (const [path, item] of Object.entries(description.paths)) {
    if (LEFT_OUT.includes(path) || !path.startsWith('/v1/')) continue;
    for (const [method, operation] of Object.entries(item)) {
      const property = fc.asyncProperty(requests(operation, ids), callerOf(operation, holders), async (request, holder) => {
        const answer = await gateway.call(method.toUpperCase(), address(path, request.path, request.query), {
          as: holder,
          ...(request.body === undefined ? {} : { body: request.body }),
        });
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        judge(ajv, compiled, path, method, operation, answer);
      });
      const outcome = await fc.check(property, { numRuns: RUNS });
      if (outcome.failed)
        faults.push(
          `${method} ${path}: ${(outcome.errorInstance as Error).message} ${fc.stringify(outcome.counterexample?.[0])}`,
        );
    }
  }
  assert.deepEqual(faults, []);
  const share = (seen.get(200) ?? 0) / [...seen.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(share > 0.2, `too few requests got through: ${JSON.stringify([...seen])}`);
});

/** The document with each reference replaced by what it refers to, so that requests can be made from it. */
function withoutReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutReferences);
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...rest } = node as { $ref?: string };
  const entries = Object.entries(rest).map(([name, each]) => [name, withoutReferences(each)] as const);
  if ($ref === undefined) return Object.fromEntries(entries);
  const names = $ref.replace('#/', '').split('/');
  const target = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
  return { ...(withoutReferences(target) as object), ...Object.fromEntries(entries) };
}

async function holdersOf(gateway: Gateway): Promise<Record<'originator' | 'investor' | 'operator', Holder>> {
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const first = await gateway.key('both', 'Somebody');
  const seeded = await gateway.call('POST', '/v1/sandbox/seed', { as: first, body: { months: 2 } });
  assert.equal(seeded.status, 200, JSON.stringify(seeded.body));
  const { originator, investor } = seeded.body.data.organizations;
  return {
    originator: await gateway.key('originator', originator),
    investor: await gateway.key('investor', investor),
    operator: await gateway.key('operator', 'Platform'),
  };
}

/** Ids of the seeded records by their kind, so that requests reach the operations behind the look-up. */
async function knownIds(gateway: Gateway, holders: Record<string, Holder>): Promise<Map<string, string[]>> {
  const ids = new Map<string, Set<string>>();
  for (const path of Object.keys(description.paths).filter((each) => !each.includes('{') && description.paths[each]?.get)) {
    for (const holder of Object.values(holders)) {
      if (LEFT_OUT.includes(path)) continue;
      const answer = await gateway.call('GET', path, { as: holder });
      for (const [id, kind] of JSON.stringify(answer.body).matchAll(/\b([a-z]{3,4})_[0-9a-z]{26}\b/g))
        ids.set(kind as string, (ids.get(kind as string) ?? new Set()).add(id));
    }
  }
  assert.ok(ids.size > 12, [...ids.keys()].join());
  // A request that suspends or revokes one of us would leave nothing but refusals behind it.
  for (const holder of Object.values(holders)) {
    ids.get('key')?.delete(holder.key_id);
    ids.get('org')?.delete(holder.organization_id);
  }
  return new Map([...ids].map(([kind, found]) => [kind, [...found].slice(0, 8)]));
}

/** Whom the operation is for, and now and then somebody else. */
function callerOf(operation: Operation, holders: Record<string, Holder>): fc.Arbitrary<Holder> {
  const role = /Reachable with: (originator|investor|operator)/i.exec(operation.description ?? '')?.[1]?.toLowerCase();
  const own = holders[role ?? 'originator'] as Holder;
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant(own) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.values(holders)) },
  );
}

/** Requests as the description asks for them, and such that differ from its example in a place or two. */
function requests(operation: Operation, ids: Map<string, string[]>): fc.Arbitrary<Request> {
  const group = (where: string): Parameter[] =>
    (operation.parameters ?? [])
      // A cursor that nobody gave out is refused before anything else: test/contract/lists.test.ts has those.
      .filter((parameter) => parameter.in === where && parameter.name !== 'cursor')
      .map((parameter) => ({ ...parameter, schema: { description: parameter.description ?? '', ...parameter.schema } }));
  const path = fc.record(Object.fromEntries(group('path').map(({ name, schema }) => [name, valueOf(schema, ids)])));
  const query = fc.record(
    Object.fromEntries(
      group('query').map(({ name, schema }) => [
        name,
        fc.oneof({ weight: 4, arbitrary: valueOf(schema, ids) }, { weight: 1, arbitrary: junk }),
      ]),
    ),
    { requiredKeys: [] },
  );
  const json = operation.requestBody?.content?.['application/json'];
  const body = json?.schema
    ? fc.oneof(
        valueOf(json.schema, ids),
        ...(json.example === undefined ? [] : [changed(json.example, ids), changed(json.example, ids)]),
      )
    : fc.constant(undefined);
  return fc.record({ path, query, body });
}

/** The example with real ids, and with up to two of its values replaced or gone. */
function changed(example: unknown, ids: Map<string, string[]>): fc.Arbitrary<unknown> {
  return fc.array(fc.tuple(fc.nat(), fc.option(junk), fc.nat()), { maxLength: 2 }).map((changes) => {
    const copy = JSON.parse(withKnownIds(JSON.stringify(example), ids)) as unknown;
    for (const [at, value] of changes) {
      const places = placesOf(copy);
      const place = places[at % Math.max(1, places.length)];
      if (place) place.holder[place.key] = value ?? undefined;
    }
    return copy;
  });
}

type Place = { holder: Record<string, unknown>; key: string };

function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf(holder[key])]);
}

function withKnownIds(json: string, ids: Map<string, string[]>): string {
  return json.replace(/\b([a-z]{3,4})_[0-9a-z]{10,}\b/g, (id, kind: string) => ids.get(kind)?.[0] ?? id);
}

/** A value of a schema; ids are those of real records more often than not. */
function valueOf(schema: Schema, ids: Map<string, string[]>): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valueOf(each, ids)));
  const [type] = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (type === 'integer')
    return fc.integer({ min: Number(schema.minimum ?? -9), max: Math.min(Number(schema.maximum ?? 999), 2 ** 31) });
  if (type === 'number') return fc.integer({ min: 1, max: 200_000_000 }).map((cents) => cents / 100);
  if (type === 'boolean') return fc.boolean();
  if (type === 'array')
    return fc.array(valueOf(schema.items ?? {}, ids), {
      maxLength: Number(schema.maxItems ?? 3) > 3 ? 3 : Number(schema.maxItems ?? 3),
    });
  if (type === 'object') {
    const properties = Object.entries(schema.properties ?? {}).map(([key, each]) => [key, valueOf(each, ids)] as const);
    return fc.record(Object.fromEntries(properties), {
      requiredKeys: (schema.required ?? []).filter((key) => schema.properties?.[key]),
    });
  }
  return type === 'string' ? textOf(schema, ids) : junk;
}

function textOf(schema: Schema, ids: Map<string, string[]>): fc.Arbitrary<unknown> {
  const known = ids.get(/`([a-z]+)_…`/.exec(schema.description ?? '')?.[1] ?? '');
  if (known)
    return fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...known) },
      { weight: 1, arbitrary: fc.constantFrom('none', 'x'.repeat(128)) },
    );
  const instant = fc
    .date({ min: new Date('1990-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString());
  if (schema.format === 'date') return instant.map((text) => text.slice(0, 10));
  if (String(schema.format).startsWith('date')) return instant;
  if (schema.pattern) return fc.stringMatching(new RegExp(String(schema.pattern)));
  if (schema.format === 'uri') return fc.webUrl();
  return fc.string({ minLength: Number(schema.minLength ?? 0), maxLength: Math.min(Number(schema.maxLength ?? 40), 40) });
}

function address(path: string, parts: Record<string, unknown>, query: Record<string, unknown>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(wellFormed(parts[name])) || 'none');
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(wellFormed(value))}`,
  );
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
}

function wellFormed(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value ?? '')).toWellFormed();
}

function judge(
  ajv: Ajv2020,
  compiled: Map<string, ValidateFunction | null>,
  path: string,
  method: string,
  operation: Operation,
  answer: Answer,
): void {
  const told = JSON.stringify(answer.body).slice(0, 300);
  assert.ok(answer.status < 500, `${answer.status} ${told}`);
  const response = operation.responses[answer.status];
  assert.ok(response, `${answer.status} is not described: ${told}`);
  const place = ['paths', path, method, 'responses', String(answer.status), 'content', 'application/json', 'schema'];
  const key = place.join(' ');
  if (!compiled.has(key)) {
    const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const ref = answer.status < 400 ? pointer : 'components/schemas/Error';
    compiled.set(key, response.content?.['application/json']?.schema ? ajv.compile({ $ref: `openapi#/${ref}` }) : null);
  }
  const validate = compiled.get(key);
  if (validate && !String(answer.headers['content-type']).includes('json')) return;
  assert.ok(!validate || validate(answer.body), `${answer.status} ${ajv.errorsText(validate?.errors)}: ${told}`);
}
