import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { buy, insertMark, insertPosition, listDeal } from '../../../test/support/market.ts';
import { withdrawSecuritization } from '../lifecycle/withdraw-securitization.ts';
import { type Id, asId } from '../../platform/ids.ts';

test('market', async (t) => {
  await using gateway = await startGateway();
  const [harbor, lagoon] = [await gateway.key('originator', 'Harbor Finance'), await gateway.key('originator', 'Lagoon Capital')];
  const investor = await gateway.key('investor', 'Investor');
  const operator = await gateway.key('operator', 'Platform');
  const get = (path: string, as: Holder = investor): Promise<Answer> => gateway.call('GET', `/v1/api/investor/${path}`, { as });
  const names = async (query: string): Promise<string[]> =>
    (await get(`deals?${query}`)).body.data.map((card: { name: string }) => card.name);
  const act = (dealId: string, name: string) => gateway.call('POST', `/v1/operator/deals/${dealId}/${name}`, { as: operator });

  const auto = await listDeal(gateway, harbor, {
    name: 'Auto One',
    tranches: [
      { class: 'A', balance: 8_000_000, coupon: 4 },
      { class: 'B', balance: 2_000_000, coupon: 9 },
      { tranche: 'R', balance: 500_000, offered: false, coupon: null },
    ],
  });
  const near = await listDeal(gateway, lagoon, {
    name: 'Auto Two',
    tranches: [{ balance: 12_000_000, coupon: 6, denomination: 50_000 }],
  });
  await listDeal(gateway, lagoon, { name: 'Auto Far', tranches: [{ balance: 12_600_000, coupon: 6 }] });
  await listDeal(gateway, lagoon, {
    name: 'Auto Nearest',
    tranches: [{ balance: 9_900_000, coupon: 6 }],
    market_status: 'CLOSED',
  });
  await listDeal(gateway, harbor, { name: 'Homes', asset_type: 'Mortgage', tranches: [{ balance: 10_000_000, coupon: 5 }] });
  const hidden = await listDeal(gateway, lagoon, { name: 'Gone', market_status: 'WITHDRAWN' });

  await t.test('a card tells the offered tranches alone, weighted by balance: the mark’s yield, else the coupon', async () => {
    const [card] = (await get('deals?q=auto%20one')).body.data;
    const { name, asset_type, dealSize, wa_yield, wal, originator, tranche_count, minimum_investment, market_status } = card;
    assert.deepEqual(
      { name, asset_type, dealSize, wa_yield, wal, originator, tranche_count, minimum_investment, market_status },
      {
        name: 'Auto One',
        asset_type: 'Auto',
        dealSize: 10_000_000,
        wa_yield: 5,
        wal: null,
        originator: 'Harbor Finance',
        tranche_count: 2,
        minimum_investment: 1_000,
        market_status: 'MARKETING',
      },
    );
    await insertMark(gateway, auto.tranches[1] as string, { price: 98, yield: 14, wal: 4 });
    const [marked] = (await get('deals?q=auto%20one')).body.data;
    assert.deepEqual([marked.wa_yield, marked.wal], [6, 4]);
  });

  await t.test('the list filters, sorts and pages; bounds the wrong way round are 422', async () => {
    assert.deepEqual(await names('sort=name'), ['Auto Far', 'Auto Nearest', 'Auto One', 'Auto Two', 'Homes']);
    assert.deepEqual(await names('asset_type=Mortgage'), ['Homes']);
    assert.deepEqual(await names('type=Mortgage'), ['Homes']);
    assert.deepEqual(await names('q=LAGOON&sort=-dealSize'), ['Auto Far', 'Auto Two', 'Auto Nearest']);
    assert.deepEqual(await names('status=CLOSED'), ['Auto Nearest']);
    assert.deepEqual(await names('market_status=CLOSED'), ['Auto Nearest']);
    assert.deepEqual(await names('status=APPROVED&market_status=CLOSED'), ['Auto Nearest']);
    assert.deepEqual(await names('status=IN_REVIEW'), []);
    assert.deepEqual(await names('min_size=10000000&max_size=12000000&sort=dealSize&asset_type=Auto'), ['Auto One', 'Auto Two']);
    assert.deepEqual(await names('min_yield=6&sort=name'), ['Auto Far', 'Auto Nearest', 'Auto One', 'Auto Two']);
    assert.deepEqual(await names('q=100%25'), []);
    assert.deepEqual(await names('limit=2&page=3&sort=name'), ['Homes']);
    assert.equal((await get('deals?min_size=2&max_size=1')).body.code, 'RANGE_REVERSED');
    for (const query of ['sort=size', 'asset_type=Boat', 'status=approved', 'market_status=APPROVED', 'min_size=-1']) {
      assert.equal((await get(`deals?${query}`)).status, 400, query);
    }
  });

  await t.test('a deal is told with its offered tranches, most senior first, and its pool', async () => {
    const { data } = (await get(`deals/${auto.deal_id}`)).body;
    assert.deepEqual(
      data.tranches.map((row: { class: string; remaining_capacity: number }) => [row.class, row.remaining_capacity]),
      [
        ['A', 8_000_000],
        ['B', 2_000_000],
      ],
    );
    assert.deepEqual([data.strats.loan_count, data.strats.wac, 'performance' in data], [1_000, 6.5, false]);
    const paged = (await get(`deals/${auto.deal_id}/tranches?limit=1&page=2`)).body;
    assert.deepEqual([paged.data[0].class, paged.pagination.total], ['B', 2]);
  });

  await t.test('size, capacity and yield stay on original face while the balance is repaid', async () => {
    const deal = await listDeal(gateway, lagoon, {
      name: 'Repaid',
      asset_type: 'Student',
      tranches: [
        { balance: 8_000_000, current: 2_000_000, coupon: 4 },
        { balance: 2_000_000, coupon: 9 },
      ],
    });
    const { data } = (await get(`deals/${deal.deal_id}`)).body;
    const [senior] = data.tranches;
    assert.deepEqual(
      [senior.balance, senior.current_balance, senior.factor, senior.remaining_capacity],
      [8_000_000, 2_000_000, 0.25, 8_000_000],
    );
    const balances = data.tranches.map((row: { balance: number }) => row.balance);
    assert.equal(
      data.dealSize,
      balances.reduce((a: number, b: number) => a + b),
    );
    assert.equal(data.wa_yield, 5);
  });

  await t.test('comparable: same asset type, within a quarter of the size, nearest first, not itself, [] when none', async () => {
    const comparable = async (dealId: string) => (await get(`deals/${dealId}/comparable`)).body.data;
    assert.deepEqual(
      (await comparable(auto.deal_id)).map((row: { name: string }) => row.name),
      ['Auto Nearest', 'Auto Two'],
    );
    const [homes] = (await get('deals?q=Homes')).body.data;
    assert.deepEqual(await comparable(homes.id), []);
    assert.equal(
      (await comparable(near.deal_id)).some((row: { name: string }) => row.name === 'Gone'),
      false,
    );
  });

  await t.test('a withdrawn deal answers as an absent one everywhere, unless it is held', async () => {
    const paths = ['', '/tranches', '/documents', '/comparable'];
    for (const path of paths) {
      const [seen, absent] = [await get(`deals/${hidden.deal_id}${path}`), await get(`deals/deal_none${path}`)];
      const { request_id: a, ...seenBody } = seen.body;
      const { request_id: b, ...absentBody } = absent.body;
      assert.ok(a !== b);
      assert.deepEqual([seen.status, seenBody], [404, absentBody]);
    }
    for (const path of ['ioi', 'subscribe', 'subscribe/check']) {
      const body = { interest_amount: 1_000, subscription_amount: 1_000 };
      const answer = await gateway.call('POST', `/v1/api/investor/deals/${hidden.deal_id}/${path}`, { as: investor, body });
      assert.equal(answer.status, 404, path);
    }
    const holder = await gateway.key('investor', 'Holder');
    await insertPosition(gateway, holder, hidden.tranches[0] as string, 1_000);
    assert.equal((await get(`deals/${hidden.deal_id}`, holder)).status, 200);
  });

  await t.test('the watch list is each organization’s own', async () => {
    const watch = (method: string, dealId: string) =>
      gateway.call(method, `/v1/api/investor/watchlist/${dealId}`, { as: investor });
    const first = await watch('PUT', auto.deal_id);
    assert.deepEqual((await watch('PUT', auto.deal_id)).body, first.body);
    assert.equal((await watch('PUT', hidden.deal_id)).status, 404);
    assert.deepEqual(
      (await get('watchlist')).body.data.map((row: { name: string }) => row.name),
      ['Auto One'],
    );
    assert.equal((await get(`watchlist/${auto.deal_id}`)).body.data.watched_at, first.body.data.watched_at);
    assert.equal((await get('watchlist', await gateway.key('investor', 'Other'))).body.pagination.total, 0);
    assert.equal((await watch('DELETE', auto.deal_id)).status, 200);
    assert.equal((await get(`watchlist/${auto.deal_id}`)).status, 404);
    assert.equal((await watch('DELETE', auto.deal_id)).status, 404);
  });

  await t.test('one live indication per investor and deal; 50 at once under one key are one', async () => {
    const deal = await listDeal(gateway, harbor);
    const signal = (headers = {}) =>
      gateway.call('POST', `/v1/api/investor/deals/${deal.deal_id}/ioi`, {
        as: investor,
        body: { interest_amount: 5_000 },
        headers,
      });
    const answers = await Promise.all(Array.from({ length: 50 }, () => signal({ 'idempotency-key': 'ioi' })));
    assert.ok(answers.every((answer) => answer.status === 201 || answer.body.code === 'IDEMPOTENCY_IN_PROGRESS'));
    assert.equal((await get(`iois?deal_id=${deal.deal_id}`)).body.pagination.total, 1);
    assert.deepEqual([(await signal()).status, (await signal()).body.code], [409, 'IOI_EXISTS']);
    const [ioi] = (await get(`iois?deal_id=${deal.deal_id}`)).body.data;
    const change = (method: string, body?: object) =>
      gateway.call(method, `/v1/api/investor/iois/${ioi.ioi_id}`, { as: investor, ...(body ? { body } : {}) });
    assert.equal((await change('PATCH', { interest_amount: 6_000 })).body.data.interest_amount, 6_000);
    assert.equal((await change('PATCH', { interest_amount: 11_000_000 })).status, 422);
    assert.equal((await change('DELETE')).body.data.status, 'withdrawn');
    assert.equal((await change('DELETE')).status, 409);
    assert.equal((await signal()).status, 201);
  });

  await t.test('books close, open again and the deal closes after its allocation; other moves are 409', async () => {
    const deal = await listDeal(gateway, harbor);
    const ioi = (as: Holder) =>
      gateway.call('POST', `/v1/api/investor/deals/${deal.deal_id}/ioi`, { as, body: { interest_amount: 1_000 } });
    await ioi(investor);
    assert.equal((await act(deal.deal_id, 'close')).status, 409);
    assert.equal((await act(deal.deal_id, 'close-books')).body.data.market_status, 'BOOKS_CLOSED');
    assert.deepEqual([(await ioi(investor)).status, (await ioi(investor)).body.code], [409, 'BOOKS_CLOSED']);
    const refused = await act(deal.deal_id, 'close-books');
    assert.deepEqual(
      [refused.status, refused.body.current_status, refused.body.allowed],
      [409, 'BOOKS_CLOSED', ['MARKETING', 'ALLOCATED', 'WITHDRAWN']],
    );
    assert.equal((await act(deal.deal_id, 'reopen-books')).body.data.market_status, 'MARKETING');
    assert.equal((await ioi(investor)).status, 201);
    await buy(gateway, operator, investor, deal, 1_000_000);
    assert.equal((await act(deal.deal_id, 'close')).body.data.market_status, 'CLOSED');
    const pool = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.one<{ status: string }>('select status from pools where pool_id = $1', [deal.pool_id]),
    );
    assert.equal(pool?.status, 'CLOSED');
    assert.equal((await act('deal_none', 'close-books')).status, 404);
  });

  await t.test('withdrawing ends everything that is live and tells whoever has a stake', async () => {
    const deal = await listDeal(gateway, harbor);
    const stake = await gateway.key('investor', 'Stake');
    const subscribed = await gateway.call('POST', `/v1/api/investor/deals/${deal.deal_id}/subscribe`, {
      as: stake,
      body: { subscription_amount: 1_000 },
    });
    const withdraw = (dealId: Id<'deal'>) =>
      gateway.deps.db.tx({ platform: true }, (tx) =>
        withdrawSecuritization(
          tx,
          { key_id: 'key_test', organization_id: null },
          { deal_id: dealId, reason: 'market conditions' },
        ),
      );
    await withdraw(asId('deal', deal.deal_id));
    assert.equal((await get(`subscriptions/${subscribed.body.data.subscription_id}`, stake)).body.data.status, 'cancelled');
    assert.equal((await get(`deals/${deal.deal_id}`, stake)).status, 404);
    for (const as of [harbor, stake]) {
      const events = await gateway.call('GET', '/v1/api/events?type=deal.status_changed', { as });
      assert.deepEqual(events.body.data.at(-1).data, {
        deal_id: deal.deal_id,
        previous_status: 'APPROVED',
        current_status: 'WITHDRAWN',
      });
    }
    await assert.rejects(withdraw(asId('deal', deal.deal_id)), { code: 'INVALID_TRANSITION' });
    const sold = await listDeal(gateway, harbor);
    await buy(gateway, operator, investor, sold, 1_000_000);
    await assert.rejects(withdraw(asId('deal', sold.deal_id)), /have settled/);
  });

  await t.test('the operator lists what all investors did, by deal, organization and status', async () => {
    const deal = await listDeal(gateway, harbor);
    const one = await gateway.key('investor', 'Listed');
    await gateway.call('POST', `/v1/api/investor/deals/${deal.deal_id}/orders`, {
      as: one,
      body: { tranche_id: deal.tranches[0], amount: 2_000 },
    });
    await buy(gateway, operator, one, deal, 1_000_000);
    const total = async (path: string) =>
      (await gateway.call('GET', `/v1/operator/${path}`, { as: operator })).body.pagination.total;
    const where = `deal_id=${deal.deal_id}&organization_id=${one.organization_id}`;
    assert.deepEqual(
      [
        await total(`subscriptions?${where}&status=settled`),
        await total(`orders?${where}&status=ALLOCATED`),
        await total(`allocations?${where}`),
        await total(`trades?${where}&status=SETTLED`),
      ],
      [1, 1, 2, 1],
    );
    assert.equal(await total(`trades?${where}&status=FAILED`), 0);
    assert.equal((await gateway.call('GET', '/v1/operator/trades?status=settled', { as: operator })).status, 400);
  });
});
