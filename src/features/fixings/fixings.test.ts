import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, openDesk } from '../../../test/support/desk.ts';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { insertMark, insertPosition, type ListedDeal, type TrancheInput } from '../../../test/support/market.ts';
import { counting } from '../../../test/support/many.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from '../../../test/support/pools.ts';
import { setFixing } from './set-fixing.ts';

test('fixings', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const fix = (index: string, date: string, rate: unknown) => desk.operate('PUT', 'fixings', { index, date, rate });
  let indices = 0;
  /** A floater of an index of its own, with interest from 2026-12-01. */
  const floater = async (terms: Partial<NonNullable<TrancheInput['floating']>> = {}, more: TrancheInput = {}) => {
    const index = `INDEX ${(indices += 1)}`;
    const deal = await desk.list({
      closing_date: '2026-12-15',
      tranches: [{ floating: { index, margin_bp: 150, ...terms }, ...more }],
    });
    const investor = await desk.investor();
    const tranche = async () => (await desk.read(`deals/${deal.deal_id}/tranches`, investor))[0];
    return { deal, index, investor, tranche, rate: async () => (await tranche()).current_rate };
  };

  await t.test('are recorded by index and date, corrected, listed the latest date first, and audited', async () => {
    const { index } = await floater();
    const { result, changed } = await changesOf(gateway, () => fix(index, '2026-11-27', 4.3));
    const made = dataOf(result);
    assert.deepEqual([made.index, made.date, made.rate, made.tranche_count], [index, '2026-11-27', 4.3, 1]);
    assert.deepEqual(changed, ['audit_log', 'fixings', 'tranche_factors', 'tranches']);
    await gateway.advance(1);
    dataOf(await fix(index, '2026-12-28', 4.1));
    const corrected = dataOf(await fix(index, '2026-11-27', 4.25));
    assert.deepEqual(
      [corrected.rate, corrected.created_at, corrected.updated_at > made.updated_at],
      [4.25, made.created_at, true],
    );
    const listed = async (query: string) =>
      dataOf(await desk.operate('GET', `fixings?index=${encodeURIComponent(index)}${query}`)).map(
        (each: { date: string; rate: number }) => [each.date, each.rate],
      );
    assert.deepEqual(await listed(''), [
      ['2026-12-28', 4.1],
      ['2026-11-27', 4.25],
    ]);
    assert.deepEqual(await listed('&from=2026-11-28'), [['2026-12-28', 4.1]]);
    assert.deepEqual(await listed('&to=2026-12-27'), [['2026-11-27', 4.25]]);
    assert.deepEqual(await listed('&limit=1&page=2'), [['2026-11-27', 4.25]]);
    assert.deepEqual(codeOf(await desk.operate('GET', 'fixings?from=2026-02-01&to=2026-01-01')), [422, 'RANGE_REVERSED']);
    const entries = await desk.audited(`${index} 2026-11-27`);
    assert.deepEqual(
      entries.map((entry) => [entry.action, entry.actor, entry.before?.rate, entry.after?.rate]),
      [
        ['fixing.set', desk.operator.key_id, undefined, 4.3],
        ['fixing.set', desk.operator.key_id, 4.3, 4.25],
      ],
    );
  });

  await t.test('a rate that is no percentage or has more than 6 decimals is refused, and customers record none', async () => {
    for (const rate of ['4.3', null, true, -101, 1_001, 4.1234567, undefined]) {
      await assertRefused(gateway, () => fix('SOFR', '2026-11-27', rate), [400, 'VALIDATION_FAILED']);
    }
    for (const [index, date] of [
      ['', '2026-11-27'],
      ['SOFR', '2026-02-30'],
      ['x'.repeat(65), '2026-11-27'],
    ] as const) {
      await assertRefused(gateway, () => fix(index, date, 4), [400, 'VALIDATION_FAILED']);
    }
    const body = { index: 'SOFR', date: '2026-11-27', rate: 4 };
    for (const as of [desk.seller, await desk.investor()]) {
      assert.deepEqual(codeOf(await desk.send('PUT', '/v1/operator/fixings', as, body)), [403, 'ROLE_FORBIDDEN']);
    }
  });

  await t.test('the name of an index is refused where tranches follow it in another spelling', async () => {
    const { index, rate } = await floater();
    for (const misspelt of [` ${index}`, index.toLowerCase(), index.replace(' ', '')]) {
      const refused = await assertRefused(gateway, () => fix(misspelt, '2026-11-27', 4.3), [400, 'VALIDATION_FAILED']);
      assert.match(refused.body.errors?.[0]?.message ?? '', new RegExp(`expected "${index}"`));
    }
    dataOf(await fix(index, '2026-11-27', 4.3));
    assert.equal(await rate(), 5.8);
    const nobodys = dataOf(await fix('Nobody’s', '2026-11-27', 4.3));
    assert.equal(nobodys.tranche_count, 0);
  });

  await t.test('make the rate of a floater: index plus margin, within floor and cap; null before the first', async () => {
    const { index, tranche } = await floater({ margin_bp: -25, cap: 6, floor: 1 });
    const before = await tranche();
    assert.deepEqual(
      [before.coupon_type, before.index, before.margin_bp, before.cap, before.floor, before.coupon, before.current_rate],
      ['FLOATING', index, -25, 6, 1, null, null],
    );
    for (const [rate, expected] of [
      [4.3, 4.05],
      [9, 6],
      [0.5, 1],
      [-2, 1],
    ] as const) {
      dataOf(await fix(index, '2026-11-27', rate));
      const now = await tranche();
      assert.deepEqual([now.coupon, now.current_rate], [expected, expected], String(rate));
    }
    const fixed = await desk.list();
    const [other] = await desk.read(`deals/${fixed.deal_id}/tranches`, await desk.investor());
    assert.deepEqual([other.coupon_type, other.coupon, other.current_rate, other.index], ['FIXED', 5, null, null]);
  });

  await t.test('a period has the latest one up to its first day, else the first after it', async () => {
    const { index, rate } = await floater();
    dataOf(await fix(index, '2026-12-20', 5));
    dataOf(await fix(index, '2026-12-10', 4));
    assert.equal(await rate(), 5.5, 'the first after the period began');
    dataOf(await fix(index, '2026-11-01', 2));
    dataOf(await fix(index, '2026-12-01', 3));
    assert.equal(await rate(), 4.5, 'on its first day');
  });

  await t.test('the mean yield of a deal says how much of its face it covers', async () => {
    const index = 'COVERAGE';
    const deal = await desk.list({
      tranches: [
        { balance: 6_000_000, coupon: 5 },
        { tranche: 'B', balance: 2_000_000, floating: { index, margin_bp: 200 } },
      ],
    });
    const alone = await desk.list({ tranches: [{ floating: { index, margin_bp: 200 } }] });
    const figures = async (of: ListedDeal) => {
      const { wa_yield, wa_yield_coverage } = await desk.read(`deals/${of.deal_id}`, await desk.investor());
      return [wa_yield, wa_yield_coverage];
    };
    assert.deepEqual(
      [await figures(deal), await figures(alone)],
      [
        [5, 0.75],
        [0, 0],
      ],
    );
    dataOf(await fix(index, '2026-11-27', 7));
    assert.deepEqual(
      [await figures(deal), await figures(alone)],
      [
        [6, 1],
        [9, 1],
      ],
    );
    await insertMark(gateway, alone.tranches[0] as string, { price: 99 });
    assert.deepEqual(await figures(alone), [9, 1]);
  });

  await t.test('a trade in a floater settles by the fixing of its period, and not without one', async () => {
    const { deal, index, investor } = await floater({}, { day_count: 'ACT/360' });
    dataOf(await desk.order(deal, investor, { amount: 1_000_000 }));
    dataOf(await desk.allocate(deal));
    const id = await desk.trade((await desk.allocations(deal, investor))[0]?.allocation_id ?? '', investor);
    const read = () => desk.read(`trades/${id}`, investor);
    assert.deepEqual([(await read()).accrued_interest, (await read()).settlement_date], [0, '2026-12-15']);
    const refused = await assertRefused(gateway, () => desk.decide(id, 'settle'), [422, 'FIXING_MISSING']);
    assert.deepEqual([refused.body.index, refused.body.tranche_id], [index, deal.tranches[0]]);
    dataOf(await desk.decide(id, 'fail'));
    await assertRefused(gateway, () => desk.decide(id, 'settle'), [422, 'FIXING_MISSING']);
    dataOf(await fix(index, '2026-11-27', 4.3));
    const settled = dataOf(await desk.decide(id, 'settle'));
    // 14 days of ACT/360 at 5.8 % on 1,000,000.
    assert.deepEqual([settled.accrued_interest, settled.net_amount, settled.status], [2_255.56, 1_002_255.56, 'SETTLED']);
    assert.deepEqual([(await read()).accrued_interest, (await read()).net_amount], [2_255.56, 1_002_255.56]);
    const cash = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ amount: number }>(
        `select amount::float8 as amount from ledger_entries where trade_id = $1 and account = 'CASH' order by amount`,
        [id],
      ),
    );
    assert.deepEqual(
      cash.map((each) => each.amount),
      [-1_002_255.56, 1_002_255.56],
    );
  });

  await t.test('moves the coupons of many deals, each by its own terms, with as many statements as that of one', async () => {
    const index = 'OF MANY';
    const dealOf = (margin_bp: number) =>
      desk.list({
        closing_date: '2026-12-15',
        tranches: [
          { coupon: 5 },
          { tranche: 'B', floating: { index, margin_bp } },
          { tranche: 'C', floating: { index, margin_bp: 0 } },
        ],
      });
    const fixing = (rate: number) =>
      gateway.deps.db.tx({ platform: true }, async (tx) => {
        const { seen, counted } = counting(tx);
        await setFixing(counted, desk.operator, { index, date: '2026-11-27', rate });
        return seen.statements;
      });
    const deals = [await dealOf(100)];
    const few = await fixing(4);
    for (const margin_bp of [200, 300, 400, 500]) deals.push(await dealOf(margin_bp));
    assert.equal(await fixing(3), few);
    const investor = await desk.investor();
    const coupons = [];
    for (const { deal_id } of deals)
      coupons.push((await desk.read(`deals/${deal_id}/tranches`, investor)).map((each: { coupon: number }) => each.coupon));
    assert.deepEqual(
      coupons,
      [4, 5, 6, 7, 8].map((coupon) => [5, coupon, 3]),
    );
  });

  await t.test(
    'a fixing that is corrected after the acceptance counts; what has settled and what has a fixed coupon stays',
    async () => {
      const { deal, index, investor } = await floater();
      dataOf(await fix(index, '2026-11-27', 3.5));
      dataOf(await desk.order(deal, investor, { amount: 1_000_000 }));
      dataOf(await desk.order(deal, investor, { amount: 2_000_000 }));
      dataOf(await desk.allocate(deal));
      const ids = [];
      for (const each of await desk.allocations(deal, investor)) ids.push(await desk.trade(each.allocation_id, investor));
      const [first, second] = ids as [string, string];
      // 14 days of 30/360 at 5 %.
      assert.equal(dataOf(await desk.decide(first, 'settle')).accrued_interest, 1_944.44);
      dataOf(await fix(index, '2026-11-27', 4.5));
      assert.equal(dataOf(await desk.decide(second, 'settle')).accrued_interest, 4_666.67);
      assert.equal((await desk.read(`trades/${first}`, investor)).accrued_interest, 1_944.44);
    },
  );

  await t.test('a holding yields the current rate without a mark, and a pro rata sale at par meets limits up to it', async () => {
    const { deal, index, investor } = await floater();
    await insertPosition(gateway, investor, deal.tranches[0] as string, 1_000_000);
    const position = async () => (await desk.read('portfolio/positions', investor))[0];
    assert.equal((await position()).yield, null);
    dataOf(await fix(index, '2026-11-27', 4));
    assert.equal((await position()).yield, 5.5);
    const [at, above] = [await desk.investor(), await desk.investor()];
    dataOf(await desk.order(deal, at, { amount: 100_000, limit_yield: 5.5 }));
    dataOf(await desk.order(deal, above, { amount: 100_000, limit_yield: 5.500001 }));
    const { allocations, unfilled } = dataOf(await desk.allocate(deal));
    assert.deepEqual([allocations.length, allocations[0].yield, unfilled.length], [1, 5.5, 1]);
  });

  await t.test('a pool whose structure has a floater is issued with its index, margin, cap and floor', async () => {
    const originator = await gateway.key('originator', 'Floating');
    const dealId = await approvedDeal(gateway, originator, desk.operator, { rows: 20 });
    const pool = dataOf(await formPool(gateway, originator, [dealId]));
    const structure = structureOver(pool.balance);
    const [senior, ...others] = structure.tranches as object[];
    const coupon = { type: 'FLOATING', index: 'ISSUED INDEX', margin_bp: 120, cap: 9, floor: 1.5 };
    const path = `/v1/api/originator/pools/${pool.pool_id}/structure`;
    dataOf(
      await gateway.call('PUT', path, { as: originator, body: { ...structure, tranches: [{ ...senior, coupon }, ...others] } }),
    );
    dataOf(await fix('ISSUED INDEX', '2026-11-27', 4));
    const issued = await issuedDeal(gateway, originator, desk.operator, pool.pool_id);
    const tranches = await desk.read(`deals/${issued}/tranches`, await desk.investor());
    const terms = tranches.map((each: Record<string, unknown>) =>
      ['coupon_type', 'index', 'margin_bp', 'cap', 'floor', 'coupon', 'current_rate'].map((name) => each[name]),
    );
    assert.deepEqual(terms, [
      ['FLOATING', 'ISSUED INDEX', 120, 9, 1.5, 5.2, 5.2],
      ['FIXED', null, null, null, null, 6.5, null],
    ]);
  });
});
