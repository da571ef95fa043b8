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

test('requests of pages are counted by their path, and those of no path together', async () => {
  await using gateway = await startGateway();
  for (const path of ['/readyz', '/nowhere/1', '/nowhere/2']) await gateway.call('GET', path);
  const { text } = (await gateway.call('GET', '/metrics')).body;
  assert.match(String(text), /route="\/readyz"/);
  assert.match(String(text), /route="unknown"/);
  assert.doesNotMatch(String(text), /nowhere/);
});
