import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { autoTape, seller } from '../../../test/support/tapes.ts';

test('a decision on a loan deal', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const decide = (dealId: string, act: string, body?: object): Promise<Answer> =>
    gateway.call('POST', `/v1/operator/deals/${dealId}/${act}`, { as: operator, ...(body ? { body } : {}) });

  await t.test('is refused from every status that the table does not lead from, with the moves that there are', async () => {
    const ours = await seller(gateway, 'Statuses');
    const draft = await ours.uploaded(autoTape(3), { loanType: 'Student' });
    const [approved, rejected, withdrawn] = [await ours.checked(), await ours.checked(), await ours.checked()];
    for (const dealId of [approved, withdrawn]) await decide(dealId, 'approve');
    await decide(rejected, 'reject', { reason: 'Incomplete.' });
    await decide(withdrawn, 'withdraw', { reason: 'Sold.' });
    const checked = await ours.checked();
    const inReview = await ours.sent();
    const cases: [string, string, string[], string[]][] = [
      [draft, 'DRAFT', ['approve', 'reject', 'withdraw'], ['IN_REVIEW', 'EXPIRED']],
      [inReview, 'IN_REVIEW', ['approve', 'withdraw'], ['QC_COMPLETED', 'REJECTED']],
      [checked, 'QC_COMPLETED', ['withdraw'], ['APPROVED', 'REJECTED']],
      [approved, 'APPROVED', ['approve', 'reject'], ['WITHDRAWN']],
      [rejected, 'REJECTED', ['approve', 'reject', 'withdraw'], []],
      [withdrawn, 'WITHDRAWN', ['approve', 'reject', 'withdraw'], []],
    ];
    for (const [dealId, status, acts, allowed] of cases) {
      const before = [await ours.events(dealId), await ours.audited(dealId)];
      for (const act of acts) {
        const refused = await decide(dealId, act, { reason: 'Seen.' });
        assert.deepEqual(
          [...codeOf(refused), refused.body.current_status, refused.body.allowed],
          [409, 'INVALID_TRANSITION', status, allowed],
          `${act} of ${status}`,
        );
      }
      assert.deepEqual(
        [(await ours.deal(dealId)).status, [await ours.events(dealId), await ours.audited(dealId)]],
        [status, before],
      );
    }
  });

  await t.test('has its reason, as long as a reason may be, and needs one to reject', async () => {
    const ours = await seller(gateway, 'Reasons');
    const dealId = await ours.checked();
    for (const body of [
      {},
      { reason: '' },
      { reason: 'x'.repeat(1_001) },
      { reason: 7 },
      { reason: 'a\u202eb' },
      { reason: 'Seen.', reason_code: '' },
      { reason: 'Seen.', reason_code: 'X'.repeat(65) },
    ])
      assert.deepEqual(
        codeOf(await decide(dealId, 'reject', body)),
        [400, 'VALIDATION_FAILED'],
        JSON.stringify(body).slice(0, 40),
      );
    assert.equal((await ours.deal(dealId)).status, 'QC_COMPLETED');
    const reason = 'x'.repeat(1_000);
    assert.equal((await decide(dealId, 'reject', { reason, reason_code: 'X'.repeat(64) })).status, 200);
    assert.equal((await ours.deal(dealId)).history.at(-1).reason, reason);
  });

  await t.test('to approve may be without a body, and is in the audit log of both sides', async () => {
    const ours = await seller(gateway, 'Approved');
    const dealId = await ours.checked();
    assert.equal((await decide(dealId, 'approve')).status, 200);
    const [entry] = await ours.audited(dealId);
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.before, entry?.after],
      ['deal.approved', operator.key_id, { status: 'QC_COMPLETED' }, { status: 'APPROVED' }],
    );
    const { body } = await gateway.call('GET', `/v1/operator/audit?deal_id=${dealId}&status=APPROVED`, { as: operator });
    assert.equal(body.pagination.total, 1);
  });

  await t.test('raises one alert, of the event that says most', async () => {
    const ours = await seller(gateway, 'Alerted');
    const types = async (dealId: string) => (await ours.alerts(dealId)).map(({ type, priority }) => [type, priority]);
    const [approved, rejected] = [await ours.checked(), await ours.checked()];
    const before = await types(approved);
    await decide(approved, 'approve');
    assert.deepEqual(await types(approved), [['loan.approved', 'MEDIUM'], ...before]);
    await decide(approved, 'withdraw', { reason: 'Sold elsewhere.' });
    assert.deepEqual((await types(approved))[0], ['deal.status_changed', 'MEDIUM']);
    assert.equal((await ours.alerts(approved))[0]?.message, 'Sold elsewhere.');
    await decide(rejected, 'reject', { reason: 'Incomplete.' });
    assert.deepEqual(await types(rejected), [['loan.rejected', 'HIGH'], ...before]);
  });

  await t.test('to withdraw is free again when the pool that held the loans is cancelled', async () => {
    const ours = await seller(gateway, 'Freed');
    const dealId = await approvedDeal(gateway, ours.as, operator, { rows: 6 });
    const { pool_id } = (await formPool(gateway, ours.as, [dealId])).body.data;
    assert.deepEqual(codeOf(await decide(dealId, 'withdraw', { reason: 'Sold.' })), [409, 'INVALID_TRANSITION']);
    await gateway.call('DELETE', `/v1/api/originator/pools/${pool_id}`, { as: ours.as });
    assert.equal((await decide(dealId, 'withdraw', { reason: 'Sold.' })).body.data.status, 'WITHDRAWN');
    assert.deepEqual((await ours.events(dealId)).map(({ data }) => data.current_status).at(-1), 'WITHDRAWN');
  });

  await t.test('races with a pool for the loans: either it is withdrawn or they are pooled', async () => {
    const ours = await seller(gateway, 'Racing');
    const dealId = await approvedDeal(gateway, ours.as, operator, { rows: 6 });
    const [withdrawn, pooled] = await Promise.all([
      decide(dealId, 'withdraw', { reason: 'Sold.' }),
      formPool(gateway, ours.as, [dealId]),
    ]);
    assert.deepEqual([withdrawn.status, pooled.status].sort(), withdrawn.status === 200 ? [200, 409] : [201, 409]);
  });
});

test('loan deals are listed', async (t) => {
  await using gateway = await startGateway();

  await t.test('by the instant of their creation, both ends included, and in pages past the end', async () => {
    const ours = await seller(gateway, 'Times');
    for (const loanType of ['Auto', 'Student', 'Business']) await ours.initiate({ loanType });
    const rows = (await ours.call('GET', '')).body.data as { id: string; created_at: string }[];
    const [third, second, first] = rows;
    const ids = async (query: string) => (await ours.call('GET', `?${query}`)).body.data.map((row: { id: string }) => row.id);
    assert.deepEqual(await ids(`from=${second?.created_at}`), [third?.id, second?.id]);
    assert.deepEqual(await ids(`to=${second?.created_at}`), [second?.id, first?.id]);
    assert.deepEqual(await ids(`from=${second?.created_at}&to=${second?.created_at}`), [second?.id]);
    const today = second?.created_at.slice(0, 10);
    assert.equal((await ids(`from=${today}&to=${third?.created_at.slice(0, 10)}`)).length, 3, 'a date includes its whole day');
    const { body } = await ours.call('GET', '?limit=2&page=3');
    assert.deepEqual(
      [body.data, body.pagination.total, body.pagination.hasNextPage, body.pagination.hasPrevPage],
      [[], 3, false, true],
    );
  });

  await t.test('in words that exist: other statuses, types, pages and parameters are 400', async () => {
    const ours = await seller(gateway, 'Words');
    for (const query of [
      'status=SOLD',
      'type=Boat',
      'limit=0',
      'limit=101',
      'page=0',
      'from=yesterday',
      'to=2020-02-30',
      'colour=red',
    ])
      assert.equal((await ours.call('GET', `?${query}`)).status, 400, query);
    assert.deepEqual(codeOf(await ours.call('GET', '?from=2021-01-02T00:00:00Z&to=2021-01-01')), [422, 'RANGE_REVERSED']);
    assert.equal((await ours.call('GET', '?from=2021-01-01T23:59:59Z&to=2021-01-01')).status, 200, 'the end of the day is in it');
  });

  await t.test('with the figures of the tape in force, or of the newest while none is', async () => {
    const ours = await seller(gateway, 'Figures');
    const row = async (id: string) => (await ours.call('GET', '')).body.data.find((each: { id: string }) => each.id === id);
    const spoiled = autoTape(20, (each, index) => {
      if (index === 0) each['Original Amount Financed'] = '0';
    });
    const dealId = await ours.checked(spoiled);
    const checked = await row(dealId);
    assert.deepEqual(
      [checked.loan_count, checked.tape_version, checked.issue_counts.error, checked.market_status],
      [19, 1, 1, null],
    );
    await ours.sendVersion(dealId, autoTape(25));
    assert.deepEqual([(await row(dealId)).loan_count, (await row(dealId)).issue_counts.error], [19, 1]);
    await gateway.runJobs();
    assert.deepEqual([(await row(dealId)).loan_count, (await row(dealId)).issue_counts.error], [25, 0]);
    const waiting = await ours.checked(
      autoTape(5).replace('Original Amount Financed', 'A').replace('Current Balance', 'B'),
      'Personal',
    );
    const { loan_count, tape_version, issue_counts } = await row(waiting);
    assert.deepEqual([loan_count, tape_version], [0, null]);
    assert.ok(issue_counts.error + issue_counts.warning > 0, 'a tape that waits for its mapping has findings too');
  });
});
