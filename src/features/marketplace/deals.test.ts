import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { insertMark, insertPosition, listDeal } from '../../../test/support/market.ts';
import { newId } from '../../platform/ids.ts';

type Card = { id: string; name: string; wa_yield: number; wal: number | null; minimum_investment: number | null };

test('deals on the market', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const [harbor, lagoon] = [await gateway.key('originator', 'Harbor Finance'), await gateway.key('originator', 'Lagoon Capital')];
  const read = (path: string, as = investor) => desk.read(path, as);
  const cardOf = async (name: string): Promise<Card> => (await read(`deals?q=${encodeURIComponent(name)}`))[0];

  await t.test('a card tells the offered tranches alone, weighted by balance: the mark’s yield, else the coupon', async () => {
    const deal = await listDeal(gateway, harbor, {
      name: 'Card One',
      tranches: [
        { class: 'A', balance: 8_000_000, coupon: 4 },
        { class: 'B', balance: 2_000_000, coupon: 9 },
        { tranche: 'R', balance: 500_000, offered: false, coupon: null },
      ],
    });
    const { id, deal_id, closing_date, ...card } = (await read('deals?q=card%20one'))[0];
    assert.deepEqual([id, deal_id, closing_date], [deal.deal_id, deal.deal_id, '2026-12-15']);
    assert.deepEqual(card, {
      name: 'Card One',
      asset_type: 'Auto',
      dealSize: 10_000_000,
      wa_yield: 5,
      wa_yield_coverage: 1,
      wal: null,
      originator: 'Harbor Finance',
      status: 'APPROVED',
      tranche_count: 2,
      minimum_investment: 1_000,
      market_status: 'MARKETING',
    });
    await insertMark(gateway, deal.tranches[1] as string, { price: 98, yield: 14, wal: 4 });
    const marked = await cardOf('card one');
    assert.deepEqual([marked.wa_yield, marked.wal], [6, 4]);
    await insertMark(gateway, deal.tranches[2] as string, { price: 50, yield: 40, wal: 20 });
    assert.deepEqual(await cardOf('card one'), marked, 'a residual is not on offer');
  });

  await t.test('of several marks the latest counts, and one without a yield leaves the coupon', async () => {
    const deal = await listDeal(gateway, harbor, { name: 'Card Marks', tranches: [{ coupon: 4 }] });
    const [tranche] = deal.tranches as [string];
    await insertMark(gateway, tranche, { price: 98, yield: 8, wal: 4 });
    await insertMark(gateway, tranche, { price: 99, yield: 7, wal: 3 });
    const newer = await cardOf('Card Marks');
    assert.deepEqual([newer.wa_yield, newer.wal], [7, 3]);
    await insertMark(gateway, tranche, { price: 100 });
    const bare = await cardOf('Card Marks');
    assert.deepEqual([bare.wa_yield, bare.wal], [4, null]);
  });

  await t.test('yield and life of a card are the plain weighted means of what is known', async () => {
    const Tranche = fc.record({
      millions: fc.integer({ min: 1, max: 50 }),
      coupon: fc.option(fc.integer({ min: 0, max: 1_200 })),
      mark: fc.option(
        fc.record({ yield: fc.option(fc.integer({ min: 0, max: 1_500 })), wal: fc.option(fc.integer({ min: 1, max: 3_000 })) }),
      ),
    });
    let deals = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(Tranche, { minLength: 1, maxLength: 4 }), async (tranches) => {
        const name = `Mean ${(deals += 1)} end`;
        const deal = await listDeal(gateway, harbor, {
          name,
          tranches: tranches.map(({ millions, coupon }) => ({
            balance: millions * 1e6,
            coupon: coupon === null ? null : coupon / 100,
          })),
        });
        for (const [index, { mark }] of tranches.entries()) {
          if (!mark) continue;
          const { yield: rate, wal } = mark;
          await insertMark(gateway, deal.tranches[index] as string, {
            price: 100,
            ...(rate === null ? {} : { yield: rate / 100 }),
            ...(wal === null ? {} : { wal: wal / 100 }),
          });
        }
        const mean = (value: (each: (typeof tranches)[number]) => number | null | undefined): number | null => {
          const known = tranches.flatMap((each) =>
            value(each) == null ? [] : [{ weight: each.millions, value: value(each) as number }],
          );
          const weight = known.reduce((sum, each) => sum + each.weight, 0);
          return weight === 0 ? null : known.reduce((sum, each) => sum + each.weight * each.value, 0) / weight / 100;
        };
        const card = await cardOf(name);
        assert.ok(Math.abs(card.wa_yield - (mean((each) => each.mark?.yield ?? each.coupon) ?? 0)) <= 5.1e-7);
        const life = mean((each) => each.mark?.wal);
        if (life === null) assert.equal(card.wal, null);
        else assert.ok(Math.abs((card.wal ?? 0) - life) <= 5.1e-7);
      }),
      { numRuns: 20 },
    );
  });

  await t.test('the minimum investment is the smallest denomination on offer', async () => {
    await listDeal(gateway, harbor, {
      name: 'Card Minimum',
      tranches: [
        { denomination: 50_000 },
        { tranche: 'B', denomination: 25_000 },
        { tranche: 'R', denomination: 1, offered: false },
      ],
    });
    assert.equal((await cardOf('Card Minimum')).minimum_investment, 25_000);
    await listDeal(gateway, harbor, { name: 'Card Nothing', tranches: [{ offered: false }] });
    const nothing = await cardOf('Card Nothing');
    assert.deepEqual([nothing.minimum_investment, nothing.wa_yield, nothing.wal], [null, 0, null]);
  });

  await t.test('a deal is told with its offered tranches, most senior first, and its pool', async () => {
    const deal = await listDeal(gateway, harbor, {
      tranches: [
        { class: 'B', seniority: 2, balance: 2_000_000 },
        { class: 'A', seniority: 1, balance: 8_000_000 },
        { tranche: 'R', seniority: 1, offered: false },
      ],
    });
    const data = await read(`deals/${deal.deal_id}`);
    assert.deepEqual(
      data.tranches.map((row: { class: string; remaining_capacity: number }) => [row.class, row.remaining_capacity]),
      [
        ['A', 8_000_000],
        ['B', 2_000_000],
      ],
    );
    assert.deepEqual([data.strats.loan_count, data.strats.wac, data.strats.wam, 'performance' in data], [1_000, 6.5, 48, false]);
    const paged = (await desk.get(`deals/${deal.deal_id}/tranches?limit=1&page=2`, investor)).body;
    assert.deepEqual([paged.data[0].class, paged.pagination.total], ['B', 2]);
    assert.deepEqual(await read(`deals/${deal.deal_id}/tranches`), data.tranches);
  });

  await t.test('size, capacity and yield stay on original face while the balance is repaid', async () => {
    const deal = await listDeal(gateway, lagoon, {
      tranches: [
        { balance: 8_000_000, current: 2_000_000, coupon: 4 },
        { balance: 2_000_000, coupon: 9 },
      ],
    });
    const data = await read(`deals/${deal.deal_id}`);
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

  await t.test('a withdrawn deal answers as an absent one everywhere, unless it is held', async () => {
    const hidden = await listDeal(gateway, lagoon, { name: 'Card Gone', market_status: 'WITHDRAWN' });
    for (const path of ['', '/tranches', '/documents', '/comparable']) {
      const [seen, absent] = [
        await desk.get(`deals/${hidden.deal_id}${path}`, investor),
        await desk.get(`deals/${newId('deal')}${path}`, investor),
      ];
      const { request_id: a, ...seenBody } = seen.body;
      const { request_id: b, ...absentBody } = absent.body;
      assert.ok(a !== b);
      assert.deepEqual([seen.status, seenBody], [404, absentBody]);
    }
    assert.equal((await desk.indicate(hidden, investor, 1_000)).status, 404);
    assert.equal((await desk.subscribe(hidden, investor, 1_000)).status, 404);
    assert.equal((await desk.check(hidden, investor, 1_000)).status, 404);
    assert.equal(await cardOf('Card Gone'), undefined);
    const holder = await desk.investor();
    await insertPosition(gateway, holder, hidden.tranches[0] as string, 1_000);
    for (const path of ['', '/tranches', '/documents', '/comparable']) {
      assert.equal((await desk.get(`deals/${hidden.deal_id}${path}`, holder)).status, 200, path);
    }
    assert.equal((await read('deals?q=Card%20Gone', holder)).length, 1);
  });

  await t.test('an originator and an operator do not browse the market', async () => {
    const deal = await desk.list();
    for (const as of [harbor, desk.operator]) {
      for (const path of ['deals', `deals/${deal.deal_id}`, `deals/${deal.deal_id}/comparable`, 'watchlist']) {
        assert.deepEqual(codeOf(await desk.get(path, as)), [403, 'ROLE_FORBIDDEN'], path);
      }
    }
    const both = await gateway.key('both', 'Both Sides');
    assert.equal((await desk.get(`deals/${deal.deal_id}`, both)).status, 200);
  });
});

test('comparable deals', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const investor = await desk.investor();
  const comparable = async (dealId: string): Promise<Card[]> => desk.read(`deals/${dealId}/comparable`, investor);
  const namesOf = (cards: readonly Card[]) => cards.map((card) => card.name);
  const list = (name: string, asset_type: string, balance: number, more: object = {}) =>
    desk.list({ name, asset_type, tranches: [{ balance, ...more }] });

  await t.test(
    'are of the same asset type and from 75 % to 125 % of the size, to the cent, nearest first, without itself',
    async () => {
      const own = await list('Own', 'Student', 10_000_000);
      for (const [name, balance] of [
        ['At the low end', 7_500_000],
        ['Below it', 7_499_999.99],
        ['At the high end', 12_500_000],
        ['Above it', 12_500_000.01],
        ['Near', 10_100_000],
        ['Nearer', 9_950_000],
      ] as const) {
        await list(name, 'Student', balance);
      }
      await list('Another type', 'Mortgage', 10_000_000);
      assert.deepEqual(namesOf(await comparable(own.deal_id)), ['Nearer', 'Near', 'At the low end', 'At the high end']);
    },
  );

  await t.test('are [] when there are none', async () => {
    const alone = await list('Alone', 'Business', 10_000_000);
    assert.deepEqual(await comparable(alone.deal_id), []);
  });

  await t.test('are those that the investor sees: closed ones too, withdrawn ones only where it holds them', async () => {
    const own = await list('Personal own', 'Personal', 10_000_000);
    const states = ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED', 'WITHDRAWN'] as const;
    const deals = await Promise.all(
      states.map((market_status, index) =>
        desk.list({
          name: market_status,
          asset_type: 'Personal',
          market_status,
          tranches: [{ balance: 10_000_000 - (index + 1) * 1_000 }],
        }),
      ),
    );
    assert.deepEqual(namesOf(await comparable(own.deal_id)), ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED']);
    const holder = await desk.investor();
    await insertPosition(gateway, holder, deals[4]?.tranches[0] as string, 1_000);
    assert.equal(dataOf(await desk.get(`deals/${own.deal_id}/comparable`, holder)).length, 5);
  });

  await t.test('are at most 20, the nearest, and of equals the elder', async () => {
    const own = await list('Card own', 'Credit Card', 10_000_000);
    const others: { id: string; distance: number }[] = [];
    for (let index = 0; index < 23; index += 1) {
      const distance = (index % 12) * 10_000;
      const { deal_id } = await list(`Card ${index}`, 'Credit Card', 10_000_000 + (index % 2 ? distance : -distance));
      others.push({ id: deal_id, distance });
    }
    const expected = others.toSorted((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1)).slice(0, 20);
    assert.deepEqual(
      (await comparable(own.deal_id)).map((card) => card.id),
      expected.map((each) => each.id),
    );
  });

  await t.test('have the figures of their cards', async () => {
    const [own, other] = [
      await list('Mortgage own', 'Mortgage', 20_000_000),
      await list('Mortgage other', 'Mortgage', 21_000_000, { coupon: 6.25 }),
    ];
    await insertMark(gateway, other.tranches[0] as string, { price: 101, yield: 6, wal: 2.5 });
    const [found] = await comparable(own.deal_id);
    const card = (await desk.read('deals?q=Mortgage%20other', investor))[0];
    assert.deepEqual(found, Object.fromEntries(Object.keys(found ?? {}).map((key) => [key, card[key]])));
    assert.deepEqual([found?.wa_yield, found?.wal], [6, 2.5]);
  });
});
