import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, CSV, put, sendTape } from '../../../test/support/tapes.ts';

const INITIATE = '/v1/api/originator/loans/initiate';
const auto = { loanType: 'Auto', fileFormat: CSV, fileName: 'auto.csv' };

test('a tape', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Originator');
  const other = await gateway.key('originator', 'Other');
  const operator = await gateway.key('operator', 'Platform');

  await t.test('20 parallel initiates of one loan type make one DRAFT, and the refusal names it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => gateway.call('POST', INITIATE, { as: originator, body: auto })),
    );
    const made = answers.filter((answer) => answer.status === 201);
    assert.equal(made.length, 1);
    for (const refused of answers.filter((answer) => answer.status !== 201)) {
      assert.equal(refused.status, 409);
      assert.equal(refused.body.code, 'DRAFT_EXISTS');
      assert.equal(refused.body.existing_deal_id, made[0]?.body.data.deal_id);
    }
    assert.equal(
      (await gateway.call('DELETE', `/v1/api/originator/loans/${made[0]?.body.data.deal_id}`, { as: originator })).status,
      200,
    );
  });

  await t.test('goes from DRAFT to APPROVED with its events, alerts, figures and history', async () => {
    const { deal_id, completed } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(40) });
    assert.equal(completed.status, 202, JSON.stringify(completed.body));
    assert.equal(completed.body.data.status, 'IN_REVIEW');
    await gateway.runJobs();
    const deal = (await gateway.call('GET', `/v1/api/originator/loans/${deal_id}`, { as: originator })).body.data;
    assert.equal(deal.status, 'QC_COMPLETED', JSON.stringify(deal.qc));
    assert.deepEqual([deal.qc.state, deal.qc.rows, deal.qc.accepted, deal.qc.rejected], ['DONE', 40, 40, 0]);
    assert.equal(deal.loan_count, 40);
    assert.equal(deal.total_balance, 727_800);
    const early = await gateway.call('POST', `/v1/operator/deals/${deal_id}/approve`, { as: originator });
    assert.equal(early.status, 403);
    const approved = await gateway.call('POST', `/v1/operator/deals/${deal_id}/approve`, { as: operator });
    assert.deepEqual(approved.body.data, { deal_id, status: 'APPROVED' });
    const again = await gateway.call('POST', `/v1/operator/deals/${deal_id}/approve`, { as: operator });
    assert.equal(again.status, 409);
    assert.deepEqual(
      [again.body.code, again.body.current_status, again.body.allowed],
      ['INVALID_TRANSITION', 'APPROVED', ['WITHDRAWN']],
    );
    const events = (await gateway.call('GET', '/v1/api/events', { as: originator })).body.data;
    assert.deepEqual(
      events.map((event: { event: string; data: { current_status?: string } }) => event.data.current_status ?? event.event),
      ['IN_REVIEW', 'QC_COMPLETED', 'APPROVED', 'loan.approved'],
    );
    const history = (await gateway.call('GET', `/v1/api/originator/loans/${deal_id}`, { as: originator })).body.data.history;
    assert.deepEqual(
      history.map((each: { to: string }) => each.to),
      ['DRAFT', 'IN_REVIEW', 'QC_COMPLETED', 'APPROVED'],
    );
    assert.equal((await gateway.call('GET', `/v1/api/originator/loans/${deal_id}`, { as: other })).status, 404);
  });

  await t.test('lists its loans with numbers as numbers and ids as text', async () => {
    const [deal] = (await gateway.call('GET', '/v1/api/originator/loans', { as: originator })).body.data;
    const { body } = await gateway.call('GET', `/v1/api/originator/loans/${deal.id}/loans?limit=2`, { as: originator });
    assert.equal(body.pagination.total, 40);
    assert.deepEqual(
      [body.data[0].loan_id, body.data[0].row_number, body.data[0].current_balance, body.data[0].origination_date],
      ['A000001', 1, 18_000, '2025-01-15'],
    );
  });

  await t.test('with more than a tenth of its rows unusable is rejected, with the reason in the event', async () => {
    const bytes = autoTape(20, (row, index) => {
      if (index < 3) row['Original Amount Financed'] = '0';
    });
    const { deal_id } = await sendTape(gateway, other, { loanType: 'Auto', bytes });
    await gateway.runJobs();
    const deal = (await gateway.call('GET', `/v1/api/originator/loans/${deal_id}`, { as: other })).body.data;
    assert.equal(deal.status, 'REJECTED');
    const rejected = (await gateway.call('GET', '/v1/api/events?type=loan.rejected', { as: other })).body.data[0].data;
    assert.equal(rejected.reason_code, 'QC_FAILED');
    assert.match(rejected.reason, /3 of 20 rows/);
    const issues = await gateway.call('GET', `/v1/api/originator/loans/${deal_id}/issues?severity=ERROR`, { as: other });
    assert.equal(issues.body.pagination.total, 3);
    assert.deepEqual(
      [issues.body.data[0].row_number, issues.body.data[0].line, issues.body.data[0].field],
      [1, 2, 'original_balance'],
    );
    const alerts = (await gateway.call('GET', '/v1/api/alerts?priority=HIGH', { as: other })).body.data;
    assert.equal(alerts[0].type, 'loan.rejected');
  });

  await t.test('without an amount column waits for a mapping, and a PUT mapping lets it through', async () => {
    const bytes = autoTape(12).replace('Original Amount Financed', 'Alpha').replace('Current Balance', 'Beta');
    const { deal_id } = await sendTape(gateway, other, { loanType: 'Personal', bytes });
    await gateway.runJobs();
    const path = `/v1/api/originator/loans/${deal_id}`;
    const waiting = (await gateway.call('GET', path, { as: other })).body.data;
    assert.deepEqual([waiting.status, waiting.qc.state], ['IN_REVIEW', 'NEEDS_MAPPING']);
    assert.ok(waiting.issue_counts.error + waiting.issue_counts.warning > 0);
    assert.equal((await gateway.call('GET', '/v1/api/alerts?type=loan.mapping_needed', { as: other })).body.meta.total, 1);
    const twice = await gateway.call('PUT', `${path}/mapping`, {
      as: other,
      body: {
        mappings: [
          { source: 'Alpha', target: 'original_balance' },
          { source: 'Beta', target: 'original_balance' },
        ],
      },
    });
    assert.equal(twice.status, 422);
    const mapped = await gateway.call('PUT', `${path}/mapping`, {
      as: other,
      body: {
        mappings: [
          { source: 'Alpha', target: 'original_balance' },
          { source: 'Beta', target: 'current_balance' },
        ],
      },
    });
    assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
    assert.equal((await gateway.call('GET', path, { as: other })).body.data.qc.state, 'RUNNING');
    await gateway.runJobs();
    const done = (await gateway.call('GET', path, { as: other })).body.data;
    assert.deepEqual([done.status, done.qc.state, done.loan_count], ['QC_COMPLETED', 'DONE', 12]);
  });

  await t.test('an address stops working when a newer one is made, and a completed one answers 409', async () => {
    const first = await gateway.call('POST', INITIATE, { as: originator, body: { ...auto, loanType: 'Student' } });
    const dealId = first.body.data.deal_id;
    const second = await gateway.call('PATCH', `/v1/api/originator/loans/${dealId}`, { as: originator, body: {} });
    assert.equal((await put(gateway, first, 'x')).status, 403);
    assert.equal((await put(gateway, second, autoTape(3))).status, 200);
    const misnamed = await gateway.call('POST', '/v1/api/originator/loans/complete', {
      as: originator,
      body: { dealId, fileName: 'other.csv' },
    });
    assert.deepEqual([misnamed.status, misnamed.body.code], [400, 'FILE_NAME_MISMATCH']);
    const complete = { as: originator, body: { dealId, fileName: 'auto.csv' } };
    assert.equal((await gateway.call('POST', '/v1/api/originator/loans/complete', complete)).status, 202);
    assert.equal((await put(gateway, second, 'x')).status, 409);
    assert.equal((await gateway.call('POST', '/v1/api/originator/loans/complete', complete)).status, 409);
    assert.equal((await gateway.call('DELETE', `/v1/api/originator/loans/${dealId}`, { as: originator })).status, 409);
  });

  await t.test('an empty, headless or unreadable file is refused at complete and the deal stays DRAFT', async () => {
    const initiated = await gateway.call('POST', INITIATE, { as: originator, body: { ...auto, loanType: 'Business' } });
    const complete = { as: originator, body: { dealId: initiated.body.data.deal_id, fileName: 'auto.csv' } };
    const refusal = async (bytes: Buffer | string | null): Promise<unknown> => {
      if (bytes !== null) await put(gateway, initiated, bytes);
      const answer = await gateway.call('POST', '/v1/api/originator/loans/complete', complete);
      assert.equal(answer.status, 422);
      return answer.body.code;
    };
    assert.equal(await refusal(null), 'FILE_NOT_UPLOADED');
    assert.equal(await refusal(''), 'EMPTY_FILE');
    assert.equal(await refusal('Loan ID,LoanAmount\n'), 'NO_LOAN_ROWS');
    assert.equal(await refusal(Buffer.from('504b0304140000000000', 'hex')), 'UNREADABLE_FILE');
    assert.equal(
      (await gateway.call('GET', `/v1/api/originator/loans/${complete.body.dealId}`, { as: originator })).body.data.status,
      'DRAFT',
    );
  });

  await t.test('a draft that is idle for 27 days makes one alert and expires after 30', async () => {
    const { housekeeping } = await import('../../worker.ts');
    const quiet = await gateway.key('originator', 'Quiet');
    const { body } = await gateway.call('POST', INITIATE, { as: quiet, body: auto });
    await gateway.advance(27 * 86_400 + 60);
    await housekeeping(gateway.deps);
    await housekeeping(gateway.deps);
    assert.equal((await gateway.call('GET', '/v1/api/alerts?type=loan.draft_expiring', { as: quiet })).body.meta.total, 1);
    await gateway.advance(3 * 86_400);
    await housekeeping(gateway.deps);
    assert.equal(
      (await gateway.call('GET', `/v1/api/originator/loans/${body.data.deal_id}`, { as: quiet })).body.data.status,
      'EXPIRED',
    );
    assert.equal((await gateway.call('POST', INITIATE, { as: quiet, body: auto })).status, 201);
  });
});

test('a second version', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Versions');
  const operator = await gateway.key('operator', 'Platform');
  const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(30) });
  await gateway.runJobs();
  const path = `/v1/api/originator/loans/${deal_id}`;
  const sendVersion = async (bytes: string, mode: string): Promise<void> => {
    const initiated = await gateway.call('POST', `${path}/tapes`, {
      as: originator,
      body: { fileName: 'next.csv', fileFormat: CSV, mode },
    });
    assert.equal(initiated.status, 201, JSON.stringify(initiated.body));
    await put(gateway, initiated, bytes);
    assert.equal(
      (
        await gateway.call('POST', '/v1/api/originator/loans/complete', {
          as: originator,
          body: { dealId: deal_id, fileName: 'next.csv' },
        })
      ).status,
      202,
    );
    await gateway.runJobs();
  };

  await t.test('merged by loan id replaces the loans it has and keeps the others', async () => {
    const two = autoTape(2, (row, index) => {
      if (index === 0) row['Current Balance'] = '17000.00';
      if (index === 1) row['Loan ID'] = 'NEW1';
    });
    await sendVersion(two, 'MERGE');
    const deal = (await gateway.call('GET', path, { as: originator })).body.data;
    assert.deepEqual([deal.status, deal.tape_version, deal.loan_count], ['QC_COMPLETED', 2, 31]);
    const diff = (await gateway.call('GET', `${path}/tapes/2/diff`, { as: originator })).body.data;
    assert.deepEqual([diff.added, diff.removed, diff.changed], [1, 0, 1]);
    const { opening, added, removed, principal, charged_off, adjustment, closing } = diff.roll_forward;
    assert.equal(opening + added - removed - principal - charged_off + adjustment, closing);
    assert.equal(closing, deal.total_balance);
  });

  await t.test('is not approved unseen: the operator waits for its checks', async () => {
    const approve = () => gateway.call('POST', `/v1/operator/deals/${deal_id}/approve`, { as: operator });
    const initiated = await gateway.call('POST', `${path}/tapes`, {
      as: originator,
      body: { fileName: 'next.csv', fileFormat: CSV },
    });
    await put(gateway, initiated, autoTape(30));
    const complete = { as: originator, body: { dealId: deal_id, fileName: 'next.csv' } };
    assert.equal((await gateway.call('POST', '/v1/api/originator/loans/complete', complete)).status, 202);
    const early = await approve();
    assert.deepEqual([early.status, early.body.code, early.body.current_status], [409, 'INVALID_TRANSITION', 'QC_COMPLETED']);
    await gateway.runJobs();
  });

  await t.test('that fails the checks rejects a deal that had passed them', async () => {
    await sendVersion(
      autoTape(10, (row) => (row['Original Amount Financed'] = '-1')),
      'REPLACE',
    );
    const deal = (await gateway.call('GET', path, { as: originator })).body.data;
    assert.deepEqual([deal.status, deal.history.at(-1).to], ['REJECTED', 'REJECTED']);
  });
});

test('a correctable issues file sent again as it is raises no issue of its own', async () => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Corrections');
  const bytes = autoTape(30, (row, index) => {
    if (index === 4) row.FICO = 'abc';
    if (index === 5) row['Contract Rate'] = '99';
  });
  const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes });
  await gateway.runJobs();
  for (const format of ['csv', 'xlsx']) {
    const file = await gateway.app.inject({
      method: 'GET',
      url: `/v1/api/originator/loans/${deal_id}/issues/file?format=${format}`,
      headers: { authorization: `Bearer ${originator.token}` },
    });
    assert.equal(file.statusCode, 200);
    const checked = await gateway.app.inject({
      method: 'POST',
      url: '/v1/api/originator/loans/check?loanType=Auto',
      payload: file.rawPayload,
      headers: {
        authorization: `Bearer ${originator.token}`,
        'content-type': format === 'csv' ? CSV : 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      },
    });
    const report = JSON.parse(checked.payload);
    assert.equal(checked.statusCode, 200, checked.payload.slice(0, 500));
    assert.deepEqual([format, report.data.rows, report.data.accepted], [format, 2, 2]);
    assert.ok(!report.data.mapping.mappings.some((entry: { source: string }) => entry.source.startsWith('_')));
  }
});

test('a bulk job', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('both', 'Bulk');

  await t.test('takes inline loans and files together and ends when every deal’s checks have ended', async () => {
    const upload = await gateway.call('POST', '/v1/api/originator/loans/bulk/uploads', {
      as: originator,
      body: { fileName: 'b.csv', fileFormat: CSV },
    });
    await put(gateway, upload, autoTape(10));
    const loans = Array.from({ length: 5 }, (_, index) => ({
      loan_id: `P${index}`,
      original_balance: 1_000 + index,
      interest_rate: 0.5,
      dealer: 'x',
    }));
    const submitted = await gateway.call('POST', '/v1/api/originator/loans/bulk', {
      as: originator,
      body: {
        deals: [
          { loanType: 'Auto', fileKey: upload.body.data.file_key },
          { loanType: 'Personal', loans },
        ],
      },
    });
    assert.equal(submitted.status, 202, JSON.stringify(submitted.body));
    assert.deepEqual([submitted.body.data.status, submitted.body.data.deals], ['PENDING', []]);
    await gateway.runJobs();
    const job = (await gateway.call('GET', `/v1/api/originator/loans/bulk/${submitted.body.data.job_id}`, { as: originator }))
      .body.data;
    assert.deepEqual([job.status, job.total, job.processed, job.failed], ['COMPLETED', 2, 2, 0]);
    assert.deepEqual(
      job.deals.map((deal: { status: string }) => deal.status),
      ['QC_COMPLETED', 'QC_COMPLETED'],
    );
    const inline = (await gateway.call('GET', `/v1/api/originator/loans/${job.deals[1].id}/loans`, { as: originator })).body.data;
    assert.equal(inline[0].interest_rate, 0.5);
  });

  await t.test('of inline loans without an amount waits for a mapping of the keys that were kept', async () => {
    const loans = [{ loan_id: 'P1', outstanding: 1_200.5, interest_rate: 0.5 }];
    const submitted = await gateway.call('POST', '/v1/api/originator/loans/bulk', {
      as: originator,
      body: { deals: [{ loanType: 'Student', loans }] },
    });
    await gateway.runJobs();
    const job = await gateway.call('GET', `/v1/api/originator/loans/bulk/${submitted.body.data.job_id}`, { as: originator });
    const path = `/v1/api/originator/loans/${job.body.data.deals[0].id}`;
    assert.equal((await gateway.call('GET', path, { as: originator })).body.data.qc.state, 'NEEDS_MAPPING');
    const mappings = [{ source: 'outstanding', target: 'original_balance' }];
    const mapped = await gateway.call('PUT', `${path}/mapping`, { as: originator, body: { mappings } });
    assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
    await gateway.runJobs();
    const deal = (await gateway.call('GET', path, { as: originator })).body.data;
    assert.deepEqual([deal.status, deal.loan_count, deal.total_balance], ['QC_COMPLETED', 1, 1_200.5]);
    const [loan] = (await gateway.call('GET', `${path}/loans`, { as: originator })).body.data;
    assert.deepEqual([loan.original_balance, loan.interest_rate], [1_200.5, 0.5]);
  });

  await t.test('with one unreadable file ends PARTIALLY_COMPLETED and says which', async () => {
    const [good, bad] = await Promise.all(
      [1, 2].map(() =>
        gateway.call('POST', '/v1/api/originator/loans/bulk/uploads', {
          as: originator,
          body: { fileName: 'b.csv', fileFormat: CSV },
        }),
      ),
    );
    if (!good || !bad) throw new Error('no uploads');
    await put(gateway, good, autoTape(10));
    await put(gateway, bad, Buffer.from('504b0304140000000000', 'hex'));
    const deals = [good, bad].map((upload) => ({ loanType: 'Auto', fileKey: upload.body.data.file_key }));
    const submitted = await gateway.call('POST', '/v1/api/originator/loans/bulk', { as: originator, body: { deals } });
    await gateway.runJobs();
    const job = (await gateway.call('GET', `/v1/api/originator/loans/bulk/${submitted.body.data.job_id}`, { as: originator }))
      .body.data;
    assert.equal(job.status, 'PARTIALLY_COMPLETED');
    assert.deepEqual(
      job.errors.map((error: { index: number; code: string }) => [error.index, error.code]),
      [[1, 'UNREADABLE_FILE']],
    );
  });

  await t.test(
    'of no deals, of a deal without loans, of nested values or of another organization’s file is refused',
    async () => {
      const post = (body: unknown) => gateway.call('POST', '/v1/api/originator/loans/bulk', { as: originator, body });
      assert.deepEqual([(await post({ deals: [] })).status, (await post({ deals: [] })).body.code], [422, 'BULK_EMPTY']);
      const empty = await post({ deals: [{ loanType: 'Auto', loans: [] }] });
      assert.deepEqual([empty.status, empty.body.code, empty.body.errors?.[0].field], [422, 'BULK_EMPTY', 'deals.0.loans']);
      assert.equal((await post({ deals: [{ loanType: 'Auto', loans: [{ loan_id: {} }] }] })).status, 400);
      assert.equal((await post({ deals: [{ loanType: 'Auto', fileKey: 'upload/bulk/none.csv' }] })).status, 404);
    },
  );
});
