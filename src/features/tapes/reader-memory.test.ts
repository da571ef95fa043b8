import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';
import { ComputeExhausted } from '../../platform/compute/failures.ts';

test('a request that finds no memory left for reading loans is asked to come again, and served afterwards', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('originator');
  const { deal_id } = await sendTape(gateway, as, { loanType: 'Auto', bytes: autoTape(20) });
  await gateway.runJobs();
  const engine = gateway.deps.columns;
  const { rows } = engine;
  const loans = () => gateway.call('GET', `/v1/api/originator/loans/${deal_id}/loans`, { as });
  // The engine is shared by all readers of the process: what it lacks now it has again when they are done.
  engine.rows = () => Promise.reject(new ComputeExhausted('the engine came to its memory limit'));
  const refused = await loans();
  assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [503, 'UNAVAILABLE', '5']);
  engine.rows = rows;
  assert.equal((await loans()).status, 200);
});
