import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { dataOf, type Desk, openDesk } from '../../../test/support/desk.ts';
import { codeOf, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { insertPosition, type ListedDeal } from '../../../test/support/market.ts';
import { asId } from '../../platform/ids.ts';
import { MARKET_STATUSES, type MarketStatus } from '../deals/queries.ts';
import { holdBooksOpen, isVisible, listStakeholders } from './queries.ts';
import { MARKET_MOVES } from './securitization.ts';

/** Brings an investor to one stake in a deal; whether it has one then. */
const SITUATIONS: [string, boolean, (desk: Desk, deal: ListedDeal, as: Holder) => Promise<unknown>][] = [
  ['nothing', false, async () => {}],
  ['an indication', true, async (desk, deal, as) => dataOf(await desk.indicate(deal, as, 1_000))],
  [
    'a withdrawn indication',
    false,
    async (desk, deal, as) => dataOf(await desk.withdrawIoi(dataOf(await desk.indicate(deal, as, 1_000)).ioi_id, as)),
  ],
  [
    'an expired indication',
    false,
    async (desk, deal, as) => {
      dataOf(await desk.indicate(deal, as, 1_000));
      dataOf(await desk.move(deal, 'close-books'));
    },
  ],
  ['a pending subscription', true, async (desk, deal, as) => dataOf(await desk.subscribe(deal, as, 1_000))],
  ['a confirmed subscription', true, async (desk, deal, as) => desk.confirmed(deal, as, 1_000)],
  [
    'a rejected subscription',
    false,
    async (desk, deal, as) => dataOf(await desk.reject(dataOf(await desk.subscribe(deal, as, 1_000)).subscription_id)),
  ],
  [
    'a cancelled subscription',
    false,
    async (desk, deal, as) => dataOf(await desk.cancel(dataOf(await desk.subscribe(deal, as, 1_000)).subscription_id, as)),
  ],
  [
    'an expired subscription',
    false,
    async (desk, deal, as) => {
      dataOf(await desk.subscribe(deal, as, 1_000));
      dataOf(await desk.allocate(deal));
    },
  ],
  ['an open order', true, async (desk, deal, as) => dataOf(await desk.order(deal, as, { amount: 1_000 }))],
  [
    'a cancelled order',
    false,
    async (desk, deal, as) => dataOf(await desk.cancelOrder(dataOf(await desk.order(deal, as, { amount: 1_000 })).order_id, as)),
  ],
  [
    'an order without a fill',
    false,
    async (desk, deal, as) => {
      const rival = await desk.investor();
      dataOf(await desk.order(deal, rival, { amount: 10_000_000 }));
      dataOf(await desk.order(deal, as, { amount: 1_000, limit_yield: 9 }));
      await desk.mark(deal);
      dataOf(await desk.allocate(deal, 'CLEARING_YIELD'));
    },
  ],
  ['a holding', true, async (desk, deal, as) => insertPosition(desk.gateway, as, deal.tranches[0] as string, 1_000)],
  ['a holding that was sold', false, async (desk, deal, as) => insertPosition(desk.gateway, as, deal.tranches[0] as string, 0)],
];

test('stakes and sight', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const stakeholders = async (deal: ListedDeal): Promise<string[]> => {
    const rows = await gateway.deps.db.tx({ platform: true }, (tx) => listStakeholders(tx, asId('deal', deal.deal_id)));
    return rows.map((row) => row.organization_id);
  };

  for (const [name, has, bring] of SITUATIONS) {
    await t.test(`${name} is ${has ? 'a' : 'no'} stake in the deal, and none in another`, async () => {
      const [deal, other, investor] = [await desk.list(), await desk.list(), await desk.investor()];
      await bring(desk, deal, investor);
      assert.equal((await stakeholders(deal)).includes(investor.organization_id), has);
      assert.deepEqual(await stakeholders(other), []);
    });
  }

  await t.test('an investor with many stakes is one stakeholder, from its order to its holding', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    dataOf(await desk.indicate(deal, investor, 1_000));
    dataOf(await desk.order(deal, investor, { amount: 1_000 }));
    await desk.confirmed(deal, investor, 1_000);
    const only = async (stage: string) => assert.deepEqual(await stakeholders(deal), [investor.organization_id], stage);
    await only('asked');
    dataOf(await desk.allocate(deal));
    await only('allocated');
    for (const { allocation_id } of await desk.allocations(deal, investor)) {
      const trade = await desk.trade(allocation_id, investor);
      await only('accepted');
      dataOf(await desk.decide(trade, 'settle'));
    }
    await only('settled');
  });

  await t.test('a deal is seen in every state but WITHDRAWN by all, and then by its holders', async () => {
    const [holder, stranger] = [await desk.investor(), await desk.investor()];
    const sees = (deal: ListedDeal, as: Holder) =>
      gateway.deps.db.tx({ platform: true }, (tx) => isVisible(tx, as.organization_id, asId('deal', deal.deal_id)));
    for (const market_status of MARKET_STATUSES) {
      const deal = await desk.list({ market_status });
      await insertPosition(gateway, holder, deal.tranches[0] as string, 1_000);
      const expected = [true, market_status !== 'WITHDRAWN'];
      assert.deepEqual([await sees(deal, holder), await sees(deal, stranger)], expected, market_status);
    }
    assert.equal(await sees({ deal_id: 'deal_none', pool_id: '', tranches: [] }, stranger), false);
  });

  await t.test(
    'a withdrawn deal stays readable, and all that hangs off it, to whoever had part in it; others read nothing',
    async () => {
      const ways: [string, (deal: ListedDeal, as: Holder) => Promise<unknown>][] = [
        ['an indication', async (deal, as) => dataOf(await desk.indicate(deal, as, 1_000))],
        ['a withdrawn indication', async (deal, as) => desk.withdrawIoi(dataOf(await desk.indicate(deal, as, 1_000)).ioi_id, as)],
        ['an order', async (deal, as) => dataOf(await desk.order(deal, as, { amount: 1_000 }))],
        ['a subscription', async (deal, as) => dataOf(await desk.subscribe(deal, as, 1_000))],
        [
          'a trade',
          async (deal, as) => {
            dataOf(await desk.order(deal, as, { amount: 1_000 }));
            dataOf(await desk.allocate(deal));
            await desk.trade((await desk.allocations(deal, as))[0]?.allocation_id ?? '', as);
          },
        ],
      ];
      for (const [name, bring] of ways) {
        const [deal, party, stranger] = [await desk.list(), await desk.investor(), await desk.investor()];
        await bring(deal, party);
        dataOf(await desk.move(deal, 'withdraw', { reason: 'market conditions' }));
        const paths = ['', '/tranches', '/documents', '/comparable'].map((part) => `deals/${deal.deal_id}${part}`);
        for (const path of paths) {
          assert.equal((await desk.get(path, party)).status, 200, `${name}: ${path}`);
          assert.deepEqual(codeOf(await desk.get(path, stranger)), [404, 'NOT_FOUND'], path);
        }
        assert.equal((await desk.read(`deals/${deal.deal_id}`, party)).market_status, 'WITHDRAWN', name);
        // Nothing more is accepted; who may read the deal learns why.
        for (const act of [desk.subscribe, desk.check, desk.indicate]) {
          assert.deepEqual(codeOf(await act(deal, party, 1_000)), [409, 'BOOKS_CLOSED'], name);
          assert.deepEqual(codeOf(await act(deal, stranger, 1_000)), [404, 'NOT_FOUND'], name);
        }
        assert.deepEqual(codeOf(await desk.order(deal, party, { amount: 1_000 })), [409, 'BOOKS_CLOSED'], name);
        assert.deepEqual(codeOf(await desk.order(deal, stranger, { amount: 1_000 })), [404, 'NOT_FOUND'], name);
      }
    },
  );

  await t.test('books are open where the deal is in MARKETING and its books say so', async () => {
    const open = (dealId: string) => gateway.deps.db.tx({ platform: true }, (tx) => holdBooksOpen(tx, asId('deal', dealId)));
    for (const market_status of MARKET_STATUSES) {
      const deal = await desk.list({ market_status });
      assert.equal(await open(deal.deal_id), market_status === 'MARKETING', market_status);
    }
    const deal = await desk.list();
    dataOf(await desk.move(deal, 'close-books'));
    assert.equal(await open(deal.deal_id), false);
    assert.equal(await open('deal_none'), false);
  });
});

test('whatever way a deal goes on the market, it closes only after its allocation, and never comes back from its end', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...MARKET_STATUSES), { maxLength: 12 }), (wanted) => {
      let status: MarketStatus = 'MARKETING';
      const way: MarketStatus[] = [status];
      for (const to of wanted) {
        if (!MARKET_MOVES.allowed(status).includes(to)) continue;
        status = to;
        way.push(to);
      }
      const closed = way.indexOf('CLOSED');
      if (closed !== -1) assert.equal(way[closed - 1], 'ALLOCATED');
      for (const end of ['CLOSED', 'WITHDRAWN'] as const) {
        if (way.includes(end)) assert.equal(way.at(-1), end);
      }
      assert.ok(way.filter((each) => each === 'ALLOCATED').length <= 1);
    }),
  );
});
