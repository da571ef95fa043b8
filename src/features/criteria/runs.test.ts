import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRIME, SC, selector } from '../../../test/support/criteria.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { storeWith } from '../../../test/support/stores.ts';
import { autoTape, waitingJobs } from '../../../test/support/tapes.ts';
import { asId } from '../../platform/ids.ts';
import { runCriteria } from './run-criteria.ts';
import { startRun } from './run.ts';

const going = new AbortController().signal;

/*
 * The tape of these tests: 30 loans of 18,000 + 10 × row with scores of 620 + row. Rows 15 to 19 and 25 to 29 are 60 days late, so that
 * SCORE fails for rows 0 to 19, DPD for ten loans, five of which fail for it alone, and rows 20 to 24 pass.
 */
const LATE = autoTape(30, (row, index) => {
  if ((index >= 15 && index < 20) || index >= 25) row['Days Past Due'] = '60';
});
const balance = (...rows: number[]) => rows.reduce((sum, row) => sum + 18_000 + 10 * row, 0);
const between = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const passing = between(20, 25);
const SET = {
  ...PRIME,
  loan_rules: [...PRIME.loan_rules, { id: 'W', severity: 'warn', rule: { field: 'interest_rate', op: 'lte', value: 5 } }],
  pool_tests: [
    { id: 'STATE', type: 'concentration', group_by: ['state'], top: 1, op: 'lte', value: 0.3 },
    { id: 'WA', type: 'weighted_average', field: 'credit_score', op: 'gte', value: 640 },
  ],
};

test('a run of criteria', async (t) => {
  await using gateway = await startGateway();

  await t.test('counts what passes and what fails, by rule, in loans and to the cent', async () => {
    const { run, dealId, criteriaId, ours } = await selector(gateway, 'Counter', { bytes: LATE, set: SET });
    const result = await run();
    assert.deepEqual(
      [result.status, result.error, result.total, result.passed, result.failed, result.waived],
      ['COMPLETED', null, 30, 5, 25, 0],
    );
    assert.deepEqual(
      [result.deal_id, result.criteria_id, result.criteria_version, result.tape_version],
      [dealId, criteriaId, 1, 1],
    );
    const failing = [...between(0, 20), ...between(25, 30)];
    assert.deepEqual([result.passed_balance, result.failed_balance], [balance(...passing), balance(...failing)]);
    assert.equal(result.passed_balance + result.failed_balance, (await ours.deal(dealId)).total_balance);
    const late = balance(...between(15, 20), ...between(25, 30));
    const counted = { severity: 'fail', missing: 0, waived: 0 };
    assert.deepEqual(result.rule_results, [
      { ...counted, rule_id: 'SCORE', failed: 20, failed_balance: balance(...between(0, 20)), only_reason: 15 },
      { ...counted, rule_id: 'DPD', failed: 10, failed_balance: late, only_reason: 5 },
      { ...counted, rule_id: 'W', severity: 'warn', failed: 30, failed_balance: balance(...between(0, 30)), only_reason: 0 },
    ]);
    assert.deepEqual(
      result.waterfall.map((step: Record<string, unknown>) => [step.step, step.rule_id, step.removed, step.loans, step.balance]),
      [
        ['TOTAL', null, 0, 30, balance(...between(0, 30))],
        ['RULE', 'SCORE', 20, 10, balance(...between(20, 30))],
        ['RULE', 'DPD', 5, 5, balance(...passing)],
        ['ELIGIBLE', null, 0, 5, balance(...passing)],
      ],
    );
  });

  await t.test('measures its pool tests over the loans that pass', async () => {
    const { run } = await selector(gateway, 'Measurer', { bytes: LATE, set: SET });
    const [state, average] = (await run()).pool_tests;
    // Rows 20 and 24 are of Texas, each other row of a state of its own.
    assert.deepEqual([state.rule_id, state.passed, state.limit], ['STATE', false, 0.3]);
    assert.equal(state.actual, Number((balance(20, 24) / balance(...passing)).toFixed(8)));
    const weighted = passing.reduce((sum, row) => sum + balance(row) * (620 + row), 0);
    assert.deepEqual([average.rule_id, average.passed], ['WA', true]);
    assert.ok(Math.abs(average.actual - weighted / balance(...passing)) < 1e-8);
  });

  await t.test('names the groups that break a pool test, in numbers; a result from before it did so has null', async () => {
    const { run, job, ask } = await selector(gateway, 'Offenders', { bytes: LATE, set: SET });
    const { sc_job_id, pool_tests } = await run();
    const [texas, pool] = [balance(20, 24), balance(...passing)];
    assert.deepEqual(
      pool_tests.map((each: Record<string, unknown>) => [each.rule_id, each.offenders, each.more_offenders]),
      [
        [
          'STATE',
          [
            {
              group: 'TX',
              limit: 0.3,
              actual: Number((texas / pool).toFixed(8)),
              excess_balance: Number((texas - 0.3 * pool).toFixed(2)),
              headroom: Number((0.3 - texas / pool).toFixed(8)),
            },
          ],
          false,
        ],
        ['WA', [], false],
      ],
    );
    assert.deepEqual((await ask({ dry_run: true })).body.data.pool_tests[0].offenders, pool_tests[0].offenders);
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `update sc_jobs set result = result #- '{pool_tests,0,offenders}' #- '{pool_tests,0,more_offenders}' where sc_job_id = $1`,
        [sc_job_id],
      ),
    );
    const [old] = (await job(sc_job_id)).pool_tests;
    assert.deepEqual([old.offenders, old.more_offenders, old.passed], [null, false, false]);
  });

  await t.test('tells the outcome of one row of the tape', async () => {
    const { run, loans } = await selector(gateway, 'One row', { bytes: LATE, set: SET });
    const { sc_job_id } = await run();
    const { data } = await loans(sc_job_id, 'row=18');
    assert.deepEqual(
      data.map((loan: { row_number: number; failures: { rule_id: string }[] }) => [
        loan.row_number,
        loan.failures.map((each) => each.rule_id),
      ]),
      [[18, ['SCORE', 'DPD', 'W']]],
    );
    assert.deepEqual((await loans(sc_job_id, 'row=99')).data, []);
  });

  await t.test('tells its end once: result, event, alert and exception file come together', async () => {
    const { run, dealId, ours, call, as } = await selector(gateway, 'Teller', { bytes: LATE, set: SET });
    const result = await run();
    const [event, ...more] = (await ours.events(dealId)).filter((each) => each.event === 'sc.completed');
    assert.deepEqual(more, []);
    const { sc_job_id, exception_file_id, run_at } = result;
    assert.deepEqual(event?.data, {
      deal_id: dealId,
      sc_job_id,
      status: 'COMPLETED',
      passed: 5,
      failed: 25,
      total: 30,
      run_at,
      exception_file_id,
    });
    const files = (await call('GET', '/exceptions')).body.data;
    assert.deepEqual(
      files.map(({ created_at: _at, ...file }: Record<string, unknown>) => file),
      [{ exception_file_id, deal_id: dealId, sc_job_id, exception_count: 25 }],
    );
    const alerts = (await gateway.call('GET', '/v1/api/alerts?type=sc.completed', { as })).body.data;
    assert.deepEqual(
      alerts.map((alert: Record<string, unknown>) => [alert.entity_id, alert.priority]),
      [[sc_job_id, 'MEDIUM']],
    );
  });

  await t.test('that every loan passes leaves no exception file', async () => {
    const { run, call, as } = await selector(gateway, 'Clean', { set: { ...PRIME, loan_rules: [] } });
    const result = await run();
    assert.deepEqual([result.passed, result.failed, result.exception_file_id, result.failed_balance], [30, 0, null, 0]);
    assert.deepEqual((await call('GET', '/exceptions')).body.data, []);
    const [alert] = (await gateway.call('GET', '/v1/api/alerts?type=sc.completed', { as })).body.data;
    assert.equal(alert.priority, 'LOW');
  });

  await t.test('explains every loan: what was seen, what was expected, breach or missing', async () => {
    const bytes = autoTape(30, (row, index) => {
      if (index === 3) row.FICO = '';
    });
    const { run, loans } = await selector(gateway, 'Explainer', { bytes, set: SET });
    const { sc_job_id } = await run();
    const { data } = await loans(sc_job_id);
    const scoreOf = (row: number) => data[row].failures.find((each: { rule_id: string }) => each.rule_id === 'SCORE');
    const { name: _, ...missing } = scoreOf(3);
    assert.deepEqual(missing, {
      rule_id: 'SCORE',
      field: 'credit_score',
      operator: 'gte',
      expected: 640,
      actual: null,
      reason: 'MISSING',
      severity: 'fail',
    });
    assert.deepEqual([scoreOf(4).actual, scoreOf(4).reason, scoreOf(20)], [624, 'BREACH', undefined]);
    assert.deepEqual([data[20].outcome, data[20].balance], ['PASSED', balance(20)]);
    assert.deepEqual(
      data[20].failures.map((each: Record<string, string>) => [each.rule_id, each.severity]),
      [['W', 'warn']],
      'a warning fails no loan',
    );
  });

  await t.test('lets a loan without the value pass where the criteria say so', async () => {
    const bytes = autoTape(30, (row, index) => {
      if (index === 3) row.FICO = '';
    });
    const { run } = await selector(gateway, 'Lenient', { bytes, set: { ...PRIME, missing_policy: 'pass' } });
    const { passed, rule_results } = await run();
    assert.deepEqual([passed, rule_results[0].failed], [11, 19]);
  });

  await t.test('has its outcomes in pages, by outcome and by rule, in the order of the tape', async () => {
    const { run, call, loans } = await selector(gateway, 'Pager', { bytes: LATE, set: SET });
    const { sc_job_id, loans: first } = await run();
    assert.equal(first.length, 30);
    const rows = async (query: string) =>
      (await loans(sc_job_id, query)).data.map((loan: { row_number: number }) => loan.row_number - 1);
    assert.deepEqual(await rows('outcome=PASSED'), passing);
    assert.deepEqual(await rows('outcome=FAILED&rule=DPD'), [...between(15, 20), ...between(25, 30)]);
    assert.deepEqual(
      [await rows('outcome=PASSED&rule=SCORE'), await rows('outcome=WAIVED'), await rows('rule=NONE')],
      [[], [], []],
    );
    assert.deepEqual(await rows('outcome=PASSED&rule=W'), passing);
    const page = (await call('GET', `/jobs/${sc_job_id}/loans?outcome=FAILED&limit=10&page=3`)).body;
    assert.deepEqual([page.data.length, page.pagination.total, page.pagination.hasNextPage], [5, 25, false]);
    assert.deepEqual(codeOf(await call('GET', `/jobs/${sc_job_id}/loans?outcome=SOLD`)), [400, 'VALIDATION_FAILED']);
  });

  await t.test('shows the first 100 outcomes with its result', async () => {
    const { run, dealId, call } = await selector(gateway, 'Hundred', { bytes: autoTape(130) });
    const result = await run();
    assert.deepEqual([result.total, result.loans.length, result.loans[99].row_number], [130, 100, 100]);
    const [listed] = (await call('GET', `/deals/${dealId}/results`)).body.data;
    assert.deepEqual(listed, result);
  });

  await t.test('is listed with the others of its deal, newest first, and with no other deal’s', async () => {
    const { run, ours, dealId, call } = await selector(gateway, 'Lister');
    const [first, second] = [(await run()).sc_job_id, (await run()).sc_job_id];
    const results = async (id: string, query = '') =>
      (await call('GET', `/deals/${id}/results${query}`)).body.data.map((row: { sc_job_id: string }) => row.sc_job_id);
    assert.deepEqual([await results(dealId), await results(dealId, '?limit=1&page=2')], [[second, first], [first]]);
    assert.deepEqual(await results(await ours.checked()), []);
    assert.deepEqual(codeOf(await call('GET', '/deals/deal_none/results')), [404, 'NOT_FOUND']);
  });

  await t.test('takes the version that it names, else the latest', async () => {
    const { ask, run, call, criteriaId } = await selector(gateway, 'Versions');
    await call('POST', `/criteria/${criteriaId}/versions`, { ...PRIME, loan_rules: [] });
    const [latest, first] = [await run(), await run({ version: 1 })];
    assert.deepEqual([latest.criteria_version, latest.failed, first.criteria_version, first.failed], [2, 0, 1, 20]);
    assert.deepEqual(codeOf(await ask({ version: 3 })), [404, 'NOT_FOUND']);
  });

  await t.test('is refused for another loan type, unknown criteria, and a deal that has not passed its checks', async () => {
    const { ask, ours, save, call, criteriaId } = await selector(gateway, 'Refused');
    const personal = await save({ loan_type: 'Personal', loan_rules: [] });
    assert.deepEqual(codeOf(await ask({ criteria_id: personal })), [422, 'LOAN_TYPE_MISMATCH']);
    assert.deepEqual(codeOf(await ask({ criteria_id: 'crt_none' })), [404, 'NOT_FOUND']);
    const before = await waitingJobs(gateway);
    const on = (dealId: string, body: object = {}) => call('POST', `/deals/${dealId}/run`, { criteria_id: criteriaId, ...body });
    const unusable = autoTape(4, (row) => (row['Original Amount Financed'] = '0'));
    const rejected = await ours.checked(unusable);
    const draft = await ours.uploaded();
    assert.deepEqual(codeOf(await on('deal_none')), [404, 'NOT_FOUND']);
    for (const [dealId, status] of [
      [draft, 'DRAFT'],
      [rejected, 'REJECTED'],
    ] as const) {
      for (const body of [{}, { dry_run: true }]) {
        const refused = await on(dealId, body);
        assert.deepEqual(
          [...codeOf(refused), refused.body.current_status, refused.body.allowed],
          [409, 'INVALID_TRANSITION', status, ['QC_COMPLETED', 'APPROVED']],
        );
      }
    }
    assert.equal(await waitingJobs(gateway), before);
  });

  await t.test('runs on an approved deal too', async () => {
    const { run, dealId } = await selector(gateway, 'Approved');
    const operator = await gateway.key('operator', 'Platform');
    await gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });
    assert.equal((await run()).status, 'COMPLETED');
  });

  await t.test('is one at a time for a deal and a version of criteria; another version may run beside it', async () => {
    const { ask, call, criteriaId, save } = await selector(gateway, 'Hasty');
    await call('POST', `/criteria/${criteriaId}/versions`, PRIME);
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask()));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409))
      assert.deepEqual(codeOf(answer), [409, 'RUN_IN_PROGRESS']);
    assert.equal((await ask({ version: 1 })).status, 202);
    assert.equal((await ask({ criteria_id: await save(PRIME) })).status, 202);
    await gateway.runJobs();
    assert.equal((await ask()).status, 202, 'after its end another one may run');
  });
});

test('a run of criteria that is cancelled', async (t) => {
  await using gateway = await startGateway();

  await t.test('before it began leaves no result, no event and no file, and is cancelled once', async () => {
    const { queue, call, job, dealId, ours } = await selector(gateway, 'Early');
    const id = await queue();
    const answers = await Promise.all([1, 2].map(() => call('DELETE', `/jobs/${id}`)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    await gateway.runJobs();
    const cancelled = await job(id);
    assert.deepEqual(answers.find(({ status }) => status === 200)?.body.data, cancelled, 'the answer is the record');
    assert.deepEqual(
      [cancelled.status, cancelled.total, cancelled.exception_file_id, cancelled.loans],
      ['CANCELLED', 0, null, []],
    );
    assert.equal((await ours.events(dealId)).filter((each) => each.event === 'sc.completed').length, 0);
    for (const path of ['loans', 'cure', `compare/${id}`]) {
      const refused = await call('GET', `/jobs/${id}/${path}`);
      assert.deepEqual([...codeOf(refused), refused.body.current_status], [409, 'CONFLICT', 'CANCELLED'], path);
    }
    assert.equal((await queue()).startsWith('scj_'), true, 'it keeps no other from running');
  });

  await t.test('while it works stays cancelled, whatever its worker has found', async () => {
    const { queue, call, job, as, ours, dealId } = await selector(gateway, 'Late');
    const id = await queue();
    const cancelling = storeWith(gateway.deps.store, {
      put: async (...given) => {
        assert.equal((await call('DELETE', `/jobs/${id}`)).status, 200);
        return gateway.deps.store.put(...given);
      },
    });
    const work = { organization_id: as.organization_id, sc_job_id: asId('scj', id) };
    await runCriteria({ ...gateway.deps, store: cancelling }, work, going);
    const cancelled = await job(id);
    assert.deepEqual([cancelled.status, cancelled.total, cancelled.exception_file_id], ['CANCELLED', 0, null]);
    assert.deepEqual((await call('GET', '/exceptions')).body.data, []);
    assert.equal((await ours.events(dealId)).filter((each) => each.event === 'sc.completed').length, 0);
  });

  await t.test('after its end is not cancelled any more', async () => {
    const { run, call, job } = await selector(gateway, 'Ended');
    const { sc_job_id } = await run();
    const refused = await call('DELETE', `/jobs/${sc_job_id}`);
    assert.deepEqual(
      [...codeOf(refused), refused.body.current_status, refused.body.allowed],
      [409, 'INVALID_TRANSITION', 'COMPLETED', []],
    );
    assert.equal((await job(sc_job_id)).status, 'COMPLETED');
    assert.deepEqual(codeOf(await call('DELETE', '/jobs/scj_none')), [404, 'NOT_FOUND']);
  });
});

test('a run that another worker took over ends once, with the result of that worker', async () => {
  await using gateway = await startGateway();
  const { queue, job, as, call, dealId, ours } = await selector(gateway, 'Taken over');
  const id = asId('scj', await queue());
  const overtaken = storeWith(gateway.deps.store, {
    put: async (...given) => {
      await gateway.deps.db.tx({ organization: as.organization_id }, (tx) => startRun(tx, as.organization_id, id));
      return gateway.deps.store.put(...given);
    },
  });
  const work = { organization_id: as.organization_id, sc_job_id: id };
  await runCriteria({ ...gateway.deps, store: overtaken }, work, going);
  assert.equal((await job(id)).status, 'RUNNING', 'the first worker has nothing to say any more');
  await runCriteria(gateway.deps, work, going);
  await runCriteria(gateway.deps, work, going);
  assert.equal((await job(id)).status, 'COMPLETED');
  assert.equal((await call('GET', '/exceptions')).body.pagination.total, 1);
  assert.equal((await ours.events(dealId)).filter((each) => each.event === 'sc.completed').length, 1);
});

test('a dry run', async (t) => {
  await using gateway = await startGateway();

  await t.test('answers at once what a run would find, and leaves nothing', async () => {
    const { ask, run, call, dealId, ours } = await selector(gateway, 'Dry', { bytes: LATE, set: SET });
    const before = await waitingJobs(gateway);
    const { status, body } = await ask({ dry_run: true });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.data.dry_run, body.data.status, body.data.exception_file_id], [true, 'COMPLETED', null]);
    assert.deepEqual([(await call('GET', `/deals/${dealId}/results`)).body.data, await waitingJobs(gateway)], [[], before]);
    assert.deepEqual((await call('GET', '/exceptions')).body.data, []);
    assert.equal((await ours.events(dealId)).filter((each) => each.event === 'sc.completed').length, 0);
    const found = await run();
    for (const figure of ['total', 'passed', 'failed', 'passed_balance', 'failed_balance', 'waterfall', 'loans'])
      assert.deepEqual(body.data[figure], found[figure], figure);
    // A dry run tells more of each rule and test than a stored one shows.
    for (const figure of ['rule_results', 'pool_tests'])
      for (const [index, stored] of found[figure].entries())
        assert.partialDeepStrictEqual(body.data[figure][index], stored, figure);
    assert.equal(typeof body.data.total_balance, 'number');
  });

  await t.test('takes criteria that are not stored, with the waivers of the set that they may become', async () => {
    const { ask, call, run, waive, dealId, criteriaId } = await selector(gateway, 'Drafting', { bytes: LATE, set: SET });
    const draft = { ...SET, loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 645 } }] };
    const alone = await call('POST', `/deals/${dealId}/run`, { criteria: draft, dry_run: true });
    assert.deepEqual(
      [alone.status, alone.body.data.passed, alone.body.data.criteria_id, alone.body.data.criteria_version],
      [200, 5, null, null],
    );
    const { exception_file_id } = await run();
    const waived = await waive(exception_file_id, ['A000001']);
    const operator = await gateway.key('operator', 'Platform');
    await gateway.call('POST', `/v1/operator/waivers/${waived.body.data.waiver_id}/approve`, { as: operator });
    const next = await ask({ criteria: draft, dry_run: true });
    assert.deepEqual([next.body.data.passed, next.body.data.waived], [6, 1]);
    assert.deepEqual((await call('GET', `/criteria/${criteriaId}?version=2`)).status, 404);
    const wrong = { ...draft, loan_rules: [{ id: 'SCORE', rule: { field: 'credit_scores', op: 'gte', value: 645 } }] };
    const refused = await ask({ criteria: wrong, dry_run: true });
    assert.deepEqual(
      [...codeOf(refused), refused.body.errors?.map(({ field }) => field)],
      [422, 'UNKNOWN_FIELD', ['criteria.loan_rules[0].rule.field']],
    );
    for (const body of [{ criteria: draft, criteria_id: criteriaId }, {}, { dry_run: true }])
      assert.deepEqual(
        codeOf(await call('POST', `/deals/${dealId}/run`, body)),
        [400, 'VALIDATION_FAILED'],
        JSON.stringify(body),
      );
  });

  await t.test('may be asked for while a run is queued', async () => {
    const { ask, queue } = await selector(gateway, 'Beside');
    await queue();
    assert.equal((await ask({ dry_run: true })).status, 200);
  });

  await t.test('is dated by the platform’s clock', async () => {
    const { ask } = await selector(gateway, 'Dated');
    await gateway.advance(30 * 86_400);
    const { run_at } = (await ask({ dry_run: true })).body.data;
    assert.ok(Date.parse(run_at) > Date.now() + 29 * 86_400_000, run_at);
  });
});

test('runs, their outcomes and their files are their organization’s alone: to others none of them is there', async () => {
  await using gateway = await startGateway();
  const [own, rival] = [await selector(gateway, 'Owner'), await selector(gateway, 'Rival')];
  const [ours, theirs] = [await own.run(), await rival.run()];
  const investor = await gateway.key('investor', 'Investor');
  for (const path of [
    `/deals/${own.dealId}/results`,
    `/jobs/${ours.sc_job_id}`,
    `/jobs/${ours.sc_job_id}/loans`,
    `/jobs/${ours.sc_job_id}/cure`,
    `/jobs/${ours.sc_job_id}/compare/${theirs.sc_job_id}`,
    `/jobs/${theirs.sc_job_id}/compare/${ours.sc_job_id}`,
    `/exceptions/${ours.exception_file_id}`,
    `/exceptions/${ours.exception_file_id}/download`,
  ]) {
    assert.deepEqual(codeOf(await rival.call('GET', path)), [404, 'NOT_FOUND'], path);
    assert.deepEqual(codeOf(await gateway.call('GET', `${SC}${path}`, { as: investor })), [403, 'ROLE_FORBIDDEN'], path);
  }
  assert.deepEqual(codeOf(await rival.call('POST', `/deals/${own.dealId}/run`, { criteria_id: rival.criteriaId })), [
    404,
    'NOT_FOUND',
  ]);
  assert.deepEqual(
    codeOf(await rival.ask({ criteria_id: own.criteriaId })),
    [404, 'NOT_FOUND'],
    'nobody runs another’s criteria',
  );
  assert.deepEqual(codeOf(await rival.call('DELETE', `/jobs/${ours.sc_job_id}`)), [404, 'NOT_FOUND']);
  assert.deepEqual(codeOf(await rival.waive(ours.exception_file_id, ['A000001'])), [404, 'NOT_FOUND']);
  assert.equal((await rival.call('GET', '/exceptions')).body.pagination.total, 1);
  assert.equal((await rival.call('GET', `/exceptions?dealId=${own.dealId}`)).body.pagination.total, 0);
});

test('a mapping does not change while a run is queued', async () => {
  await using gateway = await startGateway();
  const { ours, queue, dealId } = await selector(gateway, 'Remapper');
  await queue();
  assert.deepEqual(codeOf(await ours.map(dealId, { source: 'FICO', target: null })), [409, 'RUN_IN_PROGRESS']);
  await gateway.runJobs();
  assert.equal((await ours.map(dealId, { source: 'FICO', target: null })).status, 202);
});
