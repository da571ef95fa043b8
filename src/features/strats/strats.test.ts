import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../test/support/cents.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { autoTape, CSV, put } from '../../../test/support/tapes.ts';

const ROWS = 120;

/** Row `index` of the tape: scores 620 + index, one loan in ten without one, states in turn, some late, one large obligor. */
const tape = () =>
  autoTape(ROWS, (row, index) => {
    row.FICO = index % 10 === 0 ? '' : String(560 + index);
    row['Days Past Due'] = index % 12 === 0 ? '45' : index % 25 === 0 ? '95' : '0';
    row['Contract Rate'] = index < 60 ? '7.25' : '9.75';
  });

const balanceOf = (index: number) => 18_000 + index * 10;
const rows = Array.from({ length: ROWS }, (_, index) => index);
const sumOf = (which: (index: number) => boolean) => rows.filter(which).reduce((sum, index) => sum + balanceOf(index), 0);

test('loans at a glance', async (t) => {
  await using gateway = await startGateway();
  const [ours, theirs, operator] = [
    await gateway.key('originator', 'Ours'),
    await gateway.key('originator', 'Theirs'),
    await gateway.key('operator', 'Platform'),
  ];
  const dealId = await approvedDeal(gateway, ours, operator, { bytes: tape() });
  const pool = (await formPool(gateway, ours, [dealId])).body.data;
  const get = (path: string, as = ours) => gateway.call('GET', `/v1/api/originator/analytics${path}`, { as });
  const deal = (path: string) => get(`/deals/${dealId}${path}`);

  await t.test('bands hold what lies between their edges, lower edge included, and their balances add up', async () => {
    const { status, body } = await deal('/strats?by=credit_score&bands=600,640');
    assert.equal(status, 200);
    const keys = body.data.groups.map((group: { key: string }) => group.key);
    assert.deepEqual(keys, ['below 600', '600 to below 640', '640 and above', '(missing)']);
    const [low, middle, , missing] = body.data.groups;
    const scored = (index: number) => index % 10 !== 0;
    assert.equal(cents(low.balance), cents(sumOf((index) => scored(index) && 560 + index < 600)));
    assert.equal(cents(middle.balance), cents(sumOf((index) => scored(index) && 560 + index >= 600 && 560 + index < 640)));
    assert.deepEqual([missing.loan_count, missing.averages.wa_credit_score, missing.lower], [12, null, null]);
    const total = body.data.groups.reduce((sum: number, group: { balance: number }) => sum + cents(group.balance), 0);
    assert.equal(total, cents(body.data.total.balance));
    const shares = body.data.groups.reduce((sum: number, group: { share: number }) => sum + Math.round(group.share * 1e6), 0);
    assert.equal(shares, 1_000_000);
    assert.deepEqual([body.data.tape_versions, typeof body.data.engine_version], [{ [dealId]: 1 }, 'string']);
  });

  await t.test('weighted averages are exact to six places', async () => {
    const { body } = await deal('/strats?by=state');
    const [first] = body.data.groups;
    const states = ['TX', 'CA', 'FL', 'NY'];
    const inState = (index: number) => states[index % 4] === first.key;
    const weighted = rows.filter(inState).reduce((sum, index) => sum + balanceOf(index) * (index < 60 ? 725 : 975), 0);
    assert.equal(first.averages.wac, Number((weighted / 100 / sumOf(inState)).toFixed(6)));
    assert.equal(first.key, 'NY', 'the largest balance comes first');
  });

  await t.test('a second field divides each group, and its parts add up to it', async () => {
    const { body } = await deal('/strats?by=interest_rate&then_by=days_past_due&then_bands=1,30,60');
    assert.deepEqual([body.data.by, body.data.then_by, body.data.then_bands], ['interest_rate', 'days_past_due', [1, 30, 60]]);
    assert.deepEqual(
      body.data.groups.map((group: { key: string }) => group.key),
      ['7.25', '9.75'],
    );
    for (const group of body.data.groups) {
      const inside = group.groups.reduce((sum: number, each: { balance: number }) => sum + cents(each.balance), 0);
      assert.equal(inside, cents(group.balance));
    }
  });

  await t.test('amounts fall into bands of even width and dates into quarters', async () => {
    const amounts = (await deal('/strats?by=current_balance')).body.data;
    assert.ok(amounts.bands.length >= 4 && amounts.bands.length <= 12);
    const dates = (await deal('/strats?by=origination_date&bands=quarter')).body.data;
    assert.deepEqual(
      dates.groups.map((group: { key: string }) => group.key),
      ['2025-Q1', '2025-Q2', '2025-Q3'],
    );
  });

  await t.test('a question that cannot be answered says why', async () => {
    const unknown = await deal('/strats?by=shoe_size');
    assert.deepEqual([...codeOf(unknown), unknown.body.errors?.[0].field], [422, 'UNKNOWN_FIELD', 'by']);
    assert.deepEqual(codeOf(await deal('/strats')), [400, 'VALIDATION_FAILED']);
    for (const bands of ['600,500', 'a,b', '1,,2', 'NaN']) {
      assert.deepEqual(codeOf(await deal(`/strats?by=credit_score&bands=${bands}`)), [400, 'VALIDATION_FAILED'], bands);
    }
    assert.deepEqual(codeOf(await deal('/strats?by=state&bands=1,2')), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(codeOf(await deal(`/strats?by=${encodeURIComponent('state"; drop table x')}`)), [422, 'UNKNOWN_FIELD']);
    assert.deepEqual(codeOf(await get(`/deals/${dealId}/strats?by=state`, theirs)), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await get(`/pools/${pool.pool_id}/risk`, theirs)), [404, 'NOT_FOUND']);
  });

  await t.test('risk tells averages, concentrations and delinquency of deal and pool alike', async () => {
    const [ofDeal, ofPool] = await Promise.all([deal('/risk'), get(`/pools/${pool.pool_id}/risk`)]);
    const { top_states, hhi, delinquency, weighted_averages, top_obligors } = ofDeal.body.data;
    assert.deepEqual([top_obligors, hhi.obligor, top_states.length], [null, null, 4]);
    const total = sumOf(() => true);
    const squares = [0, 1, 2, 3].map((state) => (sumOf((index) => index % 4 === state) / total) ** 2);
    assert.ok(Math.abs(hhi.state - squares.reduce((a, b) => a + b)) < 1e-8);
    const late = delinquency.find((bucket: { name: string }) => bucket.name === '30-59');
    assert.equal(cents(late.balance), cents(sumOf((index) => index % 12 === 0)));
    const score = weighted_averages.find((each: { field: string }) => each.field === 'credit_score');
    assert.deepEqual([score.loans_missing, cents(score.balance_missing)], [12, cents(sumOf((index) => index % 10 === 0))]);
    assert.deepEqual(ofPool.body.data.delinquency, delinquency);
    assert.equal(ofPool.body.data.as_of, pool.cut_off_date);
  });

  await t.test('vintages follow origination, and rolls follow the loans from one tape to the next', async () => {
    const { vintages, roll_rates } = (await deal('/vintage?by=month')).body.data;
    assert.deepEqual([vintages[0].vintage, vintages.length, roll_rates], ['2025-01', 9, []]);
    const january = rows.filter((index) => index % 9 === 0);
    assert.equal(vintages[0].loan_count, january.length);
    assert.equal(cents(vintages[0].original_balance), cents(january.reduce((sum, index) => sum + 20_000 + index * 10, 0)));
    assert.equal((await get(`/pools/${pool.pool_id}/vintage`)).body.data.vintages.length, 3);
  });

  await t.test('a later tape shows where late loans went', async () => {
    const initiated = await gateway.call('POST', '/v1/api/originator/loans/initiate', {
      as: ours,
      body: { loanType: 'Auto', fileFormat: CSV, fileName: 'a.csv' },
    });
    const other: string = initiated.body.data.deal_id;
    await put(gateway, initiated, tape());
    await gateway.call('POST', '/v1/api/originator/loans/complete', { as: ours, body: { dealId: other, fileName: 'a.csv' } });
    await gateway.runJobs();
    const next = await gateway.call('POST', `/v1/api/originator/loans/${other}/tapes`, {
      as: ours,
      body: { fileFormat: CSV, fileName: 'b.csv' },
    });
    assert.ok(next.status < 300, JSON.stringify(next.body));
    // Loans that were 45 days late are 75 days late, but the first, which is no longer there.
    const later = autoTape(ROWS, (row, index) => {
      row['Days Past Due'] = index % 12 === 0 ? '75' : index % 25 === 0 ? '95' : '0';
    }).split('\n');
    await put(gateway, next, [later[0], ...later.slice(2)].join('\n'));
    await gateway.call('POST', '/v1/api/originator/loans/complete', { as: ours, body: { dealId: other, fileName: 'b.csv' } });
    await gateway.runJobs();
    const { roll_rates } = (await get(`/deals/${other}/vintage`)).body.data;
    assert.deepEqual([roll_rates.length, roll_rates[0].from_version, roll_rates[0].to_version], [1, 1, 2]);
    const rolls = roll_rates[0].rolls.filter((roll: { from: string }) => roll.from === '30-59');
    assert.deepEqual(
      rolls.map((roll: { to: string; loan_count: number }) => [roll.to, roll.loan_count]),
      [
        ['60-89', 9],
        ['REMOVED', 1],
      ],
    );
    assert.ok(Math.abs(rolls[0].rate + rolls[1].rate - 100) < 1e-5);
  });
});
