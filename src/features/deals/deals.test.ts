import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { autoTape, CSV, sendTape } from '../../../test/support/tapes.ts';

const LOANS = '/v1/api/originator/loans';

const act = (gateway: Gateway, as: Holder, dealId: string, name: string, body?: unknown): Promise<Answer> =>
  gateway.call('POST', `/v1/operator/deals/${dealId}/${name}`, { as, ...(body === undefined ? {} : { body }) });

const read = async (gateway: Gateway, as: Holder, dealId: string): Promise<Answer['body']['data']> => {
  const answer = await gateway.call('GET', `${LOANS}/${dealId}`, { as });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
};

/** A deal that passed its checks and waits for a decision. */
async function checkedDeal(gateway: Gateway, as: Holder): Promise<string> {
  const { deal_id } = await sendTape(gateway, as, { loanType: 'Auto', bytes: autoTape(10) });
  await gateway.runJobs();
  return deal_id;
}

const initiate = async (gateway: Gateway, as: Holder, loanType = 'Auto'): Promise<string> => {
  const body = { loanType, fileFormat: CSV, fileName: 'tape.csv' };
  return (await gateway.call('POST', `${LOANS}/initiate`, { as, body })).body.data.deal_id;
};

test('a loan deal', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');

  await t.test('is read by its owner alone', async () => {
    const [owner, other] = [await gateway.key('originator', 'Owner'), await gateway.key('originator', 'Other')];
    const investor = await gateway.key('investor', 'Investor');
    const dealId = await initiate(gateway, owner);
    assert.equal((await read(gateway, owner, dealId)).status, 'DRAFT');
    const statuses = [other, investor, operator, null].map(
      async (as) => (await gateway.call('GET', `${LOANS}/${dealId}`, { as })).status,
    );
    assert.deepEqual(await Promise.all(statuses), [404, 403, 403, 401]);
    assert.equal((await gateway.call('GET', LOANS, { as: other })).body.pagination.total, 0);
  });

  await t.test('has no checks before its first tape, and those of its newest tape afterwards', async () => {
    const owner = await gateway.key('originator', 'Checks');
    const draft = await read(gateway, owner, await initiate(gateway, owner, 'Personal'));
    assert.deepEqual(draft.qc, {
      state: null,
      progress: null,
      reason: null,
      rows: 0,
      accepted: 0,
      rejected: 0,
      by_rule: [],
      waiting: null,
      balance_basis: null,
      findings: {},
    });
    assert.deepEqual([draft.mapping_id, draft.as_of_date, draft.tape_version], [null, null, null]);
    const dealId = await checkedDeal(gateway, owner);
    const first = await read(gateway, owner, dealId);
    const body = { fileName: 'next.csv', fileFormat: CSV };
    const next = (await gateway.call('POST', `${LOANS}/${dealId}/tapes`, { as: owner, body })).body.data;
    await gateway.call('PUT', new URL(next.upload_url).pathname, { headers: next.upload_headers, raw: autoTape(12) });
    await gateway.call('POST', `${LOANS}/complete`, { as: owner, body: { dealId, fileName: 'next.csv' } });
    const running = await read(gateway, owner, dealId);
    assert.deepEqual([running.qc.state, running.tape_version, running.loan_count], ['RUNNING', 1, first.loan_count]);
    await gateway.runJobs();
    const checked = await read(gateway, owner, dealId);
    assert.deepEqual([checked.qc.state, checked.qc.rows, checked.tape_version, checked.loan_count], ['DONE', 12, 2, 12]);
  });

  await t.test('is listed newest first, by status, type and time of creation', async () => {
    const owner = await gateway.key('originator', 'Lister');
    const auto = await initiate(gateway, owner, 'Auto');
    const student = await initiate(gateway, owner, 'Student');
    const ids = async (query: string): Promise<string[]> =>
      (await gateway.call('GET', `${LOANS}?${query}`, { as: owner })).body.data.map((row: { id: string }) => row.id);
    assert.deepEqual(await ids(''), [student, auto]);
    assert.deepEqual(await ids('limit=1&page=2'), [auto]);
    assert.deepEqual(await ids('type=Auto&status=DRAFT'), [auto]);
    assert.deepEqual(await ids('status=APPROVED'), []);
    assert.deepEqual(await ids('to=2020-01-01'), []);
    assert.equal((await gateway.call('GET', `${LOANS}?from=2021-01-01&to=2020-01-01`, { as: owner })).status, 422);
    assert.equal((await gateway.call('GET', `${LOANS}?status=SOLD`, { as: owner })).status, 400);
  });
});

test('the decision on a loan deal', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const DECISIONS = [
    ['approve', {}],
    ['reject', { reason: 'Incomplete.' }],
    ['withdraw', { reason: 'Sold elsewhere.' }],
  ] as const;

  await t.test('is the operator’s', async () => {
    const owner = await gateway.key('both', 'Self-approving');
    const dealId = await checkedDeal(gateway, owner);
    for (const [name, body] of DECISIONS) {
      assert.equal((await act(gateway, owner, dealId, name, body)).status, 403, name);
      assert.equal((await act(gateway, operator, 'deal_none', name, body)).status, 404, name);
    }
    assert.equal((await read(gateway, owner, dealId)).status, 'QC_COMPLETED');
  });

  await t.test('is not made by an operator about its own organization', async () => {
    const owner = await gateway.key('originator', 'Mixed');
    const dealId = await checkedDeal(gateway, owner);
    const own = await gateway.mixedKey(owner);
    for (const [name, body] of DECISIONS) {
      const refused = await act(gateway, own, dealId, name, body);
      assert.deepEqual([refused.status, refused.body.code], [403, 'OWN_ORGANIZATION'], name);
    }
  });

  await t.test('is made once, however many decide at once', async () => {
    const owner = await gateway.key('originator', 'Twice');
    const dealId = await checkedDeal(gateway, owner);
    const answers = await Promise.all([
      act(gateway, operator, dealId, 'approve'),
      act(gateway, operator, dealId, 'approve'),
      act(gateway, operator, dealId, 'reject', { reason: 'Incomplete.' }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    const decided = await read(gateway, owner, dealId);
    assert.equal(decided.history.length, 4, 'one entry for the decision');
    const { status } = answers.find((answer) => answer.status === 200)?.body.data ?? {};
    assert.equal(decided.status, status);
  });

  await t.test('to reject carries its code and reason to the event, the history and the audit log', async () => {
    const owner = await gateway.key('originator', 'Rejected');
    const dealId = await checkedDeal(gateway, owner);
    assert.equal((await act(gateway, operator, dealId, 'reject', {})).status, 400, 'a rejection needs a reason');
    const body = { reason_code: 'STALE', reason: 'The tape is of last year.' };
    assert.equal((await act(gateway, operator, dealId, 'reject', body)).body.data.status, 'REJECTED');
    const [event] = (await gateway.call('GET', '/v1/api/events?type=loan.rejected', { as: owner })).body.data;
    assert.deepEqual([event.data.reason_code, event.data.reason], ['STALE', body.reason]);
    const { history } = await read(gateway, owner, dealId);
    assert.deepEqual(
      [history.at(-1).to, history.at(-1).reason, history.at(-1).actor],
      ['REJECTED', body.reason, operator.key_id],
    );
    const [entry] = (await gateway.call('GET', `/v1/operator/audit?deal_id=${dealId}&status=REJECTED`, { as: operator })).body
      .data;
    assert.deepEqual([entry.action, entry.reason, entry.after.reason_code], ['deal.rejected', body.reason, 'STALE']);
    for (const [name, more] of DECISIONS) assert.equal((await act(gateway, operator, dealId, name, more)).status, 409, name);
  });

  await t.test('to reject without a code says OTHER', async () => {
    const owner = await gateway.key('originator', 'Plain');
    const dealId = await checkedDeal(gateway, owner);
    await act(gateway, operator, dealId, 'reject', { reason: 'Incomplete.' });
    const [event] = (await gateway.call('GET', '/v1/api/events?type=loan.rejected', { as: owner })).body.data;
    assert.equal(event.data.reason_code, 'OTHER');
  });

  await t.test('to approve waits for checks that run or failed', async () => {
    const owner = await gateway.key('originator', 'Early');
    const { deal_id } = await sendTape(gateway, owner, { loanType: 'Auto', bytes: autoTape(5) });
    const early = await act(gateway, operator, deal_id, 'approve');
    assert.deepEqual([early.status, early.body.current_status], [409, 'IN_REVIEW']);
    await gateway.runJobs();
    const mappings = [{ source: 'FICO', target: null }];
    const mapped = await gateway.call('PUT', `${LOANS}/${deal_id}/mapping`, { as: owner, body: { mappings } });
    assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
    const running = await act(gateway, operator, deal_id, 'approve');
    assert.deepEqual([running.status, running.body.allowed], [409, ['REJECTED']]);
    assert.match(running.body.message ?? '', /version 1 of the tape are still running/);
    await gateway.runJobs();
    assert.equal((await act(gateway, operator, deal_id, 'approve')).status, 200);
  });

  await t.test('to withdraw ends an approved deal, unless a live pool holds its loans', async () => {
    const owner = await gateway.key('originator', 'Pooled');
    const [pooled, free] = [await approvedDeal(gateway, owner, operator), await approvedDeal(gateway, owner, operator)];
    const formed = await formPool(gateway, owner, [pooled]);
    assert.equal(formed.status, 201, JSON.stringify(formed.body));
    const body = { reason: 'Sold elsewhere.' };
    const held = await act(gateway, operator, pooled, 'withdraw', body);
    assert.deepEqual([held.status, held.body.code, held.body.allowed], [409, 'INVALID_TRANSITION', []]);
    assert.ok(held.body.message?.includes(formed.body.data.pool_id));
    const withdrawn = await act(gateway, operator, free, 'withdraw', body);
    const { deal_id, status, market_status } = withdrawn.body.data;
    assert.deepEqual([deal_id, status, market_status], [free, 'WITHDRAWN', null]);
    assert.equal((await act(gateway, operator, free, 'withdraw', body)).status, 409);
    assert.equal((await act(gateway, operator, pooled, 'withdraw', {})).status, 400, 'a withdrawal needs a reason');
    assert.equal((await formPool(gateway, owner, [free])).status >= 400, true, 'its loans enter no pool any more');
  });
});
