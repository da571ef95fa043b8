import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { changesOf, dataOf, openDesk } from '../../../test/support/desk.ts';
import { codeOf, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { type ListedDeal, setProfile, type TrancheInput } from '../../../test/support/market.ts';
import { housekeeping } from '../../worker.ts';

test('face that comes back', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const listed = (balance: number, more: TrancheInput = {}) => desk.list({ tranches: [{ balance, ...more }] });
  const amounts = async (deal: ListedDeal, as: Holder): Promise<number[]> =>
    (await desk.allocations(deal, as)).map((each) => each.allocated_amount);
  const answerLast = async (deal: ListedDeal, as: Holder, answer: 'accept' | 'decline') => {
    const last = (await desk.allocations(deal, as)).at(-1);
    return desk.answer(last?.allocation_id ?? '', as, answer);
  };
  /** A deal of 800,000 allocated to an investor and a rival that asked for 600,000 each: 400,000 for both. */
  const halved = async (profile: Record<string, unknown> = {}, terms: object = {}) => {
    const deal = await listed(800_000);
    const [investor, rival] = [await desk.investor(profile), await desk.investor()];
    const { order_id } = dataOf(await desk.order(deal, investor, { amount: 600_000, ...terms }));
    dataOf(await desk.order(deal, rival, { amount: 600_000 }));
    dataOf(await desk.allocate(deal));
    assert.deepEqual(await amounts(deal, investor), [400_000]);
    return { deal, investor, rival, order: () => desk.read(`orders/${order_id}`, investor) };
  };

  await t.test('goes to who asked for more, up to what it asked for, and the order is then filled', async () => {
    const { deal, investor, rival, order } = await halved();
    const before = await order();
    const { result, changed } = await changesOf(gateway, () => answerLast(deal, rival, 'decline'));
    assert.equal(dataOf(result).status, 'DECLINED');
    assert.deepEqual(changed, ['alerts', 'allocation_rounds', 'allocations', 'audit_log', 'events', 'orders']);
    const [first, second] = await desk.allocations(deal, investor);
    assert.deepEqual([first?.allocated_amount, second?.allocated_amount], [400_000, 200_000]);
    assert.deepEqual([second?.requested_amount, second?.fill_ratio, second?.status], [200_000, 1, 'ISSUED']);
    const after = await order();
    assert.deepEqual([before.status, after.status], ['PARTIALLY_ALLOCATED', 'ALLOCATED']);
    assert.match(after.reason, /from face that came back/);
  });

  await t.test('comes to a subscription too of which a part has settled and a part waits for an answer', async () => {
    const deal = await listed(900_000);
    const [investor, anna, bert] = [await desk.investor(), await desk.investor(), await desk.investor()];
    const subscription = await desk.confirmed(deal, investor, 600_000);
    for (const each of [anna, bert]) dataOf(await desk.order(deal, each, { amount: 600_000 }));
    dataOf(await desk.allocate(deal));
    dataOf(await answerLast(deal, anna, 'decline'));
    const settle = async (place: number) => {
      const { allocation_id = '' } = (await desk.allocations(deal, investor))[place] ?? {};
      dataOf(await desk.decide(await desk.trade(allocation_id, investor), 'settle'));
    };
    await settle(0);
    const status = async () => (await desk.read(`subscriptions/${subscription}`, investor)).status;
    assert.equal(await status(), 'funded');
    const [offered] = await desk.allocations(deal, bert);
    dataOf(await desk.answer(offered?.allocation_id ?? '', bert, 'decline'));
    assert.deepEqual(await amounts(deal, investor), [300_000, 150_000, 150_000]);
    await settle(1);
    assert.equal(await status(), 'funded');
    await settle(2);
    assert.equal(await status(), 'settled');
    const [position] = await desk.read('portfolio/positions', investor);
    assert.equal(position.face, 600_000);
  });

  await t.test('is offered by a proof of its own, which agrees', async () => {
    const { deal, investor, rival } = await halved();
    await answerLast(deal, rival, 'decline');
    const [first, second] = await desk.allocations(deal, investor);
    const proofs = await Promise.all(
      [first, second].map((each) => desk.read(`allocations/${each?.allocation_id}/proof`, investor)),
    );
    assert.deepEqual(
      proofs.map((proof) => [proof.kind, proof.size, proof.allocated_amount, proof.agrees]),
      [
        ['OFFERING', 800_000, 400_000, true],
        ['REOFFER', 400_000, 200_000, true],
      ],
    );
    assert.deepEqual(proofs[1].book, [{ entry: 1, amount: 200_000, minimum_amount: 1_000, limit_yield: null }]);
  });

  await t.test('stays with the issuer where nobody wants more: nothing is offered', async () => {
    const deal = await listed(1_000_000);
    const [anna, bert] = [await desk.investor(), await desk.investor()];
    for (const each of [anna, bert]) dataOf(await desk.order(deal, each, { amount: 500_000 }));
    dataOf(await desk.allocate(deal));
    const { changed } = await changesOf(gateway, () => answerLast(deal, anna, 'decline'));
    assert.deepEqual(changed, ['alerts', 'allocations', 'audit_log', 'events']);
    assert.deepEqual(await amounts(deal, bert), [500_000]);
  });

  await t.test('is not offered a third time', async () => {
    const deal = await listed(900_000);
    const investors = await Promise.all([desk.investor(), desk.investor(), desk.investor()]);
    for (const each of investors) dataOf(await desk.order(deal, each, { amount: 900_000 }));
    dataOf(await desk.allocate(deal));
    const [anna, bert, cleo] = investors;
    dataOf(await answerLast(deal, anna, 'decline'));
    assert.deepEqual(
      [await amounts(deal, bert), await amounts(deal, cleo)],
      [
        [300_000, 150_000],
        [300_000, 150_000],
      ],
    );
    const { changed } = await changesOf(gateway, () => answerLast(deal, bert, 'decline'));
    assert.deepEqual(changed, ['alerts', 'allocations', 'audit_log', 'events']);
    assert.deepEqual(await amounts(deal, cleo), [300_000, 150_000]);
  });

  await t.test('comes to nobody who gave face back, whether declined or left to expire', async () => {
    const deal = await listed(900_000);
    const [anna, bert, cleo] = await Promise.all([desk.investor(), desk.investor(), desk.investor()]);
    for (const each of [anna, bert, cleo]) dataOf(await desk.order(deal, each, { amount: 900_000 }));
    dataOf(await desk.allocate(deal));
    dataOf(await answerLast(deal, cleo, 'accept'));
    await gateway.advance(10 * 86_400);
    await housekeeping(gateway.deps);
    const statuses = async (as: Holder) => (await desk.allocations(deal, as)).map((each) => each.status);
    for (const each of [anna, bert]) assert.deepEqual(await statuses(each), ['EXPIRED']);
    const offered = (await desk.allocations(deal, cleo)).slice(1);
    assert.deepEqual(
      offered.map((each) => [each.status, each.allocated_amount, each.expires_at > each.created_at]),
      [['ISSUED', 600_000, true]],
      'what expired at the same moment is offered in one round',
    );
  });

  await t.test('is divided in whole increments by what each still lacks', async () => {
    // 700,000 over asks of 600,000, 600,000 and 200,000: 300, 300 and 100 thousand. The first gives 300,000 back to lacks of 300 and 100.
    const deal = await listed(700_000, { increment: 25_000, denomination: 25_000 });
    const [anna, bert, cleo] = await Promise.all([desk.investor(), desk.investor(), desk.investor()]);
    for (const [each, amount] of [
      [anna, 600_000],
      [bert, 600_000],
      [cleo, 200_000],
    ] as const) {
      dataOf(await desk.order(deal, each, { amount }));
    }
    dataOf(await desk.allocate(deal));
    assert.deepEqual(await Promise.all([anna, bert, cleo].map((each) => amounts(deal, each))), [[300_000], [300_000], [100_000]]);
    dataOf(await answerLast(deal, anna, 'decline'));
    assert.deepEqual(
      [await amounts(deal, bert), await amounts(deal, cleo)],
      [
        [300_000, 225_000],
        [100_000, 75_000],
      ],
    );
  });

  await t.test('passes over the minimum of who holds face of the tranche, and keeps that of who holds none', async () => {
    const deal = await listed(500_000);
    const [giver, holder, waiting] = await Promise.all([desk.investor(), desk.investor(), desk.investor()]);
    dataOf(await desk.order(deal, giver, { amount: 100_000, limit_yield: 5 }));
    dataOf(await desk.order(deal, holder, { amount: 450_000, minimum_amount: 300_000, limit_yield: 5.1 }));
    dataOf(await desk.order(deal, waiting, { amount: 450_000, minimum_amount: 400_000, limit_yield: 5.1 }));
    await desk.mark(deal);
    dataOf(await desk.allocate(deal, 'CLEARING_YIELD'));
    assert.deepEqual(await Promise.all([giver, holder, waiting].map((each) => amounts(deal, each))), [[100_000], [400_000], []]);
    dataOf(await answerLast(deal, giver, 'decline'));
    assert.deepEqual([await amounts(deal, holder), await amounts(deal, waiting)], [[400_000, 50_000], []]);
  });

  await t.test('leaves nobody with less than the denomination, whichever of its allocations they keep', async () => {
    const deal = await listed(400_000, { denomination: 100_000 });
    const [holder, giver, other] = await Promise.all([desk.investor(), desk.investor(), desk.investor()]);
    dataOf(await desk.order(deal, holder, { amount: 250_000 }));
    dataOf(await desk.order(deal, giver, { amount: 150_000 }));
    dataOf(await desk.order(deal, other, { amount: 200_000 }));
    dataOf(await desk.allocate(deal));
    const fills = [[167_000], [100_000], [133_000]];
    assert.deepEqual(await Promise.all([holder, giver, other].map((each) => amounts(deal, each))), fills);
    // The other has accepted: what it is offered adds to a holding. The holder may still decline what it was allocated first.
    dataOf(await answerLast(deal, other, 'accept'));
    dataOf(await answerLast(deal, giver, 'decline'));
    assert.deepEqual([await amounts(deal, holder), await amounts(deal, other)], [[167_000], [133_000, 67_000]]);
  });

  /** 133,000 is accepted by an investor that asked for 200,000; 100,000 came back, or comes back yet, of whoever `giver` is. */
  const partlyFilled = async (bid: (deal: ListedDeal, as: Holder) => Promise<unknown>) => {
    const deal = await listed(400_000, { denomination: 100_000 });
    const [holder, giver, other] = await Promise.all([desk.investor(), desk.investor(), desk.investor()]);
    dataOf(await desk.order(deal, holder, { amount: 250_000 }));
    dataOf(await desk.order(deal, giver, { amount: 150_000 }));
    await bid(deal, other);
    dataOf(await desk.allocate(deal));
    const [first] = await desk.allocations(deal, other);
    return { deal, giver, other, trade: await desk.trade(first?.allocation_id ?? '', other) };
  };
  const BIDS = {
    order: async (deal: ListedDeal, as: Holder) => dataOf(await desk.order(deal, as, { amount: 200_000 })),
    subscription: (deal: ListedDeal, as: Holder) => desk.confirmed(deal, as, 200_000),
  };

  for (const [name, bid] of Object.entries(BIDS)) {
    await t.test(
      `below the denomination expires with the trade of the ${name} to which it would have added, and is told`,
      async () => {
        const { deal, giver, other, trade } = await partlyFilled(bid);
        dataOf(await answerLast(deal, giver, 'decline'));
        const small = (await desk.allocations(deal, other)).at(-1);
        assert.deepEqual([small?.allocated_amount, small?.status], [67_000, 'ISSUED']);
        dataOf(await desk.decide(trade, 'cancel', { reason: 'The buyer has no cash.' }));
        assert.deepEqual(
          (await desk.allocations(deal, other)).map((each) => each.status),
          ['ACCEPTED', 'EXPIRED'],
        );
        assert.deepEqual(codeOf(await answerLast(deal, other, 'accept')), [409, 'INVALID_TRANSITION']);
        const [alert] = dataOf(await desk.send('GET', '/v1/api/alerts?type=allocation.status_changed', other));
        assert.equal(alert.entity_id, small?.allocation_id);
        assert.match(
          alert.message,
          /below the denomination of \$100,000, and the trade to which it would have added was cancelled/,
        );
        const [entry] = await desk.audited(small?.allocation_id ?? '');
        assert.deepEqual([entry?.action, entry?.organization_id], ['allocation.expired', other.organization_id]);
        if (name === 'subscription') {
          const [{ status }] = await desk.read('subscriptions', other);
          assert.equal(status, 'cancelled');
        }
      },
    );

    await t.test(`comes to no ${name} of which a trade was cancelled`, async () => {
      const { deal, giver, other, trade } = await partlyFilled(bid);
      dataOf(await desk.decide(trade, 'cancel'));
      dataOf(await answerLast(deal, giver, 'decline'));
      assert.deepEqual(await amounts(deal, other), [133_000]);
    });
  }

  await t.test('stays offered below the denomination while a trade is left to which it adds', async () => {
    const deal = await listed(1_000_000, { denomination: 150_000 });
    const [anna, bert, ...others] = await Promise.all(Array.from({ length: 5 }, () => desk.investor()));
    const holders = [anna, bert, ...others] as Holder[];
    for (const each of holders) dataOf(await desk.order(deal, each, { amount: 1_000_000 }));
    dataOf(await desk.allocate(deal));
    const [cleo, ...rest] = others as [Holder, ...Holder[]];
    const [{ allocation_id = '' } = {}] = await desk.allocations(deal, cleo);
    const first = await desk.trade(allocation_id, cleo);
    for (const each of rest) dataOf(await answerLast(deal, each, 'accept'));
    for (const each of [anna, bert]) dataOf(await answerLast(deal, each as Holder, 'decline'));
    const statuses = async () => (await desk.allocations(deal, cleo)).map((each) => each.status);
    assert.deepEqual(await amounts(deal, cleo), [200_000, 67_000, 67_000]);
    const second = await desk.trade((await desk.allocations(deal, cleo))[1]?.allocation_id ?? '', cleo);
    dataOf(await desk.decide(second, 'cancel'));
    assert.deepEqual(await statuses(), ['ACCEPTED', 'ACCEPTED', 'ISSUED']);
    dataOf(await desk.decide(first, 'cancel'));
    assert.deepEqual(await statuses(), ['ACCEPTED', 'ACCEPTED', 'EXPIRED']);
  });

  await t.test('is offered at the clearing yield to limits up to it and to none above', async () => {
    const deal = await listed(800_000);
    const [giver, at, above] = await Promise.all([desk.investor(), desk.investor(), desk.investor()]);
    dataOf(await desk.order(deal, giver, { amount: 400_000, limit_yield: 5 }));
    dataOf(await desk.order(deal, at, { amount: 600_000, limit_yield: 5.5 }));
    dataOf(await desk.order(deal, above, { amount: 600_000, limit_yield: 5.500001 }));
    await desk.mark(deal);
    dataOf(await desk.allocate(deal, 'CLEARING_YIELD'));
    assert.deepEqual(await Promise.all([giver, at, above].map((each) => amounts(deal, each))), [[400_000], [400_000], []]);
    dataOf(await answerLast(deal, giver, 'decline'));
    const [, second] = await desk.allocations(deal, at);
    assert.deepEqual([second?.allocated_amount, second?.yield], [200_000, 5.5]);
    assert.deepEqual(await amounts(deal, above), []);
  });

  await t.test('reaches a confirmed subscription that got nothing, which is then allocated', async () => {
    const deal = await listed(400_000, { denomination: 300_000, increment: 1_000 });
    const [first, second] = await Promise.all([desk.investor(), desk.investor()]);
    // 200,000 for each would be below the denomination: the later of the two drops out.
    dataOf(await desk.order(deal, first, { amount: 400_000 }));
    const id = await desk.confirmed(deal, second, 400_000);
    dataOf(await desk.allocate(deal));
    const status = async () => (await desk.read(`subscriptions/${id}`, second)).status;
    assert.deepEqual([await amounts(deal, first), await amounts(deal, second), await status()], [[400_000], [], 'confirmed']);
    dataOf(await answerLast(deal, first, 'decline'));
    assert.deepEqual([await amounts(deal, second), await status()], [[400_000], 'allocated']);
  });

  await t.test('passes over a subscription that the operator has rejected since', async () => {
    const deal = await listed(400_000, { denomination: 300_000 });
    const [first, second] = await Promise.all([desk.investor(), desk.investor()]);
    dataOf(await desk.order(deal, first, { amount: 400_000 }));
    const id = await desk.confirmed(deal, second, 400_000);
    dataOf(await desk.allocate(deal));
    dataOf(await desk.reject(id));
    const { changed } = await changesOf(gateway, () => answerLast(deal, first, 'decline'));
    assert.deepEqual(changed, ['alerts', 'allocations', 'audit_log', 'events']);
  });

  await t.test('passes over who may no longer buy', async () => {
    for (const profile of [null, { sanctions_status: 'HIT' }, { kyc_expires_on: '2020-01-01' }, { tax_form: null }]) {
      const { deal, investor, rival } = await halved();
      await setProfile(gateway, investor, profile);
      const { changed } = await changesOf(gateway, () => answerLast(deal, rival, 'decline'));
      assert.deepEqual(changed, ['alerts', 'allocations', 'audit_log', 'events'], JSON.stringify(profile));
    }
  });

  await t.test('counts against the limit of an investor what it was given and what it lacks, each once', async () => {
    for (const [limit, given] of [
      [600_000, [400_000, 200_000]],
      [599_999.99, [400_000]],
    ] as const) {
      const { deal, investor, rival } = await halved();
      await setProfile(gateway, investor, { concentration_limit: limit });
      dataOf(await answerLast(deal, rival, 'decline'));
      assert.deepEqual(await amounts(deal, investor), given, `an order under a limit of ${limit}`);
    }
    for (const [limit, given] of [
      [600_000, [400_000, 200_000]],
      [599_999.99, [400_000]],
    ] as const) {
      const deal = await listed(800_000);
      const [investor, rival] = [await desk.investor(), await desk.investor()];
      await desk.confirmed(deal, investor, 600_000);
      dataOf(await desk.order(deal, rival, { amount: 600_000 }));
      dataOf(await desk.allocate(deal));
      await setProfile(gateway, investor, { concentration_limit: limit });
      dataOf(await answerLast(deal, rival, 'decline'));
      assert.deepEqual(await amounts(deal, investor), given, `a subscription under a limit of ${limit}`);
    }
  });

  await t.test('declined at once by several is given out once: never more than the size, nobody above its ask', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ steps: fc.integer({ min: 1, max: 12 }), declines: fc.boolean() }), { minLength: 2, maxLength: 4 }),
        async (bidders) => {
          const deal = await listed(10_000);
          const asks = new Map<Holder, number>();
          for (const { steps } of bidders) {
            const holder = await desk.investor();
            asks.set(holder, steps * 1_000);
            dataOf(await desk.order(deal, holder, { amount: steps * 1_000 }));
          }
          dataOf(await desk.allocate(deal));
          const holders = [...asks.keys()];
          await Promise.all(
            bidders.map(async ({ declines }, index) => {
              const holder = holders[index] as Holder;
              const [own] = await desk.allocations(deal, holder);
              if (own) dataOf(await desk.answer(own.allocation_id, holder, declines ? 'decline' : 'accept'));
            }),
          );
          let total = 0;
          for (const [holder, ask] of asks) {
            const live = (await desk.allocations(deal, holder)).filter((each) => each.status !== 'DECLINED');
            const sum = live.reduce((face, each) => face + each.allocated_amount, 0);
            assert.ok(sum <= ask, `${sum} of ${ask}`);
            total += sum;
          }
          assert.ok(total <= 10_000, String(total));
        },
      ),
      { numRuns: 12 },
    );
  });
});
