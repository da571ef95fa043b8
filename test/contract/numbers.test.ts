import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { wireMoney } from '../../src/loans/criteria/decimal.ts';
import { startGateway } from '../support/gateway.ts';
import { nameOf, seedWorld } from '../support/seeded.ts';

type Schema = {
  type?: unknown;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};

const MONEY = /In currency units/;
/** Ends of the names of figures. */
const FIGURE =
  /(^|_)(amount|balance|price|face|yield|spread|wal|duration|factor|coupon|rate|ratio|weight|value|interest|principal|size|count|total|capacity|denomination|increment|headroom|oc|cpr|cdr|severity)$/;

/** Values of a tape as they stand there, and the name of a factor of risk. */
const AS_WRITTEN = /samples\[\]\.value$|factors\[\]\.factor$/;

/** Every named field of a schema with its path. */
function* fields(schema: Schema, path = ''): Generator<[path: string, name: string, schema: Schema], void> {
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${name}`, name, each];
    yield* fields(each, `${path}.${name}`);
  }
  if (schema.items) yield* fields(schema.items, `${path}[]`);
  for (const each of schema.anyOf ?? []) yield* fields(each, path);
}

test('no figure of a response is text', () => {
  const texts = ROUTES.flatMap((route) =>
    [...fields(route.reply as Schema)].flatMap(([path, name, schema]) =>
      FIGURE.test(name) && [schema.type].flat().includes('string') && !schema.enum && !AS_WRITTEN.test(path)
        ? [`${nameOf(route)} ${path}`]
        : [],
    ),
  );
  assert.deepEqual(texts, []);
});

test('amounts of criteria are rounded half to even to the cent', () => {
  const pairs = { '1': 1, '0.125': 0.12, '0.135': 0.14, '-2.555000': -2.56, '10000000.004999': 10_000_000, '0.1': 0.1 };
  for (const [text, number] of Object.entries(pairs)) assert.equal(wireMoney(text), number, text);
});

/** Faults of a value where its schema says that it is money. */
function* faults(schema: Schema, value: unknown, path = ''): Generator<string, void> {
  if (value === null || value === undefined) return;
  if (MONEY.test(schema.description ?? '')) {
    const decimals = String(value).split('.')[1] ?? '';
    if (typeof value !== 'number' || decimals.length > 2) yield `${path}: ${JSON.stringify(value)}`;
  }
  if (Array.isArray(value)) {
    for (const each of value) if (schema.items) yield* faults(schema.items, each, `${path}[]`);
  } else if (typeof value === 'object') {
    for (const [name, each] of Object.entries(schema.properties ?? {}))
      yield* faults(each, (value as Record<string, unknown>)[name], `${path}.${name}`);
  }
  for (const each of schema.anyOf ?? []) yield* faults(each, value, path);
}

test('money of every response that can be read is a number with at most two decimals', async () => {
  await using gateway = await startGateway();
  const world = await seedWorld(gateway);
  const found = new Set<string>();
  let seen = 0;
  for (const route of ROUTES) {
    if (route.method !== 'GET' || route.access === 'public' || ['file', 'stream', 'message'].includes(route.replyKind ?? ''))
      continue;
    const path = await world.addressOf(route);
    if (path === null) continue;
    const { data } = (await world.get(path, route)).body;
    const rows = Array.isArray(data) && route.reply.type !== 'array' ? data : [data];
    for (const row of rows) for (const fault of faults(route.reply as Schema, row)) found.add(`${nameOf(route)} ${fault}`);
    seen += 1;
  }
  assert.ok(seen > 70, `${seen} routes`);
  assert.deepEqual([...found].slice(0, 20), []);
});

test('nothing is taken for a number in a body: text, a boolean, a list and null are 400 at their field', async () => {
  await using gateway = await startGateway();
  const holders = {
    originator: await gateway.key('originator', 'Seller'),
    investor: await gateway.key('investor', 'Buyer'),
    operator: await gateway.key('operator', 'Platform'),
  };
  let tried = 0;
  for (const route of ROUTES.filter(({ access, body }) => body && access !== 'public')) {
    const schema = route.body as Schema & { properties?: Record<string, Schema> };
    const as = route.access === 'operator' || route.access === 'investor' ? holders[route.access] : holders.originator;
    const path = route.path.replaceAll(/:\w+/g, '1');
    for (const [field, { type }] of Object.entries(schema.properties ?? {})) {
      const types = [type].flat();
      if (!types.includes('number') && !types.includes('integer')) continue;
      const values = ['5', true, [5], ...(types.includes('null') ? [] : [null])];
      for (const value of values) {
        const answer = await gateway.call(route.method, path, { as, body: { [field]: value } });
        const fields = (answer.body.errors ?? []).map((error: { field: string }) => error.field);
        assert.deepEqual(
          [answer.status, fields.includes(field)],
          [400, true],
          `${nameOf(route)} ${field}: ${JSON.stringify(value)}: ${answer.text.slice(0, 300)}`,
        );
        tried += 1;
      }
    }
  }
  assert.ok(tried > 50, String(tried));
});
