import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ROUTES } from '../app.ts';
import type { ApiResponse } from './api.ts';
import { chooseFields } from './fields.ts';
import { toRequest } from './to-request.ts';
import { MOST_RESULT_BYTES, toolResult } from './tool-result.ts';

function routeOf(operation: string) {
  const route = ROUTES.find((each) => each.operation === operation);
  assert.ok(route);
  return route;
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): ApiResponse => ({
  status,
  headers: new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r1', ...headers }),
  text: JSON.stringify(body),
});

function resultOf(
  operation: string,
  response: ApiResponse,
  { given = {}, fields = [] }: { given?: object; fields?: string[] } = {},
) {
  const route = routeOf(operation);
  const result: CallToolResult = toolResult({ route, request: toRequest(route, { ...given }), fields }, response);
  const [content] = result.content;
  assert.ok(content?.type === 'text' && Buffer.byteLength(content.text) <= MOST_RESULT_BYTES, `${operation} is too large`);
  return { isError: result.isError === true, body: JSON.parse(content.text) };
}

const page = (records: unknown[]) => ({
  success: true,
  data: records,
  pagination: { total: 250, next_cursor: 'behind-the-page' },
});

test('a page that is too large has its first records whole, and no cursor that would skip the others', () => {
  const records = Array.from({ length: 100 }, (_none, id) => ({ id, text: 'x'.repeat(400) }));
  const { body } = resultOf('listPools', json(page(records)));
  assert.deepEqual(body.data, records.slice(0, body.data.length));
  assert.ok(body.data.length > 20);
  assert.equal(body.next_cursor, undefined);
  assert.match(
    body.notes[0],
    new RegExp(`has 100 records.*first ${body.data.length}\\. Call again with limit: ${body.data.length} `),
  );
  const few = resultOf('listPools', json(page(records)), { fields: ['id'] });
  assert.deepEqual([few.body.data.length, few.body.next_cursor], [100, 'behind-the-page']);
});

test('a record that alone is too large is cut inside, and a path leads to the rest', () => {
  const record = { id: 1, rows: Array.from({ length: 3_000 }, (_none, id) => ({ id })) };
  const { body } = resultOf('listPools', json(page([record])));
  assert.deepEqual([body.data[0].id, body.next_cursor], [1, 'behind-the-page']);
  const [, path = ''] = /fields: \["([^"]+)"\]/.exec(body.notes.join()) ?? [];
  const next = chooseFields([record], [path]).data as Record<string, unknown[]>[];
  assert.deepEqual(next[0]?.[path], record.rows.slice(body.data[0].rows.length, 2 * body.data[0].rows.length));
});

test('a refusal has code, message, fields, request id and what else the API says, however long it is', () => {
  const errors = Array.from({ length: 500 }, (_none, id) => ({
    field: `rows.${id}`,
    code: 'INVALID',
    message: 'seen "x", expected a number',
  }));
  const refusal = {
    success: false,
    statusCode: 422,
    code: 'UNPROCESSABLE',
    message: 'No.',
    request_id: 'r1',
    errors,
    current_status: 'LOCKED',
  };
  const { isError, body } = resultOf('getPool', json(refusal, 422, { 'retry-after': '7' }), { given: { poolId: 'pool_1' } });
  assert.ok(isError);
  assert.deepEqual(
    [body.code, body.message, body.status, body.request_id, body.current_status, body.retry_after_seconds],
    ['UNPROCESSABLE', 'No.', 422, 'r1', 'LOCKED', 7],
  );
  assert.deepEqual(body.fields, errors.slice(0, body.fields.length));
  assert.match(body.notes[0], /fields: \d+ of 500 items/);
});

test('a file, or what is no response of the API, is an error that says so', () => {
  for (const [status, code] of [
    [200, 'FILE'],
    [502, 'NO_GATEWAY'],
  ] as const) {
    const headers = new Headers({ 'content-type': 'text/csv' });
    const { isError, body } = resultOf('getMe', { status, headers, text: 'a,b' });
    assert.deepEqual([isError, body.code], [true, code]);
  }
  for (const text of ['', '{', '[]', 'null', '{"hello":1}']) {
    const { isError, body } = resultOf('getMe', {
      status: 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      text,
    });
    assert.deepEqual([isError, body.code], [true, 'NO_GATEWAY'], text);
  }
});

test('every route that signs an address gives its record without it', () => {
  const signing = ROUTES.filter(({ secretFields, onReplay }) => secretFields && onReplay);
  assert.ok(signing.length >= 8);
  for (const { operation, path, secretFields = [] } of signing) {
    const names = [...path.matchAll(/:(\w+)/g)].map((match) => [match[1], 'x_1']);
    const given = { ...Object.fromEntries(names), body: {}, confirm: operation };
    const data = { id: 1, ...Object.fromEntries(secretFields.map((name) => [name, 'https://signed.example/token'])) };
    const { body } = resultOf(operation, json({ success: true, data }), { given });
    assert.doesNotMatch(JSON.stringify(body), /signed\.example/, operation);
    assert.ok(body.data.id === 1 && body.notes[0].includes(body.idempotency_key), operation);
    const chosen = resultOf(operation, json({ success: true, data }), { given, fields: secretFields.slice() });
    assert.doesNotMatch(JSON.stringify(chosen.body), /signed\.example/, operation);
  }
});
