import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { insertMark, insertPosition } from '../../../test/support/market.ts';
import { COLUMNS, exportCsv, type PortfolioReports } from './reports.ts';

const HOLDINGS =
  'position_id,deal_id,tranche_id,class,asset_type,originator,face,factor,current_balance,price,market_value,cost_basis,accrued_interest,yield,spread,wal,duration,unrealized_gain,as_of';
const TRADES = 'trade_id,deal_id,tranche_id,side,face,price,net_amount,trade_date,settlement_date,status';

test('reports of a portfolio', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const file = async (as: Holder, query: string) => {
    const answer = await desk.get(`portfolio/reports?${query}`, as);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return { headers: answer.headers, lines: answer.text.split('\r\n') };
  };

  await t.test('the holdings are the positions, row by row', async () => {
    const [deal, investor] = [await desk.list({ tranches: [{ coupon: 0 }, { tranche: 'B', coupon: 0 }] }), await desk.investor()];
    for (const tranche of deal.tranches) await insertPosition(gateway, investor, tranche, 10_000, 99);
    await insertMark(gateway, deal.tranches[0] as string, { price: 101, yield: 4 });
    const { holdings_snapshot } = await desk.read('portfolio/reports', investor);
    assert.deepEqual(holdings_snapshot, await desk.read('portfolio/positions', investor));
    assert.deepEqual(Object.keys(holdings_snapshot[0]).toSorted(), HOLDINGS.split(',').toSorted());
  });

  await t.test(
    'the trades are all of the investor’s, newest first, in every state, with the fields of the report alone',
    async () => {
      const investor = await desk.investor();
      const trades: string[] = [];
      for (const act of [null, 'settle', 'fail', 'cancel'] as const) {
        await gateway.advance(1);
        const deal = await desk.list();
        dataOf(await desk.order(deal, investor, { amount: 1_000 }));
        dataOf(await desk.allocate(deal));
        const id = await desk.trade((await desk.allocations(deal, investor))[0]?.allocation_id ?? '', investor);
        if (act) dataOf(await desk.decide(id, act));
        trades.unshift(id);
      }
      const { trade_history, holdings_snapshot } = await desk.read('portfolio/reports', investor);
      assert.deepEqual(
        trade_history.map((row: { trade_id: string; status: string }) => [row.trade_id, row.status]),
        [
          [trades[0], 'CANCELLED'],
          [trades[1], 'FAILED'],
          [trades[2], 'SETTLED'],
          [trades[3], 'PENDING_SETTLEMENT'],
        ],
      );
      assert.deepEqual(Object.keys(trade_history[0]), TRADES.split(','));
      assert.equal(holdings_snapshot.length, 1);
      const stranger = await desk.investor();
      assert.deepEqual(await desk.read('portfolio/reports', stranger), { holdings_snapshot: [], trade_history: [] });
    },
  );

  await t.test('as CSV a section has its header and a line for each row, nulls left empty; by default the holdings', async () => {
    const [deal, investor] = [await desk.list({ tranches: [{ coupon: 5.5, dated_date: '2999-01-01' }] }), await desk.investor()];
    await insertPosition(gateway, investor, deal.tranches[0] as string, '1234.5', 99.5);
    const { headers, lines } = await file(investor, 'format=csv');
    assert.match(String(headers['content-type']), /^text\/csv/);
    assert.match(String(headers['content-disposition']), /attachment; filename="holdings_snapshot.csv"/);
    const [{ position_id, deal_id, tranche_id }] = await desk.read('portfolio/positions', investor);
    assert.deepEqual(lines, [
      HOLDINGS,
      `${position_id},${deal_id},${tranche_id},A-1,Auto,Seller,1234.5,1,1234.5,100,1234.5,1228.33,0,5.5,,,,6.17,2026-11-20`,
      '',
    ]);
    assert.deepEqual((await file(investor, 'format=csv&section=holdings_snapshot')).lines, lines);
    assert.deepEqual((await file(investor, 'format=csv&section=trade_history')).lines, [TRADES, '']);
  });

  await t.test('a section that there is not has a header and no rows', async () => {
    const investor = await desk.investor();
    for (const section of ['tranche_performance', 'pool_metrics'] as const) {
      const { headers, lines } = await file(investor, `format=csv&section=${section}`);
      assert.deepEqual(lines, [COLUMNS[section].join(','), '']);
      assert.match(String(headers['content-disposition']), new RegExp(`filename="${section}.csv"`));
    }
  });

  await t.test('other formats and sections are refused', async () => {
    const investor = await desk.investor();
    for (const query of ['format=pdf', 'format=CSV', 'section=holdings', 'format=csv&section=', 'page=2&colour=red']) {
      assert.equal((await desk.get(`portfolio/reports?${query}`, investor)).status, 400, query);
    }
    assert.equal('holdings_snapshot' in (await desk.read('portfolio/reports?format=json&section=pool_metrics', investor)), true);
  });
});

test('text of a report cannot become a formula or another column, and every value has its cell', () => {
  const reports = {
    holdings_snapshot: [
      {
        position_id: '=1+1',
        class: 'A, "senior"',
        originator: '@Harbor\nFinance',
        face: 0,
        wal: null,
        yield: -1.5,
        as_of: '2026-11-20',
      },
      { position_id: 'pos_2', class: true, originator: new Date('2026-11-20T00:00:00.000Z'), deal_id: { a: 1 } },
    ],
    trade_history: [],
  } as unknown as PortfolioReports;
  const [, first = '', second = ''] = String(exportCsv(reports, 'holdings_snapshot').stream).split('\r\n');
  assert.ok(!/(^|,)"?[=@]/.test(first), first);
  assert.ok(first.includes('"A, ""senior"""'), first);
  assert.match(first, /,-1\.5,/);
  assert.equal(second, 'pos_2,"{""a"":1}",,true,,2026-11-20T00:00:00.000Z,,,,,,,,,,,,,');
});
