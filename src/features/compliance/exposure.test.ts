import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { insertPosition, type ListedDeal } from '../../../test/support/market.ts';
import { asId } from '../../platform/ids.ts';
import { type CommitmentRequest, loadExposure, loadFacts, loadFactsOf } from './queries.ts';

test('the exposure of an investor in a deal', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const exposure = (deal: ListedDeal, holder: Holder, without?: string): Promise<string> =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      loadExposure(tx, holder.organization_id, asId('deal', deal.deal_id), without ?? null),
    );

  await t.test('is nothing at first', async () => {
    assert.equal(await exposure(await desk.list(), await desk.investor()), '0.00');
  });

  await t.test('has a subscription from its making until it ends', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const first = dataOf(await desk.subscribe(deal, investor, 100_000)).subscription_id;
    assert.equal(await exposure(deal, investor), '100000.00');
    dataOf(await desk.confirm(first));
    assert.equal(await exposure(deal, investor), '100000.00');
    const second = dataOf(await desk.subscribe(deal, investor, 50_000)).subscription_id;
    assert.equal(await exposure(deal, investor), '150000.00');
    dataOf(await desk.cancel(second, investor));
    assert.equal(await exposure(deal, investor), '100000.00');
    dataOf(await desk.reject(first));
    assert.equal(await exposure(deal, investor), '0.00');
  });

  await t.test('has open orders, but for the one that is asked about, and no cancelled ones', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const [one, two] = [
      dataOf(await desk.order(deal, investor, { amount: 100_000 })).order_id,
      dataOf(await desk.order(deal, investor, { amount: 20_000 })).order_id,
    ];
    assert.equal(await exposure(deal, investor), '120000.00');
    assert.equal(await exposure(deal, investor, one), '20000.00');
    assert.equal(await exposure(deal, investor, two), '100000.00');
    dataOf(await desk.cancelOrder(two, investor));
    assert.equal(await exposure(deal, investor), '100000.00');
  });

  for (const source of ['order', 'subscription'] as const) {
    await t.test(
      `has each stage of ${source === 'order' ? 'an order' : 'a subscription'} once, from the ask to the holding`,
      async () => {
        const deal = await desk.list({ tranches: [{ balance: 1_000_000 }] });
        const [investor, rival] = [await desk.investor(), await desk.investor()];
        dataOf(await desk.order(deal, rival, { amount: 600_000 }));
        if (source === 'order') dataOf(await desk.order(deal, investor, { amount: 600_000 }));
        else await desk.confirmed(deal, investor, 600_000);
        assert.equal(await exposure(deal, investor), '600000.00', 'asked');
        dataOf(await desk.allocate(deal));
        assert.equal(await exposure(deal, investor), '500000.00', 'allocated half of what there is');
        const [allocation] = await desk.allocations(deal, investor);
        const tradeId = await desk.trade(allocation?.allocation_id ?? '', investor);
        assert.equal(await exposure(deal, investor), '500000.00', 'accepted');
        dataOf(await desk.decide(tradeId, 'fail'));
        assert.equal(await exposure(deal, investor), '500000.00', 'failed');
        dataOf(await desk.decide(tradeId, 'settle'));
        assert.equal(await exposure(deal, investor), '500000.00', 'settled');
      },
    );
  }

  await t.test('loses a declined allocation and a cancelled trade', async () => {
    const deal = await desk.list({ tranches: [{}, { tranche: 'B' }] });
    const investor = await desk.investor();
    dataOf(await desk.order(deal, investor, { amount: 300_000 }));
    dataOf(await desk.order(deal, investor, { amount: 50_000, tranche_id: deal.tranches[1] }));
    dataOf(await desk.allocate(deal));
    const byAmount = new Map((await desk.allocations(deal, investor)).map((each) => [each.allocated_amount, each.allocation_id]));
    const tradeId = await desk.trade(byAmount.get(300_000) ?? '', investor);
    dataOf(await desk.decide(tradeId, 'cancel'));
    assert.equal(await exposure(deal, investor), '50000.00');
    dataOf(await desk.answer(byAmount.get(50_000) ?? '', investor, 'decline'));
    assert.equal(await exposure(deal, investor), '0.00');
  });

  await t.test('has the face that is held, to the cent, of this deal and this investor alone', async () => {
    const [deal, elsewhere] = [await desk.list({ tranches: [{}, { tranche: 'B' }] }), await desk.list()];
    const [investor, rival] = [await desk.investor(), await desk.investor()];
    const [senior, junior] = deal.tranches as [string, string];
    await insertPosition(gateway, investor, senior, '1000.25');
    await insertPosition(gateway, investor, junior, '2000.50');
    await insertPosition(gateway, investor, elsewhere.tranches[0] as string, 9_000);
    await insertPosition(gateway, rival, senior, 70_000);
    assert.equal(await exposure(deal, investor), '3000.75');
    assert.equal(await exposure(elsewhere, rival), '0.00');
  });
});

test('the facts of a request', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const request = (deal: ListedDeal, holder: Holder, tranche: string | null = null): CommitmentRequest => ({
    organization_id: holder.organization_id,
    deal_id: asId('deal', deal.deal_id),
    tranche_id: tranche === null ? null : asId('trn', tranche),
    amount: '1000.00',
  });
  const load = (...asked: Parameters<typeof request>) =>
    gateway.deps.db.tx({ platform: true }, (tx) => loadFacts(tx, request(...asked)));

  await t.test('are those of the most senior tranche on offer, by name where two are equal, unless one is named', async () => {
    const investor = await desk.investor();
    const deal = await desk.list({
      tranches: [
        { tranche: 'X', seniority: 1, offered: false },
        { tranche: 'A-2', seniority: 2 },
        { tranche: 'A-1', seniority: 2 },
        { tranche: 'B', seniority: 3 },
      ],
    });
    const [residual, , second, junior] = deal.tranches as [string, string, string, string];
    assert.equal((await load(deal, investor))?.tranche_id, second);
    assert.equal((await load(deal, investor, junior))?.tranche.tranche, 'B');
    assert.equal(await load(deal, investor, residual), null);
  });

  await t.test('say that the books are open in MARKETING alone, even where the tranche’s book says so', async () => {
    const investor = await desk.investor();
    for (const market_status of ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED']) {
      const deal = await desk.list({ market_status });
      assert.equal((await load(deal, investor))?.books_open, market_status === 'MARKETING', market_status);
    }
    const closed = await desk.list();
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec('update tranche_books set open = false where deal_id = $1', [closed.deal_id]),
    );
    assert.equal((await load(closed, investor))?.books_open, false);
  });

  await t.test('of a withdrawn deal are there for a holder, and not for one whose holding is empty', async () => {
    const deal = await desk.list({ market_status: 'WITHDRAWN' });
    const [holder, former, stranger] = [await desk.investor(), await desk.investor(), await desk.investor()];
    await insertPosition(gateway, holder, deal.tranches[0] as string, 0.01);
    await insertPosition(gateway, former, deal.tranches[0] as string, 0);
    assert.equal((await load(deal, holder))?.deal_id, deal.deal_id);
    assert.deepEqual([await load(deal, former), await load(deal, stranger)], [null, null]);
  });

  await t.test(
    'of a withdrawn deal are there for whoever had an order or a trade in it, also among requests of several investors',
    async () => {
      const deal = await desk.list();
      const [ordered, traded, stranger] = [await desk.investor(), await desk.investor(), await desk.investor()];
      for (const each of [ordered, traded]) dataOf(await desk.order(deal, each, { amount: 1_000 }));
      dataOf(await desk.allocate(deal));
      await desk.trade((await desk.allocations(deal, traded))[0]?.allocation_id ?? '', traded);
      dataOf(await desk.move(deal, 'withdraw', { reason: 'market conditions' }));
      const holders = [ordered, stranger, traded];
      const market = holders.map((each) => each.organization_id);
      const asked = holders.map((each) => request(deal, each));
      const found = await gateway.deps.db.tx({ market }, (tx) => loadFactsOf(tx, asked));
      assert.deepEqual(
        found.map((each) => each?.books_open),
        [false, undefined, false],
      );
    },
  );

  await t.test('of many requests come in the order of the requests, null where there is no such tranche', async () => {
    const [deal, other] = [await desk.list(), await desk.list()];
    const [anna, bert] = [await desk.investor({ qib: false }), await desk.investor()];
    const asked = [
      request(deal, anna),
      request(deal, bert, other.tranches[0]),
      request(other, bert),
      request({ ...deal, deal_id: 'deal_none' }, anna),
      request(deal, bert),
      request(deal, anna),
    ];
    const found = await gateway.deps.db.tx({ platform: true }, (tx) => loadFactsOf(tx, asked));
    assert.deepEqual(
      found.map((each) => each && [each.deal_id, each.organization_id, each.profile?.qib]),
      [
        [deal.deal_id, anna.organization_id, false],
        null,
        [other.deal_id, bert.organization_id, true],
        null,
        [deal.deal_id, bert.organization_id, true],
        [deal.deal_id, anna.organization_id, false],
      ],
    );
  });

  await t.test('are of today by the platform’s clock: a review ends when its day has passed', async () => {
    const deal = await desk.list();
    const today = (await load(deal, await desk.investor()))?.today ?? '';
    const investor = await desk.investor({ kyc_expires_on: today });
    assert.equal((await desk.check(deal, investor, 1_000)).status, 200);
    await gateway.advance(86_400);
    assert.equal((await desk.check(deal, investor, 1_000)).status, 422);
  });

  await t.test('count what live subscriptions leave of the tranche, not what orders and indications ask for', async () => {
    const [deal, investor] = [await desk.list({ tranches: [{ balance: 1_000_000 }, { tranche: 'B' }] }), await desk.investor()];
    dataOf(await desk.subscribe(deal, investor, 250_000));
    dataOf(await desk.order(deal, investor, { amount: 300_000 }));
    dataOf(await desk.indicate(deal, investor, 400_000));
    assert.equal((await load(deal, investor))?.remaining, '750000.00');
    assert.equal((await load(deal, investor, deal.tranches[1]))?.remaining, '10000000.00');
  });
});
