import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, failedChecks, openDesk } from '../../../test/support/desk.ts';
import { codeOf, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { setProfile } from '../../../test/support/market.ts';

test('an amended subscription', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  /** A pending subscription for 600,000 of a tranche of 1,000,000. */
  const subscribed = async (profile: Record<string, unknown> = {}) => {
    const deal = await desk.list({ tranches: [{ balance: 1_000_000 }] });
    const investor = await desk.investor(profile);
    const row = dataOf(await desk.subscribe(deal, investor, 600_000));
    return { deal, investor, row, id: row.subscription_id as string };
  };

  await t.test('keeps its place in time when the amount falls, and has a new one when it rises', async () => {
    const { deal, investor, row, id } = await subscribed();
    assert.equal(row.placed_at, row.created_at);
    await gateway.advance(60);
    const { result, changed } = await changesOf(gateway, () => desk.amendSubscription(id, investor, 200_000));
    const fallen = dataOf(result);
    assert.deepEqual(
      [fallen.subscription_amount, fallen.status, fallen.placed_at],
      [200_000, 'pending_confirmation', row.placed_at],
    );
    assert.deepEqual(changed, ['audit_log', 'subscriptions', 'tranche_books']);
    assert.equal(await desk.remaining(deal, investor), 800_000);
    await gateway.advance(60);
    const risen = dataOf(await desk.amendSubscription(id, investor, 300_000));
    assert.deepEqual([risen.subscription_amount, risen.created_at], [300_000, row.created_at]);
    assert.equal(Date.parse(risen.placed_at) - Date.parse(row.placed_at) >= 120_000, true);
    assert.equal(await desk.remaining(deal, investor), 700_000);
    assert.deepEqual(await desk.read(`subscriptions/${id}`, investor), risen);
    const same = dataOf(await desk.amendSubscription(id, investor, 300_000));
    assert.deepEqual([same.subscription_amount, same.placed_at], [300_000, risen.placed_at]);
    const entries = (await desk.audited(id)).filter((entry) => entry.action === 'subscription.amended');
    assert.deepEqual(
      entries.map((entry) => [entry.actor, entry.before?.subscription_amount, entry.after?.subscription_amount]),
      [
        [investor.key_id, 600_000, 200_000],
        [investor.key_id, 200_000, 300_000],
        [investor.key_id, 300_000, 300_000],
      ],
    );
  });

  await t.test('is allotted by the place that it has: the last increment goes to the earlier bid', async () => {
    for (const [from, to, expected] of [
      [3_000, 2_000, 2_000],
      [1_000, 2_000, 1_000],
    ] as const) {
      const deal = await desk.list({ tranches: [{ balance: 3_000 }] });
      const [first, second] = [await desk.investor(), await desk.investor()];
      const { subscription_id } = dataOf(await desk.subscribe(deal, first, from));
      await gateway.advance(60);
      dataOf(await desk.order(deal, second, { amount: 2_000 }));
      await gateway.advance(60);
      dataOf(await desk.amendSubscription(subscription_id, first, to));
      dataOf(await desk.confirm(subscription_id));
      dataOf(await desk.allocate(deal));
      const [allocation] = await desk.allocations(deal, first);
      assert.equal(allocation?.allocated_amount, expected, `from ${from} to ${to}`);
    }
  });

  await t.test('may use the capacity that it holds, to the last increment and no further', async () => {
    const { deal, investor, id } = await subscribed();
    dataOf(await desk.subscribe(deal, await desk.investor(), 300_000));
    const above = () => desk.amendSubscription(id, investor, 701_000);
    const refused = await assertRefused(gateway, above, [422, 'COMPLIANCE_FAILED'], ['audit_log']);
    assert.deepEqual(failedChecks(refused), ['capacity']);
    assert.match(refused.body.message ?? '', /A-1 has \$700,000 of capacity left/);
    assert.equal((await desk.audited(deal.deal_id)).at(-1)?.action, 'subscription.amendment_refused');
    const check = (amount: number, as: Holder, subscription_id?: string) =>
      desk.send('POST', `/v1/api/investor/deals/${deal.deal_id}/subscribe/check`, as, {
        subscription_amount: amount,
        ...(subscription_id ? { subscription_id } : {}),
      });
    assert.deepEqual(failedChecks(await check(700_000, investor)), ['capacity']);
    assert.deepEqual(failedChecks(await check(701_000, investor, id)), ['capacity']);
    assert.equal(dataOf(await check(700_000, investor, id)).compliance_check_result, 'passed');
    assert.deepEqual(codeOf(await check(1_000, await desk.investor(), id)), [404, 'NOT_FOUND']);
    dataOf(await desk.amendSubscription(id, investor, 700_000));
    assert.equal(await desk.remaining(deal, investor), 0);
    dataOf(await desk.confirm(id));
    assert.deepEqual(codeOf(await check(700_000, investor, id)), [409, 'INVALID_TRANSITION']);
  });

  await t.test(
    'passes the checks of a new one: profile, minimum, increment, and the limit without what it replaces',
    async () => {
      const { investor, id } = await subscribed({ concentration_limit: 700_000 });
      for (const [amount, check] of [
        [500, 'minimum_and_increment'],
        [1_500, 'minimum_and_increment'],
        [701_000, 'concentration'],
      ] as const)
        assert.deepEqual(failedChecks(await desk.amendSubscription(id, investor, amount)), [check]);
      dataOf(await desk.amendSubscription(id, investor, 700_000));
      await setProfile(gateway, investor, { qib: false });
      const barred = () => desk.amendSubscription(id, investor, 1_000);
      assert.deepEqual(failedChecks(await assertRefused(gateway, barred, [422, 'COMPLIANCE_FAILED'], ['audit_log'])), [
        'eligibility',
      ]);
      for (const amount of ['1000', null, true, 0, -1, 1_000.001, 1e17])
        assert.equal((await desk.amendSubscription(id, investor, amount)).status, 400, String(amount));
    },
  );

  await t.test('waits for a review that its profile needs by then, with one alert', async () => {
    const { investor, id } = await subscribed();
    await setProfile(gateway, investor, { sanctions_status: 'REVIEW' });
    for (const amount of [500_000, 400_000])
      assert.equal(dataOf(await desk.amendSubscription(id, investor, amount)).compliance_check_result, 'review_required');
    const alerts = await gateway.call('GET', '/v1/api/alerts?type=compliance.review_required', { as: investor });
    assert.deepEqual([alerts.body.meta.total, alerts.body.data[0].entity_id], [1, id]);
  });

  await t.test('is pending, on open books, and the investor’s own', async () => {
    const confirmed = await subscribed();
    dataOf(await desk.confirm(confirmed.id));
    const late = () => desk.amendSubscription(confirmed.id, confirmed.investor, 1_000);
    const refused = await assertRefused(gateway, late, [409, 'INVALID_TRANSITION']);
    assert.equal(refused.body.current_status, 'confirmed');
    const closed = await subscribed();
    dataOf(await desk.move(closed.deal, 'close-books'));
    await assertRefused(gateway, () => desk.amendSubscription(closed.id, closed.investor, 1_000), [409, 'BOOKS_CLOSED']);
    dataOf(await desk.move(closed.deal, 'withdraw', { reason: 'pulled' }));
    await assertRefused(gateway, () => desk.amendSubscription(closed.id, closed.investor, 1_000), [409, 'BOOKS_CLOSED']);
    const other = await desk.investor();
    const open = await subscribed();
    await assertRefused(gateway, () => desk.amendSubscription(open.id, other, 1_000), [404, 'NOT_FOUND']);
    await assertRefused(gateway, () => desk.amendSubscription('sub_none', other, 1_000), [404, 'NOT_FOUND']);
  });

  await t.test(
    'holds what its last amendment says when many come at once, beside subscriptions for the same capacity',
    async () => {
      const { deal, investor, id } = await subscribed({ concentration_limit: 900_000 });
      const rival = await desk.investor();
      const answers = await Promise.all([
        ...[100_000, 900_000, 200_000, 800_000, 300_000].map((amount) => desk.amendSubscription(id, investor, amount)),
        ...[100_000, 200_000, 300_000].map((amount) => desk.subscribe(deal, rival, amount)),
        desk.subscribe(deal, investor, 50_000),
      ]);
      assert.deepEqual(answers.filter((answer) => ![200, 201, 422].includes(answer.status)).map(codeOf), []);
      const amounts = async (as: Holder): Promise<number[]> =>
        (await desk.read('subscriptions', as)).map((row: { subscription_amount: number }) => row.subscription_amount);
      const sold = [...(await amounts(investor)), ...(await amounts(rival))].reduce((sum, amount) => sum + amount, 0);
      assert.ok(sold <= 1_000_000);
      assert.equal(await desk.remaining(deal, investor), 1_000_000 - sold);
      assert.ok((await amounts(investor)).reduce((sum, amount) => sum + amount, 0) <= 900_000);
    },
  );

  await t.test('is amended once under one key', async () => {
    const { investor, row, id } = await subscribed();
    const repeat = (amount: number) =>
      gateway.call('PATCH', `/v1/api/investor/subscriptions/${id}`, {
        as: investor,
        body: { subscription_amount: amount },
        headers: { 'idempotency-key': 'amend' },
      });
    const first = dataOf(await repeat(700_000));
    await gateway.advance(60);
    dataOf(await desk.amendSubscription(id, investor, 500_000));
    const again = await repeat(700_000);
    assert.deepEqual([again.headers['idempotency-replayed'], dataOf(again)], ['true', first]);
    assert.deepEqual(codeOf(await repeat(600_000)), [422, 'IDEMPOTENCY_KEY_REUSED']);
    const now = await desk.read(`subscriptions/${id}`, investor);
    assert.deepEqual([now.subscription_amount, now.created_at], [500_000, row.created_at]);
  });
});
