import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import {
  assertRefused,
  changesOf,
  dataOf,
  failedChecks,
  heldOpen,
  openDesk,
  waitingForLock,
} from '../../../test/support/desk.ts';
import { type Answer, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { asId } from '../../platform/ids.ts';
import { subscribe } from './subscribe.ts';

test('the capacity of a tranche', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);

  await t.test('is sold to the last increment and no further', async () => {
    const [deal, investor] = [await desk.list({ tranches: [{ balance: 1_000_000 }] }), await desk.investor()];
    dataOf(await desk.subscribe(deal, investor, 400_000));
    const above = () => desk.subscribe(deal, investor, 601_000);
    const refused = await assertRefused(gateway, above, [422, 'COMPLIANCE_FAILED'], ['audit_log']);
    assert.deepEqual(failedChecks(refused), ['capacity']);
    const finding = refused.body.errors?.find((each) => each.check === 'capacity');
    assert.match(finding.reason, /A-1 has \$600,000 of capacity left/);
    dataOf(await desk.subscribe(deal, investor, 600_000));
    assert.equal(await desk.remaining(deal, investor), 0);
    assert.deepEqual(failedChecks(await desk.subscribe(deal, investor, 1_000)), ['capacity']);
  });

  await t.test('is each tranche’s own', async () => {
    const deal = await desk.list({ tranches: [{ balance: 1_000_000 }, { tranche: 'B', balance: 500_000 }] });
    const investor = await desk.investor();
    const [senior, junior] = deal.tranches;
    dataOf(await desk.subscribe(deal, investor, 1_000_000));
    assert.deepEqual(failedChecks(await desk.subscribe(deal, investor, 501_000, { tranche_id: junior })), ['capacity']);
    dataOf(await desk.subscribe(deal, investor, 500_000, { tranche_id: junior }));
    assert.deepEqual([await desk.remaining(deal, investor, senior), await desk.remaining(deal, investor, junior)], [0, 0]);
  });

  await t.test('is that of the original face although the balance has been repaid in part', async () => {
    const deal = await desk.list({ tranches: [{ balance: 1_000_000, current: 250_000 }] });
    assert.equal((await desk.subscribe(deal, await desk.investor(), 1_000_000)).status, 201);
  });

  await t.test('is as a plain sum says after any sequence of subscriptions, amendments and ends', async () => {
    const Act = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('subscribe' as const), steps: fc.integer({ min: 1, max: 60 }) }) },
      fc.record({ kind: fc.constantFrom('cancel' as const, 'reject' as const, 'confirm' as const), of: fc.nat(9) }),
      fc.record({ kind: fc.constant('amend' as const), of: fc.nat(9), steps: fc.integer({ min: 1, max: 60 }) }),
    );
    const investor = await desk.investor();
    const LIVE = ['pending_confirmation', 'confirmed'];
    await fc.assert(
      fc.asyncProperty(fc.array(Act, { minLength: 1, maxLength: 12 }), async (acts) => {
        const deal = await desk.list({ tranches: [{ balance: 100_000 }] });
        const model: { id: string; amount: number; status: string }[] = [];
        const left = () => 100_000 - model.filter((row) => LIVE.includes(row.status)).reduce((sum, row) => sum + row.amount, 0);
        for (const act of acts) {
          if (act.kind === 'subscribe') {
            const amount = act.steps * 1_000;
            const answer = await desk.subscribe(deal, investor, amount);
            assert.equal(answer.status, amount <= left() ? 201 : 422);
            if (answer.status === 201)
              model.push({ id: answer.body.data.subscription_id, amount, status: 'pending_confirmation' });
            continue;
          }
          const row = model[act.of];
          if (!row) continue;
          if (act.kind === 'amend') {
            const amount = act.steps * 1_000;
            const expected = row.status !== 'pending_confirmation' ? 409 : amount <= left() + row.amount ? 200 : 422;
            assert.equal((await desk.amendSubscription(row.id, investor, amount)).status, expected);
            if (expected === 200) row.amount = amount;
            continue;
          }
          const allowed = act.kind === 'confirm' ? row.status === 'pending_confirmation' : LIVE.includes(row.status);
          const answer = await (act.kind === 'cancel' ? desk.cancel(row.id, investor) : desk[act.kind](row.id));
          assert.equal(answer.status, allowed ? 200 : 409);
          if (allowed) row.status = { cancel: 'cancelled', reject: 'rejected', confirm: 'confirmed' }[act.kind];
        }
        assert.equal(await desk.remaining(deal, investor), left());
      }),
      { numRuns: 25 },
    );
  });

  await t.test('never is below what was sold when subscriptions come and go at once', async () => {
    const deal = await desk.list({ tranches: [{ balance: 1_000_000 }] });
    const investors = await Promise.all(Array.from({ length: 4 }, () => desk.investor()));
    const made = await Promise.all(
      investors.map(async (each) => dataOf(await desk.subscribe(deal, each, 200_000)).subscription_id),
    );
    const answers: Answer[] = await Promise.all([
      ...investors.map((each, index) => desk.cancel(made[index], each)),
      ...investors.flatMap((each) => [desk.subscribe(deal, each, 200_000), desk.subscribe(deal, each, 100_000)]),
    ]);
    assert.deepEqual(answers.filter((answer) => ![200, 201, 422].includes(answer.status)).map(codeOf), []);
    const rows = dataOf(await desk.operate('GET', `subscriptions?deal_id=${deal.deal_id}&limit=100`));
    const live = rows.filter((row: { status: string }) => row.status === 'pending_confirmation');
    const sold = live.reduce((sum: number, row: { subscription_amount: number }) => sum + row.subscription_amount, 0);
    assert.ok(sold <= 1_000_000);
    assert.equal(await desk.remaining(deal, investors[0] as (typeof investors)[number]), 1_000_000 - sold);
  });

  await t.test('that another took between the checks and the commit is refused with what is left', async () => {
    // Without a key a subscription is committed together with others; with one it has a transaction of its own.
    for (const headers of [{}, { 'idempotency-key': 'late' }]) {
      const deal = await desk.list({ tranches: [{ balance: 1_000_000 }] });
      const [quick, late] = [await desk.investor(), await desk.investor()];
      const commit = await heldOpen(gateway, (tx) =>
        subscribe(tx, quick, { deal_id: asId('deal', deal.deal_id), tranche_id: null, amount: '600000.00' }),
      );
      const path = `/v1/api/investor/deals/${deal.deal_id}/subscribe`;
      const second = gateway.call('POST', path, { as: late, headers, body: { subscription_amount: 500_000 } });
      await waitingForLock(gateway);
      await commit();
      const refused = await second;
      assert.deepEqual([codeOf(refused), failedChecks(refused)], [[422, 'COMPLIANCE_FAILED'], ['capacity']]);
      assert.match(refused.body.message ?? '', /A-1 has \$400,000 of capacity left/);
      assert.equal((await desk.get('subscriptions', late)).body.pagination.total, 0);
      assert.equal(await desk.remaining(deal, late), 400_000);
      const entries = await desk.audited(deal.deal_id);
      assert.deepEqual(
        entries.map((entry) => [entry.action, entry.organization_id]),
        [['subscription.refused', late.organization_id]],
      );
    }
  });

  await t.test('is not sold once the books have closed in between', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const commit = await heldOpen(gateway, (tx) =>
      tx.exec('update tranche_books set open = false where deal_id = $1', [deal.deal_id]),
    );
    const late = desk.subscribe(deal, investor, 1_000);
    await waitingForLock(gateway);
    await commit();
    assert.deepEqual(codeOf(await late), [409, 'BOOKS_CLOSED']);
    assert.equal((await desk.get('subscriptions', investor)).body.pagination.total, 0);
  });
});

test('subscriptions that come together', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);

  await t.test('are each of its investor, with an audit entry by the key that sent it', async () => {
    const deal = await desk.list();
    const investors = await Promise.all(Array.from({ length: 6 }, () => desk.investor()));
    const rows = await Promise.all(
      investors.map(async (each, index) => dataOf(await desk.subscribe(deal, each, (index + 1) * 1_000))),
    );
    for (const [index, investor] of investors.entries()) {
      const own = await desk.read('subscriptions', investor);
      assert.deepEqual(own, [rows[index]]);
      const [entry, ...more] = await desk.audited(own[0].subscription_id);
      assert.deepEqual(
        [entry?.action, entry?.actor, entry?.organization_id, entry?.after?.subscription_amount, more.length],
        ['subscription.created', investor.key_id, investor.organization_id, (index + 1) * 1_000, 0],
      );
    }
    assert.equal(await desk.remaining(deal, investors[0] as (typeof investors)[number]), 10_000_000 - 21_000);
  });

  await t.test('of two subscriptions of one investor one has the indication', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const { ioi_id } = dataOf(await desk.indicate(deal, investor, 1_000));
    const rows = await Promise.all([desk.subscribe(deal, investor, 1_000), desk.subscribe(deal, investor, 2_000)]);
    const indications = rows.map((answer) => dataOf(answer).ioi_id);
    assert.deepEqual(indications.toSorted(), [ioi_id, null].toSorted());
    assert.equal((await desk.read(`iois/${ioi_id}`, investor)).status, 'converted');
  });

  await t.test('the indications of other investors and of other deals are not converted', async () => {
    const [deal, elsewhere] = [await desk.list(), await desk.list()];
    const [anna, bert] = [await desk.investor(), await desk.investor()];
    dataOf(await desk.indicate(elsewhere, anna, 1_000));
    dataOf(await desk.indicate(deal, bert, 1_000));
    const { ioi_id } = dataOf(await desk.subscribe(deal, anna, 1_000));
    assert.equal(ioi_id, null);
    for (const each of [anna, bert])
      assert.deepEqual(
        (await desk.read('iois', each)).map((ioi: { status: string }) => ioi.status),
        ['submitted'],
      );
  });

  await t.test('those that fit are made although others beside them do not', async () => {
    const deal = await desk.list({ tranches: [{ balance: 100_000 }] });
    const [good, barred] = [await desk.investor(), await desk.investor({ qib: false })];
    const answers = await Promise.all([
      desk.subscribe(deal, good, 60_000),
      desk.subscribe(deal, barred, 10_000),
      desk.subscribe(deal, good, 60_000),
      desk.subscribe(deal, good, 40_000),
      desk.subscribe(deal, good, 500),
    ]);
    const made = answers.filter((answer) => answer.status === 201).map((answer) => answer.body.data.subscription_amount);
    assert.deepEqual(made.toSorted(), [40_000, 60_000]);
    // The tranche may be full before the barred investor is judged: then that is told beside the eligibility.
    const barredBy = answers[1] ? failedChecks(answers[1]) : [];
    assert.deepEqual(
      barredBy.filter((check) => check !== 'capacity'),
      ['eligibility'],
    );
    assert.equal(answers[4] && failedChecks(answers[4]).includes('minimum_and_increment'), true);
    assert.equal(await desk.remaining(deal, good), 0);
  });

  await t.test('one that waits for a review comes with its alert, one that is repeated under a key is one', async () => {
    const deal = await desk.list();
    const [reviewed, clear] = [await desk.investor({ kyc_status: 'PENDING' }), await desk.investor()];
    const { result, changed } = await changesOf(gateway, () =>
      Promise.all([desk.subscribe(deal, reviewed, 1_000), desk.subscribe(deal, clear, 1_000)]),
    );
    assert.deepEqual(
      result.map((answer) => dataOf(answer).compliance_check_result),
      ['review_required', 'passed'],
    );
    assert.deepEqual(changed, ['alerts', 'audit_log', 'subscriptions', 'tranche_books']);
    const alerts = async (as: typeof clear) => (await desk.send('GET', '/v1/api/alerts', as)).body.data;
    const [alert] = await alerts(reviewed);
    assert.deepEqual([alert.entity_type, alert.entity_id], ['subscription', result[0]?.body.data.subscription_id]);
    assert.match(alert.message, /subscription for \$1,000 of tranche A-1/);
    assert.deepEqual(await alerts(clear), []);
  });
});
