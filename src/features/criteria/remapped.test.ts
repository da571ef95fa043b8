import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { formPool } from '../../../test/support/pools.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';

const SC = '/v1/api/originator/sc';

test('a run on a tape that is mapped anew', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Originator');
  const operator = await gateway.key('operator', 'Platform');
  const call = (method: string, path: string, body?: unknown) =>
    gateway.call(method, path, { as: originator, ...(body === undefined ? {} : { body }) });
  const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(20) });
  await gateway.runJobs();
  const deal = `/v1/api/originator/loans/${deal_id}`;
  const rule = { id: 'RATE', rule: { field: 'interest_rate', op: 'lte', value: 5 } };
  const { criteria_id } = (await call('POST', `${SC}/criteria`, { name: 'Rate', loan_type: 'Auto', loan_rules: [rule] })).body
    .data;
  const run = () => call('POST', `${SC}/deals/${deal_id}/run`, { criteria_id });
  const { sc_job_id } = (await run()).body.data;
  await gateway.runJobs();
  const actual = async () => (await call('GET', `${SC}/jobs/${sc_job_id}/loans?limit=1`)).body.data[0].failures[0].actual;
  assert.equal(await actual(), 7.25);
  const mappings = [{ source: 'Contract Rate', target: 'interest_rate', transform: { scale: 0.5 } }];
  assert.equal((await call('PUT', `${deal}/mapping`, { mappings })).status, 202);

  await t.test('does not begin while the checks run', async () => {
    assert.deepEqual([(await run()).status, (await run()).body.code], [409, 'CONFLICT']);
    await gateway.runJobs();
    assert.equal((await call('GET', `${deal}/loans?limit=1`)).body.data[0].interest_rate, 3.625);
  });

  await t.test('keeps the values that it saw', async () => assert.equal(await actual(), 7.25));

  await t.test('says nothing of the loans as they are now', async () => {
    assert.equal((await call('GET', `${deal}/loans?outcome=FAILED`)).body.pagination.total, 0);
    await gateway.call('POST', `/v1/operator/deals/${deal_id}/approve`, { as: operator });
    const pool = await formPool(gateway, originator, [deal_id], { sc_job_ids: [sc_job_id] });
    assert.deepEqual([pool.status, pool.body.code], [409, 'CONFLICT']);
    const again = (await run()).body.data.sc_job_id;
    await gateway.runJobs();
    assert.equal((await formPool(gateway, originator, [deal_id], { sc_job_ids: [again] })).status, 201);
    assert.equal((await call('GET', `${deal}/loans?outcome=PASSED`)).body.pagination.total, 20);
  });
});
