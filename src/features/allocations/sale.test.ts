import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRICING } from '../../../test/support/calculations.ts';
import { assertRefused, dataOf, openDesk } from '../../../test/support/desk.ts';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { insertMark, type ListedDeal } from '../../../test/support/market.ts';
import { issuedDeal, structuredPool } from '../../../test/support/pools.ts';
import fc from '../../../test/support/property.ts';
import { accruedInterest, yearsFromSettlement, yieldFromValue } from '../../finance/bond.ts';
import { type TrancheCash, yieldAtPrice } from '../../finance/structure/tranche-cash.ts';
import { asId } from '../../platform/ids.ts';
import type { MarkWithCash } from '../calculations/mark-cash.ts';
import type { AllocationMethod } from './allocate.ts';
import { allocateDeal } from './allocate-deal.ts';
import { runRound, type UnplacedBid } from './round.ts';
import { marketYield, salePrice } from './sale.ts';

test('a sale at a price', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const sellAtLimit = async (deal: ListedDeal, limit_yield: number, method: AllocationMethod = 'CLEARING_YIELD') => {
    const investor = await desk.investor();
    dataOf(await desk.order(deal, investor, { amount: 100_000, limit_yield }));
    const made = dataOf(await desk.allocate(deal, method));
    return { investor, made, allocations: await desk.allocations(deal, investor) };
  };

  await t.test(
    'an order with a limit of 8 % in a 5 % tranche pays what 8 % costs, by the cash flows that its mark was made of',
    async () => {
      const originator = await gateway.key('originator', 'Engine');
      const pool = await structuredPool(gateway, originator, desk.operator, 20);
      const dealId = await issuedDeal(gateway, originator, desk.operator, pool.pool_id);
      const base = `/v1/api/originator/analytics/pools/${pool.pool_id}/calculations`;
      const calculate = async (more: object): Promise<string> => {
        const requested = await gateway.call('POST', base, { as: originator, body: { ...PRICING, ...more } });
        await gateway.runJobs();
        return dataOf(requested).calculation_id;
      };
      const [mark, atEight] = [await calculate({}), await calculate({ yields: { 'A-1': 8 } })];
      dataOf(await desk.operate('POST', `calculations/${mark}/publish`));
      const tranches = await desk.read(`deals/${dealId}/tranches`, await desk.investor());
      const deal = { deal_id: dealId, pool_id: pool.pool_id, tranches: [tranches[0].tranche_id] };
      const { investor, allocations } = await sellAtLimit(deal, 8);
      const [allocation] = allocations;
      const trade = await desk.read(`trades/${await desk.trade(allocation?.allocation_id ?? '', investor)}`, investor);
      assert.deepEqual([allocation?.yield, trade.yield, trade.price], [8, 8, allocation?.price]);
      assert.ok(Math.abs(trade.principal_amount - trade.price * 1_000) <= 0.0051);

      // Twice by others: the engine priced the tranche at 8 % itself, and the published rows priced by hand yield 8 %.
      const { results } = dataOf(await gateway.call('GET', `${base}/${atEight}`, { as: originator }));
      const priced = results[0].tranches.find((each: { tranche: string }) => each.tranche === 'A-1');
      assert.ok(
        trade.price < 99 && Math.abs(trade.price - priced.price) < 1e-4,
        `${trade.price}, the engine says ${priced.price}`,
      );
      const rows: { date: string; opening: number; interest_paid: number; principal: number }[] = dataOf(
        await gateway.call('GET', `${base}/${mark}/cashflows?tranche=A-1`, { as: originator }),
      );
      const flows = {
        years: yearsFromSettlement(
          '2026-12-15',
          rows.map((row) => row.date),
        ),
        amounts: rows.map((row) => row.interest_paid + row.principal),
      };
      const accrued = accruedInterest(
        rows[0]?.opening ?? 0,
        { coupon: 5, dayCount: '30/360', from: '2026-12-15', paymentDay: 15 },
        '2026-12-15',
      );
      const earned = yieldFromValue(flows, ((rows[0]?.opening ?? 0) * trade.price) / 100 + accrued) ?? 0;
      assert.ok(earned >= 8 - 1e-9 && earned <= 8.0005, String(earned));
    },
  );

  await t.test('the price is fixed at the issue: a later mark moves neither it nor the face that is offered again', async () => {
    const deal = await desk.list({ tranches: [{ balance: 300_000 }] });
    const { cash } = await desk.mark(deal, { price: 99 });
    const [first, second] = [await desk.investor(), await desk.investor()];
    dataOf(await desk.order(deal, first, { amount: 200_000, limit_yield: 6 }));
    await gateway.advance(1);
    dataOf(await desk.order(deal, second, { amount: 200_000, limit_yield: 6 }));
    const made = dataOf(await desk.allocate(deal, 'CLEARING_YIELD'));
    const price = made.tranches[0].price;
    assert.ok(Math.abs((yieldAtPrice(cash, price) ?? 0) - 6) < 0.0005);
    assert.deepEqual(new Set(made.allocations.map((each: { price: number }) => each.price)), new Set([price]));
    await desk.mark(deal, { price: 80 });
    const [declined] = await desk.allocations(deal, second);
    dataOf(await desk.answer(declined?.allocation_id ?? '', second, 'decline'));
    const own = await desk.allocations(deal, first);
    assert.deepEqual(
      own.map((each) => [each.yield, each.price]),
      [
        [6, price],
        [6, price],
      ],
    );
    for (const each of own) {
      const trade = await desk.read(`trades/${await desk.trade(each.allocation_id, first)}`, first);
      assert.deepEqual([trade.yield, trade.price], [6, price]);
      assert.equal((await desk.read(`allocations/${each.allocation_id}/proof`, first)).price, price);
    }
  });

  await t.test(
    'a tranche with bids and no mark cannot clear at a yield, also in a dry run; one without bids needs none',
    async () => {
      const deal = await desk.list({ tranches: [{}, { tranche: 'B' }, { tranche: 'C' }] });
      await desk.mark(deal);
      const investor = await desk.investor();
      dataOf(await desk.order(deal, investor, { amount: 100_000 }));
      assert.equal((await desk.allocate(deal, 'CLEARING_YIELD', { dry_run: true })).status, 200);
      await desk.confirmed(deal, investor, 100_000, { tranche_id: deal.tranches[1] });
      for (const more of [{ dry_run: true }, {}]) {
        const refused = await assertRefused(gateway, () => desk.allocate(deal, 'CLEARING_YIELD', more), [422, 'MARK_REQUIRED']);
        assert.deepEqual(refused.body.tranches, [{ tranche_id: deal.tranches[1], tranche: 'B' }]);
      }
      assert.equal((await desk.allocate(deal)).status, 201, 'pro rata sells at par');
    },
  );

  await t.test('a mark without cash flows behind it prices no clearing yield', async () => {
    const deal = await desk.list();
    await insertMark(gateway, deal.tranches[0] as string, { price: 99, yield: 6, duration: 2 });
    dataOf(await desk.order(deal, await desk.investor(), { amount: 100_000, limit_yield: 6 }));
    assert.deepEqual(codeOf(await desk.allocate(deal, 'CLEARING_YIELD')), [422, 'MARK_REQUIRED']);
  });

  await t.test('pro rata sells at the mark, and at its yield: a limit above it stays unfilled, one at it is filled', async () => {
    const deal = await desk.list();
    const investors = await Promise.all([1, 2, 3].map(() => desk.investor()));
    await insertMark(gateway, deal.tranches[0] as string, { price: '97.12345678', yield: '6.25' });
    for (const [index, limit_yield] of [6.25, 6.250001, null].entries()) {
      dataOf(await desk.order(deal, investors[index] ?? desk.seller, { amount: 100_000, limit_yield }));
    }
    const { unfilled, tranches } = dataOf(await desk.allocate(deal));
    assert.deepEqual(
      unfilled.map((each: { reason: string }) => each.reason),
      ['The limit of 6.250001 % is above the yield of the sale of 6.25 %.'],
    );
    assert.deepEqual([tranches[0].yield, tranches[0].price], [6.25, 97.12345678]);
    const [own] = await desk.allocations(deal, investors[0] ?? desk.seller);
    const trade = await desk.read(
      `trades/${await desk.trade(own?.allocation_id ?? '', investors[0] ?? desk.seller)}`,
      investors[0] ?? desk.seller,
    );
    assert.deepEqual([trade.price, trade.yield, trade.principal_amount], [97.12345678, 6.25, 97_123.46]);
    const orders = await desk.read(`orders?deal_id=${deal.deal_id}`, investors[1] ?? desk.seller);
    assert.equal(orders[0].status, 'UNFILLED');
  });

  await t.test(
    'without a mark pro rata sells at par, which yields the coupon whatever yield the tranche was offered at',
    async () => {
      const deal = await desk.list({ tranches: [{ coupon: 5, offered_yield: 5.5 }] });
      const [patient, eager] = [await desk.investor(), await desk.investor()];
      dataOf(await desk.order(deal, patient, { amount: 100_000, limit_yield: 5.2 }));
      dataOf(await desk.order(deal, eager, { amount: 100_000, limit_yield: 5 }));
      const { allocations, unfilled } = dataOf(await desk.allocate(deal));
      assert.deepEqual([allocations.length, allocations[0].yield, allocations[0].price, unfilled.length], [1, 5, 100, 1]);
      assert.equal(allocations[0].organization_id, eager.organization_id);
    },
  );

  await t.test('a mark that is published while the books are run is not passed over', async () => {
    const deal = await desk.list();
    dataOf(await desk.order(deal, await desk.investor(), { amount: 100_000 }));
    const request = { deal_id: asId('deal', deal.deal_id), method: 'PRO_RATA' as const, marks: [] };
    await desk.mark(deal);
    const decider = { actor_id: desk.operator.key_id, organization_id: desk.operator.organization_id };
    await assert.rejects(
      gateway.deps.db.tx({ platform: true }, (tx) => allocateDeal(tx, decider, request)),
      { code: 'CONFLICT' },
    );
  });

  await t.test(
    'what cleared before prices were fixed is priced at its yield when it is accepted, and never without a mark',
    async () => {
      const deal = await desk.list();
      const { cash } = await desk.mark(deal);
      const { investor, allocations } = await sellAtLimit(deal, 7);
      const id = allocations[0]?.allocation_id ?? '';
      const forget = (sql: string) => gateway.deps.db.tx({ platform: true }, (tx) => tx.exec(sql, [deal.deal_id]));
      await forget('update allocations set price = null where deal_id = $1');
      await forget('delete from marks where deal_id = $1');
      await assertRefused(gateway, () => desk.answer(id, investor, 'accept'), [422, 'MARK_REQUIRED']);
      await desk.mark(deal);
      const trade = await desk.read(`trades/${await desk.trade(id, investor)}`, investor);
      assert.ok(Math.abs((yieldAtPrice(cash, trade.price) ?? 0) - 7) < 0.0005);
    },
  );
});

const months = Array.from({ length: 60 }, (_, index) => index);
/** Five years of level principal with interest at the coupon. */
const cashAt = (coupon: number): TrancheCash => ({
  flows: {
    years: months.map((month) => (month + 1) / 12),
    amounts: months.map((month) => 100_000 + ((60 - month) * 100_000 * coupon) / 1_200),
  },
  balance: 6_000_000,
  accrued: 0,
  basis: 'BEY',
});
const Limit = fc.integer({ min: 0, max: 12_000_000 }).map((millionths) => millionths / 1_000_000);
const Book = fc
  .array(fc.record({ steps: fc.integer({ min: 1, max: 30 }), least: fc.nat(10), limit: fc.option(Limit) }), { maxLength: 8 })
  .map((bids) =>
    bids.map(
      ({ steps, least, limit }, index): UnplacedBid => ({
        organization_id: asId('org', `org_${index}`),
        order_id: asId('ord', `ord_${index}`),
        subscription_id: null,
        amount: `${steps * 1_000}.00`,
        minimum_amount: `${Math.min(steps, least) * 1_000}.00`,
        limit_yield: limit,
        placed_at: '2026-11-20T10:00:00.000Z',
      }),
    ),
  );

test('every fill, by either method, pays a price that yields what is stated within 0.0005, and never less than its limit', async () => {
  const Terms = fc.record({
    coupon: fc.integer({ min: 0, max: 1_000 }).map((points) => points / 100),
    price: fc.integer({ min: 80_000_000, max: 115_000_000 }).map((millionths) => millionths / 1_000_000),
    method: fc.constantFrom<AllocationMethod>('PRO_RATA', 'CLEARING_YIELD'),
    steps: fc.integer({ min: 1, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(Book, Terms, async (book, { coupon, price, method, steps }) => {
      const cash = cashAt(coupon);
      const mark: MarkWithCash = {
        tranche_id: asId('trn', 'trn_1'),
        tranche: 'A',
        calculation_id: asId('calc', 'calc_1'),
        price,
        yield: yieldAtPrice(cash, price),
        cash,
      };
      const market_yield = marketYield(method, { coupon, offered_yield: null }, mark);
      const round = await runRound(book, {
        method,
        size: `${steps * 1_000}.00`,
        increment: '1000.00',
        market_yield,
        rule_version: 2,
      });
      const paid = salePrice(method, round.yield, mark);
      for (const { bid, amount } of round.fills) {
        if (amount === 0n) continue;
        const earned = yieldAtPrice(cash, Number(paid)) ?? Number.NaN;
        assert.ok(Math.abs(earned - (round.yield ?? Number.NaN)) <= 0.0005, `${earned} is not ${round.yield}`);
        assert.ok(bid.limit_yield === null || earned >= bid.limit_yield - 1e-9, `${earned} is below ${bid.limit_yield}`);
      }
    }),
  );
});
