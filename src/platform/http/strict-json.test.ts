import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { ApiError } from './errors.ts';
import { parseStrictJson } from './strict-json.ts';

const parse = (text: string | Buffer): unknown => parseStrictJson(Buffer.from(text as string));

function refuses(text: string | Buffer, why: RegExp): void {
  assert.throws(
    () => parse(text),
    (error) => error instanceof ApiError && error.code === 'MALFORMED_JSON' && why.test(error.message),
    String(text).slice(0, 80),
  );
}

test('a body is read as JSON means it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const forbidden = /"__proto__"|"prototype"|\\u/.test(text);
      if (!forbidden) assert.deepEqual(parse(text), JSON.parse(text));
    }),
  );
  assert.deepEqual(parse('\t{ "a" : [ "x:y" , "}" , "\\"" , {"a":"a"} ] , "b" : "a" }\r\n'), {
    a: ['x:y', '}', '"', { a: 'a' }],
    b: 'a',
  });
});

test('a key that occurs twice in one object is refused, however it is written and whatever stands before its colon', () => {
  refuses('{"a":1,"a":2}', /twice/);
  refuses('{"a":1,"\\u0061":2}', /twice/);
  refuses('{"x":[{"k":1,"k":1}]}', /twice/);
  for (const spaces of [1, 63, 64, 65, 5_000]) refuses(`{"a":1,"a"${' '.repeat(spaces)}:2}`, /twice/);
  refuses('{"a":1,"a"\n\t\r :2}', /twice/);
});

test('the same key in different objects is not twice', () => {
  assert.deepEqual(parse('[{"a":1},{"a":{"a":2}}]'), [{ a: 1 }, { a: { a: 2 } }]);
});

test('a value that looks like a key of its object is a value', () => {
  assert.deepEqual(parse('{"a":"a","b":"a"}'), { a: 'a', b: 'a' });
  assert.deepEqual(parse('{"a":["a","a"]}'), { a: ['a', 'a'] });
  assert.deepEqual(parse('{"a":"__proto__"}'), { a: '__proto__' });
});

test('names that could reach the prototype of an object are refused, escaped or spaced out too', () => {
  for (const key of ['__proto__', '\\u005f_proto__']) {
    refuses(`{"${key}":{}}`, /not allowed/);
    refuses(`{"a":[{"${key}"${' '.repeat(100)}:1}]}`, /not allowed/);
  }
  for (const key of ['constructor', '\\u0063onstructor'])
    for (const text of [`{"${key}":{"prototype":{"x":1}}}`, `{"a":{"${key}" : { "b":[1,{}], "prototype":1}}}`])
      refuses(text, /not allowed/);
});

test('each word alone is a name as others', () => {
  for (const text of [
    '{"constructor":{"a":{"prototype":1}},"prototype":{"constructor":{}},"toString":1}',
    '{"constructor":"Brick & Co","prototype":"P-7"}',
    '{"constructor":[{"prototype":1}]}',
    '{"a":"constructor","b":{"prototype":1}}',
    '["constructor",{"prototype":1}]',
  ])
    assert.equal(JSON.stringify(parse(text)), text);
});

test('NUL, lone surrogates and bytes that are not UTF-8 are refused in keys and in values', () => {
  for (const text of ['{"a":"\\u0000"}', '{"\\u0000":1}']) refuses(text, /NUL/);
  for (const text of ['{"a":"\\ud800"}', '["\\udc00\\ud800"]', '{"\\udfff":1}']) refuses(text, /surrogate/);
  refuses(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/);
  assert.deepEqual(parse('{"a":"\\ud83d\\ude00"}'), { a: '😀' });
});

test('nesting of 64 levels is read, deeper is refused without recursion', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  assert.ok(Array.isArray(parse(nested(64))));
  refuses(nested(65), /deeper than 64/);
  refuses('['.repeat(1_000_000), /deeper than 64/);
});

test('what is not JSON is refused', () => {
  for (const text of ['', '{', '{"a":1,}', "{'a':1}", 'undefined', 'NaN', '{"a":01}', '"open', '{"a" 1}', '{"a":1}{', '// x\n1'])
    refuses(text, /acceptable/);
});

test('a body with a fault in its syntax is told where, and nothing of it is repeated', () => {
  refuses('{"a":1,}', /wrong at line 1, column 8/);
  refuses('{"a":1,\n "b" 2}', /wrong at line 2, column 6/);
  refuses('{"a":1,"secret":}', /wrong at line 1, column 17: a value is expected, not "}"\.$/);
  refuses('nul', /it ends before it is complete/);
  refuses('\ufeff{}', /byte order mark/);
});

const refusedAt = (text: string): string | null | undefined => {
  try {
    parse(text);
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'VALIDATION_FAILED', String(error));
    return error.errors?.[0]?.field;
  }
  return undefined;
};

test('a number that a double does not keep to six decimals is refused at its path', () => {
  const lost = ['123456789012345678.91', '-123456789012345678.91', '9007199254740993', '10000000000000000.1', '1e400', '-1e999'];
  const kept = [
    '0.1',
    '0.30000000000000004',
    '0.12345678901234567890',
    '1e-400',
    '9007199254740992',
    '1E20',
    '0e999',
    '-0',
    '5e9',
  ];
  const amounts = ['123456789012345680', '9999999999.99', '1234567890.123457', '1234567890.12345700', '1.7976931348623157e308'];
  for (const literal of lost) assert.equal(refusedAt(`{"a": ${literal}}`), 'a', literal);
  for (const literal of [...kept, ...amounts])
    assert.deepEqual(parse(`[${literal}, "${literal}"]`), [Number(literal), literal], literal);
  const rule = '{"rule": {"field": "a \\" b, {[", "op": "gt", "value": 123456789012345678.91}}';
  assert.equal(refusedAt(`{"x": [1, [2]], "loan_rules": [{"id": "A"}, ${rule}]}`), 'loan_rules.1.rule.value');
  assert.equal(refusedAt('[[1, 2], {"a": {}, "b" : [3, 1e400]}]'), '1.b.1');
  assert.equal(refusedAt('1e400'), 'body');
});

test('whatever number a program writes is read', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      assert.deepEqual(parse(JSON.stringify([value])), [value === 0 ? 0 : value]);
    }),
  );
});

test('a number that is none is told as such, whatever stands beside it', () => {
  refuses('[1e400, 01]', /a number is written as/);
  refuses('[1.2.3]', /syntax/);
});
