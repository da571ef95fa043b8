import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { autoTape, seller, type Seller, waitingJobs } from '../../../test/support/tapes.ts';
import type { Deps } from '../../platform/deps.ts';
import { StoreUnavailable } from '../../platform/files/store.ts';
import { WorkerStopping } from '../../platform/jobs/stopping.ts';
import { asId } from '../../platform/ids.ts';
import { housekeeping } from '../../worker.ts';
import { runBulk } from './run-bulk.ts';

const LOAN = { loan_id: 'a', original_balance: 100, current_balance: 90 };
const going = new AbortController().signal;

/** The queue forgets what waits in it. */
const loseJobs = (gateway: Gateway) => gateway.deps.db.direct('delete from pgboss.job');
const submitted = async (ours: Seller, ...names: string[]): Promise<string> => {
  const deals = names.map((name) => ({ loanType: 'Auto', name, loans: [LOAN] }));
  const sent = await ours.call('POST', '/bulk', { deals });
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  return sent.body.data.job_id;
};
const jobOf = async (ours: Seller, jobId: string) => (await ours.call('GET', `/bulk/${jobId}`)).body.data;

test('housekeeping', async (t) => {
  await using gateway = await startGateway();

  await t.test('leaves a tape alone whose job waits', async () => {
    await loseJobs(gateway);
    await (await seller(gateway, 'Waiting')).sent();
    await housekeeping(gateway.deps);
    assert.equal(await waitingJobs(gateway), 1);
  });

  await t.test('queues a tape again, once, that waits for checks of which no job is left', async () => {
    const ours = await seller(gateway, 'Lost');
    await gateway.runJobs();
    const dealId = await ours.sent(autoTape(5));
    await gateway.deps.db.direct('update pgboss.job set state = $1::pgboss.job_state', ['failed']);
    await housekeeping(gateway.deps);
    await housekeeping(gateway.deps);
    assert.equal(await waitingJobs(gateway), 1, 'once');
    await gateway.runJobs();
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.status, deal.loan_count], ['QC_COMPLETED', 5]);
  });

  await t.test('queues nothing for checks that have ended, whatever their end', async () => {
    const ours = await seller(gateway, 'Ended');
    await ours.checked();
    await ours.checked(autoTape(3).replace('Original Amount Financed', 'A').replace('Current Balance', 'B'), 'Personal');
    await loseJobs(gateway);
    await housekeeping(gateway.deps);
    assert.equal(await waitingJobs(gateway), 0);
  });

  await t.test('queues a bulk submission again that was never opened, and its deals name who submitted them', async () => {
    const ours = await seller(gateway, 'Bulk');
    const jobId = await submitted(ours, 'one');
    await loseJobs(gateway);
    await housekeeping(gateway.deps);
    await gateway.runJobs();
    const job = await jobOf(ours, jobId);
    assert.deepEqual([job.status, job.deals.length], ['COMPLETED', 1]);
    assert.equal((await ours.deal(job.deals[0].id)).history[0].actor, ours.as.key_id);
  });

  await t.test('settles a bulk submission whose deals have ended and whose job was lost before it said so', async () => {
    const ours = await seller(gateway, 'Unsettled');
    const jobId = await submitted(ours, 'one');
    await gateway.runJobs();
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update bulk_jobs set status = 'PROCESSING', completed_at = null where job_id = $1`, [jobId]),
    );
    await housekeeping(gateway.deps);
    await gateway.runJobs();
    assert.equal((await jobOf(ours, jobId)).status, 'COMPLETED');
  });
});

test('a bulk submission', async (t) => {
  await using gateway = await startGateway();
  const runOf = (ours: Seller, jobId: string) => ({
    organization_id: ours.as.organization_id,
    job_id: asId('job', jobId),
    actor: ours.as.key_id,
  });
  const attemptsOf = async (jobId: string) =>
    (
      await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.one<{ attempts: number }>('select attempts from bulk_jobs where job_id = $1', [jobId]),
      )
    )?.attempts;
  const spend = (jobId: string, count: number) =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update bulk_jobs set attempts = $2 where job_id = $1', [jobId, count]),
    );
  const alertsOf = async (ours: Seller, jobId: string) =>
    (await ours.alerts(jobId)).map(({ type, priority }) => [type, priority]);

  await t.test(
    'that ended three processes ends with an error for each deal that was not opened, an alert that says why, and one of its end',
    async () => {
      const ours = await seller(gateway, 'Three processes');
      const jobId = await submitted(ours, 'one', 'two');
      await spend(jobId, 3);
      await gateway.runJobs();
      const job = await jobOf(ours, jobId);
      assert.deepEqual([job.status, job.failed, job.deals], ['FAILED', 2, []]);
      assert.deepEqual(
        job.errors.map((error: { index: number; code: string }) => [error.index, error.code]),
        [
          [0, 'NOT_OPENED'],
          [1, 'NOT_OPENED'],
        ],
      );
      assert.deepEqual(await alertsOf(ours, jobId), [
        ['loan.checks_failed', 'HIGH'],
        ['bulk.completed', 'MEDIUM'],
      ]);
      // The loans stand there as they were sent, and nobody reads them any more.
      const files = () => Array.fromAsync(gateway.deps.store.list(`uploads/${ours.as.organization_id}/`));
      assert.equal((await files()).length, 2);
      await housekeeping(gateway.deps);
      assert.deepEqual(await files(), []);
    },
  );

  await t.test('may be opened by its third attempt', async () => {
    const ours = await seller(gateway, 'Third attempt');
    const jobId = await submitted(ours, 'one');
    await spend(jobId, 2);
    await gateway.runJobs();
    assert.deepEqual(
      [(await jobOf(ours, jobId)).status, await alertsOf(ours, jobId)],
      ['COMPLETED', [['bulk.completed', 'LOW']]],
    );
  });

  await t.test('spends no attempt while its worker stops or the object store does not answer', async () => {
    const ours = await seller(gateway, 'Patient');
    const upload = await ours.call('POST', '/bulk/uploads', { fileName: 'b.csv', fileFormat: 'text/csv' });
    const { upload_url, upload_headers, file_key } = upload.body.data;
    await gateway.call('PUT', new URL(upload_url).pathname, { headers: upload_headers, raw: autoTape(3) });
    const sent = await ours.call('POST', '/bulk', { deals: [{ loanType: 'Auto', fileKey: file_key }] });
    const jobId = sent.body.data.job_id;
    const stopping = new AbortController();
    stopping.abort(new WorkerStopping());
    const localPath = async () => {
      throw new StoreUnavailable('silent');
    };
    const silent: Deps = { ...gateway.deps, store: storeWith(gateway.deps.store, { localPath }) };
    for (let times = 0; times < 4; times += 1) {
      await assert.rejects(runBulk(gateway.deps, runOf(ours, jobId), stopping.signal));
      await assert.rejects(runBulk(silent, runOf(ours, jobId), going), StoreUnavailable);
    }
    assert.deepEqual([(await jobOf(ours, jobId)).status, await attemptsOf(jobId)], ['PROCESSING', 0]);
    await gateway.runJobs();
    assert.equal((await jobOf(ours, jobId)).status, 'COMPLETED');
  });

  await t.test('that is given up half-way keeps the deals that were opened, and their checks end it', async () => {
    const ours = await seller(gateway, 'Half-way');
    const jobId = await submitted(ours, 'one', 'two');
    const { db } = gateway.deps;
    // The second deal cannot be written.
    await db.tx({ platform: true }, (tx) =>
      tx.exec(`update bulk_items set object_key = 'uploads/none', format = 'csv' where job_id = $1 and item = 1`, [jobId]),
    );
    const localPath = async () => {
      throw new Error('the disk is broken');
    };
    const broken: Deps = { ...gateway.deps, store: storeWith(gateway.deps.store, { localPath }) };
    for (let times = 0; times < 2; times += 1) await assert.rejects(runBulk(broken, runOf(ours, jobId), going), /the disk/);
    await runBulk(broken, runOf(ours, jobId), going);
    const given = await jobOf(ours, jobId);
    assert.deepEqual([given.status, given.deals.length, given.failed], ['PROCESSING', 1, 1]);
    await gateway.runJobs();
    const job = await jobOf(ours, jobId);
    assert.deepEqual([job.status, job.processed, job.errors[0].code], ['PARTIALLY_COMPLETED', 2, 'NOT_OPENED']);
    assert.doesNotMatch(JSON.stringify([job, await ours.alerts(jobId)]), /the disk is broken|uploads\//);
  });
});
