import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyst } from '../test/support/calculations.ts';
import { selector } from '../test/support/criteria.ts';
import { startGateway } from '../test/support/gateway.ts';
import { housekeeping } from './worker.ts';
import { storeWith } from '../test/support/stores.ts';
import { seller } from '../test/support/tapes.ts';

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

test('a job that gives its record up counts as failed, one that ends its record as done', async () => {
  await using gateway = await startGateway();
  const { deps } = gateway;
  const operator = await gateway.key('operator', 'Platform');
  const own = await selector(gateway, 'Giving Up');
  const { queue } = await analyst(gateway, operator, 'Analyst');
  const counts = async (name: string): Promise<Record<string, number>> => {
    const { values } = await deps.metrics.jobs.get();
    const ofName = values.filter(({ labels }) => labels.name === name);
    return Object.fromEntries(ofName.map(({ labels, value }) => [String(labels.outcome), value]));
  };
  const names = ['run-criteria', 'run-calculation', 'ingest-tape'];
  const before = await Promise.all(names.map(counts));
  const [run, calculation] = [await own.queue(), await queue()];
  const dealId = await (await seller(gateway, 'Sender')).sent();
  await deps.db.tx({ platform: true }, async (tx) => {
    await tx.exec('update sc_jobs set attempts = 3 where sc_job_id = $1', [run]);
    await tx.exec('update calculations set attempts = 3 where calculation_id = $1', [calculation]);
    await tx.exec('update tapes set attempts = 3 where deal_id = $1', [dealId]);
  });
  await gateway.runJobs();
  for (const [index, name] of names.entries()) {
    const { done = 0, failed = 0 } = before[index] ?? {};
    const after = await counts(name);
    assert.deepEqual([after.done ?? 0, after.failed ?? 0], [done, failed + 1], name);
  }
});
