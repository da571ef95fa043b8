import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../test/support/gateway.ts';
import { housekeeping } from './worker.ts';
import { storeWith } from '../test/support/stores.ts';

test('housekeeping does all that it can when one of its parts fails, and then fails with its reason', async () => {
  await using gateway = await startGateway();
  await gateway.key('originator');
  const removeUnfinished = () => Promise.reject(new Error('no list of unfinished uploads'));
  await assert.rejects(
    housekeeping({ ...gateway.deps, store: storeWith(gateway.deps.store, { removeUnfinished }) }),
    /^Error: no list of unfinished uploads$/,
  );
  const checkpoints = await gateway.deps.db.direct('select number from audit_checkpoints where stored_at is not null');
  assert.deepEqual(checkpoints, [{ number: 1 }]);
});
