import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, startGateway } from '../../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../../test/support/pools.ts';

const path = '/v1/api/originator/structure-templates';

test('an originator lists templates, and a pool takes each with its own balance and date', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const ours = await gateway.key('originator', 'Seller');
  const get = (of: string, as = ours) => gateway.call('GET', `${path}${of}`, { as });
  const { templates } = (await get('')).body.data;
  assert.ok(templates.length >= 8);
  assert.ok(templates.every((each: object) => !('structure' in each)));

  const deal = await approvedDeal(gateway, ours, operator, { rows: 80 });
  const pool = (await formPool(gateway, ours, [deal])).body.data;
  assert.ok(pool.balance >= 1_000_000, 'the pool is large enough for a template');
  for (const { template, name } of templates) {
    const read = await get(`/${template}?balance=${pool.balance}&first_payment_date=2027-01-20`);
    assert.deepEqual([read.status, read.body.data.name], [200, name]);
    const { structure } = read.body.data;
    assert.deepEqual([structure.payment.first_payment_date, structure.payment.payment_day], ['2027-01-20', 20]);
    const put = await gateway.call('PUT', `/v1/api/originator/pools/${pool.pool_id}/structure`, { as: ours, body: structure });
    assert.deepEqual([put.status, put.body.data?.structure], [200, structure], `${template}: ${JSON.stringify(put.body.errors)}`);
    const explained = await gateway.call('GET', `/v1/api/originator/pools/${pool.pool_id}/structure/explain`, { as: ours });
    assert.deepEqual(explained.body.data.findings, [], template);
  }

  const { structure } = (await get('/consumer-switch')).body.data;
  assert.equal(structure.tranches[0].balance, 58_000_000, 'of 100 million by default');
  assert.equal(structure.payment.first_payment_date, undefined);
  assert.deepEqual(codeOf(await get('/no-such')), [404, 'NOT_FOUND']);
  assert.deepEqual(codeOf(await get('/consumer-switch?balance=999999')), [400, 'VALIDATION_FAILED']);
  assert.deepEqual(codeOf(await get('/consumer-switch?first_payment_date=2027-02-30')), [400, 'VALIDATION_FAILED']);
  assert.deepEqual(codeOf(await get('', await gateway.key('investor', 'Buyer'))), [403, 'ROLE_FORBIDDEN']);
});
