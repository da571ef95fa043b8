import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';

const INITIATE = '/v1/api/originator/loans/initiate';

test('a refused field says in words what was expected, never what was sent', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Wording');
  const told = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return (answer.body.errors as { field: string; message: string }[]).map(({ field, message }) => `${field}: ${message}`);
  };
  assert.deepEqual(await told('GET', '/v1/api/originator/loans?limit=500'), ['limit: expected at most 100']);
  assert.deepEqual(await told('GET', '/v1/api/originator/loans?page=0'), ['page: expected at least 1']);
  assert.match(
    (await told('GET', '/v1/api/originator/loans?from=2026-13-01'))[0] ?? '',
    /^from: expected a date such as 2026-11-30/,
  );
  assert.deepEqual(await told('POST', INITIATE, []), ['body: expected an object in braces']);
  const file = { loanType: 'Auto', fileFormat: 'text/csv' };
  assert.deepEqual(await told('POST', INITIATE, file), ['fileName: expected this field, which is missing']);
  assert.deepEqual(await told('POST', INITIATE, { ...file, fileName: 7 }), ['fileName: expected text in quotes']);
  assert.deepEqual(await told('POST', INITIATE, { ...file, fileName: 'x'.repeat(301) }), [
    'fileName: expected at most 300 characters',
  ]);
  assert.match((await told('POST', INITIATE, { ...file, fileName: 'a\u202egpj.csv' }))[0] ?? '', /without control characters/);
});

test('a body that is too large is told how much it may be', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Large');
  const answer = await gateway.call('POST', INITIATE, { as, body: { loanType: 'x'.repeat(2 ** 21) } });
  assert.deepEqual([answer.status, answer.body.message], [413, 'The body may have at most 1048576 bytes.']);
});
