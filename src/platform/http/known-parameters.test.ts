import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type, { type TSchema } from 'typebox';
import { ApiError } from './errors.ts';
import { takeKnownParameters } from './known-parameters.ts';
import { type Route, route } from './route.ts';
import { oneOf } from './schemas.ts';

const KINDS = ['A', 'B'];
const SPELLINGS = [
  { names: ['dealId', 'deal_id'] },
  { names: ['loanType', 'loan_type', 'type'], words: KINDS },
  { names: ['asset_type', 'type'], words: KINDS },
];
const kind = oneOf(KINDS);

const listOf = (query: Record<string, TSchema>): Route =>
  route({
    operation: 'listThings',
    method: 'GET',
    path: '/v1/things',
    access: 'key',
    tag: 'Things',
    summary: 'List things',
    query: Type.Object(query),
    reply: Type.Array(Type.String()),
    handler: async () => [],
  });

const take = (known: string[], query: Record<string, unknown>, schema: TSchema = kind): Record<string, unknown> => {
  takeKnownParameters(listOf(Object.fromEntries(known.map((name) => [name, schema]))), query, SPELLINGS);
  return query;
};

function refusalOf(known: string[], query: Record<string, unknown>): ApiError {
  try {
    take(known, query);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error;
  }
  throw new assert.AssertionError({ message: 'the query was taken' });
}

test('a parameter is taken in each of its spellings, under the name of the route', () => {
  assert.deepEqual(take(['deal_id'], { dealId: 'd' }), { deal_id: 'd' });
  assert.deepEqual(take(['dealId'], { deal_id: 'd' }), { dealId: 'd' });
  for (const name of ['type', 'loanType', 'loan_type', 'asset_type'])
    assert.deepEqual(take(['type'], { [name]: 'A' }), { type: 'A' });
});

test('a parameter of the same name that means something else has no other spelling', () => {
  for (const schema of [Type.String(), oneOf(['A', 'B', 'C']), oneOf(['X'])])
    for (const name of ['loanType', 'loan_type', 'asset_type'])
      assert.throws(() => take(['type'], { [name]: 'A' }, schema), { code: 'UNKNOWN_PARAMETER' });
});

test('a name that the route has itself is never another’s spelling', () => {
  const query = { type: 'A', asset_type: 'B' };
  assert.deepEqual(take(['type', 'asset_type'], { ...query }), query);
});

test('two spellings at once are an error that names both', () => {
  const error = refusalOf(['type'], { type: 'A', loanType: 'A' });
  assert.deepEqual([error.code, error.statusCode, error.extra.parameter], ['UNKNOWN_PARAMETER', 400, 'loanType']);
  assert.match(error.message, /loanType and type are the same parameter/);
});

test('an unknown parameter is an error that names it, the nearest and all that the path takes', () => {
  const error = refusalOf(['status', 'deal_id'], { statis: 'x' });
  assert.deepEqual(error.extra, { parameter: 'statis', nearest: 'status', known: ['status', 'deal_id'] });
  assert.match(error.message, /Did you mean status\? This path takes status, deal_id\./);
});

test('a name that is far from every other is not taken for a misspelling', () => {
  assert.doesNotMatch(refusalOf(['status'], { organization: 'x' }).message, /Did you mean/);
  assert.match(refusalOf([], { organization: 'x' }).message, /This path takes none/);
});

test('a name of any length is shown shortened', () => {
  assert.equal(refusalOf(['status'], { ['x'.repeat(5_000)]: '' }).extra.parameter, 'x'.repeat(100));
});

test('a list that is sent whole takes the paging of other lists, and has one page', () => {
  assert.deepEqual(take(['status'], { page: '2', limit: '5', status: 's' }), { status: 's' });
});

test('a log takes its first page alone: a later one would be its beginning again', () => {
  const log: Route = { ...listOf({}), replyKind: 'cursor' };
  const first = { page: '1' };
  takeKnownParameters(log, first, SPELLINGS);
  assert.deepEqual(first, {});
  assert.throws(() => takeKnownParameters(log, { page: '2' }, SPELLINGS), {
    code: 'VALIDATION_FAILED',
    message: /send next_after/,
  });
  takeKnownParameters(log, { page: '2' }, SPELLINGS, true);
});

test('names of an object’s prototype are as unknown as others', () => {
  for (const name of ['__proto__x', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(refusalOf(['status'], { [name]: 'x' }).code, 'UNKNOWN_PARAMETER', name);
  }
});
