import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, failedChecks, openDesk } from '../../../test/support/desk.ts';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import { insertPosition, setProfile } from '../../../test/support/market.ts';
import { newId } from '../../platform/ids.ts';

type Check = { check: string; result: string };

test('placing orders', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);

  await t.test('an order is open with its terms and its checks, and writes itself and its audit entry alone', async () => {
    const [deal, investor] = [await desk.list({ tranches: [{}, { tranche: 'B' }] }), await desk.investor()];
    const terms = { tranche_id: deal.tranches[1], amount: 250_000, minimum_amount: 100_000, limit_yield: 5.123456 };
    const { result, changed } = await changesOf(gateway, () => desk.order(deal, investor, terms));
    assert.equal(result.status, 201);
    const { order_id, compliance_checks, placed_at, created_at, updated_at, ...told } = result.body.data;
    assert.deepEqual(told, {
      ...terms,
      status: 'OPEN',
      deal_id: deal.deal_id,
      compliance_check_result: 'passed',
      reason: null,
    });
    assert.deepEqual([placed_at, updated_at], [created_at, created_at]);
    assert.deepEqual(
      compliance_checks.map((each: Check) => each.check),
      [
        'investor_profile',
        'sanctions',
        'eligibility',
        'tax_form',
        'erisa',
        'minimum_and_increment',
        'concentration',
        'books_open',
        'not_own_deal',
      ],
    );
    assert.deepEqual(changed, ['audit_log', 'orders']);
    assert.deepEqual(await desk.read(`orders/${order_id}`, investor), result.body.data);
    const [entry] = await desk.audited(order_id);
    assert.deepEqual([entry?.action, entry?.actor, entry?.after?.limit_yield], ['order.placed', investor.key_id, 5.123456]);
  });

  await t.test('without a minimum and a limit it is an order at market that takes any fill; null says the same', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    for (const more of [{}, { minimum_amount: null, limit_yield: null }]) {
      const { minimum_amount, limit_yield } = dataOf(await desk.order(deal, investor, { amount: 1_000, ...more }));
      assert.deepEqual([minimum_amount, limit_yield], [null, null]);
    }
  });

  await t.test('orders take no capacity: any number of them may ask for more than there is', async () => {
    const [deal, investor] = [await desk.list({ tranches: [{ balance: 1_000_000 }] }), await desk.investor()];
    for (const amount of [1_000_000, 5_000_000]) dataOf(await desk.order(deal, investor, { amount }));
    assert.equal(await desk.remaining(deal, investor), 1_000_000);
    dataOf(await desk.subscribe(deal, investor, 1_000_000));
    assert.equal((await desk.order(deal, investor, { amount: 1_000 })).status, 201, 'a full book takes orders');
  });

  await t.test('the minimum may be the amount and no cent more', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const place = (minimum_amount: number) => desk.order(deal, investor, { amount: 50_000, minimum_amount });
    const refused = await assertRefused(gateway, () => place(50_000.01), [422, 'UNPROCESSABLE']);
    assert.deepEqual([refused.body.errors?.[0].field, refused.body.errors?.[0].code], ['minimum_amount', 'ABOVE_AMOUNT']);
    assert.equal(dataOf(await place(50_000)).minimum_amount, 50_000);
    assert.equal(dataOf(await place(0.01)).minimum_amount, 0.01);
  });

  await t.test('a limit is a yield from 0 to 100 with at most six decimals', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const place = (limit_yield: unknown) => desk.order(deal, investor, { amount: 1_000, limit_yield });
    for (const limit of [0, 0.000001, 5.25, 99.999999, 100]) assert.equal(dataOf(await place(limit)).limit_yield, limit);
    for (const limit of [-0.000001, 100.000001, 5.1234567, 1e-7, '5', true, [5]]) {
      await assertRefused(gateway, () => place(limit), [400, 'VALIDATION_FAILED']);
    }
  });

  await t.test('what is no amount is refused', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    for (const amount of [0, -1_000, 1_000.001, 1e17, '1000', null, true, undefined]) {
      assert.equal((await desk.order(deal, investor, { amount })).status, 400, `amount ${String(amount)}`);
      const asked = await desk.order(deal, investor, { amount: 1_000, minimum_amount: amount });
      const leftOut = amount === null || amount === undefined;
      assert.equal(asked.status, leftOut ? 201 : 400, `minimum ${String(amount)}`);
    }
  });

  await t.test(
    'each check but capacity refuses an order: 422 with every check, the attempt in the audit log, nothing else',
    async () => {
      const cases: [string, Record<string, unknown> | null, string[]][] = [
        ['no profile', null, ['investor_profile', 'sanctions', 'eligibility', 'tax_form', 'erisa']],
        ['a rejected review', { kyc_status: 'REJECTED' }, ['investor_profile']],
        ['a review that is over', { kyc_expires_on: '2020-01-01' }, ['investor_profile']],
        ['a sanctions hit', { sanctions_status: 'HIT' }, ['sanctions']],
        ['not a QIB', { qib: false }, ['eligibility']],
        ['no tax form', { tax_form: null }, ['tax_form']],
        ['a plan', { erisa_plan: true }, ['erisa']],
        ['above the own limit', { concentration_limit: 199_999.99 }, ['concentration']],
      ];
      const deal = await desk.list({ tranches: [{ erisa_eligible: false }] });
      for (const [name, profile, checks] of cases) {
        const investor = await desk.investor(profile);
        const place = () => desk.order(deal, investor, { amount: 200_000 });
        const refused = await assertRefused(gateway, place, [422, 'COMPLIANCE_FAILED'], ['audit_log']);
        assert.deepEqual(failedChecks(refused), checks, name);
        assert.equal(refused.body.errors?.length, 9, name);
      }
    },
  );

  await t.test('a refusal is in the audit log with the tranche, the amount and the checks that failed', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor({ sanctions_status: 'HIT', tax_form: null })];
    await desk.order(deal, investor, { amount: 12_000 });
    const entries = await desk.audited(deal.deal_id);
    assert.deepEqual(
      entries.map(({ action, organization_id, actor, after }) => [action, organization_id, actor, after]),
      [
        [
          'order.refused',
          investor.organization_id,
          investor.key_id,
          { tranche_id: deal.tranches[0], amount: '12000.00', failed: ['sanctions', 'tax_form'] },
        ],
      ],
    );
    assert.match(entries[0]?.reason ?? '', /confirmed hit.*tax form/);
  });

  await t.test('the amount is the denomination and whole increments above it', async () => {
    const deal = await desk.list({ tranches: [{ denomination: 100_000, increment: 25_000 }] });
    const investor = await desk.investor();
    for (const [amount, status] of [
      [99_999.99, 422],
      [75_000, 422],
      [100_000, 201],
      [112_500, 422],
      [124_999.99, 422],
      [125_000, 201],
      [125_000.01, 422],
      [10_000_000, 201],
    ] as const) {
      assert.equal((await desk.order(deal, investor, { amount })).status, status, String(amount));
    }
  });

  await t.test('an originator that also invests cannot order in its own deal', async () => {
    const deal = await desk.list();
    const both = await gateway.key('both', 'Seller');
    const refused = await desk.order(deal, both, { amount: 1_000 });
    assert.deepEqual([codeOf(refused), failedChecks(refused)], [[422, 'COMPLIANCE_FAILED'], ['not_own_deal']]);
  });

  await t.test('an order under review is placed, and its investor is alerted once', async () => {
    const [deal, investor] = [await desk.list({ name: 'Harbor Review' }), await desk.investor({ kyc_status: 'PENDING' })];
    const { result, changed } = await changesOf(gateway, () => desk.order(deal, investor, { amount: 40_000 }));
    assert.deepEqual([result.status, result.body.data.compliance_check_result], [201, 'review_required']);
    assert.deepEqual(changed, ['alerts', 'audit_log', 'orders']);
    const { body } = await gateway.call('GET', '/v1/api/alerts', { as: investor });
    const [alert, ...others] = body.data;
    assert.deepEqual(
      [alert.type, alert.category, alert.priority, alert.entity_type, alert.entity_id, others],
      ['compliance.review_required', 'compliance', 'HIGH', 'order', result.body.data.order_id, []],
    );
    assert.match(alert.title, /Harbor Review/);
    assert.match(alert.message, /\$40,000 of tranche A-1 .*KYC review is pending/);
  });

  await t.test('a tranche that is not on offer, of another deal or of none is absent', async () => {
    const [deal, other] = [await desk.list({ tranches: [{}, { tranche: 'R', offered: false }] }), await desk.list()];
    const investor = await desk.investor();
    for (const tranche_id of [deal.tranches[1], other.tranches[0], 'trn_none']) {
      await assertRefused(gateway, () => desk.order(deal, investor, { tranche_id, amount: 1_000 }), [404, 'NOT_FOUND']);
    }
    assert.equal((await desk.order(deal, investor, { tranche_id: undefined, amount: 1_000 })).status, 400);
    const withdrawn = await desk.list({ market_status: 'WITHDRAWN' });
    await assertRefused(gateway, () => desk.order(withdrawn, investor, { amount: 1_000 }), [404, 'NOT_FOUND']);
    await assertRefused(gateway, () => desk.order({ ...deal, deal_id: 'deal_none' }, investor, { amount: 1_000 }), [
      404,
      'NOT_FOUND',
    ]);
  });

  await t.test('with closed books nothing is placed', async () => {
    const investor = await desk.investor();
    for (const market_status of ['BOOKS_CLOSED', 'ALLOCATED', 'CLOSED']) {
      const deal = await desk.list({ market_status });
      const answer = await desk.order(deal, investor, { amount: 1_000 });
      assert.ok(answer.status === 422 || answer.status === 409, `${market_status}: ${answer.status}`);
      assert.equal((await desk.get(`orders?deal_id=${deal.deal_id}`, investor)).body.pagination.total, 0, market_status);
    }
  });

  await t.test('a limit counts subscriptions, open orders and holdings of the deal, and no other deal', async () => {
    const [deal, elsewhere] = [await desk.list({ tranches: [{}, { tranche: 'B' }] }), await desk.list()];
    const investor = await desk.investor();
    dataOf(await desk.subscribe(deal, investor, 100_000));
    dataOf(await desk.order(deal, investor, { amount: 200_000, tranche_id: deal.tranches[1] }));
    await insertPosition(gateway, investor, deal.tranches[0] as string, 300_000);
    dataOf(await desk.order(elsewhere, investor, { amount: 5_000_000 }));
    await setProfile(gateway, investor, { concentration_limit: 1_000_000 });
    assert.deepEqual(failedChecks(await desk.order(deal, investor, { amount: 401_000 })), ['concentration']);
    dataOf(await desk.order(deal, investor, { amount: 400_000 }));
    assert.deepEqual(failedChecks(await desk.order(deal, investor, { amount: 1_000 })), ['concentration']);
  });

  await t.test('a limit holds over orders that are sent at once', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor({ concentration_limit: 1_000_000 })];
    const answers = await Promise.all(Array.from({ length: 10 }, () => desk.order(deal, investor, { amount: 300_000 })));
    assert.equal(answers.filter((answer) => answer.status === 201).length, 3);
    assert.deepEqual([...new Set(answers.flatMap(failedChecks))], ['concentration']);
  });

  await t.test(
    'an investor lists its own orders, newest first, by deal and status; the operator all of them with their owners',
    async () => {
      const [deal, other] = [await desk.list(), await desk.list()];
      const [investor, neighbour] = [await desk.investor(), await desk.investor()];
      const place = async (on: typeof deal, as: typeof investor): Promise<string> => {
        await gateway.advance(1);
        return dataOf(await desk.order(on, as, { amount: 1_000 })).order_id;
      };
      const mine = [await place(deal, investor), await place(other, investor), await place(deal, investor)] as const;
      const theirs = await place(deal, neighbour);
      dataOf(await desk.cancelOrder(mine[0], investor));
      const idsOf = (rows: { order_id: string }[]) => rows.map((row) => row.order_id);
      assert.deepEqual(idsOf(await desk.read('orders', investor)), mine.toReversed());
      assert.deepEqual(idsOf(await desk.read(`orders?deal_id=${deal.deal_id}&status=OPEN`, investor)), [mine[2]]);
      assert.deepEqual(idsOf(await desk.read('orders?status=CANCELLED', investor)), [mine[0]]);
      const all = dataOf(await desk.operate('GET', `orders?deal_id=${deal.deal_id}`));
      assert.deepEqual(
        all.map((row: { order_id: string; organization_id: string }) => [row.order_id, row.organization_id]),
        [
          [theirs, neighbour.organization_id],
          [mine[2], investor.organization_id],
          [mine[0], investor.organization_id],
        ],
      );
      const where = `orders?deal_id=${deal.deal_id}&organization_id=${neighbour.organization_id}`;
      assert.deepEqual(idsOf(dataOf(await desk.operate('GET', where))), [theirs]);
      assert.equal('organization_id' in (await desk.read('orders', investor))[0], false);
      assert.equal((await desk.get('orders?status=open', investor)).status, 400);
      const foreign = await desk.get(`orders/${theirs}`, investor);
      assert.deepEqual(codeOf(foreign), [404, 'NOT_FOUND']);
      assert.equal(foreign.body.message, (await desk.get(`orders/${newId('ord')}`, investor)).body.message);
    },
  );
});
