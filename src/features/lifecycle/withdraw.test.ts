import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { buy, type ListedDeal } from '../../../test/support/market.ts';
import { approvedDeal, formPool, issuedDeal, structuredPool } from '../../../test/support/pools.ts';

const REASON = { reason: 'market conditions' };

test('the withdrawal of a securitization deal', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const told = async (deal: ListedDeal, as: Holder): Promise<unknown[]> => {
    const events = dataOf(await desk.send('GET', '/v1/api/events?type=deal.status_changed&limit=100', as));
    return events
      .filter((event: { data: { deal_id: string } }) => event.data.deal_id === deal.deal_id)
      .map((event: { data: unknown }) => event.data);
  };

  await t.test('ends what is asked for: indications, orders, subscriptions; and their capacity is free', async () => {
    const [deal, other] = [await desk.list(), await desk.list()];
    const [anna, bert] = [await desk.investor(), await desk.investor()];
    const ioi = dataOf(await desk.indicate(deal, anna, 1_000)).ioi_id;
    const order = dataOf(await desk.order(deal, anna, { amount: 1_000 })).order_id;
    const pending = dataOf(await desk.subscribe(deal, bert, 2_000)).subscription_id;
    const confirmed = await desk.confirmed(deal, bert, 3_000);
    const elsewhere = dataOf(await desk.subscribe(other, bert, 4_000)).subscription_id;
    const { result, changed } = await changesOf(gateway, () => desk.move(deal, 'withdraw', REASON));
    const { deal_id, status, market_status } = dataOf(result);
    assert.deepEqual([deal_id, status, market_status], [deal.deal_id, 'WITHDRAWN', 'WITHDRAWN']);
    assert.deepEqual(changed, [
      'alerts',
      'audit_log',
      'events',
      'iois',
      'orders',
      'pools',
      'securitization_deals',
      'subscriptions',
      'tranche_books',
    ]);
    assert.equal((await desk.read(`iois/${ioi}`, anna)).status, 'expired');
    const ended = await desk.read(`orders/${order}`, anna);
    assert.deepEqual([ended.status, ended.reason], ['CANCELLED', 'the deal was withdrawn']);
    for (const id of [pending, confirmed]) {
      const row = await desk.read(`subscriptions/${id}`, bert);
      assert.deepEqual([row.status, row.reason], ['cancelled', 'the deal was withdrawn']);
    }
    assert.equal((await desk.read(`subscriptions/${elsewhere}`, bert)).status, 'pending_confirmation');
    const [book] = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows('select open, committed::float8 as committed from tranche_books where deal_id = $1', [deal.deal_id]),
    );
    assert.deepEqual(book, { open: false, committed: 0 });
  });

  await t.test('ends what was given: allocations expire, trades are cancelled, allocated subscriptions with them', async () => {
    const deal = await desk.list();
    const [anna, bert, cleo] = await Promise.all([desk.investor(), desk.investor(), desk.investor()]);
    const subscription = await desk.confirmed(deal, anna, 100_000);
    for (const each of [bert, cleo]) dataOf(await desk.order(deal, each, { amount: 100_000 }));
    dataOf(await desk.allocate(deal));
    const [first, second, third] = await Promise.all(
      [anna, bert, cleo].map(async (each) => (await desk.allocations(deal, each))[0]?.allocation_id ?? ''),
    );
    const trades = [await desk.trade(first ?? '', anna), await desk.trade(second ?? '', bert)];
    dataOf(await desk.decide(trades[1] ?? '', 'fail'));
    const other = await desk.list({ tranches: [{}, { tranche: 'B' }] });
    for (const tranche_id of other.tranches) dataOf(await desk.order(other, anna, { tranche_id, amount: 1_000 }));
    dataOf(await desk.allocate(other));
    const [accepted, waiting] = (await desk.allocations(other, anna)).map((each) => each.allocation_id) as [string, string];
    const elsewhere = await desk.trade(accepted, anna);
    dataOf(await desk.move(deal, 'withdraw', REASON));
    assert.equal((await desk.read(`trades/${elsewhere}`, anna)).status, 'PENDING_SETTLEMENT', 'of another deal');
    assert.equal((await desk.read(`allocations/${waiting}`, anna)).status, 'ISSUED', 'of another deal');
    const rows = [await desk.read(`trades/${trades[0]}`, anna), await desk.read(`trades/${trades[1]}`, bert)];
    assert.deepEqual(
      rows.map((row) => [row.status, row.reason]),
      [
        ['CANCELLED', 'the deal was withdrawn'],
        ['CANCELLED', 'the deal was withdrawn'],
      ],
    );
    assert.equal((await desk.read(`allocations/${third}`, cleo)).status, 'EXPIRED');
    assert.equal((await desk.read(`subscriptions/${subscription}`, anna)).status, 'cancelled');
    for (const act of ['settle', 'retry'] as const) assert.equal((await desk.decide(trades[0] ?? '', act)).status, 409);
    assert.equal((await desk.answer(third ?? '', cleo, 'accept')).status, 409);
  });

  await t.test('is told once to the seller and to each investor with a stake, and to nobody whose stake had ended', async () => {
    const deal = await desk.list({ name: 'Harbor Withdrawn' });
    const [many, indicated, gone, bystander] = await Promise.all([
      desk.investor(),
      desk.investor(),
      desk.investor(),
      desk.investor(),
    ]);
    dataOf(await desk.indicate(deal, many, 1_000));
    dataOf(await desk.order(deal, many, { amount: 1_000 }));
    dataOf(await desk.subscribe(deal, many, 1_000));
    dataOf(await desk.indicate(deal, indicated, 1_000));
    dataOf(await desk.withdrawIoi(dataOf(await desk.indicate(deal, gone, 1_000)).ioi_id, gone));
    dataOf(await desk.cancelOrder(dataOf(await desk.order(deal, gone, { amount: 1_000 })).order_id, gone));
    dataOf(await desk.cancel(dataOf(await desk.subscribe(deal, gone, 1_000)).subscription_id, gone));
    dataOf(await desk.move(deal, 'withdraw', REASON));
    const data = { deal_id: deal.deal_id, previous_status: 'APPROVED', current_status: 'WITHDRAWN' };
    for (const holder of [desk.seller, many, indicated]) {
      assert.deepEqual(await told(deal, holder), [data]);
      const alerts = dataOf(await desk.send('GET', '/v1/api/alerts?type=deal.status_changed&limit=100', holder));
      const [alert, ...more] = alerts.filter((each: { entity_id: string }) => each.entity_id === deal.deal_id);
      assert.deepEqual(
        [alert.title, alert.message, alert.priority, alert.category, alert.entity_type, more],
        ['Harbor Withdrawn: withdrawn', 'market conditions', 'HIGH', 'deal', 'deal', []],
      );
    }
    for (const holder of [gone, bystander]) assert.deepEqual(await told(deal, holder), []);
  });

  await t.test('is made from every state but CLOSED and WITHDRAWN', async () => {
    for (const market_status of ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED']) {
      assert.equal(dataOf(await desk.move(await desk.list({ market_status }), 'withdraw', REASON)).market_status, 'WITHDRAWN');
    }
    for (const market_status of ['CLOSED', 'WITHDRAWN']) {
      const deal = await desk.list({ market_status });
      const refused = await assertRefused(gateway, () => desk.move(deal, 'withdraw', REASON), [409, 'INVALID_TRANSITION']);
      assert.deepEqual([refused.body.current_status, refused.body.allowed], [market_status, []]);
    }
  });

  await t.test('is refused once a trade has settled: the deal can be closed, and nothing has changed', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    await buy(gateway, desk.operator, investor, deal, 1_000_000);
    const refused = await assertRefused(gateway, () => desk.move(deal, 'withdraw', REASON), [409, 'INVALID_TRANSITION']);
    assert.deepEqual([refused.body.current_status, refused.body.allowed], ['ALLOCATED', ['CLOSED']]);
    assert.match(refused.body.message ?? '', /can be closed, not withdrawn/);
    assert.equal(dataOf(await desk.move(deal, 'close')).market_status, 'CLOSED');
  });

  await t.test('needs a reason, another organization’s operator, and a deal', async () => {
    const deal = await desk.list();
    for (const body of [undefined, {}, { reason: '' }, { reason: 'x'.repeat(1_001) }, { reason: null }]) {
      assert.equal((await desk.move(deal, 'withdraw', body)).status, 400, JSON.stringify(body));
    }
    const path = `/v1/operator/deals/${deal.deal_id}/withdraw`;
    const own = await gateway.mixedKey(desk.seller);
    await assertRefused(gateway, () => desk.send('POST', path, own, REASON), [403, 'OWN_ORGANIZATION']);
    await assertRefused(gateway, () => desk.send('POST', path, desk.seller, REASON), [403, 'ROLE_FORBIDDEN']);
    await assertRefused(gateway, () => desk.move({ ...deal, deal_id: 'deal_none' }, 'withdraw', REASON), [404, 'NOT_FOUND']);
  });

  await t.test('and a settlement at once: either the trade settles and the deal stays, or both end', async () => {
    for (let round = 0; round < 3; round += 1) {
      const [deal, investor] = [await desk.list(), await desk.investor()];
      dataOf(await desk.order(deal, investor, { amount: 1_000 }));
      dataOf(await desk.allocate(deal));
      const trade = await desk.trade((await desk.allocations(deal, investor))[0]?.allocation_id ?? '', investor);
      const [settled, withdrawn] = await Promise.all([desk.decide(trade, 'settle'), desk.move(deal, 'withdraw', REASON)]);
      assert.deepEqual([settled.status, withdrawn.status].toSorted(), [200, 409]);
      const held = (await desk.read('portfolio/positions', investor)).length;
      assert.equal(held, settled.status === 200 ? 1 : 0);
      assert.equal((await desk.read(`trades/${trade}`, investor)).status, settled.status === 200 ? 'SETTLED' : 'CANCELLED');
    }
  });

  await t.test('cancels the pool and frees its loans: they can be pooled and issued again', async () => {
    const originator = await gateway.key('originator', 'Pooler');
    const pool = await structuredPool(gateway, originator, desk.operator, 6);
    const dealId = await issuedDeal(gateway, originator, desk.operator, pool.pool_id);
    const again = () => formPool(gateway, originator, pool.deal_ids, { name: 'Again' });
    assert.deepEqual(codeOf(await again()), [409, 'LOAN_ALREADY_POOLED']);
    dataOf(await desk.move({ deal_id: dealId, pool_id: pool.pool_id, tranches: [] }, 'withdraw', REASON));
    const { body } = await desk.send('GET', `/v1/api/originator/pools/${pool.pool_id}`, originator);
    assert.equal(body.data.status, 'CANCELLED');
    assert.equal((await again()).status, 201);
  });

  await t.test('the same path withdraws an approved loan deal, which has no market status', async () => {
    const originator = await gateway.key('originator', 'Lender');
    const deal_id = await approvedDeal(gateway, originator, desk.operator, { rows: 5 });
    const deal = { deal_id, pool_id: '', tranches: [] };
    const { status, market_status } = dataOf(await desk.move(deal, 'withdraw', REASON));
    assert.deepEqual([status, market_status], ['WITHDRAWN', null]);
    assert.deepEqual(codeOf(await desk.move(deal, 'withdraw', REASON)), [409, 'INVALID_TRANSITION']);
  });
});
