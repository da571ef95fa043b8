import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { invalid } from './field-problems.ts';

const INITIATE = '/v1/api/originator/loans/initiate';

test('a refused field says what was seen, what was expected and how to mend it', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Wording');
  const told = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    const problems = (answer.body.errors as { field: string; message: string }[]).map(
      ({ field, message }) => `${field}: ${message}`,
    );
    const [first = 'none'] = problems;
    assert.ok(answer.text.includes(JSON.stringify(first).slice(1, -1)), answer.text);
    return problems;
  };
  const loans = (query: string) => told('GET', `/v1/api/originator/loans?${query}`);
  assert.deepEqual(await loans('limit=500'), ['limit: seen 500, expected a whole number from 1 to 100']);
  assert.deepEqual(await loans('page=one'), ['page: seen "one", expected a whole number from 1']);
  assert.deepEqual(await loans('from=2026-13-01'), [
    'from: seen "2026-13-01", expected a date such as 2026-11-30, or an instant with its time zone such as 2026-11-30T12:00:00Z',
  ]);
  assert.deepEqual(await told('POST', INITIATE, []), [
    'body: seen a list of 0, expected an object in braces, with fields such as loanType, fileFormat, fileName',
  ]);
  assert.deepEqual(await told('POST', '/v1/api/originator/sc/criteria', []), [
    'body: seen a list of 0, expected an object in braces, with fields such as loan_type, loan_rules',
  ]);
  assert.deepEqual(await loans('page=1.0'), ['page: seen "1.0", expected a whole number from 1; send 1']);
  assert.deepEqual(await told('GET', '/v1/api/requests?code=not_found'), [
    'code: seen "not_found", expected text of this form: Code of an error, such as NOT_FOUND',
  ]);
  const file = { loanType: 'Auto', fileFormat: 'text/csv' };
  const initiate = (fileName: unknown) => told('POST', INITIATE, { ...file, fileName });
  assert.deepEqual(await told('POST', INITIATE, file), ['fileName: this field is missing, expected text of 1 to 300 characters']);
  assert.deepEqual(await initiate(7), ['fileName: seen 7, expected text of 1 to 300 characters; put it in quotes: "7"']);
  assert.deepEqual(await initiate('x'.repeat(301)), [
    'fileName: seen a text of 301 characters, expected text of 1 to 300 characters',
  ]);
  assert.deepEqual(await initiate(' \u00a0\u200b '), ['fileName: seen blanks alone, expected text']);
  assert.deepEqual(await initiate('a\u202egpj.csv'), [
    'fileName: seen U+202E as character 2, expected text without control characters and without marks that change its direction',
  ]);
});

test('a body with many bad fields names the first with its remedy, and the others', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Many');
  const answer = await gateway.call('POST', INITIATE, { as, body: { loanType: 'auto', fileFormat: 'csv' } });
  assert.equal(
    answer.body.message,
    'A field is missing or invalid: fileName: this field is missing, expected text of 1 to 300 characters. Also: loanType, fileFormat, see errors.',
  );
});

test('a body that is too large is told how much it may be', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator', 'Large');
  const answer = await gateway.call('POST', INITIATE, { as, body: { loanType: 'x'.repeat(2 ** 21) } });
  assert.deepEqual([answer.status, answer.body.message], [413, 'The body may have at most 1048576 bytes.']);
});

test('a name that an object does not have is told with the nearest one', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('operator', 'Platform');
  const { status, body } = await gateway.call('PUT', '/v1/operator/approval-policy', { as, body: { acts: { DEAL_APROVE: 2 } } });
  assert.deepEqual([status, body.code, body.errors?.length, body.errors?.[0].field], [400, 'VALIDATION_FAILED', 1, 'acts']);
  assert.match(
    body.errors?.[0].message ?? '',
    /^seen the name "DEAL_APROVE", expected DEAL_APPROVE, .*MEMBER_SET; did you mean DEAL_APPROVE\?$/,
  );
});

test('each name that an object does not have is told', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('operator', 'Platform');
  const body = { acts: { DEAL_APROVE: 2, constructor: 1 } };
  const { body: refused } = await gateway.call('PUT', '/v1/operator/approval-policy', { as, body });
  assert.deepEqual(
    refused.errors?.map(({ message }: { message: string }) => message.split(',')[0]),
    ['seen the name "DEAL_APROVE"', 'seen the name "constructor"'],
  );
});

test('the names of an object are listed once, however many of its fields are missing', () => {
  let listed = 0;
  const data = new Proxy<Record<string, number>>(
    { firstNmae: 1 },
    {
      ownKeys(target) {
        listed += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  const missing = (missingProperty: string) => ({
    instancePath: '',
    schemaPath: '#/required',
    keyword: 'required',
    params: { missingProperty },
    schema: [],
    parentSchema: { type: 'object', properties: { firstName: { type: 'string' }, age: { type: 'number' } } },
    data,
  });
  const { errors } = invalid([missing('firstName'), missing('age')], 'body');
  assert.match(errors?.[0]?.message ?? '', /you sent "firstNmae": did you mean firstName\?/);
  assert.deepEqual([errors?.length, listed], [2, 1]);
});
