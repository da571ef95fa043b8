import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, structureOver } from '../../../test/support/pools.ts';

test('a pool has its structure explained to its originator alone, with findings that refuse nothing', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const [ours, others] = [await gateway.key('originator', 'Seller'), await gateway.key('originator', 'Other seller')];
  const deal = await approvedDeal(gateway, ours, operator, { rows: 10 });
  const pool = (await formPool(gateway, ours, [deal])).body.data;
  const path = `/v1/api/originator/pools/${pool.pool_id}/structure`;
  const explained = (as = ours) => gateway.call('GET', `${path}/explain`, { as });

  const before = await explained();
  assert.deepEqual(codeOf(before), [409, 'CONFLICT']);
  assert.match(before.body.message ?? '', /set a structure first/);
  const put = await gateway.call('PUT', path, { as: ours, body: structureOver(pool.balance) });
  assert.equal(put.status, 200, 'a structure with a finding is taken');

  const { status, body, headers } = await explained();
  assert.equal(status, 200);
  const { data } = body;
  assert.deepEqual([data.pool_id, data.structure_version, data.steps.length], [pool.pool_id, 1, 5]);
  assert.match(
    data.steps[2].text,
    /^Third, to the holders of Class A-1, then Class B, principal equal to the principal collections/,
  );
  assert.deepEqual(
    data.findings.map((finding: { path: string; code: string }) => [finding.path, finding.code]),
    [['triggers[0]', 'NEVER_USED']],
  );
  assert.equal(headers.etag, put.headers.etag, 'it is a part of the pool');
  assert.deepEqual(codeOf(await explained(others)), [404, 'NOT_FOUND']);
  assert.deepEqual(codeOf(await explained(operator)), [403, 'ROLE_FORBIDDEN']);
});
