import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRIME, selector } from '../../../test/support/criteria.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { autoTape } from '../../../test/support/tapes.ts';
import { withNumbers } from './read-outcomes.ts';

/** Twelve loans of one size, six of them of Texas. */
const TEXAN = autoTape(12, (row, index) => {
  row['Current Balance'] = '1000.00';
  row['Obligor State'] = index < 6 ? 'TX' : (['CA', 'FL', 'NY'][index % 3] ?? '');
});
const stateLimit = (value: number) => ({
  ...PRIME,
  loan_rules: [],
  pool_tests: [{ id: 'STATE', type: 'concentration', group_by: ['state'], top: 1, op: 'lte', value }],
});

test('the cure of a run', async (t) => {
  await using gateway = await startGateway();

  await t.test('removes the least balance that makes the failed test pass, and shows what is left', async () => {
    const { run, call } = await selector(gateway, 'Cured', { bytes: TEXAN, set: stateLimit(0.4) });
    const { sc_job_id, pool_tests } = await run();
    assert.deepEqual([pool_tests[0].passed, pool_tests[0].actual], [false, 0.5]);
    const { status, body } = await call('GET', `/jobs/${sc_job_id}/cure`);
    assert.equal(status, 200);
    const { objective, cures } = body.data;
    // Of twelve loans six are Texan: without two of these four of ten are, two fifths.
    const [cure] = cures;
    assert.deepEqual([body.data.sc_job_id, objective, cures.length], [sc_job_id, 'min_removal', 1]);
    assert.deepEqual(
      [cure.rule_id, cure.feasible, cure.optimal, cure.loans, cure.removed_balance, cure.pool_loans, cure.pool_balance],
      ['STATE', true, true, 2, 2_000, 10, 10_000],
    );
    assert.doesNotMatch(JSON.stringify(body.data), /"(actual|headroom|limit|excess_balance|\w*balance)":"/);
  });

  await t.test('of a run whose tests pass has nothing to do', async () => {
    const { run, call } = await selector(gateway, 'Healthy', { bytes: TEXAN, set: stateLimit(0.5) });
    const { sc_job_id, pool_tests } = await run();
    assert.equal(pool_tests[0].passed, true);
    assert.deepEqual((await call('GET', `/jobs/${sc_job_id}/cure`)).body.data.cures, []);
  });

  await t.test('can be the largest pool that passes all of the tests', async () => {
    const { run, call } = await selector(gateway, 'Largest', { bytes: TEXAN, set: stateLimit(0.4) });
    const { sc_job_id } = await run();
    const { data } = (await call('GET', `/jobs/${sc_job_id}/cure?objective=max_pool`)).body;
    assert.deepEqual([data.objective, data.pool_loans, data.pool_balance, data.removed_balance], ['max_pool', 10, 10_000, 2_000]);
    assert.deepEqual(codeOf(await call('GET', `/jobs/${sc_job_id}/cure?objective=least`)), [400, 'VALIDATION_FAILED']);
  });

  await t.test('that does not exist says so', async () => {
    const average = { id: 'WA', type: 'weighted_average', field: 'credit_score', op: 'gte', value: 840 };
    const { run, call } = await selector(gateway, 'Hopeless', { bytes: TEXAN, set: { ...stateLimit(1), pool_tests: [average] } });
    const [cure] = (await call('GET', `/jobs/${(await run()).sc_job_id}/cure`)).body.data.cures;
    assert.deepEqual([cure.rule_id, cure.feasible, typeof cure.reason], ['WA', false, 'string']);
  });

  await t.test('waits for the end of the run', async () => {
    const { queue, call } = await selector(gateway, 'Waiting');
    const id = await queue();
    for (const path of ['cure', 'loans', `compare/${id}`]) {
      const early = await call('GET', `/jobs/${id}/${path}`);
      assert.deepEqual([...codeOf(early), early.body.current_status], [409, 'CONFLICT', 'PENDING'], path);
    }
    for (const path of ['', '/cure', '/loans', `/compare/${id}`])
      assert.deepEqual(codeOf(await call('GET', `/jobs/scj_none${path}`)), [404, 'NOT_FOUND'], path);
  });
});

test('the comparison of two runs', async (t) => {
  await using gateway = await startGateway();
  const scoreFrom = (value: number) => ({
    ...PRIME,
    loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value } }],
  });
  const balance = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => 18_000 + 10 * (from + index)).reduce((sum, each) => sum + each, 0);

  await t.test('names the loans that newly fail and newly pass, by rule and balance', async () => {
    const { run, call, criteriaId } = await selector(gateway, 'Comparer', { set: scoreFrom(640) });
    const first = (await run()).sc_job_id;
    await call('POST', `/criteria/${criteriaId}/versions`, scoreFrom(643));
    const second = (await run()).sc_job_id;
    const { data } = (await call('GET', `/jobs/${first}/compare/${second}`)).body;
    const ids = ['A000021', 'A000022', 'A000023'];
    assert.deepEqual([data.first, data.second], [first, second]);
    assert.deepEqual(data.newly_failing, { loans: 3, balance: balance(20, 23), loan_ids: ids });
    assert.deepEqual([data.newly_passing.loans, data.newly_passing.loan_ids], [0, []]);
    assert.deepEqual(data.unchanged, { loans: 27, balance: balance(0, 20) + balance(23, 30) });
    assert.deepEqual([data.only_in_first.loans, data.only_in_second.loans], [0, 0]);
    const [rule] = data.rules;
    assert.deepEqual([rule.rule_id, rule.newly_failing], ['SCORE', { loans: 3, balance: balance(20, 23) }]);
    const back = (await call('GET', `/jobs/${second}/compare/${first}`)).body.data;
    assert.deepEqual([back.newly_passing.loan_ids, back.newly_failing.loans], [ids, 0]);
    const itself = (await call('GET', `/jobs/${first}/compare/${first}`)).body.data;
    assert.deepEqual([itself.newly_passing.loans, itself.newly_failing.loans, itself.unchanged.loans], [0, 0, 30]);
  });

  await t.test('counts the loans that only one of the tapes has', async () => {
    const { run, call, ours, dealId } = await selector(gateway, 'Tapes', { set: scoreFrom(640) });
    const first = (await run()).sc_job_id;
    await ours.version(
      dealId,
      autoTape(32)
        .split('\n')
        .filter((_, line) => line !== 1)
        .join('\n'),
    );
    const second = await run();
    assert.equal(second.tape_version, 2);
    const { data } = (await call('GET', `/jobs/${first}/compare/${second.sc_job_id}`)).body;
    assert.deepEqual(
      [data.only_in_first, data.only_in_second],
      [
        { loans: 1, balance: balance(0, 1) },
        { loans: 2, balance: balance(30, 32) },
      ],
    );
  });
});

test('amounts and figures of tests become numbers wherever they stand, and nothing else does', () => {
  assert.deepEqual(
    withNumbers({
      balance: '1.50',
      list: [{ actual: '0.1', rule_id: '7', headroom: null }],
      loan_ids: ['1', '2'],
      limit: [1, '2'],
    }),
    { balance: 1.5, list: [{ actual: 0.1, rule_id: '7', headroom: null }], loan_ids: ['1', '2'], limit: [1, '2'] },
  );
  assert.deepEqual([withNumbers(null), withNumbers('1'), withNumbers(true)], [null, '1', true]);
});
