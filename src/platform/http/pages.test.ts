import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';

test('metrics are for callers on this machine, and not for whom a proxy here stands', async () => {
  await using gateway = await startGateway();
  const own = await gateway.call('GET', '/metrics');
  assert.equal(own.status, 200);
  assert.match(String(own.body.text), /# TYPE sluice_http_request_seconds histogram/);
  for (const header of ['x-forwarded-for', 'forwarded', 'via']) {
    const passedOn = await gateway.call('GET', '/metrics', { headers: { [header]: '203.0.113.7' } });
    assert.deepEqual([header, passedOn.status, passedOn.body.code], [header, 404, 'NOT_FOUND']);
  }
});
