import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Answer, type Gateway, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape, CSV, LOANS, PARQUET, put, seller, type Seller, waitingJobs, XLSX } from '../../../test/support/tapes.ts';
import { parquetOf } from '../../loans/reading/testing/parquet-for-test.ts';
import { type Id, asId } from '../../platform/ids.ts';
import { ingestTape } from './ingest-tape.ts';
import { runBulk } from './run-bulk.ts';
import { prepareBulk, submitBulk } from './submit-bulk.ts';

const going = new AbortController().signal;
const inline = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ loan_id: `P${index}`, original_balance: 1_000 + index, ...more }));
/** What cannot be opened as a workbook, nor read as a CSV. */
const UNREADABLE = Buffer.from('504b0304140000000000', 'hex');

const submit = (ours: Seller, ...deals: object[]): Promise<Answer> => ours.call('POST', '/bulk', { deals });
/** A file that was sent for a bulk submission: its key. */
async function fileKey(gateway: Gateway, ours: Seller, bytes: Buffer | string, changes: object = {}): Promise<string> {
  const upload = await ours.call('POST', '/bulk/uploads', { fileName: 'b.csv', fileFormat: CSV, ...changes });
  assert.equal(upload.status, 201, JSON.stringify(upload.body));
  await put(gateway, upload, bytes);
  return upload.body.data.file_key;
}
const jobOf = async (ours: Seller, submitted: Answer) => {
  assert.equal(submitted.status, 202, JSON.stringify(submitted.body));
  return (await ours.call('GET', `/bulk/${submitted.body.data.job_id}`)).body.data;
};
/** Jobs of an organization, as rows: refused submissions leave none. */
const jobsOf = (gateway: Gateway, { organization_id }: Holder) =>
  gateway.deps.db.tx({ organization: organization_id }, (tx) =>
    tx.rows<{ job_id: Id<'job'>; status: string; attempts: number }>('select job_id, status, attempts from bulk_jobs'),
  );

test('a bulk job', async (t) => {
  await using gateway = await startGateway();

  await t.test('takes inline loans and files together and ends when every deal’s checks have ended', async () => {
    const ours = await seller(gateway, 'Mixed', 'both');
    const key = await fileKey(gateway, ours, autoTape(10));
    const loans = inline(5, { interest_rate: 0.5, dealer: 'x' });
    const submitted = await submit(ours, { loanType: 'Auto', fileKey: key }, { loanType: 'Personal', loans });
    assert.deepEqual([submitted.body.data.status, submitted.body.data.deals], ['PENDING', []]);
    const pending = await jobOf(ours, submitted);
    assert.deepEqual([pending.status, pending.total, pending.processed, pending.completed_at], ['PENDING', 2, 0, null]);
    await gateway.runJobs();
    const job = await jobOf(ours, submitted);
    assert.deepEqual([job.status, job.total, job.processed, job.failed, job.errors], ['COMPLETED', 2, 2, 0, []]);
    assert.ok(Date.parse(job.completed_at) >= Date.parse(job.created_at));
    const { body } = await gateway.call('GET', '/v1/api/events?type=bulk.completed', { as: ours.as });
    assert.deepEqual(
      body.data.map((each: { data: unknown }) => each.data),
      [{ job_id: job.job_id, status: 'COMPLETED', total: 2, failed: 0 }],
    );
    assert.deepEqual(
      job.deals.map((deal: { status: string }) => deal.status),
      ['QC_COMPLETED', 'QC_COMPLETED'],
    );
    const [file, list] = await Promise.all(job.deals.map((deal: { id: string }) => ours.deal(deal.id)));
    assert.deepEqual([file.name, file.loan_type, file.loan_count], ['b', 'Auto', 10]);
    assert.deepEqual([list.name, list.loan_type, list.loan_count], ['Personal 2', 'Personal', 5]);
    const [loan] = (await ours.call('GET', `/${list.id}/loans`)).body.data;
    assert.equal(loan.interest_rate, 0.5, 'inline values are in canonical units: half a percent stays half a percent');
    const [entry] = await ours.audited(submitted.body.data.job_id);
    assert.deepEqual([entry?.action, entry?.after], ['bulk.submitted', { status: 'PENDING', deals: [] }]);
  });

  await t.test('makes deals that have no upload to complete, whatever is said of it', async () => {
    const ours = await seller(gateway, 'Inliner');
    const submitted = await submit(ours, { loanType: 'Auto', loans: inline(2) });
    await gateway.runJobs();
    const [deal] = (await jobOf(ours, submitted)).deals;
    const refused = await ours.complete(deal.id);
    assert.deepEqual([...codeOf(refused), refused.body.allowed], [409, 'INVALID_TRANSITION', ['DRAFT']]);
  });

  await t.test('keeps fields of loans whose names every object inherits, as the columns that they are', async () => {
    const ours = await seller(gateway, 'Inherited');
    const strange = { constructor: 'Brick & Co', prototype: 'P-7', toString: 'x' };
    const submitted = await submit(ours, { loanType: 'Auto', loans: inline(2).map((loan) => ({ ...loan, ...strange })) });
    await gateway.runJobs();
    const [deal] = (await jobOf(ours, submitted)).deals;
    assert.equal((await ours.deal(deal.id)).loan_count, 2);
    const { unmapped } = (await ours.call('GET', `/${deal.id}/mapping`)).body.data;
    assert.deepEqual(unmapped, Object.keys(strange));
  });

  await t.test('opens its deals in review, in the order of the submission, on behalf of who submitted it', async () => {
    const ours = await seller(gateway, 'Orderly');
    const names = ['third', 'first', 'second'];
    const submitted = await submit(ours, ...names.map((name) => ({ loanType: 'Auto', name, loans: inline(2) })));
    await gateway.runJobs();
    const deals = await Promise.all((await jobOf(ours, submitted)).deals.map((each: { id: string }) => ours.deal(each.id)));
    assert.deepEqual(
      deals.map(({ name }) => name),
      names,
    );
    for (const { history, id } of deals) {
      assert.deepEqual(
        history.map((each: { from: string | null; to: string; actor: string }) => [each.from, each.to, each.actor]),
        [
          [null, 'IN_REVIEW', ours.as.key_id],
          ['IN_REVIEW', 'QC_COMPLETED', 'platform'],
        ],
      );
      assert.deepEqual(
        (await ours.events(id)).map(({ data }) => data.current_status),
        ['QC_COMPLETED'],
        'a bulk deal skips DRAFT: it is no change of its status',
      );
    }
    assert.equal((await ours.initiate()).status, 201, 'bulk deals occupy no draft');
  });

  await t.test('reports its progress: a deal counts as processed when its checks have ended', async () => {
    const ours = await seller(gateway, 'Progress');
    const submitted = await submit(ours, { loanType: 'Auto', loans: inline(2) }, { loanType: 'Auto', loans: inline(3) });
    const organization_id = ours.as.organization_id;
    const job = { organization_id, job_id: asId('job', submitted.body.data.job_id), actor: ours.as.key_id };
    const progress = async () => {
      const { status, processed, deals } = await jobOf(ours, submitted);
      return [status, processed, deals.length];
    };
    assert.deepEqual(await progress(), ['PENDING', 0, 0]);
    await runBulk(gateway.deps, job, going);
    assert.deepEqual(await progress(), ['PROCESSING', 0, 2]);
    const { deals } = await jobOf(ours, submitted);
    const [first, second] = deals.map(({ id }: { id: Id<'deal'> }) => ({ organization_id, deal_id: id, version: 1, run: 1 }));
    await ingestTape(gateway.deps, second, going);
    assert.deepEqual(await progress(), ['PROCESSING', 1, 2]);
    await runBulk(gateway.deps, job, going);
    assert.deepEqual(await progress(), ['PROCESSING', 1, 2], 'started again it opens nothing twice');
    await ingestTape(gateway.deps, first, going);
    assert.deepEqual(await progress(), ['COMPLETED', 2, 2]);
    await runBulk(gateway.deps, job, going);
    assert.deepEqual(await progress(), ['COMPLETED', 2, 2], 'one that has ended is not started again');
  });

  await t.test('is completed whatever the outcome of its checks: rejected, or waiting for a mapping', async () => {
    const ours = await seller(gateway, 'Outcomes');
    const bad = inline(3).map((loan) => ({ ...loan, original_balance: -1 }));
    const unmapped = [{ loan_id: 'P1', outstanding: 1_200.5, interest_rate: 0.5 }];
    const submitted = await submit(ours, { loanType: 'Auto', loans: bad }, { loanType: 'Student', loans: unmapped });
    await gateway.runJobs();
    const job = await jobOf(ours, submitted);
    assert.deepEqual([job.status, job.processed, job.failed], ['COMPLETED', 2, 0]);
    assert.deepEqual(
      job.deals.map((deal: { status: string }) => deal.status),
      ['REJECTED', 'IN_REVIEW'],
    );
  });

  await t.test('of inline loans without an amount waits for a mapping of the keys that were kept', async () => {
    const ours = await seller(gateway, 'Keys');
    const loans = [{ loan_id: 'P1', outstanding: 1_200.5, interest_rate: 0.5 }];
    const submitted = await submit(ours, { loanType: 'Student', loans });
    await gateway.runJobs();
    const dealId = (await jobOf(ours, submitted)).deals[0].id;
    assert.equal((await ours.deal(dealId)).qc.state, 'NEEDS_MAPPING');
    const mapped = await ours.map(dealId, { source: 'outstanding', target: 'original_balance' });
    assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
    await gateway.runJobs();
    const deal = await ours.deal(dealId);
    assert.deepEqual([deal.status, deal.loan_count, deal.total_balance], ['QC_COMPLETED', 1, 1_200.5]);
    const [loan] = (await ours.call('GET', `/${dealId}/loans`)).body.data;
    assert.deepEqual([loan.original_balance, loan.interest_rate], [1_200.5, 0.5]);
    const next = await ours.checked('loan_id,outstanding\nA,100\nB,200\n', 'Student');
    assert.equal((await ours.deal(next)).qc.state, 'NEEDS_MAPPING', 'a mapping of inline keys is remembered for no file');
  });

  await t.test('takes a defect of an inline loan as a finding, and an absent value as a missing one', async () => {
    const ours = await seller(gateway, 'Defects');
    const loans = [
      ...inline(10, { state: 'TX' }),
      { loan_id: null, original_balance: 5, state: null },
      { original_balance: 6 },
      { loan_id: 'ok', original_balance: true },
    ];
    const submitted = await submit(ours, { loanType: 'Auto', loans });
    await gateway.runJobs();
    const deal = await ours.deal((await jobOf(ours, submitted)).deals[0].id);
    assert.deepEqual([deal.qc.rows, deal.qc.accepted, deal.qc.rejected], [13, 12, 1]);
    const { data } = (await ours.call('GET', `/${deal.id}/issues?severity=ERROR`)).body;
    assert.deepEqual([data.length, data[0].row_number, data[0].field], [1, 13, 'original_balance']);
  });

  await t.test('with files that cannot be opened ends PARTIALLY_COMPLETED and says which and why', async () => {
    const ours = await seller(gateway, 'Partial');
    const keys = [];
    for (const bytes of [autoTape(10), UNREADABLE, '', 'Loan ID,LoanAmount\n']) keys.push(await fileKey(gateway, ours, bytes));
    const submitted = await submit(ours, ...keys.map((key) => ({ loanType: 'Auto', fileKey: key })));
    await gateway.runJobs();
    const job = await jobOf(ours, submitted);
    assert.deepEqual([job.status, job.total, job.processed, job.failed, job.deals.length], ['PARTIALLY_COMPLETED', 4, 4, 3, 1]);
    assert.deepEqual(
      job.errors.map((error: { index: number; code: string }) => [error.index, error.code]),
      [
        [1, 'UNREADABLE_FILE'],
        [2, 'EMPTY_FILE'],
        [3, 'NO_LOAN_ROWS'],
      ],
    );
    for (const { message, file_name } of job.errors) {
      assert.match(file_name, /\.csv$/);
      assert.ok(message.startsWith(`${file_name}: `), message);
    }
    for (const { message } of job.errors) assert.ok(message.length > 10 && !/uploads\/|\/tmp/.test(message), message);
    assert.equal((await ours.call('GET', '')).body.pagination.total, 1);
  });

  await t.test('of which nothing can be opened is FAILED', async () => {
    const ours = await seller(gateway, 'Failing');
    const submitted = await submit(ours, { loanType: 'Auto', fileKey: await fileKey(gateway, ours, UNREADABLE) });
    await gateway.runJobs();
    const job = await jobOf(ours, submitted);
    assert.deepEqual([job.status, job.failed, job.deals], ['FAILED', 1, []]);
    assert.notEqual(job.completed_at, null);
  });

  await t.test('opens one file for several deals, and reads it as what it is, whatever the deal names', async () => {
    const ours = await seller(gateway, 'Shared file');
    const key = await fileKey(gateway, ours, autoTape(5));
    const submitted = await submit(
      ours,
      { loanType: 'Auto', name: 'one', fileKey: key },
      { loanType: 'Personal', name: 'other', fileKey: key },
      { loanType: 'Auto', name: 'book', fileKey: key, fileFormat: XLSX },
    );
    await gateway.runJobs();
    const job = await jobOf(ours, submitted);
    assert.deepEqual([job.status, job.errors], ['COMPLETED', []]);
    const deals = await Promise.all(job.deals.map((each: { id: string }) => ours.deal(each.id)));
    assert.deepEqual(
      deals.map(({ name, loan_type, loan_count }) => [name, loan_type, loan_count]),
      [
        ['one', 'Auto', 5],
        ['other', 'Personal', 5],
        ['book', 'Auto', 5],
      ],
    );
    const [issue] = (await ours.call('GET', `/${job.deals[2].id}/issues`)).body.data;
    assert.equal(issue.rule_id, 'FORMAT_DIFFERS');
  });

  await t.test('takes Parquet and packed CSV, and says of a damaged Parquet file what to do', async () => {
    const ours = await seller(gateway, 'Lakes');
    const lake = await parquetOf(`SELECT 'L' || i AS loan_id, 500 AS original_balance FROM range(3) t(i)`);
    const damaged = Buffer.from(lake).fill(0x55, 4, lake.length - 8);
    const changes = { fileName: 'auto.parquet', fileFormat: PARQUET };
    const packed = await fileKey(gateway, ours, gzipSync(autoTape(4)), { fileName: 'auto.csv.gz' });
    const submitted = await submit(
      ours,
      { loanType: 'Auto', fileKey: await fileKey(gateway, ours, lake, changes) },
      { loanType: 'Auto', fileKey: packed },
      { loanType: 'Auto', fileKey: await fileKey(gateway, ours, damaged, changes) },
    );
    await gateway.runJobs();
    const job = await jobOf(ours, submitted);
    const deals = await Promise.all(job.deals.map((each: { id: string }) => ours.deal(each.id)));
    assert.deepEqual(
      deals.map(({ name, loan_count }) => [name, loan_count]),
      [
        ['auto', 3],
        ['auto', 4],
      ],
    );
    assert.deepEqual([job.status, job.errors[0].index, job.errors[0].code], ['PARTIALLY_COMPLETED', 2, 'UNREADABLE_FILE']);
    assert.match(job.errors[0].message, /^auto\.parquet: The Parquet file cannot be read: it is damaged.*send the tape as CSV/);
  });

  await t.test('is its organization’s alone', async () => {
    const [ours, theirs] = [await seller(gateway, 'Owner'), await seller(gateway, 'Stranger')];
    const { job_id } = (await submit(ours, { loanType: 'Auto', loans: inline(1) })).body.data;
    assert.deepEqual(codeOf(await theirs.call('GET', `/bulk/${job_id}`)), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await ours.call('GET', '/bulk/job_none')), [404, 'NOT_FOUND']);
    const investor = await gateway.key('investor', 'Looker');
    for (const [method, path, body] of [
      ['GET', `/bulk/${job_id}`, undefined],
      ['POST', '/bulk', { deals: [] }],
      ['POST', '/bulk/uploads', { fileName: 'b.csv', fileFormat: CSV }],
    ] as const) {
      const answer = await gateway.call(method, `${LOANS}${path}`, { as: investor, ...(body ? { body } : {}) });
      assert.deepEqual(codeOf(answer), [403, 'ROLE_FORBIDDEN'], path);
    }
  });
});

test('a bulk submission is refused', async (t) => {
  await using gateway = await startGateway();
  /** Nothing of it is left: no job, no deal, and nothing in the queue. */
  const nothingLeft = async (ours: Seller, waiting: number): Promise<void> => {
    assert.deepEqual(await jobsOf(gateway, ours.as), []);
    assert.equal((await ours.call('GET', '')).body.pagination.total, 0);
    assert.equal(await waitingJobs(gateway), waiting);
  };

  await t.test('without deals, and for a deal without loans', async () => {
    const ours = await seller(gateway, 'Empty');
    const waiting = await waitingJobs(gateway);
    assert.deepEqual(codeOf(await submit(ours)), [422, 'BULK_EMPTY']);
    const empty = await submit(ours, { loanType: 'Auto', loans: inline(1) }, { loanType: 'Auto', loans: [] });
    assert.deepEqual([...codeOf(empty), empty.body.errors?.[0].field], [422, 'BULK_EMPTY', 'deals.1.loans']);
    await nothingLeft(ours, waiting);
  });

  await t.test('for what is not of its form, with the place', async () => {
    const ours = await seller(gateway, 'Forms');
    const waiting = await waitingJobs(gateway);
    const wrong: [object, string][] = [
      [{ loanType: 'Auto' }, 'deals.0'],
      [{ loanType: 'Auto', loans: inline(1), fileKey: 'upload/bulk/x.csv' }, 'deals.0'],
      [{ loanType: 'Auto', loans: [{ loan_id: 'a' }, { loan_id: {} }] }, 'deals.0.loans.1.loan_id'],
      [{ loanType: 'Auto', loans: [{ loan_id: [] }] }, 'deals.0.loans.0.loan_id'],
      [{ loanType: 'Boat', loans: inline(1) }, 'deals.0.loanType'],
      [{ loans: inline(1) }, 'deals.0.loanType'],
      [{ loanType: 'Auto', name: '', loans: inline(1) }, 'deals.0.name'],
      [{ loanType: 'Auto', fileKey: 'upload/bulk/x.csv', fileFormat: 'text/plain' }, 'deals.0.fileFormat'],
    ];
    for (const [deal, field] of wrong) {
      const refused = await submit(ours, deal);
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [400, field], JSON.stringify(deal));
    }
    await nothingLeft(ours, waiting);
  });

  await t.test('above 50 deals, and above 10,000 loans of one deal', async () => {
    const ours = await seller(gateway, 'Many');
    const deals = (count: number) => Array.from({ length: count }, () => ({ loanType: 'Auto', loans: inline(1) }));
    assert.deepEqual(codeOf(await submit(ours, ...deals(51))), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(codeOf(await submit(ours, { loanType: 'Auto', loans: inline(10_001) })), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(await jobsOf(gateway, ours.as), []);
    assert.equal((await submit(ours, ...deals(49), { loanType: 'Auto', loans: inline(10_000) })).status, 202, 'at both limits');
  });

  await t.test('above 16 MiB of inline loans', async () => {
    const ours = await seller(gateway, 'Heavy');
    const waiting = await waitingJobs(gateway);
    const note = 'x'.repeat(1024 * 1024);
    const loans = (count: number) => inline(count).map((loan) => ({ ...loan, note }));
    assert.deepEqual(codeOf(await submit(ours, { loanType: 'Auto', loans: loans(16) })), [413, 'PAYLOAD_TOO_LARGE']);
    await nothingLeft(ours, waiting);
    assert.equal((await submit(ours, { loanType: 'Auto', loans: loans(15) })).status, 202);
  });

  await t.test('for a file that is absent, another organization’s, of another purpose or not sent yet', async () => {
    const [ours, theirs] = [await seller(gateway, 'Files'), await seller(gateway, 'Others')];
    const waiting = await waitingJobs(gateway);
    const foreign = await fileKey(gateway, theirs, autoTape(3));
    const tape = await ours.initiate();
    await put(gateway, tape, autoTape(3));
    for (const key of ['upload/bulk/none.csv', foreign, tape.body.data.file_key, '../../etc/passwd', ''])
      assert.equal((await submit(ours, { loanType: 'Auto', fileKey: key })).status, key === '' ? 400 : 404, key);
    const unsent = await ours.call('POST', '/bulk/uploads', { fileName: 'b.csv', fileFormat: CSV });
    const early = await submit(ours, { loanType: 'Auto', fileKey: unsent.body.data.file_key });
    assert.deepEqual(codeOf(early), [422, 'FILE_NOT_UPLOADED']);
    await ours.call('DELETE', `/${tape.body.data.deal_id}`);
    await nothingLeft(ours, waiting);
    assert.equal((await submit(theirs, { loanType: 'Auto', fileKey: foreign })).status, 202, 'its owner has it still');
  });

  await t.test('whole for one bad deal: the files of the others can be submitted again', async () => {
    const ours = await seller(gateway, 'Whole');
    const key = await fileKey(gateway, ours, autoTape(3));
    const waiting = await waitingJobs(gateway);
    const deals = [
      { loanType: 'Auto', fileKey: key },
      { loanType: 'Auto', fileKey: 'upload/bulk/none.csv' },
    ];
    assert.deepEqual(codeOf(await submit(ours, ...deals)), [404, 'NOT_FOUND']);
    await nothingLeft(ours, waiting);
    assert.equal((await submit(ours, { loanType: 'Auto', fileKey: key })).status, 202);
    assert.deepEqual(codeOf(await submit(ours, { loanType: 'Auto', fileKey: key })), [409, 'ALREADY_COMPLETED']);
    assert.equal((await jobsOf(gateway, ours.as)).length, 1);
  });

  await t.test('for a file that another submission took, or that was sent anew, since it was looked at', async () => {
    const ours = await seller(gateway, 'Overtaken');
    const upload = await ours.call('POST', '/bulk/uploads', { fileName: 'b.csv', fileFormat: CSV });
    await put(gateway, upload, autoTape(5));
    const deals = [{ loanType: 'Auto', fileKey: upload.body.data.file_key }];
    const write = (prepared: Awaited<ReturnType<typeof prepareBulk>>) =>
      gateway.deps.db.tx({ organization: ours.as.organization_id }, (tx) => submitBulk(tx, ours.as, prepared, gateway.deps));
    const stale = await prepareBulk(gateway.deps, ours.as, deals);
    await put(gateway, upload, autoTape(6));
    await assert.rejects(write(stale), { code: 'ALREADY_COMPLETED' });
    const [first, second] = [await prepareBulk(gateway.deps, ours.as, deals), await prepareBulk(gateway.deps, ours.as, deals)];
    await write(first);
    await assert.rejects(write(second), { code: 'ALREADY_COMPLETED' });
    assert.equal((await jobsOf(gateway, ours.as)).length, 1);
  });

  await t.test('that took so long that its inline loans were removed', async () => {
    const ours = await seller(gateway, 'Slow');
    const prepared = await prepareBulk(gateway.deps, ours.as, [{ loanType: 'Auto', loans: inline(2) }]);
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(`update removed_objects set removed_at = now() - interval '1 second' where organization_id = $1`, [
        ours.as.organization_id,
      ]),
    );
    const late = gateway.deps.db.tx({ organization: ours.as.organization_id }, (tx) =>
      submitBulk(tx, ours.as, prepared, gateway.deps),
    );
    await assert.rejects(late, { code: 'CONFLICT' });
    assert.deepEqual(await jobsOf(gateway, ours.as), []);
  });

  await t.test('for a file that another submission takes at the same time: one of them gets it', async () => {
    const ours = await seller(gateway, 'At once');
    const key = await fileKey(gateway, ours, autoTape(5));
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(ours, { loanType: 'Auto', fileKey: key })));
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [202, ...Array<number>(7).fill(409)]);
    assert.equal((await jobsOf(gateway, ours.as)).length, 1);
  });
});
