import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyst, PRICING } from '../../../test/support/calculations.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { issuedDeal } from '../../../test/support/pools.ts';
import { asId } from '../../platform/ids.ts';
import { listPoolMetrics, listTranchePerformance } from './mark-queries.ts';

test('marks and performance', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  let analysts = 0;
  const newAnalyst = (rows?: number) => analyst(gateway, operator, `Analyst ${(analysts += 1)}`, rows);
  const publish = (id: string, as = operator) => gateway.call('POST', `/v1/operator/calculations/${id}/publish`, { as });
  /** Performance of a deal by tranche and of its pool. */
  const performanceOf = (dealId: string) =>
    gateway.deps.db.tx({ platform: true }, async (tx) => ({
      tranches: (await listTranchePerformance(tx, [asId('deal', dealId)])) ?? [],
      pool: (await listPoolMetrics(tx, [asId('deal', dealId)])) ?? [],
    }));
  const dealAs = async (dealId: string, investor = 'Buyer') => {
    const as = await gateway.key('investor', investor);
    return (await gateway.call('GET', `/v1/api/investor/deals/${dealId}`, { as })).body.data;
  };

  await t.test('a mark is published by the operator, once the pool is issued, and is what books show', async () => {
    const { ours, pool, run } = await newAnalyst();
    const id = await run(PRICING);
    const early = await publish(id);
    assert.deepEqual(codeOf(early), [409, 'CONFLICT']);
    assert.match(early.body.message ?? '', /not been issued/);
    const dealId = await issuedDeal(gateway, ours, operator, pool.pool_id);
    const published = await publish(id);
    // The residual has no price, so it has no mark.
    const { deal_id, marks, without_price } = published.body.data;
    assert.deepEqual([published.status, deal_id, marks.length, without_price], [200, dealId, 2, ['R']]);
    const [mark] = marks;
    const { tranches } = await dealAs(dealId);
    assert.deepEqual(
      [tranches[0].price, tranches[0].wal, Math.round(tranches[0].yield * 1e4)],
      [mark.price, mark.wal, Math.round(mark.yield * 1e4)],
    );
  });

  await t.test(
    'only a completed PRICING calculation with purpose MARK is published, by the operator of another organization',
    async () => {
      const { ours, pool, run, queue } = await newAnalyst();
      const whatIf = await run({ type: 'PRICING', assumptions: { cpr: 20 } });
      const flows = await run({ type: 'CASHFLOW', purpose: 'MARK' });
      const mark = await run(PRICING);
      await issuedDeal(gateway, ours, operator, pool.pool_id);
      for (const id of [whatIf, flows]) {
        const refused = await publish(id);
        assert.deepEqual([...codeOf(refused), refused.body.errors?.[0].code], [422, 'UNPROCESSABLE', 'NOT_A_MARK']);
      }
      const waiting = await queue({ ...PRICING, as_of: '2026-12-01' });
      const early = await publish(waiting);
      assert.deepEqual([...codeOf(early), early.body.current_status], [409, 'CONFLICT', 'PENDING']);
      assert.deepEqual(codeOf(await publish('calc_nope')), [404, 'NOT_FOUND']);
      assert.deepEqual(codeOf(await publish(mark, ours)), [403, 'ROLE_FORBIDDEN']);
      assert.deepEqual(codeOf(await publish(mark, await gateway.mixedKey(ours))), [403, 'OWN_ORGANIZATION']);
      await gateway.runJobs();
    },
  );

  await t.test('the mark that was published last counts, a former one again when it is published again', async () => {
    const { ours, pool, run } = await newAnalyst();
    const par = await run(PRICING);
    const rich = await run({ ...PRICING, prices: { 'A-1': 101, B: 102 } });
    const dealId = await issuedDeal(gateway, ours, operator, pool.pool_id);
    const prices = async () => (await dealAs(dealId)).tranches.map((each: { price: number }) => each.price);
    for (const [id, expected] of [
      [par, [100, 100]],
      [rich, [101, 102]],
      [par, [100, 100]],
    ] as const) {
      assert.equal((await publish(id)).status, 200);
      assert.deepEqual(await prices(), expected);
    }
  });

  await t.test('performance is projected by the published calculation, else the latest for marks, else the latest', async () => {
    const { ours, pool, run } = await newAnalyst();
    const dealId = await issuedDeal(gateway, ours, operator, pool.pool_id);
    const source = async () => [...new Set((await performanceOf(dealId)).pool.map((row) => row.calculation_id))];
    assert.deepEqual(await source(), []);
    assert.equal('performance' in (await dealAs(dealId)), false);
    const first = await run({ type: 'CASHFLOW' });
    const second = await run({ type: 'CASHFLOW', assumptions: { cpr: 3 } });
    assert.notEqual(first, second);
    assert.deepEqual(await source(), [second]);
    const mark = await run(PRICING);
    const laterMark = await run({ ...PRICING, assumptions: { cpr: 9 } });
    await run({ type: 'CASHFLOW', assumptions: { cpr: 4 } });
    assert.deepEqual(await source(), [laterMark]);
    await publish(mark);
    assert.deepEqual(await source(), [mark]);
    const { performance } = await dealAs(dealId);
    const { tranches, pool: metrics } = await performanceOf(dealId);
    assert.deepEqual(performance, { tranche_performance: tranches, pool_metrics: metrics });
  });

  await t.test('projected performance has the speeds that were assumed and the pool’s coupon', async () => {
    const { ours, pool, run } = await newAnalyst(80);
    await run(PRICING);
    const dealId = await issuedDeal(gateway, ours, operator, pool.pool_id);
    const { pool: metrics, tranches } = await performanceOf(dealId);
    assert.ok(metrics.every((row) => row.basis === 'PROJECTED' && row.calculation_id.startsWith('calc_')));
    const [first] = metrics;
    assert.ok(Math.abs((first?.cpr ?? 0) - 6) < 0.01, String(first?.cpr));
    assert.ok(Math.abs((first?.cdr ?? 0) - 1.5) < 0.01, String(first?.cdr));
    // Loans default alike, so what pays in the first period has the pool's coupon.
    assert.ok(Math.abs((first?.wac ?? 0) - pool.wac) < 0.001, `${first?.wac} is not ${pool.wac}`);
    assert.deepEqual([...new Set(tranches.map((row) => row.tranche))], ['A-1', 'B'], 'the residual is not on offer');
  });

  await t.test('servicer reports replace projected periods, and cumulative losses go on from the reported ones', async () => {
    const { ours, pool, get, run } = await newAnalyst(80);
    const id = await run(PRICING);
    const dealId = await issuedDeal(gateway, ours, operator, pool.pool_id);
    const before = await performanceOf(dealId);
    const flows = (tranche: string) => get(`/calculations/${id}/cashflows?tranche=${tranche}`);
    const [collateral] = (await flows('collateral')).body.data;
    const rows = await Promise.all(['A-1', 'B'].map(async (tranche) => (await flows(tranche)).body.data[0]));
    await gateway.setClock(`${collateral.date}T17:00:00Z`);
    const reported = await gateway.call('POST', `/v1/api/originator/pools/${pool.pool_id}/remittances`, {
      as: ours,
      body: {
        period: 1,
        payment_date: collateral.date,
        collateral: { ...collateral, delinquent_60: 2.5, loan_count: 79 },
        tranches: rows,
      },
    });
    assert.deepEqual([reported.status, reported.body.data?.basis], [201, 'ACTUAL'], JSON.stringify(reported.body));
    const after = await performanceOf(dealId);
    assert.deepEqual([after.pool[0]?.basis, after.pool[0]?.delinquent_60, after.pool[0]?.loan_count], ['ACTUAL', 2.5, 79]);
    assert.deepEqual([after.pool[1]?.basis, after.pool[1]?.period, after.pool.length], ['PROJECTED', 2, before.pool.length]);
    const losses = after.pool.map((row) => row.cumulative_net_loss);
    assert.ok((losses[0] ?? 0) > 0);
    assert.deepEqual(
      losses,
      losses.toSorted((one, other) => one - other),
      'cumulative losses never fall',
    );
    const [reportedLoss = 0, next = 0] = losses;
    const [projectedFirst = 0, projectedNext = 0] = before.pool.map((row) => row.cumulative_net_loss);
    assert.ok(Math.abs(next - reportedLoss - (projectedNext - projectedFirst)) < 2e-6);
    assert.deepEqual(
      after.tranches.filter((row) => row.basis === 'ACTUAL').map((row) => [row.tranche, row.balance]),
      rows.map((row) => [row.tranche, row.closing]),
    );
  });

  await t.test('deals without a calculation have no performance', async () => {
    const none = await gateway.deps.db.tx({ platform: true }, async (tx) => [
      await listPoolMetrics(tx, [asId('deal', 'deal_nope')]),
      await listTranchePerformance(tx, []),
    ]);
    assert.deepEqual(none, [null, null]);
  });
});
