import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, openDesk } from '../../../test/support/desk.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { housekeeping } from '../../worker.ts';

test('the progress of a subscription', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);

  /** A subscription of 600,000 with an allocation of its first 400,000, and of the rest after another investor gave it back. */
  const twice = async () => {
    const deal = await desk.list({ tranches: [{ balance: 800_000 }] });
    const [investor, rival] = [await desk.investor(), await desk.investor()];
    const id = await desk.confirmed(deal, investor, 600_000);
    dataOf(await desk.order(deal, rival, { amount: 600_000 }));
    dataOf(await desk.allocate(deal));
    const [given] = await desk.allocations(deal, rival);
    dataOf(await desk.answer(given?.allocation_id ?? '', rival, 'decline'));
    const [first, second] = (await desk.allocations(deal, investor)).map((each) => each.allocation_id) as [string, string];
    return { deal, investor, id, first, second, status: async () => (await desk.read(`subscriptions/${id}`, investor)).status };
  };
  const once = async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const id = await desk.confirmed(deal, investor, 600_000);
    dataOf(await desk.allocate(deal));
    const [allocation] = await desk.allocations(deal, investor);
    const read = async () => await desk.read(`subscriptions/${id}`, investor);
    return { deal, investor, id, allocation: allocation?.allocation_id ?? '', read };
  };

  await t.test('goes from allocated to settled when its only trade settles', async () => {
    const { deal, investor, allocation, read } = await once();
    const trade = await desk.trade(allocation, investor);
    assert.equal((await read()).status, 'allocated');
    dataOf(await desk.decide(trade, 'fail'));
    assert.equal((await read()).status, 'allocated', 'a failed trade may still settle');
    dataOf(await desk.decide(trade, 'settle'));
    assert.equal((await read()).status, 'settled');
    assert.equal(await desk.remaining(deal, investor), 9_400_000, 'what was sold stays sold');
  });

  await t.test('keeps the time of each step on its way: confirmed, allocated, funded, settled', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const { subscription_id } = dataOf(await desk.subscribe(deal, investor, 600_000));
    const row = () => desk.read(`subscriptions/${subscription_id}`, investor);
    const steps = ['confirmed_at', 'allocated_at', 'funded_at', 'settled_at'] as const;
    const taken = async () => {
      const now = await row();
      return steps.filter((step) => now[step] !== null);
    };
    assert.deepEqual(await taken(), []);
    await gateway.advance(60);
    dataOf(await desk.confirm(subscription_id));
    assert.deepEqual(await taken(), ['confirmed_at']);
    await gateway.advance(60);
    dataOf(await desk.allocate(deal));
    assert.deepEqual(await taken(), ['confirmed_at', 'allocated_at']);
    const [allocation] = await desk.allocations(deal, investor);
    const trade = await desk.trade(allocation?.allocation_id ?? '', investor);
    await gateway.advance(60);
    dataOf(await desk.decide(trade, 'settle'));
    const settled = await row();
    const times = steps.map((step) => settled[step]);
    assert.deepEqual(times.toSorted(), times);
    assert.deepEqual(
      [settled.funded_at, settled.settled_at],
      [(await desk.read(`trades/${trade}`, investor)).settled_at, settled.updated_at],
    );
    assert.equal(new Set([settled.created_at, ...times]).size, 4, 'cash and face of one trade move together');
    const [operated] = (await desk.operate('GET', `subscriptions?deal_id=${deal.deal_id}`)).body.data;
    assert.deepEqual(
      steps.map((step) => operated[step]),
      times,
    );
  });

  await t.test('ends with its only trade, its only allocation or its deadline, and gives its capacity back', async () => {
    const ways: [string, string, RegExp, (made: Awaited<ReturnType<typeof once>>) => Promise<unknown>][] = [
      [
        'a cancelled trade',
        'cancelled',
        /trade was cancelled/,
        async ({ allocation, investor }) => dataOf(await desk.decide(await desk.trade(allocation, investor), 'cancel')),
      ],
      [
        'a failed trade that is cancelled',
        'cancelled',
        /trade was cancelled/,
        async ({ allocation, investor }) => {
          const trade = await desk.trade(allocation, investor);
          dataOf(await desk.decide(trade, 'fail'));
          dataOf(await desk.decide(trade, 'cancel'));
        },
      ],
      [
        'a declined allocation',
        'cancelled',
        /allocation was declined/,
        async ({ allocation, investor }) => dataOf(await desk.answer(allocation, investor, 'decline')),
      ],
      [
        'an allocation without an answer',
        'expired',
        /response deadline/,
        async () => {
          await gateway.advance(10 * 86_400);
          await housekeeping(gateway.deps);
        },
      ],
    ];
    for (const [name, status, reason, end] of ways) {
      const made = await once();
      await end(made);
      const row = await made.read();
      assert.equal(row.status, status, name);
      assert.match(row.reason, reason);
      assert.equal(await desk.remaining(made.deal, made.investor), 10_000_000, name);
    }
  });

  await t.test('is funded with the first trade that settles, and settled with the last', async () => {
    const { investor, id, first, second, status } = await twice();
    const [one, two] = [await desk.trade(first, investor), await desk.trade(second, investor)];
    dataOf(await desk.decide(one, 'settle'));
    assert.equal(await status(), 'funded');
    const funded = (await desk.read('subscriptions?status=funded', investor)).map(
      (row: { subscription_id: string }) => row.subscription_id,
    );
    assert.deepEqual(funded, [id]);
    dataOf(await desk.decide(two, 'fail'));
    assert.equal(await status(), 'funded');
    dataOf(await desk.decide(two, 'settle'));
    assert.equal(await status(), 'settled');
  });

  await t.test('is funded while an allocation of it still waits for its answer', async () => {
    const { investor, first, second, status } = await twice();
    dataOf(await desk.decide(await desk.trade(first, investor), 'settle'));
    assert.equal(await status(), 'funded');
    dataOf(await desk.decide(await desk.trade(second, investor), 'settle'));
    assert.equal(await status(), 'settled');
  });

  await t.test('a trade is cancelled and the other goes on: the subscription stays and settles', async () => {
    const { investor, first, second, status } = await twice();
    const [one, two] = [await desk.trade(first, investor), await desk.trade(second, investor)];
    dataOf(await desk.decide(one, 'cancel'));
    assert.equal(await status(), 'allocated');
    dataOf(await desk.decide(two, 'settle'));
    assert.equal(await status(), 'settled');
  });

  await t.test('is settled when the last that was open besides its settled trade ends without settling', async () => {
    const ways: [string, (made: Awaited<ReturnType<typeof twice>>) => Promise<unknown>][] = [
      [
        'its trade is cancelled',
        async ({ second, investor }) => dataOf(await desk.decide(await desk.trade(second, investor), 'cancel')),
      ],
      ['it is declined', async ({ second, investor }) => dataOf(await desk.answer(second, investor, 'decline'))],
      [
        'it expires',
        async () => {
          await gateway.advance(10 * 86_400);
          await housekeeping(gateway.deps);
        },
      ],
    ];
    for (const [name, end] of ways) {
      const made = await twice();
      dataOf(await desk.decide(await desk.trade(made.first, made.investor), 'settle'));
      await end(made);
      assert.equal(await made.status(), 'settled', name);
    }
  });

  await t.test('ends when its trade was cancelled and the allocation that was left is given back', async () => {
    const { deal, investor, first, second, status } = await twice();
    dataOf(await desk.decide(await desk.trade(first, investor), 'cancel'));
    dataOf(await desk.answer(second, investor, 'decline'));
    assert.equal(await status(), 'cancelled');
    assert.equal(await desk.remaining(deal, investor), 800_000);
  });

  await t.test('one of two allocations given back leaves it as it was', async () => {
    const { deal, investor, first, second, status } = await twice();
    dataOf(await desk.answer(second, investor, 'decline'));
    assert.equal(await status(), 'allocated');
    assert.equal(await desk.remaining(deal, investor), 200_000);
    dataOf(await desk.decide(await desk.trade(first, investor), 'settle'));
    assert.equal(await status(), 'settled');
  });
});
