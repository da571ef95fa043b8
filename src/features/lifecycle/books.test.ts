import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, openDesk } from '../../../test/support/desk.ts';
import { setProfile } from '../../../test/support/market.ts';
import { type Gateway, startGateway, codeOf } from '../../../test/support/gateway.ts';

const STATES = ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED', 'WITHDRAWN'] as const;
type State = (typeof STATES)[number];
/** The table of the contract: MARKETING → BOOKS_CLOSED → ALLOCATED → CLOSED | WITHDRAWN, and back from BOOKS_CLOSED to MARKETING. */
const ALLOWED: Record<State, State[]> = {
  MARKETING: ['BOOKS_CLOSED', 'WITHDRAWN'],
  BOOKS_CLOSED: ['MARKETING', 'ALLOCATED', 'WITHDRAWN'],
  ALLOCATED: ['CLOSED', 'WITHDRAWN'],
  CLOSED: [],
  WITHDRAWN: [],
};
type OpenRow = { allocation_id: string; organization_id: string; status: string; trade_status: string | null };
const ACTS = { 'close-books': 'BOOKS_CLOSED', 'reopen-books': 'MARKETING', close: 'CLOSED' } as const;

test('books and closing', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);

  await t.test('each move is made from the states that have it, and refused from the others with what is allowed', async () => {
    for (const from of STATES) {
      for (const [act, to] of Object.entries(ACTS) as [keyof typeof ACTS, State][]) {
        const deal = await desk.list({ market_status: from });
        if (ALLOWED[from].includes(to)) {
          const moved = dataOf(await desk.move(deal, act));
          assert.deepEqual([moved.market_status, moved.status], [to, 'APPROVED'], `${act} of ${from}`);
          continue;
        }
        const refused = await assertRefused(gateway, () => desk.move(deal, act), [409, 'INVALID_TRANSITION']);
        assert.deepEqual([refused.body.current_status, refused.body.allowed], [from, ALLOWED[from]], `${act} of ${from}`);
      }
    }
  });

  await t.test('a move is in the audit log of the deal, with its reason where one was given', async () => {
    const deal = await desk.list();
    const { changed } = await changesOf(gateway, () => desk.move(deal, 'close-books', { reason: 'oversubscribed' }));
    assert.deepEqual(changed, ['alerts', 'audit_log', 'events', 'securitization_deals', 'tranche_books']);
    dataOf(await desk.move(deal, 'reopen-books'));
    assert.deepEqual(
      (await desk.audited(deal.deal_id)).map(({ action, actor, organization_id, before, after, reason }) => [
        action,
        actor === desk.operator.key_id && organization_id === desk.seller.organization_id,
        before?.market_status,
        after?.market_status,
        reason,
      ]),
      [
        ['deal.market_books_closed', true, 'MARKETING', 'BOOKS_CLOSED', 'oversubscribed'],
        ['deal.market_marketing', true, 'BOOKS_CLOSED', 'MARKETING', null],
      ],
    );
  });

  await t.test('closed books take nothing, in any tranche, and keep what they have', async () => {
    const deal = await desk.list({ tranches: [{}, { tranche: 'B' }] });
    const investor = await desk.investor();
    const { subscription_id } = dataOf(await desk.subscribe(deal, investor, 1_000_000));
    const { order_id } = dataOf(await desk.order(deal, investor, { amount: 500_000 }));
    dataOf(await desk.move(deal, 'close-books'));
    for (const tranche_id of deal.tranches) {
      const answers = [
        await desk.subscribe(deal, investor, 1_000, { tranche_id }),
        await desk.check(deal, investor, 1_000, { tranche_id }),
        await desk.order(deal, investor, { tranche_id, amount: 1_000 }),
        await desk.indicate(deal, investor, 1_000),
        await desk.amendOrder(order_id, investor, { amount: 1_000 }),
        await desk.cancel(subscription_id, investor),
      ];
      for (const [index, answer] of answers.entries()) assert.deepEqual(codeOf(answer), [409, 'BOOKS_CLOSED'], String(index));
    }
    const state = async () => [
      (await desk.read(`subscriptions/${subscription_id}`, investor)).status,
      (await desk.read(`orders/${order_id}`, investor)).status,
      await desk.remaining(deal, investor),
    ];
    assert.deepEqual(await state(), ['pending_confirmation', 'OPEN', 9_000_000]);
    dataOf(await desk.move(deal, 'reopen-books'));
    assert.deepEqual(await state(), ['pending_confirmation', 'OPEN', 9_000_000]);
    for (const tranche_id of deal.tranches) {
      assert.equal((await desk.subscribe(deal, investor, 1_000, { tranche_id })).status, 201);
      assert.equal((await desk.order(deal, investor, { tranche_id, amount: 1_000 })).status, 201);
    }
    assert.equal(dataOf(await desk.cancel(subscription_id, investor)).status, 'cancelled');
  });

  await t.test(
    'outside MARKETING every request and amendment is 409 BOOKS_CLOSED before any check is made, and leaves no trace',
    async () => {
      for (const way of ['close-books', 'allocate', 'close', 'withdraw'] as const) {
        const deal = await desk.list();
        const investor = await desk.investor({ concentration_limit: 10_000_000 });
        const { ioi_id } = dataOf(await desk.indicate(deal, investor, 1_000));
        const { order_id } = dataOf(await desk.order(deal, investor, { amount: 1_000, limit_yield: 9 }));
        if (way === 'close-books') dataOf(await desk.move(deal, 'close-books'));
        else if (way === 'withdraw') dataOf(await desk.move(deal, 'withdraw', { reason: 'market conditions' }));
        else dataOf(await desk.allocate(deal));
        if (way === 'close') dataOf(await desk.move(deal, 'close'));
        // Each would fail a check: no profile is left, the amounts are no increments and above the deal, the minimum is above the amount.
        await setProfile(gateway, investor, null);
        const requests = [
          () => desk.indicate(deal, investor, 99_000_000),
          () => desk.amendIoi(ioi_id, investor, 99_000_000),
          () => desk.subscribe(deal, investor, 99_000_000.5),
          () => desk.check(deal, investor, 99_000_000.5),
          () => desk.order(deal, investor, { amount: 10.5, minimum_amount: 20 }),
          () => desk.amendOrder(order_id, investor, { amount: 10.5, minimum_amount: 20 }),
        ];
        for (const [index, request] of requests.entries()) {
          const refused = await assertRefused(gateway, request, [409, 'BOOKS_CLOSED']);
          assert.equal(refused.body.errors, undefined, `${way}, ${index}`);
        }
      }
    },
  );

  await t.test('a deal with allocations that wait for an answer or for settlement does not close, and names them', async () => {
    const deal = await desk.list({ tranches: [{}, { tranche: 'B' }] });
    const [anna, bert] = [await desk.investor(), await desk.investor()];
    for (const tranche_id of deal.tranches) dataOf(await desk.order(deal, anna, { tranche_id, amount: 100_000 }));
    dataOf(await desk.order(deal, bert, { amount: 200_000 }));
    dataOf(await desk.allocate(deal));
    const [waiting, failing] = (await desk.allocations(deal, anna)).map((each) => each.allocation_id) as [string, string];
    const accepted = (await desk.allocations(deal, bert))[0]?.allocation_id ?? '';
    const open = async () => {
      const refused = await assertRefused(gateway, () => desk.move(deal, 'close'), [409, 'ALLOCATIONS_OPEN']);
      const allocations: OpenRow[] = refused.body.allocations;
      assert.equal(refused.body.total, allocations.length);
      return new Map(allocations.map((each) => [each.allocation_id, [each.organization_id, each.status, each.trade_status]]));
    };
    const [a, b] = [anna.organization_id, bert.organization_id];
    const issued = [a, 'ISSUED', null];
    assert.deepEqual(
      await open(),
      new Map([
        [waiting, issued],
        [failing, issued],
        [accepted, [b, 'ISSUED', null]],
      ]),
    );
    const [lost, kept] = [await desk.trade(failing, anna), await desk.trade(accepted, bert)];
    dataOf(await desk.decide(lost, 'fail'));
    assert.deepEqual(
      await open(),
      new Map([
        [waiting, issued],
        [failing, [a, 'ACCEPTED', 'FAILED']],
        [accepted, [b, 'ACCEPTED', 'PENDING_SETTLEMENT']],
      ]),
    );
    dataOf(await desk.answer(waiting, anna, 'decline'));
    dataOf(await desk.decide(kept, 'settle'));
    assert.deepEqual([...(await open()).keys()], [failing]);
    dataOf(await desk.decide(lost, 'cancel'));
    assert.equal(dataOf(await desk.move(deal, 'close')).market_status, 'CLOSED');
  });

  await t.test(
    'a deal closes at once with an acceptance: either the trade is made and it stays open, or nothing is accepted',
    async () => {
      for (let round = 0; round < 3; round += 1) {
        const [deal, investor] = [await desk.list(), await desk.investor()];
        dataOf(await desk.order(deal, investor, { amount: 100_000 }));
        dataOf(await desk.allocate(deal));
        const id = (await desk.allocations(deal, investor))[0]?.allocation_id ?? '';
        const [closed, accepted] = await Promise.all([desk.move(deal, 'close'), desk.answer(id, investor, 'accept')]);
        assert.deepEqual([codeOf(closed), accepted.status], [[409, 'ALLOCATIONS_OPEN'], 200]);
      }
    },
  );

  await t.test('on a closed or withdrawn deal nothing is accepted, whatever is left there', async () => {
    for (const end of ['CLOSED', 'WITHDRAWN']) {
      const [deal, investor] = [await desk.list(), await desk.investor()];
      dataOf(await desk.order(deal, investor, { amount: 100_000 }));
      dataOf(await desk.allocate(deal));
      const id = (await desk.allocations(deal, investor))[0]?.allocation_id ?? '';
      await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update securitization_deals set market_status = $2 where deal_id = $1', [deal.deal_id, end]),
      );
      const refused = await assertRefused(gateway, () => desk.answer(id, investor, 'accept'), [409, 'INVALID_TRANSITION']);
      assert.equal(refused.body.current_status, end);
      assert.equal(dataOf(await desk.answer(id, investor, 'decline')).status, 'DECLINED');
    }
  });

  await t.test('the books of other deals stay open', async () => {
    const [deal, other] = [await desk.list(), await desk.list()];
    dataOf(await desk.move(deal, 'close-books'));
    assert.equal((await desk.subscribe(other, await desk.investor(), 1_000)).status, 201);
  });

  await t.test(
    'closing a deal expires what was confirmed and not allocated, returns its capacity and closes the pool',
    async () => {
      const deal = await desk.list({
        tranches: [
          { balance: 400_000, denomination: 300_000, increment: 1_000 },
          { tranche: 'B', balance: 300_000 },
        ],
      });
      const [winner, loser] = [await desk.investor(), await desk.investor()];
      dataOf(await desk.order(deal, winner, { amount: 400_000 }));
      const waiting = await desk.confirmed(deal, loser, 400_000);
      dataOf(await desk.allocate(deal));
      const [allocation] = await desk.allocations(deal, winner);
      dataOf(await desk.decide(await desk.trade(allocation?.allocation_id ?? '', winner), 'settle'));
      assert.equal((await desk.read(`subscriptions/${waiting}`, loser)).status, 'confirmed');
      const { changed } = await changesOf(gateway, () => desk.move(deal, 'close'));
      assert.deepEqual(changed, [
        'alerts',
        'audit_log',
        'events',
        'pools',
        'securitization_deals',
        'subscriptions',
        'tranche_books',
      ]);
      const { status, reason } = await desk.read(`subscriptions/${waiting}`, loser);
      assert.deepEqual([status, reason], ['expired', 'the deal closed without allocating to it']);
      assert.equal(await desk.remaining(deal, loser), 400_000);
      const [pool] = await gateway.deps.db.tx({ platform: true }, (tx) =>
        tx.rows<{ status: string }>('select status from pools where pool_id = $1', [deal.pool_id]),
      );
      assert.equal(pool?.status, 'CLOSED');
      assert.equal((await desk.read('portfolio/positions', winner)).length, 1, 'holdings stay');
      assert.equal(
        (await desk.read(`deals/${deal.deal_id}`, await desk.investor())).market_status,
        'CLOSED',
        'the deal is still seen',
      );
    },
  );

  await t.test('the books close at once with subscriptions: each is made before, or refused', async () => {
    const deal = await desk.list();
    const investors = await Promise.all(Array.from({ length: 6 }, () => desk.investor()));
    const before = await deadlocks(gateway);
    const [moved, ...answers] = await Promise.all([
      desk.move(deal, 'close-books'),
      ...investors.flatMap((each) => [desk.subscribe(deal, each, 10_000), desk.order(deal, each, { amount: 10_000 })]),
    ]);
    assert.equal(moved.status, 200);
    assert.equal(await deadlocks(gateway), before, 'no request waits for another that waits for it');
    const made = answers.filter((answer) => answer.status === 201);
    assert.deepEqual(answers.filter((answer) => ![201, 409].includes(answer.status)).map(codeOf), []);
    const totals = await Promise.all(
      ['subscriptions', 'orders'].map(
        async (kind) => (await desk.operate('GET', `${kind}?deal_id=${deal.deal_id}`)).body.pagination.total,
      ),
    );
    assert.equal(totals[0] + totals[1], made.length);
    const subscriptions = made.filter((answer) => 'subscription_id' in answer.body.data);
    assert.equal(
      await desk.remaining(deal, investors[0] as (typeof investors)[number]),
      10_000_000 - subscriptions.length * 10_000,
    );
  });

  await t.test('closed by several at once they are closed once', async () => {
    const deal = await desk.list();
    const answers = await Promise.all(Array.from({ length: 4 }, () => desk.move(deal, 'close-books')));
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 409, 409, 409]);
    assert.equal((await desk.audited(deal.deal_id)).length, 1);
  });

  await t.test('no move is made by the seller’s own operator, a customer, or on a deal that is not there', async () => {
    const deal = await desk.list();
    const own = await gateway.mixedKey(desk.seller);
    for (const act of Object.keys(ACTS) as (keyof typeof ACTS)[]) {
      const path = `/v1/operator/deals/${deal.deal_id}/${act}`;
      await assertRefused(gateway, () => desk.send('POST', path, own), [403, 'OWN_ORGANIZATION']);
      await assertRefused(gateway, () => desk.send('POST', path, desk.seller), [403, 'ROLE_FORBIDDEN']);
      await assertRefused(gateway, () => desk.move({ ...deal, deal_id: 'deal_none' }, act), [404, 'NOT_FOUND']);
    }
    for (const reason of ['', 'x'.repeat(1_001), 1]) assert.equal((await desk.move(deal, 'close-books', { reason })).status, 400);
  });
});

/** Deadlocks that the server has found in this database. */
async function deadlocks(gateway: Gateway): Promise<number> {
  const owner = await gateway.owner();
  try {
    const { rows } = await owner.query<{ found: number }>(
      'select deadlocks::int as found from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.found ?? 0;
  } finally {
    await owner.end();
  }
}
