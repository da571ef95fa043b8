import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { ApiError } from './errors.ts';
import { refuseUnknownFields } from './refuse-unknown-fields.ts';
import { findUnknownFields } from './unknown-fields.ts';

const FIXED = Type.Object({ type: Type.Unsafe({ type: 'string', enum: ['FIXED'] }), rate: Type.Number() });
const FLOATING = Type.Object({
  type: Type.Unsafe({ type: 'string', enum: ['FLOATING'] }),
  index: Type.String(),
  floor: Type.Optional(Type.Number()),
});
const BODY = Type.Object({
  name: Type.Optional(Type.String()),
  notes: Type.Array(Type.Object({ coupon: Type.Union([FIXED, FLOATING]), balance: Type.Optional(Type.Number()) })),
  size: Type.Optional(Type.Union([Type.Number(), Type.Object({ percent: Type.Number(), of: Type.Optional(Type.String()) })])),
  prices: Type.Optional(Type.Record(Type.String(), Type.Object({ clean: Type.Optional(Type.Number()) }))),
  open: Type.Optional(Type.Unsafe({ type: 'object' })),
});

const pathsOf = (value: unknown) => findUnknownFields(BODY, value).map(({ path, nearest }) => `${path} → ${nearest}`);

test('a body whose fields are all known has no findings', () => {
  const notes = [{ coupon: { type: 'FIXED', rate: 5 } }, { coupon: { type: 'FLOATING', index: 'SOFR', floor: 0 }, balance: 1 }];
  for (const more of [
    {},
    { size: 5 },
    { size: { percent: 5 } },
    { prices: { 'A-1': { clean: 99 }, nmae: {} } },
    { open: { any: 1 } },
  ])
    assert.deepEqual(pathsOf({ notes, ...more }), []);
});

test('an unknown field is found at any depth, with its path and the nearest known name', () => {
  const notes = [{ coupon: { type: 'FIXED', rate: 5 } }, { coupon: { type: 'FIXED', rate: 5 }, balnce: 1 }];
  assert.deepEqual(pathsOf({ notes, nmae: 'x' }), ['notes[1].balnce → balance', 'nmae → name']);
  assert.deepEqual(pathsOf({ notes: [], prices: { 'A-1': { claen: 99 } } }), ['prices.A-1.claen → clean']);
});

test('within alternatives, the names are those of the alternative that was meant', () => {
  const coupon = { type: 'FLOATING', index: 'SOFR', flor: 0 };
  assert.deepEqual(pathsOf({ notes: [{ coupon }] }), ['notes[0].coupon.flor → floor']);
  assert.deepEqual(pathsOf({ notes: [{ coupon: { type: 'FIXED', rate: 5, index: 'SOFR' } }] }), ['notes[0].coupon.index → type']);
  assert.deepEqual(pathsOf({ notes: [], size: { percent: 5, off: 'POOL' } }), ['size.off → of']);
});

test('names of the language itself are not known fields', () => {
  const body = JSON.parse('{"notes": [], "constructor": 1, "__proto__": 2}') as object;
  assert.deepEqual(
    findUnknownFields(BODY, body).map(({ path }) => path),
    ['constructor', '__proto__'],
  );
});

test('the refusal is 422 with every unknown field, what was meant, and what is known', () => {
  assert.doesNotThrow(() => refuseUnknownFields(BODY, { notes: [] }));
  assert.throws(
    () => refuseUnknownFields(BODY, { notes: [], nmae: 'x', colour: 'red' }),
    (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.statusCode, error.code], [422, 'UNKNOWN_FIELD']);
      assert.deepEqual(
        error.errors?.map(({ field, code, nearest }) => [field, code, nearest]),
        [
          ['nmae', 'UNKNOWN_FIELD', 'name'],
          ['colour', 'UNKNOWN_FIELD', 'notes'],
        ],
      );
      assert.match(error.message, /nmae: there is no field "nmae" here; did you mean name\? expected one of name, notes, size/);
      assert.doesNotMatch(String(error.errors?.[1]?.message), /did you mean/);
      return true;
    },
  );
});

test('an open record takes every name, one with a line break too', () => {
  const schema = Type.Object({ values: Type.Record(Type.String(), Type.String()) });
  assert.deepEqual(findUnknownFields(schema, { values: { 'two\nlines': 'ONE', plain: 'TWO' } }), []);
});

test('of more unknown fields than are told, the rest is not looked at', () => {
  let read = 0;
  const notes = new Proxy(
    Array.from({ length: 1_000 }, () => ({ coupon: { type: 'FIXED', rate: 5 }, balnce: 1 })),
    {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) read += 1;
        return Reflect.get(target, name) as unknown;
      },
    },
  );
  assert.deepEqual([findUnknownFields(BODY, { notes }).length, read], [100, 100]);
});
