import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { insertMark, insertPosition, listDeal } from '../../../test/support/market.ts';
import { localDate } from '../../finance/business-date.ts';
import { days30360 } from '../../finance/daycount.ts';
import { means, toBreakdown, toWeights } from './portfolio.ts';

type Group = { name: string; market_value: number; weight: number; position_count: number; wa_yield: number; wa_wal: number };
type PositionRow = { position_id: string; tranche_id: string; face: number; market_value: number };

test('the valuation of a book', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const lenders = await Promise.all(['Ally', 'Bridge', 'Crest'].map((name) => gateway.key('originator', name)));
  const positions = async (as: Awaited<ReturnType<typeof desk.investor>>) => desk.read('portfolio/positions?limit=100', as);
  const summary = async (as: Awaited<ReturnType<typeof desk.investor>>) => desk.read('portfolio/summary', as);

  await t.test('a position tells what it is of, what it is worth, what it cost, and from when', async () => {
    const investor = await desk.investor();
    const deal = await desk.list({
      asset_type: 'Mortgage',
      tranches: [{ tranche: 'M-1', class: 'MEZ', balance: 10_000_000, current: 2_500_000, coupon: 0 }],
    });
    const [tranche] = deal.tranches as [string];
    await insertPosition(gateway, investor, tranche, 1_000_000, 98.5);
    await insertMark(gateway, tranche, {
      price: 102.25,
      yield: 4.75,
      spread_bp: 80,
      wal: 3.5,
      duration: 3.1,
      as_of: '2026-10-31',
    });
    const [{ position_id, ...row }] = await positions(investor);
    assert.match(position_id, /^pos_/);
    assert.deepEqual(row, {
      deal_id: deal.deal_id,
      tranche_id: tranche,
      class: 'MEZ',
      asset_type: 'Mortgage',
      originator: 'Seller',
      face: 1_000_000,
      factor: 0.25,
      current_balance: 250_000,
      price: 102.25,
      market_value: 255_625,
      cost_basis: 246_250,
      accrued_interest: 0,
      yield: 4.75,
      spread: 80,
      wal: 3.5,
      duration: 3.1,
      unrealized_gain: 9_375,
      as_of: '2026-10-31',
    });
  });

  await t.test('interest from the end of February is that of whole months where the deal pays at month-ends', async () => {
    const investor = await desk.investor();
    const accrued = async (payment: object) => {
      const tranches = [{ balance: 1_000_000, coupon: 3.6, dated_date: '2026-01-31', accrued_from: '2026-02-28' }];
      const deal = await desk.list({ tranches });
      const structure = JSON.stringify({ tranches: [], waterfall: [], payment });
      await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update pools set structure = $2 where pool_id = $1', [deal.pool_id, structure]),
      );
      await insertPosition(gateway, investor, deal.tranches[0] ?? '', 1_000_000, 100);
      const rows = await positions(investor);
      return rows.find((row: { deal_id: string }) => row.deal_id === deal.deal_id).accrued_interest;
    };
    const before = localDate(new Date(), gateway.deps.config.businessZone);
    const [whole, counted] = [await accrued({ payment_day: 31 }), await accrued({ payment_day: 15 })];
    const days = (startDay: number) => days30360('2026-02-28', before, { startDay });
    assert.deepEqual([whole, counted], [days(31) * 100, days(15) * 100]);
  });

  await t.test('a mark without a yield is no reason to show the coupon', async () => {
    const investor = await desk.investor();
    const deal = await desk.list({ tranches: [{ coupon: 5 }] });
    await insertPosition(gateway, investor, deal.tranches[0] as string, 1_000);
    await insertMark(gateway, deal.tranches[0] as string, { price: 99 });
    const [row] = await positions(investor);
    assert.deepEqual([row.price, row.yield, row.spread, row.wal, row.duration], [99, null, null, null, null]);
    assert.deepEqual((await summary(investor)).missing, { yield: 1, spread: 1, wal: 1, duration: 1 });
  });

  await t.test('amounts are rounded to the cent, half away from zero, at every step', async () => {
    // 333.33 × 0.33333333 = 111.10999889 → 111.11; × 99.995 % = 111.1044445 → 111.10; cost 333.33 × 0.33333333 = 111.11.
    const investor = await desk.investor();
    const deal = await desk.list({ tranches: [{ balance: 3_000_000, current: 1_000_000, coupon: 0 }] });
    await insertPosition(gateway, investor, deal.tranches[0] as string, '333.33', 100);
    await insertMark(gateway, deal.tranches[0] as string, { price: 99.995 });
    const [row] = await positions(investor);
    assert.deepEqual(
      [row.current_balance, row.market_value, row.cost_basis, row.unrealized_gain],
      [111.11, 111.1, 111.11, -0.01],
    );
    // 1.01 × 50 % = 0.505, a tie.
    const tie = await desk.investor();
    const half = await desk.list({ tranches: [{ coupon: 0 }] });
    await insertPosition(gateway, tie, half.tranches[0] as string, '1.01', 100);
    await insertMark(gateway, half.tranches[0] as string, { price: 50 });
    assert.equal((await positions(tie))[0].market_value, 0.51);
  });

  await t.test('a tranche that is repaid in full is worth nothing and is still held; one that was sold is not', async () => {
    const investor = await desk.investor();
    const [repaid, sold] = [await desk.list({ tranches: [{ current: 0 }] }), await desk.list()];
    await insertPosition(gateway, investor, repaid.tranches[0] as string, 1_000);
    await insertPosition(gateway, investor, sold.tranches[0] as string, 0);
    const rows = await positions(investor);
    assert.deepEqual(
      rows.map((row: PositionRow & { factor: number }) => [row.tranche_id, row.factor, row.market_value]),
      [[repaid.tranches[0], 0, 0]],
    );
    const whole = await summary(investor);
    assert.deepEqual([whole.position_count, whole.total_market_value, whole.wa_yield, whole.by_class[0].weight], [1, 0, 0, 0]);
  });

  await t.test('positions are newest first and page; each investor has its own', async () => {
    const [investor, rival] = [await desk.investor(), await desk.investor()];
    const deal = await desk.list({ tranches: [{}, { tranche: 'B' }, { tranche: 'C' }] });
    for (const tranche of deal.tranches) await insertPosition(gateway, investor, tranche, 1_000);
    await insertPosition(gateway, rival, deal.tranches[0] as string, 7_000);
    const ids = (await positions(investor)).map((row: PositionRow) => row.tranche_id);
    assert.deepEqual(ids, deal.tranches.toReversed());
    const { data, pagination } = (await desk.get('portfolio/positions?limit=2&page=2', investor)).body;
    assert.deepEqual([data.map((row: PositionRow) => row.tranche_id), pagination.total], [[deal.tranches[0]], 3]);
    assert.deepEqual(
      (await positions(rival)).map((row: PositionRow) => row.face),
      [7_000],
    );
  });

  await t.test('the summary is what a plain sum over the positions says, whole and in every breakdown', async () => {
    const Holding = fc.record({
      lender: fc.nat(2),
      type: fc.constantFrom('Auto', 'Mortgage', 'Student'),
      class: fc.constantFrom('A', 'B', 'MEZ'),
      tenThousands: fc.integer({ min: 1, max: 9_000 }),
      factor: fc.integer({ min: 0, max: 100 }),
      price: fc.option(fc.integer({ min: 5_000, max: 11_000 })),
      rate: fc.integer({ min: 0, max: 1_200 }),
      wal: fc.option(fc.integer({ min: 1, max: 900 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(Holding, { minLength: 1, maxLength: 5 }), async (holdings) => {
        const investor = await desk.investor();
        const model: { value: number; names: Record<string, string>; rate: number; wal: number | null }[] = [];
        for (const each of holdings) {
          const lender = lenders[each.lender] as (typeof lenders)[number];
          const { tranches } = await listDeal(gateway, lender, {
            asset_type: each.type,
            tranches: [{ class: each.class, current: each.factor * 100_000, coupon: each.rate / 100 }],
          });
          const tranche = tranches[0] as string;
          await insertPosition(gateway, investor, tranche, each.tenThousands * 10_000);
          if (each.price !== null) {
            const wal = each.wal === null ? {} : { wal: each.wal / 100 };
            await insertMark(gateway, tranche, { price: each.price / 100, yield: each.rate / 100, ...wal });
          }
          model.push({
            // Tens of thousands at a whole percentage of face have whole cents at every hundredth of a price.
            value: (each.tenThousands * each.factor * (each.price ?? 10_000)) / 100,
            names: { class: each.class, asset_type: each.type, originator: ['Ally', 'Bridge', 'Crest'][each.lender] as string },
            rate: each.rate / 100,
            wal: each.price === null || each.wal === null ? null : each.wal / 100,
          });
        }
        const mean = (rows: typeof model, value: (row: (typeof model)[number]) => number | null): number => {
          const known = rows.filter((row) => value(row) !== null);
          const weight = known.reduce((sum, row) => sum + row.value, 0);
          return weight === 0 ? 0 : known.reduce((sum, row) => sum + row.value * (value(row) ?? 0), 0) / weight;
        };
        const near = (actual: number, expected: number, what: string) =>
          assert.ok(Math.abs(actual - expected) < 1e-4, `${what}: ${actual} is not ${expected}`);
        const found = await summary(investor);
        near(
          found.total_market_value,
          model.reduce((sum, row) => sum + row.value, 0),
          'total',
        );
        near(
          found.wa_yield,
          mean(model, (row) => row.rate),
          'yield',
        );
        near(
          found.wa_wal,
          mean(model, (row) => row.wal),
          'life',
        );
        assert.equal(found.missing.wal, model.filter((row) => row.wal === null).length);
        for (const by of ['class', 'asset_type', 'originator']) {
          const groups: Group[] = found[`by_${by}`];
          const expected = Map.groupBy(model, (row) => row.names[by] as string);
          assert.deepEqual(groups.map((group) => group.name).toSorted(), [...expected.keys()].toSorted());
          for (const group of groups) {
            const rows = expected.get(group.name) ?? [];
            near(
              group.market_value,
              rows.reduce((sum, row) => sum + row.value, 0),
              `${by} ${group.name}`,
            );
            assert.equal(group.position_count, rows.length);
            near(
              group.wa_yield,
              mean(rows, (row) => row.rate),
              `yield of ${group.name}`,
            );
            near(
              group.wa_wal,
              mean(rows, (row) => row.wal),
              `life of ${group.name}`,
            );
          }
          const sorted = groups.toSorted((a, b) => b.market_value - a.market_value || (a.name < b.name ? -1 : 1));
          assert.deepEqual(groups, sorted, 'largest first, then by name');
          const weights = groups.reduce((sum, group) => sum + Math.round(group.weight * 1e6), 0);
          assert.equal(weights, found.total_market_value === 0 ? 0 : 1e6);
        }
      }),
      { numRuns: 15 },
    );
  });

  await t.test('originators and operators have no book', async () => {
    for (const as of [desk.seller, desk.operator]) {
      for (const path of ['positions', 'summary', 'reports']) {
        assert.deepEqual(codeOf(await desk.get(`portfolio/${path}`, as)), [403, 'ROLE_FORBIDDEN'], path);
      }
    }
  });

  await t.test('what settles is in the book at once', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    dataOf(await desk.order(deal, investor, { amount: 250_000 }));
    dataOf(await desk.allocate(deal));
    const [allocation] = await desk.allocations(deal, investor);
    const trade = await desk.trade(allocation?.allocation_id ?? '', investor);
    assert.equal((await summary(investor)).position_count, 0);
    dataOf(await desk.decide(trade, 'settle'));
    const { position_count, total_market_value } = await summary(investor);
    assert.deepEqual([position_count, total_market_value], [1, 250_000]);
  });
});

test('the largest weight takes the rounding difference, and the others are rounded shares', () => {
  assert.deepEqual(toWeights([1, 1, 1]), [0.333334, 0.333333, 0.333333]);
  assert.deepEqual(toWeights([2, 1]), [0.666667, 0.333333]);
  assert.deepEqual(toWeights([5]), [1]);
  assert.deepEqual(toWeights([0, 0]), [0, 0]);
  assert.deepEqual(toWeights([]), []);
  assert.deepEqual(toWeights([1e12, 0.01]), [1, 0]);
});

test('groups are largest first and then by name; a mean that nobody has is 0', () => {
  const group = (name: string, market_value: number, wa_yield: number | null = 5) => ({
    name,
    market_value,
    position_count: 1,
    wa_yield,
    wa_spread: null,
    wa_wal: null,
    wa_duration: null,
    without_yield: 0,
    without_spread: 1,
    without_wal: 1,
    without_duration: 1,
  });
  const breakdown = toBreakdown([group('B', 10), group('A', 10), group('C', 20, null), group('D', 0)]);
  assert.deepEqual(
    breakdown.map((each) => [each.name, each.weight, each.wa_yield, each.wa_spread]),
    [
      ['C', 0.5, 0, 0],
      ['A', 0.25, 5, 0],
      ['B', 0.25, 5, 0],
      ['D', 0, 5, 0],
    ],
  );
  assert.deepEqual(means(group('A', 1, null)), { wa_yield: 0, wa_spread: 0, wa_wal: 0, wa_duration: 0 });
});
