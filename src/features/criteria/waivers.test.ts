import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRIME, selector, type Selector } from '../../../test/support/criteria.ts';
import { type Answer, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape } from '../../../test/support/tapes.ts';

/** A small tape of which the last five loans are late. */
const LATE = autoTape(30, (row, index) => {
  if (index >= 25) row['Days Past Due'] = '60';
});

test('a waiver', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const decide = (waiverId: string, act: string, body: object = { reason: 'Seen.' }, as = operator): Promise<Answer> =>
    gateway.call('POST', `/v1/operator/waivers/${waiverId}/${act}`, { as, body });
  const list = async (query: string) => (await gateway.call('GET', `/v1/operator/waivers?${query}`, { as: operator })).body.data;
  /** An organization with a completed run and its exception file. */
  const withFile = async (name: string, options: Parameters<typeof selector>[2] = {}) => {
    const own = await selector(gateway, name, options);
    const result = await own.run();
    return { ...own, result, fileId: result.exception_file_id as string };
  };
  const approved = async ({ waive }: Selector, fileId: string, loanIds: string[], more: object = {}): Promise<void> => {
    const { waiver_id } = (await waive(fileId, loanIds, more)).body.data;
    assert.equal((await decide(waiver_id, 'approve')).status, 200);
  };

  await t.test('is requested by the originator with its reason, and waits', async () => {
    const own = await withFile('Requester');
    const { status, body } = await own.waive(own.fileId, ['A000001', 'A000002', 'A000001'], { reason: 'Strong co-signer.' });
    const { waiver_id, created_at: _, ...waiver } = body.data;
    assert.equal(status, 201);
    assert.deepEqual(waiver, {
      organization_id: own.as.organization_id,
      deal_id: own.dealId,
      exception_file_id: own.fileId,
      criteria_id: own.criteriaId,
      rule_id: 'SCORE',
      loan_ids: ['A000001', 'A000002'],
      reason: 'Strong co-signer.',
      status: 'PENDING',
      requested_by: own.as.key_id,
      decided_by: null,
      decided_at: null,
      decision_reason: null,
      only_tape_version: null,
    });
    const [entry] = await own.ours.audited(waiver_id);
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.after],
      [
        'waiver.requested',
        own.as.key_id,
        { status: 'PENDING', deal_id: own.dealId, rule_id: 'SCORE', reason: 'Strong co-signer.' },
      ],
    );
  });

  await t.test('is read by who asked, with what became of it, and by nobody else', async () => {
    const own = await withFile('Reader');
    const other = await withFile('Other reader');
    const [first, second] = [
      (await own.waive(own.fileId, ['A000001'])).body.data.waiver_id,
      (await own.waive(own.fileId, ['A000002'])).body.data.waiver_id,
    ];
    await other.waive(other.fileId, ['A000001']);
    await decide(first, 'approve', { reason: 'Strong co-signer.' });
    await decide(second, 'deny', {});
    const waiver = async (id: string) => (await own.call('GET', `/waivers/${id}`)).body.data;
    const approvedOne = await waiver(first);
    assert.deepEqual(
      [approvedOne.status, approvedOne.decision_reason, approvedOne.decided_by, approvedOne.loan_ids],
      ['APPROVED', 'Strong co-signer.', operator.key_id, ['A000001']],
    );
    const denied = await waiver(second);
    assert.deepEqual([denied.status, denied.decision_reason], ['DENIED', null]);
    const ids = async (query: string) =>
      (await own.call('GET', `/waivers?${query}`)).body.data.map((each: { waiver_id: string }) => each.waiver_id);
    assert.deepEqual(await ids(''), [second, first]);
    assert.deepEqual(await ids('status=APPROVED'), [first]);
    assert.deepEqual(await ids(`dealId=${own.dealId}&limit=1&page=2`), [first]);
    assert.deepEqual(await ids(`exception_file_id=${other.fileId}`), []);
    assert.deepEqual(await ids(`deal_id=${other.dealId}`), []);
    assert.deepEqual(codeOf(await own.call('GET', '/waivers?status=approved')), [400, 'VALIDATION_FAILED']);
    for (const id of [first, 'wvr_none']) assert.deepEqual(codeOf(await other.call('GET', `/waivers/${id}`)), [404, 'NOT_FOUND']);
  });

  await t.test('once approved lets its loans pass in the next run, and in no run before', async () => {
    const own = await withFile('Approved');
    await approved(own, own.fileId, ['A000001', 'A000002']);
    const second = await own.run();
    assert.deepEqual([second.passed, second.waived, second.failed], [12, 2, 18]);
    assert.deepEqual(
      (await own.loans(second.sc_job_id, 'outcome=WAIVED')).data.map((loan: { loan_id: string }) => loan.loan_id),
      ['A000001', 'A000002'],
    );
    const { data } = (await own.call('GET', `/jobs/${own.result.sc_job_id}/compare/${second.sc_job_id}`)).body;
    assert.deepEqual([data.newly_passing.loans, data.newly_failing.loans], [2, 0]);
    assert.deepEqual([(await own.job(own.result.sc_job_id)).waived, (await own.job(own.result.sc_job_id)).failed], [0, 20]);
    const dry = (await own.ask({ dry_run: true })).body.data;
    assert.deepEqual([dry.passed, dry.waived], [12, 2], 'a dry run counts it too');
  });

  await t.test('goes on through the versions of its criteria, and counts for no other criteria and no other deal', async () => {
    const own = await withFile('Bounded');
    await approved(own, own.fileId, ['A000001']);
    await own.call('POST', `/criteria/${own.criteriaId}/versions`, { ...PRIME, name: 'Prime 2' });
    const { criteria_version, waived } = await own.run();
    assert.deepEqual([criteria_version, waived], [2, 1]);
    assert.equal((await own.run({ criteria_id: await own.save(PRIME) })).waived, 0);
    const other = await own.ours.checked(autoTape(30));
    const { sc_job_id } = (await own.call('POST', `/deals/${other}/run`, { criteria_id: own.criteriaId })).body.data;
    await gateway.runJobs();
    assert.deepEqual([(await own.job(sc_job_id)).waived, (await own.job(sc_job_id)).failed], [0, 20]);
  });

  await t.test('of loans without ids holds for the version of their tape that it was given on, and says so', async () => {
    const withoutIds = (change: (rows: string[]) => string[]) => {
      const [header = '', ...rows] = autoTape(30).trim().split('\n');
      return [header, ...change(rows)].map((line) => line.slice(line.indexOf(',') + 1)).join('\n');
    };
    const own = await withFile('Nameless', { bytes: withoutIds((rows) => rows) });
    await approved(own, own.fileId, ['3']);
    const [waiver] = (await own.call('GET', `/waivers?deal_id=${own.dealId}`)).body.data;
    assert.equal(waiver.only_tape_version, 1);
    const same = await own.run();
    assert.deepEqual([same.waived, same.failed, same.assumptions], [1, 19, []]);
    // The third row is now another loan, which fails the rule as well.
    await own.ours.version(
      own.dealId,
      withoutIds((rows) => [...rows.slice(5), ...rows.slice(0, 5)]),
    );
    const next = await own.run();
    assert.deepEqual([next.tape_version, next.waived, next.failed], [2, 0, 20]);
    assert.match(next.assumptions.join(), /waiver.*version 1.*no ids/);
    assert.match((await own.ask({ dry_run: true })).body.data.assumptions.join(), /version 1/);
    // Ids that look like the row numbers of the version before are other loans too.
    const [header = '', ...rows] = autoTape(30).trim().split('\n');
    const numbered = [...rows.slice(5), ...rows.slice(0, 5)].map((row, index) => `${index + 1}${row.slice(row.indexOf(','))}`);
    await own.ours.version(own.dealId, [header, ...numbered].join('\n'));
    assert.equal((await own.run()).waived, 0);
    const alerts = await own.ours.alerts(waiver.waiver_id);
    assert.match(alerts[0]?.message ?? '', /version 1 of the tape/);
  });

  await t.test('is of one rule: a loan that fails another one still fails', async () => {
    const bytes = autoTape(30, (row, index) => {
      if (index < 2) row['Days Past Due'] = '60';
    });
    const own = await withFile('One rule', { bytes });
    await approved(own, own.fileId, ['A000001', 'A000003']);
    const { waived, failed, rule_results, sc_job_id } = await own.run();
    assert.deepEqual([waived, failed], [1, 19]);
    const outcomes = (await own.loans(sc_job_id, 'rule=SCORE')).data as {
      loan_id: string;
      outcome: string;
      failures: { rule_id: string; waived?: true }[];
    }[];
    const [stillFailing] = outcomes;
    assert.deepEqual(
      [stillFailing?.outcome, stillFailing?.failures.map((each) => [each.rule_id, each.waived])],
      [
        'FAILED',
        [
          ['SCORE', true],
          ['DPD', undefined],
        ],
      ],
      'the loan says which rule was waived, and which one fails it',
    );
    const [score] = rule_results;
    assert.deepEqual([score.rule_id, score.severity, score.failed, score.waived], ['SCORE', 'fail', 18, 2]);
    assert.equal(outcomes.length, score.failed + score.waived, 'what the rule counts is what its list shows');
  });

  await t.test('that is denied or still open changes no later run', async () => {
    const own = await withFile('Denied');
    const { waiver_id } = (await own.waive(own.fileId, ['A000001'])).body.data;
    await own.waive(own.fileId, ['A000002']);
    assert.equal((await decide(waiver_id, 'deny')).body.data.status, 'DENIED');
    const { body } = await gateway.call('GET', '/v1/api/events?type=waiver.decided', { as: own.as });
    assert.deepEqual(
      body.data.map((each: { data: unknown }) => each.data),
      [
        {
          waiver_id,
          deal_id: own.dealId,
          exception_file_id: own.fileId,
          rule_id: 'SCORE',
          status: 'DENIED',
          reason: 'Seen.',
        },
      ],
    );
    const { waived, failed } = await own.run();
    assert.deepEqual([waived, failed], [0, 20]);
  });

  await t.test('waits once for a loan and a rule, and can be asked for again after its decision', async () => {
    const own = await withFile('Twice');
    const first = (await own.waive(own.fileId, ['A000001', 'A000002'])).body.data.waiver_id;
    const file = (await own.run()).exception_file_id as string;
    for (const [fileId, loans] of [
      [own.fileId, ['A000001', 'A000002']],
      [file, ['A000003', 'A000002', 'A000001']],
    ] as const) {
      const { status, body } = await own.waive(fileId, [...loans]);
      assert.deepEqual(
        [status, body.code, body.waiver_id, body.loan_ids],
        [409, 'WAIVER_PENDING', first, ['A000001', 'A000002']],
      );
    }
    assert.deepEqual((await list(`deal_id=${own.dealId}`)).length, 1, 'nothing of a refused request stays');
    assert.equal((await own.waive(file, ['A000003'])).status, 201);
    await decide(first, 'deny');
    assert.equal((await own.waive(own.fileId, ['A000001', 'A000002'])).status, 201);
    const answers = await Promise.all(
      [['A000004', 'A000005'], ['A000005', 'A000004'], ['A000004']].map((loans) => own.waive(file, loans)),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409]);
    const created = answers.find(({ status }) => status === 201)?.body.data.waiver_id;
    assert.deepEqual([...new Set(answers.flatMap(({ body }) => body.waiver_id ?? []))], [created]);
    const others = await withFile('Twice elsewhere');
    assert.equal((await others.waive(others.fileId, ['A000001'])).status, 201);
  });

  await t.test('of loans without ids waits for the rows of one version of their tape', async () => {
    const withoutIds = autoTape(30)
      .trim()
      .split('\n')
      .map((line) => line.slice(line.indexOf(',') + 1));
    const own = await withFile('Nameless twice', { bytes: withoutIds.join('\n') });
    assert.equal((await own.waive(own.fileId, ['3'])).status, 201);
    assert.deepEqual(codeOf(await own.waive((await own.run()).exception_file_id, ['3'])), [409, 'WAIVER_PENDING']);
    const [header = '', ...rows] = withoutIds;
    await own.ours.version(own.dealId, [header, ...rows.slice(5), ...rows.slice(0, 5)].join('\n'));
    assert.equal((await own.waive((await own.run()).exception_file_id, ['3'])).status, 201);
  });

  await t.test('is decided by an operator of another organization', async () => {
    const own = await withFile('Self-waiving', { role: 'both' });
    const { waiver_id } = (await own.waive(own.fileId, ['A000001'])).body.data;
    const mixed = await gateway.mixedKey(own.as);
    for (const act of ['approve', 'deny']) {
      assert.deepEqual(codeOf(await decide(waiver_id, act, {}, own.as)), [403, 'ROLE_FORBIDDEN']);
      assert.deepEqual(codeOf(await decide(waiver_id, act, {}, mixed)), [403, 'OWN_ORGANIZATION']);
      assert.deepEqual(codeOf(await decide('wvr_none', act)), [404, 'NOT_FOUND']);
    }
    const [waiver] = await list(`organization_id=${own.as.organization_id}`);
    assert.deepEqual([waiver.status, waiver.decided_by], ['PENDING', null]);
  });

  await t.test('is decided once, and the audit log has that decision alone', async () => {
    const own = await withFile('Contested');
    const { waiver_id } = (await own.waive(own.fileId, ['A000001', 'A000002'])).body.data;
    const answers = await Promise.all(['approve', 'deny', 'approve'].map((act) => decide(waiver_id, act)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    const decided = answers.find(({ status }) => status === 200)?.body.data;
    assert.deepEqual([decided.decided_by, decided.requested_by], [operator.key_id, own.as.key_id]);
    assert.ok(Date.parse(decided.decided_at) >= Date.parse(decided.created_at));
    const again = await decide(waiver_id, 'deny');
    assert.deepEqual(
      [...codeOf(again), again.body.current_status, again.body.allowed],
      [409, 'INVALID_TRANSITION', decided.status, []],
    );
    const log = await gateway.call('GET', `/v1/operator/audit?deal_id=${own.dealId}`, { as: operator });
    const entries = log.body.data.filter((entry: { entity_id: string }) => entry.entity_id === waiver_id);
    assert.deepEqual(
      entries.map((entry: { action: string; reason: string | null }) => [entry.action, entry.reason]),
      [
        [`waiver.${decided.status.toLowerCase()}`, 'Seen.'],
        ['waiver.requested', null],
      ],
    );
    assert.deepEqual(
      [entries[0].before, entries[0].after],
      [{ status: 'PENDING' }, { status: decided.status, rule_id: 'SCORE', loans: 2 }],
    );
  });

  await t.test('is refused for a rule that cannot be waived or that the criteria do not have', async () => {
    const own = await withFile('Rules', { bytes: LATE });
    const fixed = await own.waive(own.fileId, ['A000030'], { rule_id: 'DPD' });
    assert.deepEqual(codeOf(fixed), [422, 'RULE_NOT_WAIVABLE']);
    const unknown = await own.waive(own.fileId, ['A000001'], { rule_id: 'NONE' });
    assert.deepEqual(
      [unknown.status, unknown.body.errors?.[0].field, unknown.body.errors?.[0].code],
      [400, 'rule_id', 'UNKNOWN_RULE'],
    );
    assert.deepEqual(await list(`deal_id=${own.dealId}`), []);
  });

  await t.test('is refused for a rule that only warns: it would change nothing', async () => {
    const warning = { id: 'RATE', severity: 'warn', rule: { field: 'interest_rate', op: 'lte', value: 0.1 } };
    const own = await withFile('Warned', { set: { ...PRIME, loan_rules: [...PRIME.loan_rules, warning] } });
    const refused = await own.waive(own.fileId, ['A000001'], { rule_id: 'RATE' });
    assert.deepEqual(codeOf(refused), [422, 'RULE_NOT_WAIVABLE']);
    assert.match(refused.body.message ?? '', /only warns/);
    assert.deepEqual(await list(`deal_id=${own.dealId}`), []);
  });

  await t.test('is refused for a loan that the exception file does not hold, and each such loan is named', async () => {
    const own = await withFile('Loans', { bytes: LATE });
    const passing = await own.waive(own.fileId, ['A000021']);
    assert.deepEqual(codeOf(passing), [422, 'UNKNOWN_LOAN']);
    const several = await own.waive(own.fileId, ['A000001', 'A000022', 'NOBODY']);
    assert.deepEqual(
      several.body.errors?.map((each) => each.field),
      ['loan_ids.1', 'loan_ids.2'],
    );
    assert.match(several.body.message ?? '', /A000022/);
    const many = await own.waive(
      own.fileId,
      Array.from({ length: 150 }, (_, index) => `N${index}`),
    );
    assert.equal(many.body.errors?.length, 100, 'the first hundred');
    assert.match(many.body.message ?? '', /N0\. These are the first 100 problems; there may be more\.$/);
    assert.doesNotMatch(several.body.message ?? '', /there may be more/);
    assert.deepEqual(await list(`deal_id=${own.dealId}`), []);
  });

  await t.test('is refused without loans, a rule or a reason, and above 10,000 loans', async () => {
    const own = await withFile('Forms');
    for (const more of [
      { loan_ids: [] },
      { loan_ids: [''] },
      { loan_ids: ['x'.repeat(201)] },
      { loan_ids: 'A000001' },
      { loan_ids: Array.from({ length: 10_001 }, (_, index) => `L${index}`) },
      { rule_id: '' },
      { reason: '' },
      { reason: 'x'.repeat(1_001) },
    ]) {
      assert.deepEqual(
        codeOf(await own.waive(own.fileId, ['A000001'], more)),
        [400, 'VALIDATION_FAILED'],
        JSON.stringify(more).slice(0, 60),
      );
    }
    assert.deepEqual(codeOf(await own.waive('exf_none', ['A000001'])), [404, 'NOT_FOUND']);
    assert.deepEqual(await list(`deal_id=${own.dealId}`), []);
  });

  await t.test('is listed for the operator by organization, deal and status, newest first', async () => {
    const [ours, theirs] = [await withFile('Listed'), await withFile('Also listed')];
    const ask = async (own: typeof ours, loan: string): Promise<string> =>
      (await own.waive(own.fileId, [loan])).body.data.waiver_id;
    const [first, second, third] = [await ask(ours, 'A000001'), await ask(theirs, 'A000001'), await ask(ours, 'A000002')];
    await decide(first, 'deny');
    const ids = async (query: string) => (await list(query)).map((row: { waiver_id: string }) => row.waiver_id);
    assert.deepEqual((await ids('')).slice(0, 3), [third, second, first]);
    assert.deepEqual(await ids(`organization_id=${ours.as.organization_id}`), [third, first]);
    assert.deepEqual(await ids(`deal_id=${theirs.dealId}`), [second]);
    assert.deepEqual(await ids(`deal_id=${ours.dealId}&status=DENIED`), [first]);
    assert.deepEqual(await ids(`deal_id=${ours.dealId}&status=PENDING&limit=1`), [third]);
    const wrong = await gateway.call('GET', '/v1/operator/waivers?status=OPEN', { as: operator });
    assert.deepEqual(codeOf(wrong), [400, 'VALIDATION_FAILED']);
    const customer = await gateway.call('GET', '/v1/operator/waivers', { as: ours.as });
    assert.deepEqual(codeOf(customer), [403, 'ROLE_FORBIDDEN']);
  });
});
