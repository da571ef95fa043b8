import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import fc from '../../../test/support/property.ts';
import { hasOtherSpelling, takeOtherSpelling } from './body-spellings.ts';
import { ApiError } from './errors.ts';

const Upload = Type.Object({
  fileName: Type.String(),
  loanType: Type.Optional(Type.String()),
  parts: Type.Optional(Type.Array(Type.Object({ partNumber: Type.Integer() }))),
});

const taken = (body: unknown): unknown => {
  takeOtherSpelling(Upload, body);
  return body;
};

test('fields in snake_case get the names of the schema, at every depth', () => {
  assert.deepEqual(taken({ file_name: 'a', loan_type: 'b', parts: [{ part_number: 1 }, { partNumber: 2 }] }), {
    fileName: 'a',
    loanType: 'b',
    parts: [{ partNumber: 1 }, { partNumber: 2 }],
  });
});

test('a body in the schema’s own spelling stays as it is', () => {
  const own = fc.record({
    fileName: fc.string(),
    loanType: fc.string(),
    parts: fc.array(fc.record({ partNumber: fc.integer() })),
  });
  fc.assert(fc.property(own, (body) => assert.deepEqual(taken(structuredClone(body)), structuredClone(body))));
});

test('both spellings of one field are an error at its place', () => {
  for (const [body, field] of [
    [{ file_name: 'a', fileName: 'a' }, 'file_name'],
    [{ parts: [{ partNumber: 1 }, { partNumber: 1, part_number: 1 }] }, 'parts.1.part_number'],
  ] as const) {
    assert.throws(
      () => taken(body),
      (error) => error instanceof ApiError && error.code === 'VALIDATION_FAILED' && error.errors?.[0]?.field === field,
    );
  }
});

test('a list that is too long is left to validation, which refuses it', () => {
  const few = Type.Object({ parts: Type.Array(Type.Object({ partNumber: Type.Integer() }), { maxItems: 2 }) });
  const sent = (length: number) => ({ parts: Array.from({ length }, () => ({ part_number: 1 })) });
  const [fitting, long] = [sent(2), sent(3)];
  takeOtherSpelling(few, fitting);
  takeOtherSpelling(few, long);
  assert.deepEqual([fitting.parts[1], long], [{ partNumber: 1 }, sent(3)]);
});

test('what is no object is left to validation', () => {
  for (const body of [null, 'text', 5, true, [], [[{ part_number: 1 }]], { parts: 'none' }, { parts: [null, 3] }]) {
    assert.deepEqual(taken(structuredClone(body)), body);
  }
});

test('only a schema with a name in camelCase has another spelling', () => {
  assert.equal(hasOtherSpelling(Upload), true);
  assert.equal(hasOtherSpelling(Type.Object({ parts: Type.Array(Type.Object({ partNumber: Type.Integer() })) })), true);
  assert.equal(hasOtherSpelling(Type.Object({ file_name: Type.String(), parts: Type.Array(Type.String()) })), false);
});
