import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, sendTape } from '../../../test/support/tapes.ts';

const SC = '/v1/api/originator/sc';
const SET = {
  name: 'Prime',
  loan_type: 'Auto',
  loan_rules: [
    { id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 640 } },
    { id: 'DPD', waivable: false, rule: { field: 'days_past_due', op: 'lte', value: 30 } },
  ],
  pool_tests: [],
};

type World = { gateway: Gateway; operator: Holder };

/** An organization with a checked deal of 30 loans, 20 of which fail SCORE, and a criteria set. */
async function seller({ gateway }: World, name: string, role: 'originator' | 'both' = 'originator') {
  const as = await gateway.key(role, name);
  const { deal_id } = await sendTape(gateway, as, { loanType: 'Auto', bytes: autoTape(30) });
  await gateway.runJobs();
  const created = await gateway.call('POST', `${SC}/criteria`, { as, body: SET });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { criteria_id } = created.body.data;
  const run = (by = as): Promise<Answer> => gateway.call('POST', `${SC}/deals/${deal_id}/run`, { as: by, body: { criteria_id } });
  return { as, deal_id, criteria_id, run };
}

/** The same with a completed run and its exception file. */
async function withRun(world: World, name: string, role: 'originator' | 'both' = 'originator') {
  const own = await seller(world, name, role);
  const sc_job_id: string = (await own.run()).body.data.sc_job_id;
  await world.gateway.runJobs();
  const { data } = (await world.gateway.call('GET', `${SC}/jobs/${sc_job_id}`, { as: own.as })).body;
  assert.equal(data.status, 'COMPLETED');
  return { ...own, sc_job_id, exception_file_id: data.exception_file_id as string };
}

const request = ({ gateway }: World, as: Holder, fileId: string, loan_ids = ['A000001']): Promise<Answer> =>
  gateway.call('POST', `${SC}/exceptions/${fileId}/waivers`, { as, body: { loan_ids, rule_id: 'SCORE', reason: 'Co-signer.' } });

const decide = ({ gateway }: World, as: Holder, waiverId: string, act: string): Promise<Answer> =>
  gateway.call('POST', `/v1/operator/waivers/${waiverId}/${act}`, { as, body: { reason: 'Seen.' } });

test('criteria, runs and exceptions', async (t) => {
  await using gateway = await startGateway();
  const world = { gateway, operator: await gateway.key('operator', 'Platform') };

  await t.test('are their organization’s alone: to others none of them is there', async () => {
    const own = await withRun(world, 'Owner');
    const rival = await withRun(world, 'Rival');
    const paths = [
      `${SC}/criteria/${own.criteria_id}`,
      `${SC}/deals/${own.deal_id}/results`,
      `${SC}/jobs/${own.sc_job_id}`,
      `${SC}/jobs/${own.sc_job_id}/loans`,
      `${SC}/jobs/${own.sc_job_id}/cure`,
      `${SC}/jobs/${own.sc_job_id}/compare/${rival.sc_job_id}`,
      `${SC}/jobs/${rival.sc_job_id}/compare/${own.sc_job_id}`,
      `${SC}/exceptions/${own.exception_file_id}`,
      `${SC}/exceptions/${own.exception_file_id}/download`,
    ];
    const investor = await gateway.key('investor', 'Investor');
    for (const path of paths) {
      assert.equal((await gateway.call('GET', path, { as: rival.as })).status, 404, path);
      assert.equal((await gateway.call('GET', path, { as: investor })).status, 403, path);
    }
    assert.equal((await own.run(rival.as)).status, 404);
    const foreign = { criteria_id: own.criteria_id };
    const borrowed = await gateway.call('POST', `${SC}/deals/${rival.deal_id}/run`, { as: rival.as, body: foreign });
    assert.equal(borrowed.status, 404, 'nobody runs another organization’s criteria');
    const version = await gateway.call('POST', `${SC}/criteria/${own.criteria_id}/versions`, { as: rival.as, body: SET });
    assert.equal(version.status, 404);
    assert.equal((await request(world, rival.as, own.exception_file_id)).status, 404);
    assert.equal((await gateway.call('DELETE', `${SC}/jobs/${own.sc_job_id}`, { as: rival.as })).status, 404);
    assert.equal((await gateway.call('GET', `${SC}/exceptions`, { as: rival.as })).body.pagination.total, 1);
    assert.equal(
      (await gateway.call('GET', `${SC}/exceptions?dealId=${own.deal_id}`, { as: rival.as })).body.pagination.total,
      0,
    );
  });

  await t.test('run once when several runs are requested at once', async () => {
    const own = await seller(world, 'Hasty');
    const answers = await Promise.all([1, 2, 3, 4].map(() => own.run()));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409, 409]);
    for (const { body } of answers.filter(({ status }) => status === 409)) assert.equal(body.code, 'RUN_IN_PROGRESS');
    await gateway.runJobs();
    assert.equal((await own.run()).status, 202, 'after its end another one may run');
  });

  await t.test('get a version each when several are added at once', async () => {
    const own = await seller(world, 'Author');
    const path = `${SC}/criteria/${own.criteria_id}`;
    const add = () => gateway.call('POST', `${path}/versions`, { as: own.as, body: SET });
    const answers = await Promise.all([add(), add(), add()]);
    assert.deepEqual(answers.map(({ body }) => body.data.version).sort(), [2, 3, 4]);
    assert.equal((await gateway.call('GET', path, { as: own.as })).body.data.version, 4);
    const changed = await gateway.call('POST', `${path}/versions`, { as: own.as, body: { ...SET, loan_type: 'Personal' } });
    assert.deepEqual([changed.status, changed.body.code], [422, 'LOAN_TYPE_MISMATCH']);
  });

  await t.test('are cancelled once, and a cancelled run leaves no file', async () => {
    const own = await seller(world, 'Canceller');
    const path = `${SC}/jobs/${(await own.run()).body.data.sc_job_id}`;
    const answers = await Promise.all([1, 2].map(() => gateway.call('DELETE', path, { as: own.as })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    await gateway.runJobs();
    const { data } = (await gateway.call('GET', path, { as: own.as })).body;
    assert.deepEqual([data.status, data.exception_file_id], ['CANCELLED', null]);
    const outcomes = await gateway.call('GET', `${path}/loans`, { as: own.as });
    assert.deepEqual([outcomes.status, outcomes.body.current_status], [409, 'CANCELLED']);
  });

  await t.test('keep a mapping from changing while a run is queued', async () => {
    const own = await seller(world, 'Remapper');
    await own.run();
    const body = { mappings: [{ source: 'FICO', target: null }] };
    const mapped = await gateway.call('PUT', `/v1/api/originator/loans/${own.deal_id}/mapping`, { as: own.as, body });
    assert.deepEqual([mapped.status, mapped.body.code], [409, 'RUN_IN_PROGRESS']);
  });
});

test('a waiver', async (t) => {
  await using gateway = await startGateway();
  const world = { gateway, operator: await gateway.key('operator', 'Platform') };

  await t.test('is decided by an operator of another organization', async () => {
    const own = await withRun(world, 'Self-waiving', 'both');
    const { waiver_id } = (await request(world, own.as, own.exception_file_id)).body.data;
    const mixed = await gateway.mixedKey(own.as);
    for (const act of ['approve', 'deny']) {
      assert.equal((await decide(world, own.as, waiver_id, act)).status, 403);
      assert.equal((await decide(world, mixed, waiver_id, act)).body.code, 'OWN_ORGANIZATION');
      assert.equal((await decide(world, world.operator, 'wvr_none', act)).status, 404);
    }
    const path = `/v1/operator/waivers?organization_id=${own.as.organization_id}`;
    const [waiver] = (await gateway.call('GET', path, { as: world.operator })).body.data;
    assert.deepEqual([waiver.status, waiver.decided_by], ['PENDING', null]);
  });

  await t.test('is decided once, and the audit log has that decision alone', async () => {
    const own = await withRun(world, 'Contested');
    const { waiver_id } = (await request(world, own.as, own.exception_file_id)).body.data;
    const answers = await Promise.all(['approve', 'deny', 'approve'].map((act) => decide(world, world.operator, waiver_id, act)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    const decided = answers.find(({ status }) => status === 200)?.body.data;
    assert.deepEqual([decided.decided_by, decided.requested_by], [world.operator.key_id, own.as.key_id]);
    const log = await gateway.call('GET', `/v1/operator/audit?deal_id=${own.deal_id}`, { as: world.operator });
    const entries = log.body.data.filter((entry: { entity_id: string }) => entry.entity_id === waiver_id);
    assert.deepEqual(
      entries.map((entry: { action: string }) => entry.action),
      [`waiver.${decided.status.toLowerCase()}`, 'waiver.requested'],
    );
  });

  await t.test('that is denied or still open changes no later run', async () => {
    const own = await withRun(world, 'Denied');
    const first = (await request(world, own.as, own.exception_file_id)).body.data.waiver_id;
    await request(world, own.as, own.exception_file_id, ['A000002']);
    await decide(world, world.operator, first, 'deny');
    const { sc_job_id } = (await own.run()).body.data;
    await gateway.runJobs();
    const { data } = (await gateway.call('GET', `${SC}/jobs/${sc_job_id}`, { as: own.as })).body;
    assert.deepEqual([data.waived, data.failed], [0, 20]);
  });

  await t.test('is requested for loans of the file and a rule of its criteria, each loan counted once', async () => {
    const own = await withRun(world, 'Requester');
    const twice = await request(world, own.as, own.exception_file_id, ['A000001', 'A000001', 'A000002']);
    assert.deepEqual(twice.body.data.loan_ids, ['A000001', 'A000002']);
    const passing = await request(world, own.as, own.exception_file_id, ['A000030']);
    assert.deepEqual([passing.status, passing.body.code], [422, 'UNKNOWN_LOAN']);
    const path = `${SC}/exceptions/${own.exception_file_id}/waivers`;
    const body = { loan_ids: ['A000001'], rule_id: 'NONE', reason: 'x' };
    const unknown = await gateway.call('POST', path, { as: own.as, body });
    assert.deepEqual([unknown.status, unknown.body.errors?.[0].code], [400, 'UNKNOWN_RULE']);
    const tooMany = { ...body, loan_ids: Array.from({ length: 10_001 }, (_, index) => `L${index}`) };
    assert.equal((await gateway.call('POST', path, { as: own.as, body: tooMany })).status, 400);
  });
});
