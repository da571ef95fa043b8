import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { insertPosition, type ListedDeal } from '../../../test/support/market.ts';
import { startReceiver } from '../../../test/support/receivers.ts';
import { tellNotices } from '../../worker.ts';

type Told = { event: string; data: Record<string, string | number | null> };

/** The events of an organization about a deal, oldest first; each must have exactly one alert. */
async function told(gateway: Gateway, holder: Holder, deal: ListedDeal, names?: string[]): Promise<Told[]> {
  const rows = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<Told & { alerts: number; type: string }>(
      `select e.event, convert_from(e.body, 'UTF8')::json->'data' as data, count(a.alert_id)::int as alerts, min(a.type) as type from events e
       left join alerts a on a.event_id = e.event_id and a.organization_id = e.organization_id
       where e.organization_id = $1 and e.data->>'deal_id' = $2 group by e.event_id, e.event, e.body order by e.event_id`,
      [holder.organization_id, deal.deal_id],
    ),
  );
  for (const row of rows) assert.deepEqual([row.alerts, row.type], [1, row.event]);
  return rows.filter((row) => names?.includes(row.event) ?? true).map(({ event, data }) => ({ event, data }));
}

const eventsOf = (rows: Told[]): string[] => rows.map((row) => row.event);
const moves = (rows: Told[]): string[] => rows.map(({ data }) => `${data.previous_status} ${data.current_status}`);
const priorities = async (desk: Desk, holder: Holder, type: string): Promise<string[]> =>
  dataOf(await desk.send('GET', `/v1/api/alerts?limit=100&type=${type}`, holder)).map(
    (each: { priority: string }) => each.priority,
  );

test('an investor is told of every move of what it has asked for', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const bystander = await desk.investor();

  await t.test('a subscription: from its confirmation to its settlement, each once, and nothing of its creation', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const { subscription_id } = dataOf(await desk.subscribe(deal, investor, 1_000_000));
    assert.deepEqual(await told(gateway, investor, deal), []);
    dataOf(await desk.confirm(subscription_id, { reason: 'called the investor' }));
    dataOf(await desk.allocate(deal));
    const [allocation] = await desk.allocations(deal, investor);
    const tradeId = await desk.trade(allocation?.allocation_id ?? '', investor);
    dataOf(await desk.decide(tradeId, 'settle'));
    const rows = await told(gateway, investor, deal, ['subscription.status_changed']);
    assert.deepEqual(moves(rows), [
      'pending_confirmation confirmed',
      'confirmed allocated',
      'allocated funded',
      'funded settled',
    ]);
    assert.deepEqual(rows[0]?.data, {
      subscription_id,
      deal_id: deal.deal_id,
      tranche_id: deal.tranches[0],
      amount: 1_000_000,
      previous_status: 'pending_confirmation',
      current_status: 'confirmed',
      reason: 'called the investor',
    });
    assert.deepEqual(await told(gateway, bystander, deal), []);
    const ofSeller = await told(gateway, desk.seller, deal);
    assert.deepEqual(eventsOf(ofSeller), ['deal.market_status_changed', 'deal.market_status_changed', 'trade.settled']);
  });

  await t.test('an allocation is HIGH, with the figures that the investor decides on', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    dataOf(await desk.order(deal, investor, { amount: 2_000_000 }));
    dataOf(await desk.allocate(deal));
    const [allocation] = await desk.allocations(deal, investor);
    const data = {
      allocation_id: allocation?.allocation_id,
      deal_id: deal.deal_id,
      tranche_id: deal.tranches[0],
      requested_amount: 2_000_000,
      allocated_amount: 2_000_000,
      yield: allocation?.yield,
      price: allocation?.price,
      status: 'ISSUED',
      expires_at: allocation?.expires_at,
    };
    const events = ['allocation.issued', 'order.status_changed'];
    assert.deepEqual((await told(gateway, investor, deal, events))[0], { event: 'allocation.issued', data });
    assert.deepEqual(moves(await told(gateway, investor, deal, ['order.status_changed'])), ['OPEN ALLOCATED']);
    dataOf(await desk.answer(allocation?.allocation_id ?? '', investor, 'accept'));
    const [changed, ...more] = await told(gateway, investor, deal, ['allocation.status_changed']);
    assert.deepEqual([changed?.data, more], [{ ...data, status: 'ACCEPTED' }, []]);
    assert.deepEqual(await priorities(desk, investor, 'allocation.issued'), ['HIGH']);
    assert.deepEqual(await priorities(desk, investor, 'allocation.status_changed'), ['HIGH']);
  });

  await t.test('an order that is cancelled, and one that face which came back fills further', async () => {
    const deal = await desk.list({ tranches: [{ balance: 1_000_000 }] });
    const [first, second] = [await desk.investor(), await desk.investor()];
    const gone = dataOf(await desk.order(deal, first, { amount: 5_000 })).order_id;
    dataOf(await desk.cancelOrder(gone, first));
    assert.deepEqual(moves(await told(gateway, first, deal)), ['OPEN CANCELLED']);
    for (const each of [first, second]) dataOf(await desk.order(deal, each, { amount: 1_000_000 }));
    dataOf(await desk.allocate(deal));
    const [allocation] = await desk.allocations(deal, first);
    dataOf(await desk.answer(allocation?.allocation_id ?? '', first, 'decline'));
    const rows = await told(gateway, second, deal, ['order.status_changed', 'allocation.issued']);
    assert.deepEqual(
      rows.map(({ event, data }) => [event, data.current_status ?? data.allocated_amount]),
      [
        ['allocation.issued', 500_000],
        ['order.status_changed', 'PARTIALLY_ALLOCATED'],
        ['allocation.issued', 500_000],
        ['order.status_changed', 'ALLOCATED'],
      ],
    );
  });

  await t.test('a withdrawn deal ends everything, and each end is told once', async () => {
    const deal = await desk.list({ tranches: [{ balance: 3_000_000 }] });
    const [investor, watcher] = [await desk.investor(), await desk.investor()];
    dataOf(await desk.send('PUT', `/v1/api/investor/watchlist/${deal.deal_id}`, watcher));
    await desk.confirmed(deal, investor, 1_000_000);
    dataOf(await desk.order(deal, investor, { amount: 2_000_000 }));
    dataOf(await desk.allocate(deal));
    const [one] = await desk.allocations(deal, investor);
    await desk.trade(one?.allocation_id ?? '', investor);
    const before = (await told(gateway, investor, deal)).length;
    dataOf(await desk.move(deal, 'withdraw', { reason: 'market conditions' }));
    const rows = (await told(gateway, investor, deal)).slice(before);
    assert.deepEqual(eventsOf(rows).toSorted(), [
      'allocation.status_changed',
      'deal.market_status_changed',
      'deal.status_changed',
      'subscription.status_changed',
      'trade.cancelled',
    ]);
    assert.deepEqual(
      (await told(gateway, watcher, deal)).map(({ data }) => data.current_market_status),
      ['BOOKS_CLOSED', 'ALLOCATED', 'WITHDRAWN'],
    );
    assert.deepEqual(await told(gateway, bystander, deal), []);
  });
});

test('both sides of a trade are told of its failure, its retry and its end, and the seller not who the buyer is', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [deal, investor] = [await desk.list(), await desk.investor()];
  const id = await desk.confirmed(deal, investor, 1_000_000);
  dataOf(await desk.allocate(deal));
  const [allocation] = await desk.allocations(deal, investor);
  const tradeId = await desk.trade(allocation?.allocation_id ?? '', investor);
  const reason = 'investor 1 did not pay';
  for (const act of ['fail', 'retry', 'cancel'] as const) dataOf(await desk.decide(tradeId, act, { reason }));
  const names = ['trade.failed', 'trade.retried', 'trade.cancelled'];
  const [ours, theirs] = [await told(gateway, investor, deal, names), await told(gateway, desk.seller, deal, names)];
  assert.deepEqual([eventsOf(ours), eventsOf(theirs)], [names, names]);
  const trade = await desk.read(`trades/${tradeId}`, investor);
  const { trade_id, deal_id, tranche_id, face, net_amount, settlement_date } = trade;
  const { failed_at, ...failed } = ours[0]?.data ?? {};
  assert.deepEqual(failed, { trade_id, deal_id, tranche_id, face, net_amount, settlement_date, reason });
  assert.match(String(failed_at), /Z$/);
  assert.deepEqual(
    theirs.map(({ data }) => data.reason),
    ['the buyer did not pay', 'the buyer did not pay', 'the buyer did not pay'],
  );
  const everything = JSON.stringify([
    await told(gateway, desk.seller, deal),
    dataOf(await desk.send('GET', '/v1/api/alerts?limit=100', desk.seller)),
  ]);
  for (const secret of ['nvestor 1', investor.organization_id, id]) assert.ok(!everything.includes(secret), secret);
});

test('an allocation is told to expire one business day before, once, by whatever number of workers', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [deal, waiting, decided] = [await desk.list(), await desk.investor(), await desk.investor()];
  for (const each of [waiting, decided]) dataOf(await desk.order(deal, each, { amount: 1_000_000 }));
  dataOf(await desk.allocate(deal));
  const [mine] = await desk.allocations(deal, waiting);
  const [theirs] = await desk.allocations(deal, decided);
  dataOf(await desk.answer(theirs?.allocation_id ?? '', decided, 'accept'));
  const count = async (holder: Holder): Promise<number> => (await told(gateway, holder, deal, ['allocation.expiring'])).length;
  const { now } = await gateway.deps.db.tx({ platform: true }, async (tx) => ({ now: tx.now }));
  await tellNotices(gateway.deps);
  assert.equal(await count(waiting), 0);
  const deadline = Date.parse(mine?.expires_at ?? '');
  await gateway.advance((deadline - now.getTime()) / 1_000 - 86_400 + 1);
  await Promise.all([1, 2, 3, 4].map(() => tellNotices(gateway.deps)));
  await tellNotices(gateway.deps);
  assert.deepEqual([await count(waiting), await count(decided)], [1, 0]);
  assert.deepEqual(await priorities(desk, waiting, 'allocation.expiring'), ['HIGH']);
});

test('the owner of a deal and those who watch it or hold something in it are told of its moves on the market', async () => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const deal = await desk.list({ name: 'Harbor Moves' });
  const [watcher, indicating, holding, bystander] = await Promise.all([
    desk.investor(),
    desk.investor(),
    desk.investor(),
    desk.investor(),
  ]);
  dataOf(await desk.send('PUT', `/v1/api/investor/watchlist/${deal.deal_id}`, watcher));
  dataOf(await desk.indicate(deal, indicating, 1_000_000));
  await insertPosition(gateway, holding, deal.tranches[0] ?? '', 1_000_000);
  for (const act of ['close-books', 'reopen-books'] as const) dataOf(await desk.move(deal, act));
  const moved = async (holder: Holder) =>
    (await told(gateway, holder, deal)).map(({ data }) => `${data.previous_market_status} ${data.current_market_status}`);
  for (const holder of [desk.seller, watcher, holding])
    assert.deepEqual(await moved(holder), ['MARKETING BOOKS_CLOSED', 'BOOKS_CLOSED MARKETING']);
  // Its indication has expired with the first move, which it is told of.
  assert.deepEqual(await moved(indicating), ['MARKETING BOOKS_CLOSED']);
  assert.deepEqual(await moved(bystander), []);
  assert.deepEqual((await told(gateway, watcher, deal))[0]?.data, {
    deal_id: deal.deal_id,
    name: 'Harbor Moves',
    asset_type: 'Auto',
    deal_size: 10_000_000,
    previous_market_status: 'MARKETING',
    current_market_status: 'BOOKS_CLOSED',
  });
});

test('a webhook subscription without events gets these events too, one delivery each', async () => {
  await using gateway = await startGateway();
  await using receiver = await startReceiver();
  const desk = await openDesk(gateway);
  const [deal, investor] = [await desk.list(), await desk.investor()];
  dataOf(await desk.send('POST', '/v1/api/webhooks/subscriptions', investor, { url: receiver.url }));
  await desk.confirmed(deal, investor, 1_000_000);
  dataOf(await desk.allocate(deal));
  await gateway.runDeliveries();
  const sent = receiver.received.map((each) => JSON.parse(each.body.toString()) as Told);
  const kept = await told(gateway, investor, deal);
  assert.equal(kept.length, 5);
  const texts = (rows: Told[]): string[] => rows.map(({ event, data }) => JSON.stringify([event, data])).toSorted();
  assert.deepEqual(texts(sent), texts(kept));
});
