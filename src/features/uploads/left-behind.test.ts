import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyst } from '../../../test/support/calculations.ts';
import { selector } from '../../../test/support/criteria.ts';
import { codeOf, type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { storeWith } from '../../../test/support/stores.ts';
import type { Deps } from '../../platform/deps.ts';
import { asId } from '../../platform/ids.ts';
import { STORED_OBJECTS } from '../../stored-objects.ts';
import { runCalculation } from '../calculations/run-calculation.ts';
import { runCriteria } from '../criteria/run-criteria.ts';
import { sweepUploads } from './sweep-uploads.ts';

/** Objects below a prefix that rows name, and those that none names, once the hour has passed after which the latter are deleted. */
async function sweptBelow({ deps }: Gateway, prefix: string): Promise<{ named: number; left: string[] }> {
  await deps.db.tx({ platform: true }, (tx) => tx.exec('update removed_objects set removed_at = now()'));
  await sweepUploads(deps);
  const rows = await deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ key: string; below: boolean }>(`select key, below from (${STORED_OBJECTS}) o`),
  );
  const isNamed = (key: string): boolean => rows.some((row) => (row.below ? key.startsWith(`${row.key}/`) : key === row.key));
  const keys = (await Array.fromAsync(deps.store.list(prefix))).map(({ key }) => key);
  const left = keys.filter((key) => !isNamed(key));
  return { named: keys.length - left.length, left };
}

/** Work that is overtaken by something else when it has stored what it made. */
const overtaken = ({ deps }: Gateway, meanwhile: () => Promise<unknown>): Deps => ({
  ...deps,
  store: storeWith(deps.store, {
    put: async (...args: Parameters<Deps['store']['put']>) => {
      const stored = await deps.store.put(...args);
      await meanwhile();
      return stored;
    },
  }),
});

test('what was stored for a record that is not written is deleted, and what a record names stays', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const going = new AbortController().signal;

  await t.test('the loans of a pool that is refused', async () => {
    const as = await gateway.key('originator', 'Pooling');
    const deals = [await approvedDeal(gateway, as, operator, { rows: 5 })];
    assert.equal((await formPool(gateway, as, deals)).status, 201);
    assert.deepEqual(codeOf(await formPool(gateway, as, deals)), [409, 'LOAN_ALREADY_POOLED']);
    assert.deepEqual(await sweptBelow(gateway, `pools/${as.organization_id}/`), { named: 1, left: [] });
  });

  await t.test('the outcomes of a criteria run that is cancelled', async () => {
    const own = await selector(gateway, 'Selecting');
    const id = await own.queue();
    const cancel = () =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec(`update sc_jobs set status = 'CANCELLED' where sc_job_id = $1`, [id]),
      );
    const job = { organization_id: own.as.organization_id, sc_job_id: asId('scj', id) };
    await runCriteria(overtaken(gateway, cancel), job, going);
    assert.equal((await own.run()).status, 'COMPLETED');
    assert.deepEqual(await sweptBelow(gateway, `criteria/${own.as.organization_id}/`), { named: 1, left: [] });
  });

  await t.test('the files of a calculation that another worker has taken over', async () => {
    const { ours, queue, read } = await analyst(gateway, operator, 'Analyst');
    const id = await queue({ type: 'CASHFLOW' });
    const take = () =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update calculations set run = run + 1 where calculation_id = $1', [id]),
      );
    const job = { organization_id: ours.organization_id, calculation_id: asId('calc', id) };
    await runCalculation(overtaken(gateway, take), job, going);
    await gateway.runJobs();
    assert.equal((await read(id)).status, 'COMPLETED');
    const { named, left } = await sweptBelow(gateway, `calculations/${ours.organization_id}/`);
    assert.ok(named > 0);
    assert.deepEqual(left, []);
  });
});
