import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { listDeal, setProfile } from '../../../test/support/market.ts';

test('subscriptions', async (t) => {
  await using gateway = await startGateway();
  const [seller, buyer, operator] = [
    await gateway.key('originator', 'Seller'),
    await gateway.key('investor', 'Buyer'),
    await gateway.key('operator', 'Platform'),
  ];
  const subscribe = (dealId: string, as: Holder, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.call('POST', `/v1/api/investor/deals/${dealId}/subscribe`, { as, body, headers });
  const post = (path: string, as: Holder, body?: object) =>
    gateway.call('POST', path, { as, ...(body === undefined ? {} : { body }) });
  const failedChecks = (answer: Answer): string[] =>
    (answer.body.errors ?? [])
      .filter((each: { result: string }) => each.result === 'failed')
      .map((each: { check: string }) => each.check);
  const remaining = async (dealId: string): Promise<number> =>
    (await gateway.call('GET', `/v1/api/investor/deals/${dealId}`, { as: buyer })).body.data.tranches[0].remaining_capacity;

  await t.test(
    'a passing subscription waits for confirmation in the most senior tranche and converts the indication',
    async () => {
      const deal = await listDeal(gateway, seller, {
        tranches: [
          { class: 'B', seniority: 2 },
          { class: 'A', seniority: 1 },
        ],
      });
      const ioi = (await post(`/v1/api/investor/deals/${deal.deal_id}/ioi`, buyer, { interest_amount: 5_000 })).body.data;
      const answer = await subscribe(deal.deal_id, buyer, { subscription_amount: 250_000 });
      assert.equal(answer.status, 201);
      const { status, deal_id, subscription_amount, compliance_check_result, tranche_id, ioi_id } = answer.body.data;
      assert.deepEqual(
        [status, deal_id, subscription_amount, compliance_check_result, tranche_id, ioi_id],
        ['pending_confirmation', deal.deal_id, 250_000, 'passed', deal.tranches[1], ioi.ioi_id],
      );
      assert.equal(
        (await gateway.call('GET', `/v1/api/investor/iois/${ioi.ioi_id}`, { as: buyer })).body.data.status,
        'converted',
      );
    },
  );

  await t.test(
    'a failed check is 422 with every check and its reason; nothing is created and the attempt is in the audit log',
    async () => {
      const deal = await listDeal(gateway, seller);
      const stranger = await gateway.key('investor', 'Stranger', { profile: 'none' });
      const answer = await subscribe(deal.deal_id, stranger, { subscription_amount: 1_500 });
      assert.deepEqual([answer.status, answer.body.code], [422, 'COMPLIANCE_FAILED']);
      assert.deepEqual(failedChecks(answer), [
        'investor_profile',
        'sanctions',
        'eligibility',
        'tax_form',
        'erisa',
        'minimum_and_increment',
      ]);
      const profile = answer.body.errors?.find((each: { check: string }) => each.check === 'investor_profile');
      assert.deepEqual([profile.field, profile.code, profile.message === profile.reason], [null, 'INVESTOR_PROFILE', true]);
      assert.equal((await gateway.call('GET', '/v1/api/investor/subscriptions', { as: stranger })).body.pagination.total, 0);
      const log = await gateway.call('GET', `/v1/operator/audit?organization_id=${stranger.organization_id}`, { as: operator });
      assert.equal(log.body.data[0].action, 'subscription.refused');
      assert.equal(log.body.data[0].after.amount, '1500.00');
    },
  );

  await t.test('the check answers the same without creating', async () => {
    const deal = await listDeal(gateway, seller);
    const check = (as: Holder, amount: number) =>
      post(`/v1/api/investor/deals/${deal.deal_id}/subscribe/check`, as, { subscription_amount: amount });
    const passed = await check(buyer, 2_000);
    assert.deepEqual(
      [passed.status, passed.body.data.compliance_check_result, passed.body.data.compliance_checks.length],
      [200, 'passed', 10],
    );
    assert.deepEqual(failedChecks(await check(buyer, 99_000_000)), ['capacity']);
    assert.equal(await remaining(deal.deal_id), 10_000_000);
  });

  await t.test(
    'a review holds the subscription, takes its capacity, alerts the investor and the operator, and is decided by the operator',
    async () => {
      const deal = await listDeal(gateway, seller);
      const reviewed = await gateway.key('investor', 'Reviewed');
      await setProfile(gateway, reviewed, { sanctions_status: 'REVIEW' });
      const created = await subscribe(deal.deal_id, reviewed, { subscription_amount: 4_000_000 });
      assert.deepEqual([created.status, created.body.data.compliance_check_result], [201, 'review_required']);
      assert.equal(await remaining(deal.deal_id), 6_000_000);
      const alerts = await gateway.call('GET', '/v1/api/alerts?type=compliance.review_required', { as: reviewed });
      assert.deepEqual([alerts.body.meta.total, alerts.body.data[0].category], [1, 'compliance']);
      const asked = await gateway.call('GET', '/v1/operator/alerts?type=compliance.review_required', { as: operator });
      const [told] = asked.body.data.filter(
        (each: { entity_id: string }) => each.entity_id === created.body.data.subscription_id,
      );
      assert.match(told?.message ?? '', /^The subscription of Reviewed for \$4,000,000 of tranche \S+ waits for a review: /);
      const id: string = created.body.data.subscription_id;
      await setProfile(gateway, reviewed, { sanctions_status: 'HIT' });
      const refused = await post(`/v1/operator/subscriptions/${id}/confirm`, operator);
      assert.deepEqual([refused.status, failedChecks(refused)], [422, ['sanctions']]);
      const rejected = await post(`/v1/operator/subscriptions/${id}/reject`, operator, { reason: 'sanctions hit' });
      assert.deepEqual(
        [rejected.status, rejected.body.data.status, rejected.body.data.reason],
        [200, 'rejected', 'sanctions hit'],
      );
      assert.equal(await remaining(deal.deal_id), 10_000_000);
      const again = await post(`/v1/operator/subscriptions/${id}/confirm`, operator);
      assert.deepEqual([again.status, again.body.code, again.body.current_status], [409, 'INVALID_TRANSITION', 'rejected']);
    },
  );

  await t.test('a rejection needs no reason, and then says who it was', async () => {
    const deal = await listDeal(gateway, seller);
    const { body } = await subscribe(deal.deal_id, buyer, { subscription_amount: 1_000_000 });
    const rejected = await post(`/v1/operator/subscriptions/${body.data.subscription_id}/reject`, operator);
    assert.deepEqual(
      [rejected.status, rejected.body.data.status, rejected.body.data.reason],
      [200, 'rejected', 'rejected by the operator'],
    );
  });

  await t.test('it can be cancelled until the books close', async () => {
    const deal = await listDeal(gateway, seller);
    const [first, second] = [
      await subscribe(deal.deal_id, buyer, { subscription_amount: 1_000_000 }),
      await subscribe(deal.deal_id, buyer, { subscription_amount: 2_000_000 }),
    ].map((answer) => answer.body.data.subscription_id) as [string, string];
    assert.equal((await post(`/v1/api/investor/subscriptions/${first}/cancel`, buyer)).body.data.status, 'cancelled');
    assert.equal(await remaining(deal.deal_id), 8_000_000);
    assert.equal((await post(`/v1/api/investor/subscriptions/${first}/cancel`, buyer)).status, 409);
    await post(`/v1/operator/deals/${deal.deal_id}/close-books`, operator);
    const late = await post(`/v1/api/investor/subscriptions/${second}/cancel`, buyer);
    assert.deepEqual([late.status, late.body.code], [409, 'BOOKS_CLOSED']);
    const closed = await subscribe(deal.deal_id, buyer, { subscription_amount: 1_000 });
    assert.deepEqual([closed.status, closed.body.code], [409, 'BOOKS_CLOSED']);
  });

  await t.test('a limit of the investor holds over all its asks in the deal', async () => {
    const deal = await listDeal(gateway, seller);
    const limited = await gateway.key('investor', 'Limited');
    await setProfile(gateway, limited, { concentration_limit: 1_000_000 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => subscribe(deal.deal_id, limited, { subscription_amount: 300_000 })),
    );
    assert.equal(answers.filter((answer) => answer.status === 201).length, 3);
    assert.deepEqual([...new Set(answers.filter((answer) => answer.status !== 201).flatMap(failedChecks))], ['concentration']);
  });

  await t.test('200 at once for three times what is left never sell more than there is', async () => {
    const deal = await listDeal(gateway, seller, { tranches: [{ balance: 10_000_000 }] });
    const investors = await Promise.all(Array.from({ length: 8 }, (_, index) => gateway.key('investor', `Crowd ${index}`)));
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        subscribe(deal.deal_id, investors[index % 8] as Holder, { subscription_amount: 150_000 }),
      ),
    );
    const accepted = answers.filter((answer) => answer.status === 201);
    assert.deepEqual(
      answers.filter((answer) => ![201, 422].includes(answer.status)).map((answer) => answer.status),
      [],
    );
    assert.equal(accepted.length, Math.floor(10_000_000 / 150_000));
    assert.equal(await remaining(deal.deal_id), 10_000_000 - accepted.length * 150_000);
    const lost = answers.find((answer) => answer.status === 422) as Answer;
    assert.deepEqual(failedChecks(lost), ['capacity']);
    const audit = await gateway.call('GET', '/v1/operator/audit/verify', { as: operator });
    assert.equal(audit.body.data.valid, true);
  });

  await t.test('repeated under one key it is one subscription, at once or after', async () => {
    const deal = await listDeal(gateway, seller);
    const repeat = () => subscribe(deal.deal_id, buyer, { subscription_amount: 3_000 }, { 'idempotency-key': 'double-click' });
    const answers = await Promise.all(Array.from({ length: 20 }, repeat));
    const after = await repeat();
    assert.ok(answers.every((answer) => answer.status === 201 || answer.status === 409));
    assert.equal(after.headers['idempotency-replayed'], 'true');
    const made = [...answers, after].filter((each) => each.status === 201).map((each) => each.body.data.subscription_id);
    assert.equal(new Set(made).size, 1);
    assert.equal(await remaining(deal.deal_id), 9_997_000);
  });

  await t.test('what is not on offer, withdrawn, another’s or not a number is refused', async () => {
    const deal = await listDeal(gateway, seller, { tranches: [{}, { tranche: 'R', offered: false, seniority: 9 }] });
    const withdrawn = await listDeal(gateway, seller, { market_status: 'WITHDRAWN' });
    assert.equal((await subscribe(withdrawn.deal_id, buyer, { subscription_amount: 1_000 })).status, 404);
    assert.equal(
      (await subscribe(deal.deal_id, buyer, { subscription_amount: 1_000, tranche_id: deal.tranches[1] })).status,
      404,
    );
    assert.equal((await subscribe(deal.deal_id, buyer, { subscription_amount: 1_000, tranche_id: 'trn_none' })).status, 404);
    for (const subscription_amount of ['1000', null, true, [1000], 0, -1, 1_000.001, 1e17]) {
      assert.equal((await subscribe(deal.deal_id, buyer, { subscription_amount })).status, 400, String(subscription_amount));
    }
    const mine = (await subscribe(deal.deal_id, buyer, { subscription_amount: 1_000 })).body.data.subscription_id;
    const other = await gateway.key('investor', 'Other');
    assert.equal((await gateway.call('GET', `/v1/api/investor/subscriptions/${mine}`, { as: other })).status, 404);
    assert.equal((await post(`/v1/api/investor/subscriptions/${mine}/cancel`, other)).status, 404);
    const both = await gateway.key('both', 'Seller');
    assert.deepEqual(failedChecks(await subscribe(deal.deal_id, both, { subscription_amount: 1_000 })), ['not_own_deal']);
  });
});
