import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { setProfile } from '../../../test/support/market.ts';

test('the allocation of a deal', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);

  await t.test('ends the marketing: it fills, expires and rejects in one act that the audit log has', async () => {
    const deal = await desk.list({ tranches: [{ balance: 1_000_000 }] });
    const [buyer, late, fallen, browser] = await Promise.all([
      desk.investor(),
      desk.investor(),
      desk.investor(),
      desk.investor(),
    ]);
    dataOf(await desk.order(deal, buyer, { amount: 200_000 }));
    const confirmed = await desk.confirmed(deal, buyer, 300_000);
    const pending = dataOf(await desk.subscribe(deal, late, 100_000)).subscription_id;
    const refused = await desk.confirmed(deal, fallen, 100_000);
    const ioi = dataOf(await desk.indicate(deal, browser, 1_000)).ioi_id;
    await setProfile(gateway, fallen, { sanctions_status: 'HIT' });
    const { result, changed } = await changesOf(gateway, () => desk.allocate(deal));
    assert.equal(result.status, 201);
    assert.deepEqual(changed, [
      'alerts',
      'allocation_rounds',
      'allocations',
      'audit_log',
      'events',
      'iois',
      'orders',
      'securitization_deals',
      'subscriptions',
      'tranche_books',
    ]);
    const subscription = async (id: string, as: typeof buyer) => {
      const row = await desk.read(`subscriptions/${id}`, as);
      return [row.status, row.reason];
    };
    assert.deepEqual(await subscription(confirmed, buyer), ['allocated', null]);
    assert.deepEqual(await subscription(pending, late), ['expired', 'not confirmed before the allocation']);
    const [status, reason] = await subscription(refused, fallen);
    assert.equal(status, 'rejected');
    assert.match(reason, /^Compliance at allocation: .*confirmed hit/);
    assert.equal((await desk.read(`iois/${ioi}`, browser)).status, 'expired');
    assert.equal(await desk.remaining(deal, buyer), 700_000, 'what ended gave its capacity back');
    const [book] = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows('select open, committed::float8 as committed from tranche_books where deal_id = $1', [deal.deal_id]),
    );
    assert.deepEqual(book, { open: false, committed: 300_000 });
    const [closing, entry] = await desk.audited(deal.deal_id);
    assert.deepEqual(
      [closing?.action, closing?.actor, closing?.before, closing?.after],
      ['deal.market_books_closed', desk.operator.key_id, { market_status: 'MARKETING' }, { market_status: 'BOOKS_CLOSED' }],
    );
    const { body } = await desk.send('GET', '/v1/api/events?type=deal.market_status_changed', desk.seller);
    assert.deepEqual(
      body.data
        .map(({ data }: { data: Record<string, string> }) => `${data.previous_market_status} ${data.current_market_status}`)
        .toSorted(),
      ['BOOKS_CLOSED ALLOCATED', 'MARKETING BOOKS_CLOSED'],
    );
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.before, entry?.after],
      [
        'deal.allocated',
        desk.operator.key_id,
        { market_status: 'BOOKS_CLOSED' },
        { market_status: 'ALLOCATED', method: 'PRO_RATA', allocations: 2 },
      ],
    );
  });

  await t.test('asked for as a dry run answers the same fills and changes nothing', async () => {
    const deal = await desk.list({ tranches: [{ balance: 1_000_000 }] });
    for (const amount of [700_000, 500_000]) dataOf(await desk.order(deal, await desk.investor(), { amount }));
    const { result, changed } = await changesOf(gateway, () => desk.allocate(deal, 'PRO_RATA', { dry_run: true }));
    assert.deepEqual([result.status, changed], [200, []]);
    const dry = dataOf(result);
    assert.deepEqual(
      dry.allocations.map((each: Record<string, unknown>) => [each.allocation_id, each.status, each.expires_at]),
      [
        [null, null, null],
        [null, null, null],
      ],
    );
    const made = dataOf(await desk.allocate(deal, 'PRO_RATA', { dry_run: false }));
    const figures = (of: typeof dry) =>
      of.allocations.map((each: Record<string, unknown>) => [each.order_id, each.allocated_amount, each.fill_ratio, each.reason]);
    assert.deepEqual(figures(dry), figures(made));
    assert.deepEqual([dry.dry_run, made.dry_run, dry.tranches], [true, false, made.tranches]);
  });

  await t.test('is made once, from MARKETING or BOOKS_CLOSED, and a refused one writes nothing', async () => {
    for (const market_status of ['ALLOCATED', 'CLOSED', 'WITHDRAWN']) {
      const deal = await desk.list({ market_status });
      for (const more of [{}, { dry_run: true }]) {
        const refused = await assertRefused(gateway, () => desk.allocate(deal, 'PRO_RATA', more), [409, 'INVALID_TRANSITION']);
        assert.equal(refused.body.current_status, market_status);
      }
    }
    for (const market_status of ['MARKETING', 'BOOKS_CLOSED']) {
      assert.equal((await desk.allocate(await desk.list({ market_status }))).status, 201, market_status);
    }
    await assertRefused(gateway, () => desk.allocate({ deal_id: 'deal_none', pool_id: '', tranches: [] }), [404, 'NOT_FOUND']);
  });

  await t.test('asked for twice at once is made once', async () => {
    const deal = await desk.list();
    const investor = await desk.investor();
    dataOf(await desk.order(deal, investor, { amount: 1_000_000 }));
    const answers = await Promise.all([desk.allocate(deal), desk.allocate(deal), desk.allocate(deal)]);
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [201, 409, 409]);
    assert.equal((await desk.allocations(deal, investor)).length, 1);
  });

  await t.test('of empty books allocates nothing, and ends the marketing all the same', async () => {
    const deal = await desk.list({ tranches: [{}, { tranche: 'B', coupon: null }, { tranche: 'R', offered: false }] });
    const { tranches, allocations, unfilled } = dataOf(await desk.allocate(deal));
    assert.deepEqual([allocations, unfilled], [[], []]);
    assert.deepEqual(
      tranches.map((each: Record<string, unknown>) => [each.tranche, each.demand, each.allocated, each.bids, each.yield]),
      [
        ['A-1', 0, 0, 0, 5],
        ['B', 0, 0, 0, null],
      ],
    );
    assert.equal((await desk.read(`deals/${deal.deal_id}`, await desk.investor())).market_status, 'ALLOCATED');
  });

  await t.test('is decided by an operator that is neither the issuer nor anybody in the book', async () => {
    const deal = await desk.list();
    const [bidder, subscriber, indicator, bystander] = await Promise.all([
      desk.investor(),
      desk.investor(),
      desk.investor(),
      desk.investor(),
    ]);
    dataOf(await desk.order(deal, bidder, { amount: 1_000 }));
    dataOf(await desk.subscribe(deal, subscriber, 1_000));
    dataOf(await desk.indicate(deal, indicator, 1_000));
    const as = async (holder: typeof bidder, more: object = {}) => {
      const operator = await gateway.mixedKey(holder);
      return desk.send('POST', `/v1/operator/deals/${deal.deal_id}/allocations`, operator, { method: 'PRO_RATA', ...more });
    };
    for (const holder of [desk.seller, bidder, subscriber, indicator]) {
      for (const more of [{}, { dry_run: true }]) assert.deepEqual(codeOf(await as(holder, more)), [403, 'OWN_ORGANIZATION']);
    }
    assert.equal((await as(bystander, { dry_run: true })).status, 200);
  });

  await t.test('gives each order the status of its fill, with the reason', async () => {
    const deal = await desk.list({ tranches: [{ balance: 1_000_000, offered_yield: 5.5 }] });
    const [market, marginal, dear] = await Promise.all([desk.investor(), desk.investor(), desk.investor()]);
    const place = async (as: typeof market, terms: object) => dataOf(await desk.order(deal, as, terms)).order_id as string;
    const ids = [
      await place(market, { amount: 600_000 }),
      await place(marginal, { amount: 900_000, limit_yield: 5.25 }),
      await place(dear, { amount: 500_000, limit_yield: 5.75 }),
    ] as const;
    await desk.mark(deal);
    const { unfilled } = dataOf(await desk.allocate(deal, 'CLEARING_YIELD'));
    const orders = await Promise.all([market, marginal, dear].map((each, index) => desk.read(`orders/${ids[index]}`, each)));
    assert.deepEqual(
      orders.map((order) => [order.status, order.reason]),
      [
        ['ALLOCATED', 'Filled in full.'],
        ['PARTIALLY_ALLOCATED', 'Shared pro rata at the clearing yield.'],
        ['UNFILLED', 'The limit of 5.75 % is above the clearing yield of 5.25 %.'],
      ],
    );
    assert.deepEqual(unfilled, [
      {
        organization_id: dear.organization_id,
        tranche_id: deal.tranches[0],
        order_id: ids[2],
        subscription_id: null,
        requested_amount: 500_000,
        reason: 'The limit of 5.75 % is above the clearing yield of 5.25 %.',
      },
    ]);
    const [allocation] = await desk.allocations(deal, marginal);
    assert.deepEqual([allocation?.allocated_amount, allocation?.fill_ratio, allocation?.yield], [400_000, 0.44444444, 5.25]);
  });

  await t.test('takes a confirmed subscription as an order at market in the place where it was made', async () => {
    // 3 increments over asks of 2 and 2: the odd one goes to whoever came first.
    for (const subscriptionFirst of [true, false]) {
      const deal = await desk.list({ tranches: [{ balance: 3_000 }] });
      const [subscriber, bidder] = [await desk.investor(), await desk.investor()];
      const order = async () => dataOf(await desk.order(deal, bidder, { amount: 2_000 }));
      if (!subscriptionFirst) await order();
      await gateway.advance(1);
      await desk.confirmed(deal, subscriber, 2_000);
      await gateway.advance(1);
      if (subscriptionFirst) await order();
      dataOf(await desk.allocate(deal));
      const given = await Promise.all(
        [subscriber, bidder].map(async (each) => (await desk.allocations(deal, each))[0]?.allocated_amount),
      );
      assert.deepEqual(given, subscriptionFirst ? [2_000, 1_000] : [1_000, 2_000]);
    }
  });

  await t.test('lets pass a subscription under review, which the operator confirmed, and no order under review', async () => {
    const deal = await desk.list();
    const [subscriber, bidder] = [await desk.investor(), await desk.investor()];
    const id = await desk.confirmed(deal, subscriber, 1_000_000);
    const order = dataOf(await desk.order(deal, bidder, { amount: 1_000_000 })).order_id;
    for (const each of [subscriber, bidder]) await setProfile(gateway, each, { kyc_status: 'PENDING' });
    dataOf(await desk.allocate(deal));
    assert.equal((await desk.read(`subscriptions/${id}`, subscriber)).status, 'allocated');
    const refused = await desk.read(`orders/${order}`, bidder);
    assert.deepEqual([refused.status, /^Compliance at allocation: .*pending/.test(refused.reason)], ['UNFILLED', true]);
  });

  await t.test('keeps the limit of an investor over all its bids, and what it was placed for counts once', async () => {
    const cases: [number, number[], string][] = [
      [500_000, [200_000, 300_000], 'exactly at the limit'],
      [499_999.99, [], 'a cent above it'],
    ];
    for (const [limit, given, name] of cases) {
      const [deal, investor] = [await desk.list(), await desk.investor()];
      await desk.confirmed(deal, investor, 200_000);
      dataOf(await desk.order(deal, investor, { amount: 300_000 }));
      await setProfile(gateway, investor, { concentration_limit: limit });
      dataOf(await desk.allocate(deal));
      const amounts = (await desk.allocations(deal, investor)).map((each) => each.allocated_amount).toSorted();
      assert.deepEqual(amounts, given, name);
    }
  });

  await t.test('fills no bid below the denomination of its tranche, nor below its own minimum', async () => {
    const deal = await desk.list({ tranches: [{ balance: 300_000, denomination: 100_000, increment: 1_000 }] });
    const [small, picky] = [await desk.investor(), await desk.investor()];
    dataOf(await desk.order(deal, small, { amount: 150_000, minimum_amount: 50_000 }));
    dataOf(await desk.order(deal, picky, { amount: 300_000, minimum_amount: 250_000 }));
    // 100,000 and 200,000: the second is below its minimum and drops out, so the first is filled.
    dataOf(await desk.allocate(deal));
    assert.deepEqual(
      (await desk.allocations(deal, small)).map((each) => each.allocated_amount),
      [150_000],
    );
    const [order] = await desk.read('orders', picky);
    assert.deepEqual([order.status, order.reason], ['UNFILLED', 'The share would have been below the minimum.']);
  });

  await t.test('tells a confirmed subscription why it got nothing, and what became of it then', async () => {
    for (const outcome of ['offered', 'closed']) {
      const deal = await desk.list({ tranches: [{ balance: 300_000, denomination: 100_000, increment: 1_000 }] });
      const [small, big] = [await desk.investor(), await desk.investor()];
      const subscription = await desk.confirmed(deal, small, 100_000);
      dataOf(await desk.order(deal, big, { amount: 500_000 }));
      dataOf(await desk.allocate(deal));
      const read = async () => {
        const { status, reason } = await desk.read(`subscriptions/${subscription}`, small);
        return [status, reason];
      };
      const unfilled = 'The share would have been below the minimum. Face that comes back may still be offered to it.';
      assert.deepEqual(await read(), ['confirmed', unfilled]);
      const [given] = await desk.allocations(deal, big);
      if (outcome === 'offered') {
        dataOf(await desk.answer(given?.allocation_id ?? '', big, 'decline'));
        assert.deepEqual(await read(), ['allocated', 'Filled from face that came back.']);
      } else {
        dataOf(await desk.decide(await desk.trade(given?.allocation_id ?? '', big), 'settle'));
        dataOf(await desk.move(deal, 'close'));
        assert.deepEqual(await read(), ['expired', 'the deal closed without allocating to it']);
      }
    }
  });

  await t.test('knows two methods', async () => {
    const deal = await desk.list();
    for (const body of [{}, { method: 'LOTTERY' }, { method: 'pro_rata' }, { method: 'PRO_RATA', dry_run: 'yes' }]) {
      assert.equal((await desk.operate('POST', `deals/${deal.deal_id}/allocations`, body)).status, 400, JSON.stringify(body));
    }
    assert.deepEqual(
      codeOf(await desk.send('POST', `/v1/operator/deals/${deal.deal_id}/allocations`, desk.seller, { method: 'PRO_RATA' })),
      [403, 'ROLE_FORBIDDEN'],
    );
  });

  await t.test('looks its time zone up as often for a hundred bids as for one', async (each) => {
    const lookUps = async (orders: number): Promise<number> => {
      const deal = await desk.list({ tranches: [{ balance: 100_000_000 }] });
      const investor = await desk.investor();
      for (let order = 0; order < orders; order++) dataOf(await desk.order(deal, investor, { amount: 100_000 }));
      const formats = each.mock.method(Intl, 'DateTimeFormat');
      assert.equal(dataOf(await desk.allocate(deal)).allocations.length, orders);
      formats.mock.restore();
      return formats.mock.callCount();
    };
    const one = await lookUps(1);
    assert.ok(one > 0);
    assert.equal(await lookUps(100), one);
  });
});
