import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { describeApi } from '../../src/description.ts';
import { VERBS } from '../../src/platform/http/operation.ts';

const names = ROUTES.map(({ operation }) => operation);
const verbOf = (name: string): string => name.replace(/[A-Z].*$/, '');

test('each operation has a name of its own: a verb of the list, then a noun, in camelCase', () => {
  assert.ok(names.length > 300, `${names.length} routes`);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
  const verbs: readonly string[] = VERBS;
  assert.deepEqual(
    names.filter((name) => !/^[a-z]+([A-Z][a-z]+)+$/.test(name) || !verbs.includes(verbOf(name))),
    [],
  );
  assert.deepEqual(
    VERBS.filter((verb) => !names.some((name) => verbOf(name) === verb)),
    [],
    'verbs without an operation',
  );
});

test('a GET reads, and what reads one record, a list or a file says so', () => {
  const READING = ['compare', 'count', 'download', 'explain', 'get', 'list', 'search', 'stream', 'verify'];
  for (const { method, operation, replyKind } of ROUTES) {
    assert.equal(READING.includes(verbOf(operation)) || method !== 'GET', true, operation);
    if (replyKind === 'page' || replyKind === 'meta') assert.match(operation, /^(list|search)/);
    if (replyKind === 'file') assert.match(operation, /^(download|get)/);
  }
});

test('the description names operations as the routes do', () => {
  const { paths } = describeApi(ROUTES) as { paths: Record<string, Record<string, { operationId: string }>> };
  const described = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  assert.deepEqual(described.toSorted(), names.toSorted());
  assert.equal(paths['/v1/api/originator/loans']?.get?.operationId, 'listLoanDeals');
});
