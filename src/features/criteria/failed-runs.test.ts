import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selector, type Selector } from '../../../test/support/criteria.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { waitingJobs } from '../../../test/support/tapes.ts';
import { mountTiny } from '../../../test/support/tiny-disk.ts';
import { ComputeDied } from '../../platform/compute/failures.ts';
import type { Deps } from '../../platform/deps.ts';
import { StoreUnavailable } from '../../platform/files/store.ts';
import { type Id, asId } from '../../platform/ids.ts';
import { WorkerStopping } from '../../platform/jobs/stopping.ts';
import { housekeeping } from '../../worker.ts';
import { runCriteria } from './run-criteria.ts';

const going = new AbortController().signal;

test('a criteria run', async (t) => {
  await using gateway = await startGateway();
  const jobOf = async ({ queue, as }: Selector, id?: string): Promise<{ organization_id: Id<'org'>; sc_job_id: Id<'scj'> }> => ({
    organization_id: as.organization_id,
    sc_job_id: asId('scj', id ?? (await queue())),
  });
  const failing = (error: Error): Deps => {
    const localPath = async (): Promise<string> => {
      throw error;
    };
    return { ...gateway.deps, store: storeWith(gateway.deps.store, { localPath }) };
  };
  const spend = (id: string, count: number) =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update sc_jobs set attempts = $2, status = 'RUNNING' where sc_job_id = $1`, [id, count]),
    );
  const alertsOf = async ({ ours }: Selector, id: string) =>
    (await ours.alerts(id)).map(({ type, priority }) => [type, priority]);

  await t.test('that fails says so in a fixed sentence with a code, and nothing of what went wrong inside', async () => {
    const own = await selector(gateway, 'Failing');
    const job = await jobOf(own);
    const error = new Error('IO Error: Cannot open file "/srv/work/criteria-x/outcomes.parquet"');
    await runCriteria(failing(error), job, going);
    const run = await own.job(job.sc_job_id);
    assert.deepEqual([run.status, run.error_code, run.total, run.exception_file_id], ['FAILED', 'RUN_FAILED', 0, null]);
    assert.match(run.error, /^The run ended without a result\./);
    const alerts = await own.ours.alerts(job.sc_job_id);
    assert.deepEqual(await alertsOf(own, job.sc_job_id), [['sc.failed', 'HIGH']]);
    assert.doesNotMatch(JSON.stringify([run, alerts]), /srv|IO Error/);
    const completed = (await own.ours.events(own.dealId)).filter((each) => each.event === 'sc.completed');
    assert.deepEqual(completed, [], 'it is no completed run');
  });

  await t.test('that failed is not tried again by itself, and another may be started', async () => {
    const own = await selector(gateway, 'Another');
    const job = await jobOf(own);
    await runCriteria(failing(new Error('broken')), job, going);
    await runCriteria(gateway.deps, job, going);
    assert.equal((await own.job(job.sc_job_id)).status, 'FAILED');
    assert.equal((await own.run()).status, 'COMPLETED');
  });

  await t.test('whose process dies is tried again in another one, three times', async () => {
    const own = await selector(gateway, 'Killed');
    const job = await jobOf(own);
    const dying = failing(new ComputeDied('the process of the task exited with SIGKILL'));
    await assert.rejects(runCriteria(dying, job, going), ComputeDied);
    assert.equal((await own.job(job.sc_job_id)).status, 'RUNNING');
    await gateway.runJobs();
    assert.equal((await own.job(job.sc_job_id)).status, 'COMPLETED');
    const hopeless = await jobOf(own);
    for (let times = 0; times < 2; times += 1) await assert.rejects(runCriteria(dying, hopeless, going), ComputeDied);
    await runCriteria(dying, hopeless, going);
    assert.equal((await own.job(hopeless.sc_job_id)).error_code, 'RUN_FAILED');
  });

  await t.test('whose worker stops, or whose object store does not answer, goes on with all its attempts', async () => {
    const own = await selector(gateway, 'Patient');
    const job = await jobOf(own);
    const stopping = new AbortController();
    stopping.abort(new WorkerStopping());
    for (let times = 0; times < 5; times += 1) {
      await assert.rejects(runCriteria(gateway.deps, job, stopping.signal));
      await assert.rejects(runCriteria(failing(new StoreUnavailable('silent')), job, going));
    }
    assert.equal((await own.job(job.sc_job_id)).status, 'RUNNING');
    await gateway.runJobs();
    assert.equal((await own.job(job.sc_job_id)).status, 'COMPLETED');
  });

  await t.test('is given up where the queue makes no further attempt, even if only the store was silent', async () => {
    const own = await selector(gateway, 'Last');
    const job = await jobOf(own);
    await runCriteria(failing(new StoreUnavailable('silent')), job, going, true);
    assert.deepEqual(
      [(await own.job(job.sc_job_id)).status, (await own.job(job.sc_job_id)).error_code],
      ['FAILED', 'RUN_FAILED'],
    );
  });

  await t.test('that ended three processes is given up with an alert, and another may be started', async () => {
    const own = await selector(gateway, 'Interrupted');
    const id = await own.queue();
    await spend(id, 3);
    await gateway.runJobs();
    const run = await own.job(id);
    assert.deepEqual([run.status, run.error_code], ['FAILED', 'RUN_INTERRUPTED']);
    assert.deepEqual(await alertsOf(own, id), [['sc.failed', 'HIGH']]);
    assert.equal((await own.run()).status, 'COMPLETED');
  });

  await t.test('may end at its third attempt', async () => {
    const own = await selector(gateway, 'Third');
    const id = await own.queue();
    await spend(id, 2);
    await gateway.runJobs();
    assert.equal((await own.job(id)).status, 'COMPLETED');
  });

  await t.test('without a job is found by housekeeping and runs; one that has ended is left alone', async () => {
    const own = await selector(gateway, 'Orphan');
    await own.run();
    const id = await own.queue();
    await gateway.deps.db.direct('delete from pgboss.job');
    await housekeeping(gateway.deps);
    assert.equal(await waitingJobs(gateway), 1);
    await gateway.runJobs();
    assert.equal((await own.job(id)).status, 'COMPLETED');
    await housekeeping(gateway.deps);
    assert.equal(await waitingJobs(gateway), 0);
  });
});

test('a criteria run that meets a full disk, however often, loses no attempt and is completed when there is room', async (t) => {
  const disk = mountTiny();
  if (!disk) return t.skip('no file system of its own can be mounted here');
  try {
    await using gateway = await startGateway({ SLUICE_DATA_DIR: disk.path });
    const own = await selector(gateway, 'Full');
    const job = { organization_id: own.as.organization_id, sc_job_id: asId('scj', await own.queue()) };
    disk.fill();
    for (let times = 0; times < 4; times += 1) await assert.rejects(runCriteria(gateway.deps, job, going), /no space left/i);
    assert.equal((await own.job(job.sc_job_id)).status, 'RUNNING');
    disk.free();
    await gateway.runJobs();
    assert.equal((await own.job(job.sc_job_id)).status, 'COMPLETED');
  } finally {
    disk.unmount();
  }
});
