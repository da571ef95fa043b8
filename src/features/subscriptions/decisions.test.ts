import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertRefused,
  changesOf,
  dataOf,
  failedChecks,
  heldOpen,
  openDesk,
  waitingForLock,
} from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { setProfile } from '../../../test/support/market.ts';
import { asId } from '../../platform/ids.ts';
import { cancelSubscription } from './decide-subscription.ts';

test('decisions about subscriptions', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  /** A subscription of 1,000,000 by an investor of its own. */
  const subscribed = async (profile: Record<string, unknown> = {}) => {
    const [deal, investor] = [await desk.list(), await desk.investor(profile)];
    const row = dataOf(await desk.subscribe(deal, investor, 1_000_000));
    return { deal, investor, row, id: row.subscription_id as string };
  };
  const statusOf = async ({ id, investor }: Awaited<ReturnType<typeof subscribed>>): Promise<string> =>
    (await desk.read(`subscriptions/${id}`, investor)).status;

  await t.test('a confirmation moves the subscription, keeps its capacity and is in the audit log with its reason', async () => {
    const { deal, investor, id } = await subscribed();
    const { result, changed } = await changesOf(gateway, () => desk.confirm(id, { reason: 'called the investor' }));
    const { status, reason, organization_id } = dataOf(result);
    assert.deepEqual([status, reason, organization_id], ['confirmed', 'called the investor', investor.organization_id]);
    assert.deepEqual(changed, ['alerts', 'audit_log', 'events', 'subscriptions']);
    assert.equal(await desk.remaining(deal, investor), 9_000_000);
    const entry = (await desk.audited(id)).at(-1);
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.organization_id, entry?.before, entry?.after, entry?.reason],
      [
        'subscription.confirmed',
        desk.operator.key_id,
        investor.organization_id,
        { status: 'pending_confirmation' },
        { status: 'confirmed' },
        'called the investor',
      ],
    );
  });

  await t.test('a reason that was given stays when a later move has none', async () => {
    const { deal, investor, id } = await subscribed();
    dataOf(await desk.confirm(id, { reason: 'called the investor' }));
    dataOf(await desk.allocate(deal));
    const row = await desk.read(`subscriptions/${id}`, investor);
    assert.deepEqual([row.status, row.reason], ['allocated', 'called the investor']);
  });

  await t.test('a rejection gives the capacity back, before and after the confirmation', async () => {
    for (const confirmedFirst of [false, true]) {
      const { deal, investor, id } = await subscribed();
      if (confirmedFirst) dataOf(await desk.confirm(id));
      const { result, changed } = await changesOf(gateway, () => desk.reject(id, { reason: 'credit line' }));
      assert.deepEqual([dataOf(result).status, result.body.data.reason], ['rejected', 'credit line']);
      assert.deepEqual(changed, ['alerts', 'audit_log', 'events', 'subscriptions', 'tranche_books']);
      assert.equal(await desk.remaining(deal, investor), 10_000_000);
    }
  });

  await t.test('only a pending one is confirmed, only a live one that is not allocated is rejected or cancelled', async () => {
    const ways: [string, (made: Awaited<ReturnType<typeof subscribed>>) => Promise<unknown>, string[]][] = [
      ['confirmed', ({ id }) => desk.confirm(id).then(dataOf), ['confirm']],
      ['rejected', ({ id }) => desk.reject(id).then(dataOf), ['confirm', 'reject', 'cancel']],
      ['cancelled', ({ id, investor }) => desk.cancel(id, investor).then(dataOf), ['confirm', 'reject', 'cancel']],
      ['expired', ({ deal }) => desk.allocate(deal).then(dataOf), ['confirm', 'reject', 'cancel']],
      [
        'allocated',
        async ({ deal, id }) => {
          dataOf(await desk.confirm(id));
          dataOf(await desk.allocate(deal));
        },
        ['confirm', 'reject'],
      ],
    ];
    for (const [status, way, refusedActs] of ways) {
      const made = await subscribed();
      await way(made);
      assert.equal(await statusOf(made), status);
      const acts: Record<string, () => ReturnType<typeof desk.confirm>> = {
        confirm: () => desk.confirm(made.id),
        reject: () => desk.reject(made.id),
        cancel: () => desk.cancel(made.id, made.investor),
      };
      for (const name of refusedActs) {
        const refused = await assertRefused(gateway, acts[name] as () => ReturnType<typeof desk.confirm>, [
          409,
          'INVALID_TRANSITION',
        ]);
        assert.equal(refused.body.current_status, status, name);
      }
    }
  });

  await t.test('an allocated one is not cancelled by the investor: it declines its allocation', async () => {
    const made = await subscribed();
    dataOf(await desk.confirm(made.id));
    dataOf(await desk.allocate(made.deal));
    const late = await assertRefused(gateway, () => desk.cancel(made.id, made.investor), [409, 'BOOKS_CLOSED']);
    assert.match(late.body.message ?? '', /can no longer be cancelled/);
    assert.equal(await desk.remaining(made.deal, made.investor), 9_000_000);
  });

  await t.test('a confirmed one may be cancelled while the books are open, and says by whom', async () => {
    const made = await subscribed();
    dataOf(await desk.confirm(made.id));
    const { result, changed } = await changesOf(gateway, () => desk.cancel(made.id, made.investor));
    assert.deepEqual([dataOf(result).status, result.body.data.reason], ['cancelled', 'cancelled by the investor']);
    assert.deepEqual(changed, ['alerts', 'audit_log', 'events', 'subscriptions', 'tranche_books']);
    assert.equal((await desk.audited(made.id)).at(-1)?.action, 'subscription.cancelled');
  });

  await t.test('a confirmation is possible after the books have closed', async () => {
    const made = await subscribed();
    dataOf(await desk.move(made.deal, 'close-books'));
    assert.equal(dataOf(await desk.confirm(made.id)).status, 'confirmed');
  });

  await t.test('a confirmation runs the checks of the investor again, each of them', async () => {
    const cases: [Record<string, unknown> | null, string[]][] = [
      [null, ['investor_profile', 'sanctions', 'eligibility', 'tax_form', 'erisa']],
      [{ kyc_status: 'REJECTED' }, ['investor_profile']],
      [{ kyc_expires_on: '2020-01-01' }, ['investor_profile']],
      [{ sanctions_status: 'HIT' }, ['sanctions']],
      [{ qib: false }, ['eligibility']],
      [{ tax_form: null }, ['tax_form']],
    ];
    for (const [profile, checks] of cases) {
      const made = await subscribed();
      await setProfile(gateway, made.investor, profile);
      const refused = await assertRefused(gateway, () => desk.confirm(made.id), [422, 'COMPLIANCE_FAILED'], ['audit_log']);
      assert.deepEqual(failedChecks(refused), checks);
      const [entry] = await desk.audited(made.deal.deal_id);
      assert.deepEqual(
        [entry?.action, entry?.actor, entry?.after?.amount, entry?.after?.failed],
        ['subscription.confirmation_refused', desk.operator.key_id, '1000000.00', checks],
      );
    }
  });

  await t.test('a plan that has become one is not confirmed in a tranche closed to plans', async () => {
    const deal = await desk.list({ tranches: [{ erisa_eligible: false }, { tranche: 'B' }] });
    const investor = await desk.investor();
    const [closed, open] = await Promise.all(
      deal.tranches.map(
        async (tranche_id) => dataOf(await desk.subscribe(deal, investor, 1_000, { tranche_id })).subscription_id,
      ),
    );
    await setProfile(gateway, investor, { erisa_plan: true });
    assert.deepEqual(failedChecks(await desk.confirm(closed)), ['erisa']);
    assert.equal(dataOf(await desk.confirm(open)).status, 'confirmed');
  });

  await t.test(
    'a confirmation decides a review, and asks nothing about amounts and capacity that were taken already',
    async () => {
      const deal = await desk.list({ tranches: [{ balance: 1_000_000 }] });
      const investor = await desk.investor({ sanctions_status: 'REVIEW' });
      const { subscription_id, compliance_check_result } = dataOf(await desk.subscribe(deal, investor, 1_000_000));
      assert.equal(compliance_check_result, 'review_required');
      await setProfile(gateway, investor, { concentration_limit: 1 });
      const row = dataOf(await desk.confirm(subscription_id));
      assert.deepEqual([row.status, row.compliance_check_result], ['confirmed', 'review_required']);
    },
  );

  await t.test('nobody decides about the own subscription, nor about one in the own deal', async () => {
    const made = await subscribed();
    for (const holder of [made.investor, desk.seller]) {
      const decider = await gateway.mixedKey(holder);
      for (const act of ['confirm', 'reject']) {
        const decide = () => desk.send('POST', `/v1/operator/subscriptions/${made.id}/${act}`, decider);
        await assertRefused(gateway, decide, [403, 'OWN_ORGANIZATION']);
      }
    }
    for (const as of [made.investor, desk.seller]) {
      const answer = await desk.send('POST', `/v1/operator/subscriptions/${made.id}/confirm`, as);
      assert.deepEqual(codeOf(answer), [403, 'ROLE_FORBIDDEN']);
    }
    assert.equal(await statusOf(made), 'pending_confirmation');
  });

  await t.test('decisions at once: one is made, and the capacity comes back once', async () => {
    const { deal, investor, id } = await subscribed();
    dataOf(await desk.subscribe(deal, investor, 3_000_000));
    const answers = await Promise.all([desk.reject(id), desk.cancel(id, investor), desk.reject(id), desk.cancel(id, investor)]);
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 409, 409, 409]);
    assert.equal(await desk.remaining(deal, investor), 7_000_000);
  });

  await t.test('a decision that waits for another finds the subscription as that one left it', async () => {
    const { deal, investor, id } = await subscribed();
    const commit = await heldOpen(gateway, (tx) => cancelSubscription(tx, investor, asId('sub', id)));
    const late = desk.confirm(id);
    await waitingForLock(gateway);
    await commit();
    const refused = await late;
    assert.deepEqual([codeOf(refused), refused.body.current_status], [[409, 'INVALID_TRANSITION'], 'cancelled']);
    assert.equal(await desk.remaining(deal, investor), 10_000_000);
  });

  await t.test('a reason has 1 to 1,000 characters of plain text', async () => {
    for (const reason of ['', 'x'.repeat(1_001), 5, null, 'a\u202eb']) {
      const { id } = await subscribed();
      assert.equal((await desk.confirm(id, { reason })).status, 400, String(reason));
      assert.equal((await desk.reject(id, { reason })).status, 400, String(reason));
    }
    const { id } = await subscribed();
    const reason = 'ü'.repeat(1_000);
    assert.equal(dataOf(await desk.reject(id, { reason })).reason, reason);
  });

  await t.test('a subscription that is not there is not decided about', async () => {
    const stranger = await desk.investor();
    const { id } = await subscribed();
    for (const act of [
      () => desk.confirm('sub_none'),
      () => desk.reject('sub_none'),
      () => desk.cancel('sub_none', stranger),
      () => desk.cancel(id, stranger),
    ]) {
      await assertRefused(gateway, act, [404, 'NOT_FOUND']);
    }
  });
});
