import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selector } from '../../../test/support/criteria.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { formPool } from '../../../test/support/pools.ts';
import { autoTape } from '../../../test/support/tapes.ts';

const SET = {
  name: 'Rate',
  loan_type: 'Auto',
  loan_rules: [{ id: 'RATE', rule: { field: 'interest_rate', op: 'lte', value: 5 } }],
};

test('a run on a tape that is mapped anew', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  /** A completed run over loans at 7.25 %, whose rates a new mapping halves; the checks of that mapping wait. */
  const remapped = async (name: string) => {
    const own = await selector(gateway, name, { bytes: autoTape(20), set: SET });
    const { sc_job_id } = await own.run();
    const actual = async () => (await own.loans(sc_job_id)).data[0].failures[0].actual;
    assert.equal(await actual(), 7.25);
    const mapped = await own.ours.map(own.dealId, {
      source: 'Contract Rate',
      target: 'interest_rate',
      transform: { scale: 0.5 },
    });
    assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
    return { ...own, sc_job_id, actual };
  };

  await t.test('does not begin while the checks run, as a job or dry', async () => {
    const { ask, ours, dealId } = await remapped('Early');
    for (const body of [{}, { dry_run: true }]) assert.deepEqual(codeOf(await ask(body)), [409, 'CONFLICT']);
    await gateway.runJobs();
    assert.equal((await ours.call('GET', `/${dealId}/loans?limit=1`)).body.data[0].interest_rate, 3.625);
    assert.equal((await ask({ dry_run: true })).body.data.failed, 0);
  });

  await t.test('keeps the values that it saw, and its exception file too', async () => {
    const { actual, job, sc_job_id, call } = await remapped('Keeping');
    await gateway.runJobs();
    assert.equal(await actual(), 7.25);
    const { failed, exception_file_id } = await job(sc_job_id);
    assert.equal(failed, 20);
    const file = await call('GET', `/exceptions/${exception_file_id}/download`);
    assert.match(file.text, /,7\.25,/);
  });

  await t.test('says nothing of the loans as they are now', async () => {
    const { ours, dealId } = await remapped('Silent');
    await gateway.runJobs();
    assert.equal((await ours.call('GET', `/${dealId}/loans?outcome=FAILED`)).body.pagination.total, 0);
  });

  await t.test('forms no pool; one that runs again over the loans as they are now does', async () => {
    const { as, dealId, sc_job_id, run, ours } = await remapped('Pooled');
    await gateway.runJobs();
    await gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });
    assert.deepEqual(codeOf(await formPool(gateway, as, [dealId], { sc_job_ids: [sc_job_id] })), [409, 'CONFLICT']);
    const again = (await run()).sc_job_id;
    assert.equal((await formPool(gateway, as, [dealId], { sc_job_ids: [again] })).status, 201);
    assert.equal((await ours.call('GET', `/${dealId}/loans?outcome=PASSED`)).body.pagination.total, 20);
  });
});
