import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, startGateway } from '../../../test/support/gateway.ts';
import { issuedDeal, structuredPool } from '../../../test/support/pools.ts';

const codes = (answer: Answer) => [answer.status, answer.body.code];

type Report = {
  period: number;
  payment_date: string;
  collateral: Record<string, number>;
  tranches: Record<string, string | number>[];
};

test('servicer reports', async (t) => {
  await using gateway = await startGateway();
  const [ours, theirs, operator, investor] = [
    await gateway.key('originator', 'Ours'),
    await gateway.key('originator', 'Theirs'),
    await gateway.key('operator', 'Platform'),
    await gateway.key('investor', 'Buyer'),
  ];
  const pool = await structuredPool(gateway, ours, operator, 60);
  const path = `/v1/api/originator/pools/${pool.pool_id}/remittances`;
  const send = (body: unknown, as = ours) => gateway.call('POST', path, { as, body });
  const [senior, junior] = pool.structure.tranches as { balance: number }[];
  const [a, b] = [senior?.balance ?? 0, junior?.balance ?? 0];

  /** A first report that ties: 20,000 of principal, of which 4,000 charged off, all to the senior note. */
  const first = (): Report => ({
    period: 1,
    payment_date: '2027-01-15',
    collateral: {
      beginning_pool_balance: pool.balance,
      scheduled_principal: 12_000,
      prepayments: 4_000,
      gross_losses: 4_000,
      recoveries: 0,
      ending_pool_balance: pool.balance - 20_000,
      interest: 6_600,
      fees: 900,
      delinquent_30: 3,
      delinquent_60: 1.25,
      loan_count: 59,
    },
    tranches: [
      {
        tranche: 'A-1',
        beginning_balance: a,
        interest_paid: Math.round((a * 5) / 12) / 100,
        principal_paid: 20_000,
        ending_balance: a - 20_000,
      },
      {
        tranche: 'B',
        beginning_balance: b,
        interest_paid: Math.round((b * 6.5) / 12) / 100,
        principal_paid: 0,
        ending_balance: b,
      },
    ],
  });
  /** The next one, under the names of cash-flow rows: 15,000 more charged off, beyond the trigger's 1.5 %. */
  const second = (): Report => ({
    period: 2,
    payment_date: '2027-02-16',
    collateral: {
      opening: pool.balance - 20_000,
      scheduled_principal: 11_000,
      prepayment: 0,
      default: 15_000,
      recovery: 0,
      closing: pool.balance - 46_000,
      interest: 6_400,
    },
    tranches: [
      {
        tranche: 'A-1',
        opening: a - 20_000,
        interest_paid: Math.round(((a - 20_000) * 5) / 12) / 100,
        principal: 26_000,
        closing: a - 46_000,
      },
      { tranche: 'B', opening: b, interest_paid: Math.round((b * 6.5) / 12) / 100, principal: 0, closing: b },
    ],
  });

  await t.test('reports begin with the issue', async () => {
    assert.deepEqual(codes(await send(first())), [409, 'CONFLICT']);
    assert.deepEqual(codes(await send(first(), theirs)), [404, 'NOT_FOUND']);
    await issuedDeal(gateway, ours, operator, pool.pool_id);
  });

  await t.test('a report that does not tie is refused with every finding, and changes nothing', async () => {
    const broken = first();
    (broken.tranches[0] as { ending_balance: number }).ending_balance += 0.01;
    broken.collateral.ending_pool_balance = (broken.collateral.ending_pool_balance ?? 0) - 1;
    const refused = await send(broken);
    assert.deepEqual(codes(refused), [422, 'REMITTANCE_DOES_NOT_TIE']);
    const fields = refused.body.errors?.map((error) => error.field);
    assert.deepEqual(fields, ['collateral.ending_pool_balance', 'tranches[0].ending_balance']);
    assert.deepEqual([refused.body.errors?.[1].expected, refused.body.errors?.[1].actual], [a - 20_000, a - 19_999.99]);
    assert.equal((await gateway.call('GET', path, { as: ours })).body.pagination.total, 0);
  });

  await t.test('a figure that is missing is named', async () => {
    const partial = first();
    delete (partial.tranches[1] as Record<string, unknown>).principal_paid;
    const refused = await send(partial);
    assert.deepEqual(
      [...codes(refused), refused.body.errors?.[0].field],
      [400, 'VALIDATION_FAILED', 'tranches.1.principal_paid'],
    );
  });

  await t.test('a report that ties moves balances, factors and the date that interest accrues from', async () => {
    const { status, body } = await send(first());
    assert.equal(status, 201);
    const { basis, pool: metrics, tranches } = body.data;
    assert.deepEqual(
      [basis, metrics.pool_balance, metrics.loan_count, metrics.delinquent_60],
      ['ACTUAL', pool.balance - 20_000, 59, 1.25],
    );
    assert.equal(metrics.cumulative_net_loss, Number(((400_000 / pool.balance) * 1).toFixed(6)));
    assert.equal(tranches[0].factor, Number(((a - 20_000) / a).toFixed(8)));
    const deal = (await gateway.call('GET', `/v1/api/originator/pools/${pool.pool_id}`, { as: ours })).body.data.deal_id;
    const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows(
        `select tranche, current_balance::float8 as balance, accrued_from::text as accrued_from from tranches where deal_id = $1 and offered order by tranche`,
        [deal],
      ),
    );
    assert.deepEqual(rows, [
      { tranche: 'A-1', balance: a - 20_000, accrued_from: '2027-01-15' },
      { tranche: 'B', balance: b, accrued_from: '2027-01-15' },
    ]);
    const seen = await gateway.call('GET', `/v1/api/investor/deals/${deal}`, { as: investor });
    const [{ balance, current_balance, factor, remaining_capacity }] = seen.body.data.tranches;
    assert.deepEqual(
      [balance, current_balance, factor, remaining_capacity, seen.body.data.dealSize],
      [a, a - 20_000, tranches[0].factor, a, a + b],
    );
  });

  await t.test('a period is reported once and in its turn', async () => {
    assert.deepEqual(codes(await send(first())), [409, 'CONFLICT']);
    const skipped = await send({ ...second(), period: 3 });
    assert.deepEqual([...codes(skipped), skipped.body.errors?.[0].code], [422, 'REMITTANCE_DOES_NOT_TIE', 'PERIOD_OUT_OF_ORDER']);
  });

  await t.test('a trigger that goes on raises one alert with its headroom and where it was heading', async () => {
    const reported = await send(second());
    assert.equal(reported.status, 201, JSON.stringify(reported.body));
    const [trigger] = reported.body.data.triggers;
    const [reading] = trigger.tests;
    assert.deepEqual([trigger.on, trigger.newly_on, reading.trend, reading.history.length], [true, true, 'WORSENING', 2]);
    assert.ok(reading.headroom < 0 && Math.abs(reading.headroom - (1.5 - reading.actual)) < 1e-6);
    const alerts = await gateway.call('GET', '/v1/api/alerts?type=trigger.breached', { as: ours });
    assert.equal(alerts.body.meta.total, 1);
    assert.match(
      alerts.body.data[0].message,
      /CUMULATIVE_NET_LOSS is 1\.\d+, threshold 1\.5, headroom -0\.\d+, worsening; last reports/,
    );
    assert.deepEqual([alerts.body.data[0].entity_type, alerts.body.data[0].entity_id], ['pool', pool.pool_id]);
  });

  await t.test('interest of a 30/360 class accrues from the scheduled date, whatever day it was paid', async () => {
    const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ accrued_from: string }>(
        `select distinct accrued_from::text as accrued_from from tranches t join pools p using (deal_id) where p.pool_id = $1`,
        [pool.pool_id],
      ),
    );
    // The 15th of February 2027 is a federal holiday: paid on the 16th.
    assert.deepEqual(rows, [{ accrued_from: '2027-02-15' }]);
  });

  await t.test('reports are listed newest first, and the pool tells its last', async () => {
    const list = await gateway.call('GET', path, { as: ours });
    assert.deepEqual(
      list.body.data.map((report: { period: number }) => report.period),
      [2, 1],
    );
    const detail = await gateway.call('GET', `/v1/api/originator/pools/${pool.pool_id}`, { as: ours });
    assert.equal(detail.body.data.last_remittance.period, 2);
    assert.equal((await gateway.call('GET', path, { as: theirs })).status, 404);
  });

  await t.test('of two reports of one period sent at once one is taken', async () => {
    const third = second();
    third.period = 3;
    third.payment_date = '2027-03-15';
    third.collateral = { opening: pool.balance - 46_000, scheduled_principal: 10_000, closing: pool.balance - 56_000 };
    third.tranches = [
      {
        tranche: 'A-1',
        opening: a - 46_000,
        interest_paid: Math.round(((a - 46_000) * 5) / 12) / 100,
        principal: 10_000,
        closing: a - 56_000,
      },
      { tranche: 'B', opening: b, interest_paid: Math.round((b * 6.5) / 12) / 100, principal: 0, closing: b },
    ];
    const answers = await Promise.all([send(third), send(third), send(third)]);
    assert.deepEqual(
      answers.map((answer) => answer.status).sort((a, b) => a - b),
      [201, 409, 409],
    );
  });
});
