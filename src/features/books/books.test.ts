import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';

test('the book of a deal', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [anna, bert] = [await desk.investor(), await desk.investor()];
  const deal = await desk.list({
    tranches: [
      { tranche: 'B', seniority: 2, balance: 3_000_000 },
      { tranche: 'A', seniority: 1, balance: 1_000_000 },
      { tranche: 'R', seniority: 9, balance: 0, offered: false },
    ],
  });
  const [junior, senior] = deal.tranches as [string, string];
  const poolBook = (as = desk.seller, poolId = deal.pool_id) =>
    gateway.call('GET', `/v1/api/originator/pools/${poolId}/book`, { as });
  const dealBook = async () => dataOf(await desk.operate('GET', `deals/${deal.deal_id}/book`));

  await t.test('is empty before anybody bids', async () => {
    const { tranches, market_status, deal_id } = dataOf(await poolBook());
    assert.deepEqual([deal_id, market_status], [deal.deal_id, 'MARKETING']);
    const none = { count: 0, amount: 0 };
    assert.deepEqual(tranches, [
      {
        tranche_id: senior,
        tranche: 'A',
        class: 'A',
        balance: 1_000_000,
        indications: none,
        subscriptions: none,
        orders: none,
        orders_by_limit: [],
        coverage: 0,
      },
      {
        tranche_id: junior,
        tranche: 'B',
        class: 'B',
        balance: 3_000_000,
        indications: none,
        subscriptions: none,
        orders: none,
        orders_by_limit: [],
        coverage: 0,
      },
    ]);
  });

  await t.test(
    'adds up live bids per tranche and open orders by limit, and covers as the sum of both over the balance',
    async () => {
      dataOf(await desk.indicate(deal, anna, 700_000));
      dataOf(await desk.indicate(deal, bert, 50_000));
      const gone: string = dataOf(await desk.subscribe(deal, bert, 90_000, { tranche_id: junior })).subscription_id;
      dataOf(await desk.cancel(gone, bert));
      await desk.confirmed(deal, anna, 100_000, { tranche_id: senior });
      dataOf(await desk.subscribe(deal, anna, 233_000, { tranche_id: senior }));
      dataOf(await desk.indicate(deal, anna, 500_000));
      const order = async (as: typeof anna, tranche_id: string, amount: number, limit_yield: number | null): Promise<string> =>
        dataOf(await desk.order(deal, as, { tranche_id, amount, limit_yield })).order_id;
      await order(anna, junior, 1_000_000, 7.25);
      await order(bert, junior, 400_000, 7.25);
      await order(bert, junior, 200_000, 6.5);
      await order(anna, junior, 300_000, null);
      dataOf(await desk.cancelOrder(await order(bert, junior, 900_000, 5), bert));
      const { tranches } = dataOf(await poolBook());
      const [a, b] = tranches;
      assert.deepEqual(
        [a.indications, a.subscriptions, a.orders, a.coverage],
        [{ count: 1, amount: 500_000 }, { count: 2, amount: 333_000 }, { count: 0, amount: 0 }, 0.333],
      );
      assert.deepEqual(
        [b.indications, b.subscriptions, b.orders, b.coverage],
        [{ count: 0, amount: 0 }, { count: 0, amount: 0 }, { count: 4, amount: 1_900_000 }, 0.633333],
      );
      assert.deepEqual(b.orders_by_limit, [
        { limit_yield: null, count: 1, amount: 300_000 },
        { limit_yield: 6.5, count: 1, amount: 200_000 },
        { limit_yield: 7.25, count: 2, amount: 1_400_000 },
      ]);
    },
  );

  await t.test(
    'shows its owner no investor, and the operator every one with the amounts that the totals are made of',
    async () => {
      const told = (await poolBook()).text;
      for (const investor of [anna, bert]) assert.ok(!told.includes(investor.organization_id));
      assert.doesNotMatch(told, /Investor \d|org_|ord_|sub_|ioi_|placed_at|minimum_amount/);
      const { tranches, name, pool_id } = await dealBook();
      assert.deepEqual([name, pool_id], ['Harbor Auto 2026-1', deal.pool_id]);
      for (const { investors, ...totals } of tranches) {
        const own = dataOf(await poolBook()).tranches.find((each: { tranche: string }) => each.tranche === totals.tranche);
        assert.deepEqual(totals, own);
        for (const kind of ['indications', 'subscriptions', 'orders'])
          for (const figure of ['count', 'amount'])
            assert.equal(
              investors.reduce(
                (sum: number, each: Record<string, Record<string, number>>) => sum + (each[kind]?.[figure] ?? 0),
                0,
              ),
              totals[kind][figure],
            );
      }
      assert.deepEqual(
        tranches[1].investors.map((each: { organization: string; orders: object }) => [each.organization, each.orders]),
        [
          ['Investor 1', { count: 2, amount: 1_300_000 }],
          ['Investor 2', { count: 2, amount: 600_000 }],
        ],
      );
    },
  );

  await t.test('is its owner’s alone, of a pool that exists, and of no loan deal', async () => {
    const other = await gateway.key('originator', 'Other seller');
    assert.deepEqual(codeOf(await poolBook(other)), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await poolBook(desk.seller, 'pool_none')), [404, 'NOT_FOUND']);
    assert.deepEqual(codeOf(await desk.operate('GET', 'deals/deal_none/book')), [404, 'NOT_FOUND']);
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `insert into pools (pool_id, organization_id, name, status, deal_ids, loan_type, cut_off_date, closing_date, loan_count, balance)
         values ('pool_draft', $1, 'Draft', 'DRAFT', '{}', 'Auto', '2026-11-30', '2026-12-15', 1, 1)`,
        [desk.seller.organization_id],
      ),
    );
    const { deal_id, market_status, tranches } = dataOf(await poolBook(desk.seller, 'pool_draft'));
    assert.deepEqual([deal_id, market_status, tranches], [null, null, []]);
  });

  await t.test('leaves out what has ended with the books', async () => {
    dataOf(await desk.move(deal, 'close-books'));
    const [a] = dataOf(await poolBook()).tranches;
    assert.deepEqual([a.indications.count, a.subscriptions.count], [0, 2]);
  });
});

test('the operator’s list of indications', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const [anna, bert] = [await desk.investor(), await desk.investor()];
  const [one, two] = [await desk.list(), await desk.list()];
  const first: string = dataOf(await desk.indicate(one, anna, 1_000)).ioi_id;
  const second: string = dataOf(await desk.indicate(one, bert, 2_000)).ioi_id;
  const third: string = dataOf(await desk.indicate(two, anna, 3_000)).ioi_id;
  dataOf(await desk.withdrawIoi(second, bert));
  const list = async (query: string) => (await desk.operate('GET', `iois?${query}`)).body;
  const ids = async (query: string): Promise<string[]> => (await list(query)).data.map((row: { ioi_id: string }) => row.ioi_id);

  await t.test('has those of all investors, newest first, with their names', async () => {
    const { data, pagination } = await list('');
    assert.deepEqual([pagination.total, data.map((row: { ioi_id: string }) => row.ioi_id)], [3, [third, second, first]]);
    assert.deepEqual(
      [data[1].organization_id, data[1].organization, data[1].interest_amount, data[1].status],
      [bert.organization_id, 'Investor 2', 2_000, 'withdrawn'],
    );
  });

  await t.test('is filtered by deal, investor and status, and paged', async () => {
    assert.deepEqual(await ids(`deal_id=${one.deal_id}`), [second, first]);
    assert.deepEqual(await ids(`organization_id=${anna.organization_id}`), [third, first]);
    assert.deepEqual(await ids('status=withdrawn'), [second]);
    assert.deepEqual(await ids('limit=1&page=2'), [second]);
    assert.deepEqual(codeOf(await desk.operate('GET', 'iois?status=SUBMITTED')), [400, 'VALIDATION_FAILED']);
  });
});
