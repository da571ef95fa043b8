import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';
import type { Deps } from '../../platform/deps.ts';
import { StoreUnavailable } from '../../platform/files/store.ts';
import { WorkerStopping } from '../../platform/jobs/stopping.ts';
import { housekeeping } from '../../worker.ts';
import { runCriteria } from './run-criteria.ts';
import type { Id } from '../../platform/ids.ts';
import { storeWith } from '../../../test/support/stores.ts';

const SET = {
  name: 'Prime',
  loan_type: 'Auto',
  loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } }],
  pool_tests: [],
};
const going = new AbortController().signal;

test('a criteria run', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Originator');
  const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(20) });
  await gateway.runJobs();
  const post = (path: string, body: unknown) => gateway.call('POST', path, { as: originator, body });
  const { criteria_id } = (await post('/v1/api/originator/sc/criteria', SET)).body.data;
  const start = async (): Promise<{ organization_id: Id<'org'>; sc_job_id: Id<'scj'> }> => {
    const run = await post(`/v1/api/originator/sc/deals/${deal_id}/run`, { criteria_id });
    assert.equal(run.status, 202, JSON.stringify(run.body));
    return { organization_id: originator.organization_id, sc_job_id: run.body.data.sc_job_id };
  };
  const read = async (job: { sc_job_id: string }) =>
    (await gateway.call('GET', `/v1/api/originator/sc/jobs/${job.sc_job_id}`, { as: originator })).body.data;
  const failing = (error: Error): Deps => {
    const localPath = async (): Promise<string> => {
      throw error;
    };
    return { ...gateway.deps, store: storeWith(gateway.deps.store, { localPath }) };
  };

  await t.test('that fails says so in a fixed sentence with a code, and nothing of what went wrong inside', async () => {
    const job = await start();
    const error = new Error('IO Error: Cannot open file "/srv/work/criteria-x/outcomes.parquet"');
    await runCriteria(failing(error), job, going);
    const run = await read(job);
    assert.deepEqual([run.status, run.error_code], ['FAILED', 'RUN_FAILED']);
    assert.match(run.error, /^The run ended without a result\./);
    const alerts = (await gateway.call('GET', '/v1/api/alerts', { as: originator })).body.data;
    assert.doesNotMatch(JSON.stringify([run, alerts]), /srv|IO Error/);
  });

  await t.test('whose worker stops, or whose object store does not answer, goes on with all its attempts', async () => {
    const job = await start();
    const stopping = new AbortController();
    stopping.abort(new WorkerStopping());
    for (let times = 0; times < 5; times += 1) {
      await assert.rejects(runCriteria(gateway.deps, job, stopping.signal));
      await assert.rejects(runCriteria(failing(new StoreUnavailable('silent')), job, going));
    }
    assert.equal((await read(job)).status, 'RUNNING');
    await gateway.runJobs();
    assert.equal((await read(job)).status, 'COMPLETED');
  });

  await t.test('that ended three processes is given up with an alert, and another may be started', async () => {
    const job = await start();
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update sc_jobs set attempts = 3, status = 'RUNNING' where sc_job_id = $1`, [job.sc_job_id]),
    );
    await gateway.runJobs();
    const run = await read(job);
    assert.deepEqual([run.status, run.error_code], ['FAILED', 'RUN_INTERRUPTED']);
    await start();
  });

  await t.test('without a job is found by housekeeping and runs', async () => {
    await gateway.deps.db.direct('delete from pgboss.job');
    const [waiting] = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ sc_job_id: string }>(`select sc_job_id from sc_jobs where status = 'PENDING'`),
    );
    assert.ok(waiting);
    await housekeeping(gateway.deps);
    await gateway.runJobs();
    assert.equal((await read(waiting)).status, 'COMPLETED');
  });
});
