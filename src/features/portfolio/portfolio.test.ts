import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { localDate } from '../../finance/business-date.ts';
import { readXlsx } from 'hucre/xlsx';
import fc from '../../../test/support/property.ts';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { issuedDeal, structuredPool } from '../../../test/support/pools.ts';
import { buy, insertMark, insertPosition, listDeal } from '../../../test/support/market.ts';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { toWeights } from './portfolio.ts';

const CASES = 'data/reference/11_portfolio_cases.json';

test('weights of any book have 6 decimals and add up to one', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e12 }), { minLength: 1, maxLength: 30 }), (cents) => {
      const amounts = cents.toSorted((a, b) => b - a).map((each) => each / 100);
      const micros = toWeights(amounts).map((weight) => Math.round(weight * 1e6));
      assert.equal(
        micros.reduce((a, b) => a + b, 0),
        amounts[0] === 0 ? 0 : 1e6,
      );
    }),
  );
});

test('portfolio', async (t) => {
  await using gateway = await startGateway();
  const seller = await gateway.key('originator', 'Ally');
  const operator = await gateway.key('operator', 'Platform');
  const get = async (path: string, as: Holder) => {
    const answer = await gateway.call('GET', `/v1/api/investor/portfolio/${path}`, { as });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };

  await t.test('an empty book is zeros and empty lists', async () => {
    const nobody = await gateway.key('investor', 'Nobody');
    const { data } = await get('summary', nobody);
    assert.deepEqual(
      [data.total_market_value, data.wa_yield, data.wa_spread, data.wa_wal, data.wa_duration, data.by_class, data.by_originator],
      [0, 0, 0, 0, 0, [], []],
    );
    assert.deepEqual((await get('reports', nobody)).data, { holdings_snapshot: [], trade_history: [] });
    assert.deepEqual((await get('positions', nobody)).data, []);
  });

  await t.test('the published cases come out to the last printed digit', { skip: skipWithout(CASES) }, async () => {
    for (const each of JSON.parse(readFileSync(sharedPath(CASES) as string, 'utf8')).cases) {
      const holder = await gateway.key('investor', each.id);
      for (const position of each.positions) await hold(gateway, seller, holder, position);
      const { data } = await get('summary', holder);
      assert.equal(data.total_market_value, Number(each.expected.total_market_value));
      for (const [name, value] of Object.entries(each.expected.market_value_weighted))
        assert.equal(data[name], Number(value), name);
      for (const by of ['class', 'asset_type', 'originator']) {
        assert.deepEqual(
          data[`by_${by}`],
          each.expected[`by_${by}`].map((entry: Record<string, string | number>) => ({
            name: entry[by],
            market_value: Number(entry.market_value),
            weight: Number(entry.share),
            wa_yield: Number(entry.wa_yield),
            wa_spread: Number(entry.wa_spread),
            wa_wal: Number(entry.wa_wal),
            wa_duration: Number(entry.wa_duration),
            position_count: entry.positions,
            missing: { yield: 0, spread: 0, wal: 0, duration: 0 },
          })),
        );
      }
      const rows = (await get('positions?limit=100', holder)).data;
      assert.deepEqual(
        rows
          .map((row: { current_balance: number; market_value: number }) => [row.current_balance, row.market_value])
          .toReversed(),
        each.positions.map((row: Record<string, string>) => [Number(row.current_face), Number(row.market_value)]),
      );
    }
  });

  await t.test('a position without a mark is at par, yields its coupon, and is left out of the other means', async () => {
    const holder = await gateway.key('investor', 'Unmarked');
    const deal = await listDeal(gateway, seller, {
      tranches: [
        { class: 'A', coupon: 4 },
        { class: 'B', coupon: 6 },
      ],
    });
    await insertPosition(gateway, holder, deal.tranches[0] as string, 1_000_000);
    await insertPosition(gateway, holder, deal.tranches[1] as string, 1_000_000);
    await insertMark(gateway, deal.tranches[1] as string, { price: 100, yield: 7, spread_bp: 150, wal: 3, duration: 2.5 });
    const { data } = await get('summary', holder);
    assert.deepEqual([data.wa_yield, data.wa_spread, data.wa_wal, data.wa_duration], [5.5, 150, 3, 2.5]);
    assert.deepEqual(data.missing, { yield: 0, spread: 1, wal: 1, duration: 1 });
    // A group without a mark has means of 0, and says that no position has the figure.
    assert.deepEqual(
      data.by_class.map((each: typeof data) => [each.name, each.wa_wal, each.missing, each.position_count]),
      [
        ['A', 0, { yield: 0, spread: 1, wal: 1, duration: 1 }, 1],
        ['B', 3, { yield: 0, spread: 0, wal: 0, duration: 0 }, 1],
      ],
    );
    const rows = (await get('positions', holder)).data;
    assert.deepEqual([rows[1].price, rows[1].yield, rows[1].wal, rows[1].as_of], [100, 4, null, '2026-11-20']);
    assert.deepEqual([rows[0].price, rows[0].yield, rows[0].wal, rows[0].as_of], [100, 7, 3, '2026-11-30']);
  });

  await t.test('the latest mark counts; cost follows the factor; interest accrues from the last payment', async () => {
    const holder = await gateway.key('investor', 'Amortized');
    const deal = await listDeal(gateway, seller, {
      tranches: [{ balance: 10_000_000, current: 4_000_000, coupon: 6, accrued_from: '2026-01-15', dated_date: '2025-12-15' }],
    });
    const [tranche] = deal.tranches as [string];
    await insertPosition(gateway, holder, tranche, 1_000_000, 99);
    await insertMark(gateway, tranche, { price: 90, yield: 9 });
    await insertMark(gateway, tranche, { price: 101, yield: 5.5 });
    const [row] = (await get('positions', holder)).data;
    assert.deepEqual(
      [row.factor, row.current_balance, row.price, row.market_value, row.cost_basis, row.unrealized_gain],
      [0.4, 400_000, 101, 404_000, 396_000, 8_000],
    );
    const today = await gateway.deps.db.tx({ platform: true }, async (tx) => localDate(tx.now, tx.zone));
    const [year = 0, month = 0, day = 0] = today.split('-').map(Number);
    const days = 360 * (year - 2026) + 30 * (month - 1) + (Math.min(day, 30) - 15);
    assert.equal(row.accrued_interest, Math.round((400_000 * 0.06 * days * 100) / 360) / 100);
  });

  await t.test(
    'reports tell holdings and trades, keep performance back until it is calculated, and export as files',
    async () => {
      const holder = await gateway.key('investor', 'Reporter');
      const deal = await listDeal(gateway, seller);
      const tradeId = await buy(gateway, operator, holder, deal, 250_000);
      const { data } = await get('reports', holder);
      assert.deepEqual(Object.keys(data), ['holdings_snapshot', 'trade_history']);
      assert.equal(data.holdings_snapshot[0].face, 250_000);
      assert.equal(data.trade_history[0].trade_id, tradeId);
      assert.equal(data.trade_history[0].status, 'SETTLED');
      const csv = await gateway.call('GET', '/v1/api/investor/portfolio/reports?format=csv&section=trade_history', {
        as: holder,
      });
      assert.match(String(csv.headers['content-disposition']), /attachment; filename="trade_history.csv"/);
      assert.deepEqual(csv.text.split('\r\n')[0]?.split(',').slice(0, 4), ['trade_id', 'deal_id', 'tranche_id', 'side']);
      const sheets = await sheetsOf(gateway, holder, '');
      assert.deepEqual(
        sheets.map((sheet) => [sheet.name, sheet.rows[0]?.[0], sheet.rows[1]?.[0]]),
        [
          ['holdings_snapshot', 'position_id', data.holdings_snapshot[0].position_id],
          ['trade_history', 'trade_id', tradeId],
        ],
      );
      const [alone, ...others] = await sheetsOf(gateway, holder, '&section=trade_history');
      assert.deepEqual([alone?.name, others], ['trade_history', []]);
    },
  );

  await t.test('performance is that of the tranches held, and of the pools behind them', async () => {
    const holder = await gateway.key('investor', 'Senior holder');
    const pool = await structuredPool(gateway, seller, operator);
    const dealId = await issuedDeal(gateway, seller, operator, pool.pool_id);
    const market = (await gateway.call('GET', `/v1/api/investor/deals/${dealId}`, { as: holder })).body.data;
    const [senior, junior] = market.tranches;
    await insertPosition(gateway, holder, senior.tranche_id, 10_000);
    const path = `/v1/api/originator/analytics/pools/${pool.pool_id}/calculations`;
    await gateway.call('POST', path, { as: seller, body: { type: 'CASHFLOW' } });
    await gateway.runJobs();
    const { data } = await get('reports', holder);
    const told = (rows: { tranche_id: string }[]) => [...new Set(rows.map((row) => row.tranche_id))];
    assert.deepEqual(told(data.tranche_performance), [senior.tranche_id]);
    assert.deepEqual([data.pool_metrics[0].deal_id, data.pool_metrics[0].period], [dealId, 1]);
    const sheets = await sheetsOf(gateway, holder, '');
    assert.deepEqual(
      sheets.map((sheet) => [sheet.name, sheet.rows.length - 1]),
      Object.entries(data as Record<string, unknown[]>).map(([name, rows]) => [name, rows.length]),
    );
    const whole = (await gateway.call('GET', `/v1/api/investor/deals/${dealId}`, { as: holder })).body.data;
    assert.deepEqual(told(whole.performance.tranche_performance), [senior.tranche_id, junior.tranche_id]);
  });

  await t.test('one organization sees nothing of another’s book', async () => {
    const other = await gateway.key('investor', 'Other');
    assert.equal((await get('positions', other)).pagination.total, 0);
    assert.equal((await get('summary', other)).data.position_count, 0);
  });
});

/** Sheets of the workbook of reports, as another reader finds them. */
async function sheetsOf(gateway: Gateway, holder: Holder, query: string) {
  const answer = await gateway.app.inject({
    method: 'GET',
    url: `/v1/api/investor/portfolio/reports?format=xlsx${query}`,
    headers: { authorization: `Bearer ${holder.token}` },
  });
  assert.match(String(answer.headers['content-type']), /spreadsheetml/);
  return (await readXlsx(answer.rawPayload)).sheets;
}

/** A tranche of a real deal at its factor, marked and held as a case says. */
async function hold(gateway: Gateway, seller: Holder, holder: Holder, position: Record<string, string>): Promise<void> {
  const balance = 10_000_000;
  const deal = await listDeal(gateway, seller, {
    name: position.deal as string,
    asset_type: position.asset_type as string,
    tranches: [{ tranche: position.class as string, balance, current: Number((Number(position.factor) * balance).toFixed(2)) }],
  });
  const [tranche] = deal.tranches as [string];
  await insertPosition(gateway, holder, tranche, position.original_face as string);
  const {
    price,
    yield: rate,
    spread_bp,
    wal,
    duration,
  } = position as { price: string; yield: string; spread_bp: string; wal: string; duration: string };
  await insertMark(gateway, tranche, { price, yield: rate, spread_bp, wal, duration });
}
