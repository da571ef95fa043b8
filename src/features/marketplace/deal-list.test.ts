import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { copyRows, manyOrganizations, planning } from '../../../test/support/many.ts';
import { insertMark, listDeal } from '../../../test/support/market.ts';
import { listDealSummaries } from './queries.ts';

type Card = { id: string; name: string };

test('the list of deals', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const [harbor, lagoon] = [
    await gateway.key('originator', 'Harbor Finance'),
    await gateway.key('originator', 'Lagoon_Capital 100%'),
  ];
  const names = async (query: string): Promise<string[]> =>
    (await desk.read(`deals?${query}`, investor)).map((card: Card) => card.name);

  // The market of every test of this file, oldest first; no test changes it.
  const auto = await listDeal(gateway, harbor, {
    name: 'Auto One',
    closing_date: '2026-12-15',
    tranches: [
      { balance: 8_000_000, coupon: 4 },
      { balance: 2_000_000, coupon: 9 },
    ],
  });
  await insertMark(gateway, auto.tranches[1] as string, { price: 98, yield: 14, wal: 4 });
  await gateway.advance(60);
  await listDeal(gateway, lagoon, {
    name: 'Auto Two',
    closing_date: '2026-12-14',
    tranches: [{ balance: 12_000_000, coupon: 6 }],
  });
  await gateway.advance(60);
  await listDeal(gateway, lagoon, {
    name: 'Auto Far',
    closing_date: '2026-12-16',
    tranches: [{ balance: 12_600_000, coupon: 6.5 }],
  });
  await gateway.advance(60);
  const closed = {
    name: 'Auto Nearest',
    market_status: 'CLOSED',
    closing_date: '2026-12-13',
    tranches: [{ balance: 9_900_000, coupon: 7 }],
  };
  await listDeal(gateway, lagoon, closed);
  await gateway.advance(60);
  const homes = await listDeal(gateway, harbor, {
    name: 'Homes',
    asset_type: 'Mortgage',
    closing_date: '2026-12-17',
    tranches: [{ balance: 10_000_000, coupon: 5 }],
  });
  await insertMark(gateway, homes.tranches[0] as string, { price: 100, yield: 5, wal: 2 });
  await listDeal(gateway, lagoon, { name: 'Gone', market_status: 'WITHDRAWN' });

  const CASES: [string, string[]][] = [
    ['sort=name', ['Auto Far', 'Auto Nearest', 'Auto One', 'Auto Two', 'Homes']],
    ['sort=-name', ['Homes', 'Auto Two', 'Auto One', 'Auto Nearest', 'Auto Far']],
    ['', ['Homes', 'Auto Nearest', 'Auto Far', 'Auto Two', 'Auto One']],
    ['sort=newest', ['Homes', 'Auto Nearest', 'Auto Far', 'Auto Two', 'Auto One']],
    ['sort=oldest', ['Auto One', 'Auto Two', 'Auto Far', 'Auto Nearest', 'Homes']],
    ['sort=dealSize', ['Auto Nearest', 'Auto One', 'Homes', 'Auto Two', 'Auto Far']],
    ['sort=-dealSize', ['Auto Far', 'Auto Two', 'Auto One', 'Homes', 'Auto Nearest']],
    ['sort=wa_yield', ['Homes', 'Auto One', 'Auto Two', 'Auto Far', 'Auto Nearest']],
    ['sort=-wa_yield', ['Auto Nearest', 'Auto Far', 'Auto One', 'Auto Two', 'Homes']],
    ['sort=wal', ['Homes', 'Auto One', 'Auto Two', 'Auto Far', 'Auto Nearest']],
    ['sort=-wal', ['Auto One', 'Homes', 'Auto Two', 'Auto Far', 'Auto Nearest']],
    ['sort=closing_date', ['Auto Nearest', 'Auto Two', 'Auto One', 'Auto Far', 'Homes']],
    ['sort=-closing_date', ['Homes', 'Auto Far', 'Auto One', 'Auto Two', 'Auto Nearest']],
    ['asset_type=Mortgage', ['Homes']],
    ['type=Mortgage', ['Homes']],
    ['asset_type=Student', []],
    ['q=LAGOON&sort=-dealSize', ['Auto Far', 'Auto Two', 'Auto Nearest']],
    ['q=o%20o', ['Auto One']],
    ['q=homes', ['Homes']],
    ['q=gone', []],
    ['q=100%25&sort=name', ['Auto Far', 'Auto Nearest', 'Auto Two']],
    ['q=100_', []],
    ['q=n_c&sort=name', ['Auto Far', 'Auto Nearest', 'Auto Two']],
    ['q=r_f', []],
    ['q=%25', ['Auto Nearest', 'Auto Far', 'Auto Two']],
    ['q=%5C', []],
    ['q=%27', []],
    ['status=CLOSED', ['Auto Nearest']],
    ['market_status=CLOSED', ['Auto Nearest']],
    ['status=APPROVED&market_status=CLOSED', ['Auto Nearest']],
    ['status=MARKETING&sort=name', ['Auto Far', 'Auto One', 'Auto Two', 'Homes']],
    ['status=IN_REVIEW', []],
    ['market_status=WITHDRAWN', []],
    ['status=WITHDRAWN', []],
    ['min_size=10000000&max_size=12000000&sort=dealSize', ['Auto One', 'Homes', 'Auto Two']],
    ['min_size=10000000.01&max_size=11999999.99', []],
    ['max_size=9900000', ['Auto Nearest']],
    ['min_size=12600000', ['Auto Far']],
    ['min_size=0&max_size=0', []],
    ['min_yield=6&sort=name', ['Auto Far', 'Auto Nearest', 'Auto One', 'Auto Two']],
    ['min_yield=6.000001&sort=name', ['Auto Far', 'Auto Nearest']],
    ['min_yield=7', ['Auto Nearest']],
    ['min_yield=7.000001', []],
    ['min_yield=6&asset_type=Auto&q=harbor', ['Auto One']],
    ['limit=2&page=1&sort=name', ['Auto Far', 'Auto Nearest']],
    ['limit=2&page=3&sort=name', ['Homes']],
    ['limit=2&page=4&sort=name', []],
  ];
  for (const [query, expected] of CASES) {
    await t.test(
      `“${decodeURIComponent(query) || 'nothing asked'}” finds ${expected.length === 0 ? 'nothing' : expected.join(', ')}`,
      async () => {
        assert.deepEqual(await names(query), expected);
      },
    );
  }

  await t.test('the count of a page is that of everything found', async () => {
    const { pagination } = (await desk.get('deals?limit=2&page=2&asset_type=Auto', investor)).body;
    assert.deepEqual(pagination, {
      page: 2,
      limit: 2,
      total: 4,
      totalPages: 2,
      hasNextPage: false,
      hasPrevPage: true,
      next_cursor: null,
    });
  });

  await t.test('bounds of creation are inclusive, and a date is its whole day', async () => {
    const [row] = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ at: Date }>('select created_at as at from securitization_deals where deal_id = $1', [homes.deal_id]),
    );
    const day = (row?.at.toISOString() ?? '').slice(0, 10);
    assert.equal((await names(`to=${day}`)).length, 5);
    assert.deepEqual(await names('from=2999-01-01'), []);
    assert.deepEqual(await names('to=2020-01-01'), []);
    assert.deepEqual(codeOf(await desk.get('deals?from=2026-02-02&to=2026-02-01', investor)), [422, 'RANGE_REVERSED']);
  });

  await t.test('bounds of size the wrong way round are 422; equal ones are a size', async () => {
    assert.deepEqual(codeOf(await desk.get('deals?min_size=2&max_size=1', investor)), [422, 'RANGE_REVERSED']);
    assert.deepEqual(await names('min_size=12000000&max_size=12000000'), ['Auto Two']);
  });

  await t.test('what no filter takes is refused', async () => {
    for (const query of [
      'sort=size',
      'sort=-newest',
      'asset_type=Boat',
      'asset_type=auto',
      'status=approved',
      'market_status=APPROVED',
      'min_size=-1',
      'min_size=ten',
      'min_yield=-101',
      'min_yield=1001',
      'q=',
      `q=${'x'.repeat(201)}`,
      'limit=0',
      'limit=101',
      'page=0',
      'colour=red',
    ]) {
      assert.equal((await desk.get(`deals?${query}`, investor)).status, 400, query);
    }
  });
});

test('a page of deals by name, size or date looks at the tranches of its own deals alone', async () => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Harbor');
  const investor = await gateway.key('investor', 'Buyer');
  await listDeal(gateway, originator);
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    await manyOrganizations(tx, originator, 300);
    await copyRows(tx, 'pools', originator, 300, { pool_id: 'pool_', deal_id: 'deal_' });
    await copyRows(tx, 'securitization_deals', originator, 300, { deal_id: 'deal_', pool_id: 'pool_', name: 'Deal ' });
    await tx.exec(
      `insert into tranches (tranche_id, deal_id, organization_id, tranche, class, offered, original_balance, current_balance, coupon_type, coupon,
         day_count, seniority, dated_date, accrued_from)
       select 'trn_' || deal_id, deal_id, organization_id, 'A', 'A', true, 1e6, 1e6, 'FIXED', 5, '30/360', 1, closing_date, closing_date
       from securitization_deals where deal_id like 'deal_many%'`,
    );
    for (const table of ['securitization_deals', 'tranches', 'marks']) await tx.exec(`analyze ${table}`);
    for (const sort of ['name', '-dealSize', 'closing_date', 'oldest'] as const) {
      const { seen, planned } = planning(tx);
      const { rows, total } = await listDealSummaries(planned, investor.organization_id, { page: 1, limit: 2, sort });
      assert.deepEqual([rows.map((row) => row.tranche_count), total], [[1, 1], 301]);
      assert.ok(seen.blocks < 200, `${sort}: ${seen.blocks} blocks`);
    }
  });
});
