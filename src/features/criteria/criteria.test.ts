import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';

const SET = {
  name: 'Prime',
  loan_type: 'Auto',
  loan_rules: [
    { id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } },
    { id: 'DPD', waivable: false, rule: { field: 'days_past_due', op: 'lte', value: 30 } },
    { id: 'W', severity: 'warn', rule: { field: 'interest_rate', op: 'lte', value: 5 } },
  ],
  pool_tests: [
    { id: 'STATE', type: 'concentration', group_by: ['state'], top: 1, op: 'lte', value: 0.2 },
    { id: 'WA', type: 'weighted_average', field: 'credit_score', op: 'gte', value: 650 },
  ],
};

async function checkedDeal(gateway: Gateway, holder: Holder): Promise<string> {
  const bytes = autoTape(60, (row, index) => {
    if (index === 3) row.FICO = '';
    if (index >= 50) row['Days Past Due'] = '60';
  });
  const { deal_id } = await sendTape(gateway, holder, { loanType: 'Auto', bytes });
  await gateway.runJobs();
  return deal_id;
}

test('criteria', async (t) => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Originator');
  const other = await gateway.key('originator', 'Other');
  const operator = await gateway.key('operator', 'Platform');
  const dealId = await checkedDeal(gateway, originator);
  const post = (path: string, body: unknown, as: Holder = originator) => gateway.call('POST', path, { as, body });
  const get = (path: string, as: Holder = originator) => gateway.call('GET', path, { as });
  const created = await post('/v1/api/originator/sc/criteria', SET);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { criteria_id } = created.body.data;
  const run = async (body: object = {}) => post(`/v1/api/originator/sc/deals/${dealId}/run`, { criteria_id, ...body });

  await t.test('that were read can be sent again as they are', async () => {
    const read = (await get(`/v1/api/originator/sc/criteria/${criteria_id}`)).body.data;
    const again = await post('/v1/api/originator/sc/criteria', read);
    assert.equal(again.status, 201, JSON.stringify(again.body));
    assert.deepEqual(again.body.data.loan_rules, read.loan_rules);
  });

  await t.test('that are wrong are refused with the path of what is wrong', async () => {
    const unknown = await post('/v1/api/originator/sc/criteria', {
      ...SET,
      loan_rules: [{ id: 'A', rule: { all: [{ field: 'shoe_size', op: 'gt', value: 1 }] } }],
    });
    assert.deepEqual(
      [unknown.status, unknown.body.code, unknown.body.errors?.[0].field],
      [422, 'UNKNOWN_FIELD', 'loan_rules[0].rule.all[0].field'],
    );
    const impossible = await post('/v1/api/originator/sc/criteria', {
      ...SET,
      loan_rules: [{ id: 'A', rule: { field: 'state', op: 'gt', value: 1 } }],
    });
    assert.deepEqual([impossible.status, impossible.body.code], [422, 'INVALID_RULE']);
    const prohibited = await post('/v1/api/originator/sc/criteria', {
      ...SET,
      custom_fields: { race: 'string' },
      loan_rules: [{ id: 'A', rule: { field: 'race', op: 'eq', value: 'x' } }],
    });
    assert.deepEqual([prohibited.status, prohibited.body.code], [422, 'PROHIBITED_FIELD']);
    assert.equal((await post('/v1/api/originator/sc/criteria', { ...SET, loan_rules: 'x' })).status, 400);
  });

  await t.test('have versions that never change', async () => {
    const next = await post(`/v1/api/originator/sc/criteria/${criteria_id}/versions`, { ...SET, name: 'Prime 2' });
    assert.deepEqual([next.status, next.body.data.version], [201, 2]);
    assert.equal((await get(`/v1/api/originator/sc/criteria/${criteria_id}?version=1`)).body.data.name, 'Prime');
    assert.equal((await get(`/v1/api/originator/sc/criteria/${criteria_id}`)).body.data.name, 'Prime 2');
    assert.equal((await get(`/v1/api/originator/sc/criteria/${criteria_id}`, other)).status, 404);
  });

  await t.test('run dry answer at once and leave nothing', async () => {
    const dry = await run({ dry_run: true });
    assert.equal(dry.status, 200, JSON.stringify(dry.body));
    assert.equal(dry.body.data.total, 60);
    assert.equal(dry.body.data.loans.length, 60);
    assert.equal(dry.body.data.loans.filter((loan: { outcome: string }) => loan.outcome === 'FAILED').length, 30);
    assert.equal(typeof dry.body.data.total_balance, 'number');
    assert.equal((await get(`/v1/api/originator/sc/deals/${dealId}/results`)).body.pagination.total, 0);
  });

  await t.test('run once at a time on a deal; the result, its event and its exception file come together', async () => {
    const answers = await Promise.all([run(), run(), run()]);
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [202, 409, 409]);
    assert.equal(answers.find((answer) => answer.status === 409)?.body.code, 'RUN_IN_PROGRESS');
    await gateway.runJobs();
    const [result] = (await get(`/v1/api/originator/sc/deals/${dealId}/results`)).body.data;
    assert.deepEqual([result.status, result.error, result.total, result.passed, result.failed], ['COMPLETED', null, 60, 30, 30]);
    assert.equal(
      result.passed_balance + result.failed_balance,
      (await get(`/v1/api/originator/loans/${dealId}`)).body.data.total_balance,
    );
    const score = result.rule_results.find((rule: { rule_id: string }) => rule.rule_id === 'SCORE');
    assert.deepEqual([score.failed, score.only_reason], [20, 20]);
    const [event] = (await get('/v1/api/events?type=sc.completed')).body.data;
    assert.deepEqual([event.data.sc_job_id, event.data.exception_file_id], [result.sc_job_id, result.exception_file_id]);
    const [file] = (await get('/v1/api/originator/sc/exceptions')).body.data;
    assert.deepEqual([file.exception_file_id, file.exception_count], [result.exception_file_id, 30]);
    assert.equal(result.loans.length, 60);
    const state = result.pool_tests.find((each: { rule_id: string }) => each.rule_id === 'STATE');
    assert.equal(state.passed, false);
    assert.equal(typeof state.actual, 'number');
    for (const step of result.waterfall as { removed_balance: unknown }[]) assert.equal(typeof step.removed_balance, 'number');
  });

  await t.test('cure failed pool tests with the tests that result, in numbers', async () => {
    const [result] = (await get(`/v1/api/originator/sc/deals/${dealId}/results`)).body.data;
    const { body } = await get(`/v1/api/originator/sc/jobs/${result.sc_job_id}/cure`);
    const text = JSON.stringify(body.data);
    assert.match(text, /"actual":-?\d/);
    assert.doesNotMatch(text, /"(actual|headroom|limit|excess_balance|\w*balance)":"/);
  });

  await t.test('explain every loan: what was seen, what was expected, breach or missing', async () => {
    const [result] = (await get(`/v1/api/originator/sc/deals/${dealId}/results`)).body.data;
    const { body } = await get(`/v1/api/originator/sc/jobs/${result.sc_job_id}/loans?outcome=FAILED&rule=SCORE&limit=100`);
    assert.equal(body.pagination.total, 20);
    const missing = body.data
      .find((loan: { row_number: number }) => loan.row_number === 4)
      .failures.find((each: { rule_id: string }) => each.rule_id === 'SCORE');
    assert.deepEqual([missing.reason, missing.actual, missing.expected, missing.operator], ['MISSING', null, 640, 'gte']);
    assert.ok(body.data[0].failures.some((each: { severity: string }) => each.severity === 'warn'));
    const file = await gateway.app.inject({
      method: 'GET',
      url: `/v1/api/originator/sc/exceptions/${result.exception_file_id}/download?format=csv`,
      headers: { authorization: `Bearer ${originator.token}` },
    });
    assert.equal(file.statusCode, 200);
    const lines = file.payload.trim().split('\n');
    assert.equal(lines.length, 31);
    assert.match(lines[0] ?? '', /^\ufeff?Loan ID,.*_row,_rule,_reason,_actual,_expected\r?$/);
  });

  await t.test('waivers need a second person, not a rule that forbids them, and count in the next run', async () => {
    const [file] = (await get('/v1/api/originator/sc/exceptions')).body.data;
    const path = `/v1/api/originator/sc/exceptions/${file.exception_file_id}/waivers`;
    const refused = await post(path, { loan_ids: ['A000055'], rule_id: 'DPD', reason: 'x' });
    assert.deepEqual([refused.status, refused.body.code], [422, 'RULE_NOT_WAIVABLE']);
    const unknown = await post(path, { loan_ids: ['A000001', 'A000049', 'NOBODY'], rule_id: 'SCORE', reason: 'x' });
    assert.deepEqual([unknown.status, unknown.body.code], [422, 'UNKNOWN_LOAN']);
    assert.deepEqual(
      unknown.body.errors?.map((each) => each.field),
      ['loan_ids.1', 'loan_ids.2'],
    );
    assert.match(unknown.body.message ?? '', /A000049/);
    assert.equal((await gateway.call('GET', '/v1/operator/waivers', { as: operator })).body.pagination.total, 0);
    const asked = await post(path, { loan_ids: ['A000001', 'A000002'], rule_id: 'SCORE', reason: 'strong co-signer' });
    assert.deepEqual([asked.status, asked.body.data.status], [201, 'PENDING']);
    assert.equal((await post(`/v1/operator/waivers/${asked.body.data.waiver_id}/approve`, {}, originator)).status, 403);
    assert.equal(
      (await post(`/v1/operator/waivers/${asked.body.data.waiver_id}/approve`, {}, operator)).body.data.status,
      'APPROVED',
    );
    assert.equal((await post(`/v1/operator/waivers/${asked.body.data.waiver_id}/deny`, {}, operator)).status, 409);
    await run();
    await gateway.runJobs();
    const [second, first] = (await get(`/v1/api/originator/sc/deals/${dealId}/results`)).body.data;
    assert.deepEqual([second.passed, second.waived, second.failed], [32, 2, 28]);
    const waived = await get(`/v1/api/originator/sc/jobs/${second.sc_job_id}/loans?outcome=WAIVED`);
    assert.deepEqual(
      waived.body.data.map((loan: { loan_id: string }) => loan.loan_id),
      ['A000001', 'A000002'],
    );
    const compared = (await get(`/v1/api/originator/sc/jobs/${first.sc_job_id}/compare/${second.sc_job_id}`)).body.data;
    assert.deepEqual([compared.newly_passing.loans, compared.newly_failing.loans], [2, 0]);
  });

  await t.test('run dry are dated by the platform’s clock', async () => {
    await gateway.advance(30 * 86_400);
    const { run_at } = (await run({ dry_run: true })).body.data;
    assert.ok(Date.parse(run_at) > Date.now() + 29 * 86_400_000, run_at);
  });

  await t.test('cancelled before they run leave no result', async () => {
    const queued = await run();
    assert.equal(
      (await gateway.call('DELETE', `/v1/api/originator/sc/jobs/${queued.body.data.sc_job_id}`, { as: originator })).status,
      200,
    );
    await gateway.runJobs();
    const cancelled = (await get(`/v1/api/originator/sc/jobs/${queued.body.data.sc_job_id}`)).body.data;
    assert.deepEqual([cancelled.status, cancelled.total], ['CANCELLED', 0]);
    assert.equal(
      (await gateway.call('DELETE', `/v1/api/originator/sc/jobs/${queued.body.data.sc_job_id}`, { as: originator })).status,
      409,
    );
  });

  await t.test('of another loan type or on a deal in review are refused', async () => {
    const personal = await post('/v1/api/originator/sc/criteria', { loan_type: 'Personal', loan_rules: [] });
    const mismatch = await post(`/v1/api/originator/sc/deals/${dealId}/run`, { criteria_id: personal.body.data.criteria_id });
    assert.deepEqual([mismatch.status, mismatch.body.code], [422, 'LOAN_TYPE_MISMATCH']);
    const { deal_id } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: autoTape(5) });
    assert.equal((await post(`/v1/api/originator/sc/deals/${deal_id}/run`, { criteria_id })).status, 409);
    assert.equal((await post(`/v1/api/originator/sc/deals/${dealId}/run`, { criteria_id: 'crt_none' })).status, 404);
  });
});
