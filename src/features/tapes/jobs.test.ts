import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { autoTape, CSV, put, seller, type Seller } from '../../../test/support/tapes.ts';
import { asId } from '../../platform/ids.ts';
import { planning } from '../../../test/support/many.ts';
import { ingestTape } from './ingest-tape.ts';
import { findJobOwner } from './job-queries.ts';
import { findLatestTape } from './queries.ts';

test('a job', async (t) => {
  await using gateway = await startGateway();
  const read = (ours: Seller, jobId: string) => ours.call('GET', `/jobs/${jobId}`);
  const jobOf = async (ours: Seller, jobId: string) => {
    const answer = await read(ours, jobId);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data;
  };
  /** The job that a response to the completion of a tape names. */
  const completed = async (ours: Seller, bytes: string, loanType = 'Auto'): Promise<string> => {
    const initiated = await ours.initiate({ loanType });
    await put(gateway, initiated, bytes);
    const { deal_id, file_name } = initiated.body.data;
    const answer = await ours.complete(deal_id, file_name);
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    return answer.body.data.job_id;
  };
  const dealOf = (jobId: string): string => `deal_${jobId.split('_')[1]}`;

  await t.test('of a completed tape is pending, then completed, and each version has its own', async () => {
    const ours = await seller(gateway, 'Followed');
    const jobId = await completed(ours, autoTape(5));
    const pending = await jobOf(ours, jobId);
    assert.deepEqual(
      [pending.job_id, pending.kind, pending.deal_id, pending.status, pending.progress, pending.attempts, pending.completed_at],
      [jobId, 'TAPE_CHECKS', dealOf(jobId), 'PENDING', null, 0, null],
    );
    await gateway.runJobs();
    const done = await jobOf(ours, jobId);
    assert.deepEqual([done.status, done.progress, done.attempts, done.error], ['COMPLETED', null, 1, null]);
    assert.ok(Date.parse(done.completed_at) >= Date.parse(done.created_at));
    const second = (await ours.sendVersion(dealOf(jobId), autoTape(6))).body.data.job_id;
    assert.notEqual(second, jobId);
    assert.deepEqual([(await jobOf(ours, second)).status, (await jobOf(ours, jobId)).status], ['PENDING', 'COMPLETED']);
  });

  await t.test('is found by the operator among thousands without looking at the others', async () => {
    const ours = await seller(gateway, 'Among many');
    const jobId = asId('job', await completed(ours, autoTape(5)));
    const { organization_id } = ours.as;
    await gateway.deps.db.tx({ platform: true }, async (tx) => {
      await tx.exec(
        `insert into deals (deal_id, organization_id, name, loan_type, status)
         select 'deal_among' || n, $1, 'Deal', 'Auto', 'APPROVED' from generate_series(1, 2000) n`,
        [organization_id],
      );
      await tx.exec(
        `insert into tapes (deal_id, version, organization_id, file_name, format, object_key, size, sha256, state)
         select deal_id, 1, organization_id, 'tape.csv', 'csv', 'key', 1, 'hash', 'DONE' from deals where deal_id like 'deal_among%'`,
      );
      await tx.exec('analyze tapes');
      const { seen, planned } = planning(tx);
      assert.equal(await findJobOwner(planned, jobId), organization_id);
      assert.equal(await findJobOwner(planned, asId('job', 'job_among7_1')), organization_id);
      assert.equal(await findJobOwner(planned, asId('job', 'job_among7_2')), null);
      assert.ok(seen.rows < 20, `${seen.rows} rows`);
    });
  });

  await t.test('that waits for a mapping has ended, and one that rejected the tape too', async () => {
    const ours = await seller(gateway, 'Ended');
    const unmapped = await completed(ours, 'x,y\n1,2\n3,4\n');
    await gateway.runJobs();
    assert.equal((await ours.deal(dealOf(unmapped))).qc.state, 'NEEDS_MAPPING');
    const spoiled = await completed(
      ours,
      autoTape(10, (row, index) => {
        if (index < 5) Object.assign(row, { 'Original Amount Financed': '', 'Current Balance': '' });
      }),
    );
    await gateway.runJobs();
    assert.equal((await ours.deal(dealOf(spoiled))).status, 'REJECTED');
    for (const id of [unmapped, spoiled]) {
      const { status, error } = await jobOf(ours, id);
      assert.deepEqual([status, error], ['COMPLETED', null]);
    }
  });

  await t.test('whose checks were given up has failed with the reason; a recheck continues it under the same id', async () => {
    const ours = await seller(gateway, 'Given up');
    const jobId = await completed(ours, autoTape(5));
    const broken = { ...gateway.deps, store: storeWith(gateway.deps.store, { localPath: async () => null }) };
    const tape = await gateway.deps.db.tx({ platform: true }, (tx) =>
      findLatestTape(tx, ours.as.organization_id, asId('deal', dealOf(jobId))),
    );
    assert.ok(tape);
    for (const attempt of [1, 2]) {
      await assert.rejects(ingestTape(broken, tape, new AbortController().signal));
      const { status, attempts } = await jobOf(ours, jobId);
      assert.deepEqual([status, attempts], ['PROCESSING', attempt]);
    }
    await ingestTape(broken, tape, new AbortController().signal);
    const failed = await jobOf(ours, jobId);
    assert.deepEqual([failed.status, failed.attempts], ['FAILED', 3]);
    assert.match(failed.error, /could not finish the checks/);
    const again = await ours.call('POST', `/${dealOf(jobId)}/recheck`);
    assert.deepEqual([again.status, again.body.data.job_id], [202, jobId]);
    const { status, error, completed_at } = await jobOf(ours, jobId);
    assert.deepEqual([status, error, completed_at], ['PENDING', null, null]);
    await gateway.runJobs();
    assert.equal((await jobOf(ours, jobId)).status, 'COMPLETED');
  });

  await t.test('of a bulk submission counts its deals and says what could not be read', async () => {
    const ours = await seller(gateway, 'Bulk');
    const upload = await ours.call('POST', '/bulk/uploads', { fileName: 'b.csv', fileFormat: CSV });
    await put(gateway, upload, Buffer.from('504b0304140000000000', 'hex'));
    const loans = [{ loan_id: 'P1', original_balance: 1_000 }];
    const deals = [
      { loanType: 'Auto', fileKey: upload.body.data.file_key },
      { loanType: 'Personal', loans },
    ];
    const { job_id } = (await ours.call('POST', '/bulk', { deals })).body.data;
    const pending = await jobOf(ours, job_id);
    assert.deepEqual(
      [pending.kind, pending.deal_id, pending.status, pending.progress, pending.attempts],
      ['BULK', null, 'PENDING', { stage: null, done: 0, total: 2 }, 0],
    );
    await gateway.runJobs();
    const done = await jobOf(ours, job_id);
    assert.deepEqual([done.status, done.progress.done, done.attempts], ['PARTIALLY_COMPLETED', 2, 1]);
    assert.match(done.error, /^1 of 2 deals could not be read; the first: ./);
  });

  await t.test('is its organization’s alone, and found under its own spelling alone', async () => {
    const [ours, theirs] = [await seller(gateway, 'Owner'), await seller(gateway, 'Stranger')];
    const checks = await completed(ours, autoTape(3));
    const loans = [{ loan_id: 'P1', original_balance: 1_000 }];
    const bulk = (await ours.call('POST', '/bulk', { deals: [{ loanType: 'Personal', loans }] })).body.data.job_id;
    for (const id of [checks, bulk]) assert.deepEqual(codeOf(await read(theirs, id)), [404, 'NOT_FOUND']);
    for (const id of [
      checks.toUpperCase(),
      checks.replace(/1$/, '2'),
      checks.replace(/_1$/, '_01'),
      checks.replace(/_1$/, '_99999999999'),
      checks.replace(/_1$/, ''),
      dealOf(checks),
      'job_none',
      'job_%00',
    ]) {
      const { status } = await read(ours, id);
      assert.ok(status === 404 || status === 400, `${id}: ${status}`);
    }
  });
});
