import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type, { type TSchema } from 'typebox';
import fc from '../../../test/support/property.ts';
import { type Kept, keeperOf, type KeepOptions, type Omission } from './kept-fields.ts';
import { amount, date, id, nullable, oneOf, text, timestamp } from './schemas.ts';

const ROOM = 12_000;
const labels = new Set(['name', 'fileName']);
const kept = (schema: TSchema, value: unknown, more: Partial<KeepOptions> = {}, bytes = ROOM): Kept & { value: unknown } => {
  const result = keeperOf(schema, { labels, ...more })(value, bytes);
  return { ...result, value: result.json === null ? undefined : JSON.parse(result.json) };
};
const reasons = ({ omitted }: Kept): Record<string, Omission> =>
  Object.fromEntries(omitted.map(({ path, reason }) => [path, reason]));

const DEAL = 'deal_01m7xj4nfq000wh40xa84xpckd';
const Everything = Type.Object({
  deal_id: id('deal'),
  kind: oneOf(['ONE', 'TWO']),
  size: amount('Size.'),
  on: Type.Boolean(),
  day: date(),
  at: nullable(timestamp()),
  name: text(200),
  reason: text(1_000),
  month: Type.String({ pattern: '^\\d{4}-\\d{2}$' }),
});

test('numbers, booleans, dates, identifiers, listed words and labels are kept as they were sent', () => {
  const sent = {
    deal_id: DEAL,
    kind: 'TWO',
    size: 5.25,
    on: false,
    day: '2026-11-30',
    at: null,
    name: 'Class A-1 (senior)',
    month: '2026-11',
  };
  const found = kept(Everything, { ...sent, reason: 'Mr Smith called' });
  assert.deepEqual([found.value, found.unknownFields, found.truncated], [sent, 0, false]);
  assert.deepEqual(found.omitted, [{ path: 'reason', reason: 'TEXT', count: 1 }]);
  const at = new Date('2026-11-30T10:00:00.123Z');
  assert.deepEqual(kept(Everything, { at, size: '12.50' }, { own: true }).value, { at: at.toISOString(), size: 12.5 });
});

test('a value that is not what the schema says is named and never shown', () => {
  const wrong = {
    deal_id: 'John Smith',
    kind: 'John',
    size: 'John',
    on: 'John',
    day: 'John',
    at: { John: 1 },
    name: ['John'],
    month: 'John',
  };
  const found = kept(Everything, wrong);
  assert.deepEqual(found.value, {});
  assert.ok(!JSON.stringify(found).includes('John'));
  assert.deepEqual(reasons(found), {
    deal_id: 'TEXT',
    kind: 'INVALID',
    size: 'INVALID',
    on: 'INVALID',
    day: 'INVALID',
    at: 'INVALID',
    name: 'INVALID',
    month: 'TEXT',
  });
  for (const value of ['John', [1], 5, null]) assert.deepEqual(reasons(kept(Everything, value)), { '': 'INVALID' });
});

test('a label that is a sentence, a number of a person or as long as a token is free text', () => {
  for (const name of [
    'a@example.com',
    '123-45-6789',
    'account 12345678',
    'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJvcmdfMSJ9.c2lnbmF0dXJl',
    'x'.repeat(33),
    'x '.repeat(50),
    'two\nlines',
    '"quoted"',
    'https://example.com/a?b',
  ])
    assert.deepEqual([name, reasons(kept(Everything, { name }))], [name, { name: 'TEXT' }]);
  // The name of somebody who has an address is that of a person; a document's file is often named after one.
  const Person = Type.Object({ name: text(100), email: text(100) });
  const Document = Type.Object({ fileName: text(100), documentType: oneOf(['W9']) });
  assert.deepEqual(kept(Person, { name: 'Smith', email: 'a@example.com' }).value, {});
  assert.deepEqual(kept(Document, { fileName: 'Smith.pdf', documentType: 'W9' }).value, { documentType: 'W9' });
});

test('fields that the schema does not have are counted, at any depth, and leave no name behind', () => {
  const Nested = Type.Object({ list: Type.Array(Type.Object({ size: Type.Number() })) });
  const found = kept(Nested, {
    list: [
      { size: 1, 'John Smith': 2 },
      { size: 2, __proto__: null, a: 1, b: 2 },
    ],
    constructor: 1,
  });
  assert.deepEqual([found.value, found.unknownFields, found.omitted], [{ list: [{ size: 1 }, { size: 2 }] }, 4, []]);
});

test('secrets, tokens, addresses and cursors are never kept, whatever their values and wherever they are', () => {
  const names = ['secret', 'token', 'password', 'client_secret', 'access_token', 'api_key', 'apiKey', 'cursor', 'next_cursor'];
  const addresses = ['url', 'upload_url', 'uploadUrl', 'download_url', 'upload_headers', 'headers'];
  for (const [list, reason] of [
    [names, 'SECRET'],
    [addresses, 'ADDRESS'],
  ] as const)
    for (const name of list) {
      for (const field of [Type.String(), oneOf(['x']), id('key'), Type.Array(Type.String()), Type.Unknown()]) {
        const found = kept(Type.Object({ data: Type.Object({ [name]: field }) }), { data: { [name]: 'x' } });
        assert.deepEqual([found.value, reasons(found)], [{ data: {} }, { [`data.${name}`]: reason }], name);
      }
    }
  const own = kept(
    Type.Object({ wallet: id('key') }),
    { wallet: 'key_01m7xj4nfq000wh40xa84xpckd' },
    { secretFields: ['wallet'] },
  );
  assert.deepEqual([own.value, reasons(own)], [{}, { wallet: 'SECRET' }]);
});

test('what is about a single loan is not kept, not even its numbers', () => {
  const Row = Type.Object({ loan_id: Type.String(), balance: Type.Number() });
  const Body = Type.Object({
    loans: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    rows: Type.Array(Row),
    one: nullable(Row),
    loan_ids: Type.Array(Type.String()),
    actual: Type.Number(),
    issues: Type.Array(Type.Object({ row_number: Type.Integer(), actual: Type.Unknown() })),
    loan_count: Type.Integer(),
    pool_id: Type.Optional(id('pool')),
    groups: Type.Array(Type.Object({ key: Type.String(), loan_count: Type.Integer(), balance: Type.Number() })),
  });
  const row = { loan_id: 'L1', balance: 123.45 };
  const found = kept(Body, {
    loans: [{ ssn: '123-45-6789' }, {}],
    rows: [row, row],
    one: row,
    loan_ids: ['L1'],
    actual: 5,
    issues: [{ row_number: 1, actual: 2 }],
    loan_count: 2,
    groups: [{ key: 'TX', loan_count: 1, balance: 123.45 }],
  });
  assert.deepEqual(found.value, { loan_count: 2 });
  assert.deepEqual(reasons(found), {
    loans: 'LOAN',
    'rows[]': 'LOAN',
    one: 'LOAN',
    loan_ids: 'LOAN',
    actual: 'LOAN',
    'issues[]': 'LOAN',
    'groups[]': 'LOAN',
  });
});

test('open records and values without a schema are not kept: their names are the sender’s own', () => {
  const Open = Type.Object({
    fixings: Type.Record(Type.String(), Type.Number()),
    rule: Type.Unknown(),
    where: Type.Object({}, { additionalProperties: true }),
  });
  const found = kept(Open, { fixings: { 'John Smith': 1 }, rule: { field: 'x' }, where: { a: 1 } });
  assert.deepEqual(
    [{ fixings: 'OPEN', rule: 'OPEN' }, false],
    [{ fixings: reasons(found).fixings, rule: reasons(found).rule }, JSON.stringify(found).includes('John')],
  );
});

test('of alternatives the one that fits decides', () => {
  const By = Type.Union([Type.Object({ ids: Type.Array(id('deal')) }), Type.Object({ before: timestamp(), kind: oneOf(['A']) })]);
  assert.deepEqual(kept(By, { ids: [DEAL] }).value, { ids: [DEAL] });
  assert.deepEqual(kept(By, { before: '2026-11-30', kind: 'A' }).value, { before: '2026-11-30', kind: 'A' });
  assert.deepEqual(reasons(kept(Type.Object({ by: By }), { by: { before: 'John', kind: 'B' } })), { by: 'INVALID' });
});

test('a value that is larger than its room is cut, stays JSON, and the work ends with the room', () => {
  const List = Type.Object({ rows: Type.Array(Type.Object({ size: Type.Number() })), after: Type.Number() });
  const touched: number[] = [];
  const rows = Array.from({ length: 100_000 }, (_, index) => ({
    get size() {
      touched.push(index);
      return index;
    },
  }));
  const found = kept(List, { rows, after: 1 }, {}, 1_000);
  assert.ok(found.truncated && (found.json?.length ?? 0) <= 1_000);
  const { rows: shown } = found.value as { rows: unknown[] };
  assert.ok(shown.length > 20 && touched.length < 200, `${touched.length} rows were looked at`);
  assert.deepEqual(shown.at(-1), { size: shown.length - 1 });
});

test('whatever is sent, what is kept is JSON of at most the room, without a text that no schema lists', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 0, max: 400 }), (value, bytes) => {
      const { json } = keeperOf(Everything, { labels: new Set() })(value, bytes);
      if (json === null) return;
      assert.ok(Buffer.byteLength(json) <= bytes);
      for (const [name, each] of Object.entries(JSON.parse(json) as Record<string, unknown>))
        assert.ok(
          Object.hasOwn(Everything.properties, name) &&
            (typeof each !== 'string' || /^(ONE|TWO|[a-z]+_\w+|[\d:.TZ-]+)$/.test(each)),
        );
    }),
  );
});
