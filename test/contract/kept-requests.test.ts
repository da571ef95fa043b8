import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { LABELS } from '../../src/features/requests/labels.ts';
import { keeperOf } from '../../src/platform/http/kept-fields.ts';
import { replySchema } from '../../src/platform/http/reply-schema.ts';
import { startGateway } from '../support/gateway.ts';
import { nameOf, seedWorld } from '../support/seeded.ts';

/** Words that the tapes of the seeded sandbox and its requests cannot have by chance. */
const TEXT = 'Zebulon Quackenbush';

type Node = {
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: readonly Node[];
  patternProperties?: Record<string, Node>;
};

/** A value with a text, a number or both for every field of a schema, whatever its type. */
function filled(schema: Node, value: unknown): unknown {
  const [first] = schema.anyOf ?? [];
  if (first) return filled(first, value);
  if (schema.items) return [filled(schema.items, value)];
  const open = Object.values(schema.patternProperties ?? {}).map((each) => [TEXT, filled(each, value)] as const);
  if (!schema.properties && open.length === 0) return value;
  return Object.fromEntries([
    ...open,
    ...Object.entries(schema.properties ?? {}).map(([name, each]) => [name, filled(each, value)]),
  ]);
}

test('of no route the log keeps a text that has the form of a name, an address, a secret or a number of a person', () => {
  const texts = [
    '123-45-6789',
    'a@example.com',
    'https://a.example/b?c=d',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'eyJhbGciOi.eyJzdWIi.c2ln',
    '4111111111111111',
  ];
  for (const route of ROUTES) {
    for (const schema of [route.query, route.body, replySchema(route)]) {
      if (!schema) continue;
      const keep = keeperOf(schema, { labels: LABELS, secretFields: route.secretFields ?? [] });
      for (const text of texts) {
        const kept = JSON.stringify(keep(filled(schema, text), 12_000));
        assert.ok(!kept.includes(text), `${nameOf(route)} keeps ${text}: ${kept.slice(0, 300)}`);
      }
      assert.ok(!JSON.stringify(keep(filled(schema, { [TEXT]: TEXT }), 12_000)).includes(TEXT), nameOf(route));
    }
  }
});

test('of a route that signs addresses or makes secrets the log names what it left out', () => {
  for (const route of ROUTES.filter(({ secretFields }) => secretFields)) {
    const { omitted } = keeperOf(replySchema(route), { labels: LABELS, secretFields: route.secretFields ?? [] })(
      filled(replySchema(route), 'x'),
      12_000,
    );
    for (const name of route.secretFields ?? [])
      assert.ok(
        omitted.some(({ path, reason }) => path.endsWith(name) && reason === 'SECRET'),
        `${nameOf(route)} ${name}`,
      );
  }
});

test('no value of a loan is in the log after everything was read', async () => {
  await using gateway = await startGateway();
  const world = await seedWorld(gateway);
  for (const route of ROUTES.filter(({ method, access }) => method === 'GET' && access !== 'public')) {
    const path = await world.addressOf(route);
    if (path && !path.endsWith('/stream')) await world.get(path, route);
  }
  await gateway.deps.requestLog?.flush();
  const deals = (await gateway.call('GET', '/v1/api/originator/loans?limit=100', { as: world.holderOf('originator') })).body.data;
  const values = new Set<string>();
  for (const { id, loan_count } of deals as { id: string; loan_count: number | null }[]) {
    if (!loan_count) continue;
    const loans = await gateway.call('GET', `/v1/api/originator/loans/${id}/loans?limit=20`, {
      as: world.holderOf('originator'),
    });
    for (const loan of loans.body.data as Record<string, unknown>[]) {
      if (typeof loan.loan_id === 'string' && loan.loan_id.length > 5) values.add(JSON.stringify(loan.loan_id));
      for (const name of ['current_balance', 'original_balance'])
        if (typeof loan[name] === 'number' && !Number.isInteger(loan[name])) values.add(`:${loan[name]},`);
    }
  }
  assert.ok(values.size > 50, `${values.size} values`);
  const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ path: string; kept: string }>('select path, request || response as kept from request_log'),
  );
  assert.ok(rows.length > 500, `${rows.length} requests`);
  for (const { path, kept } of rows) for (const value of values) assert.ok(!kept.includes(value), `${path}: ${value}`);
});
