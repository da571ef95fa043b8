import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
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
import { cancelOrder } from './place-order.ts';
import { newId } from '../../platform/ids.ts';

test('changes of orders', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  /** An order of 500,000 of an investor of its own, placed a minute ago. */
  const placed = async (terms: object = {}) => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const order = dataOf(await desk.order(deal, investor, { amount: 500_000, ...terms }));
    await gateway.advance(60);
    return { deal, investor, order, amend: (changes: object) => desk.amendOrder(order.order_id, investor, changes) };
  };

  await t.test(
    'what may keep the place in time: a smaller or equal amount under the same limit, whatever the minimum',
    async () => {
      const cases: [string, object, object, boolean][] = [
        ['a smaller amount', {}, { amount: 499_000 }, true],
        ['the same amount', {}, { amount: 500_000 }, true],
        ['a larger amount', {}, { amount: 501_000 }, false],
        ['another minimum', {}, { minimum_amount: 100_000 }, true],
        ['no minimum any more', { minimum_amount: 100_000 }, { minimum_amount: null }, true],
        ['nothing at all', { limit_yield: 5.25 }, {}, true],
        ['the same limit', { limit_yield: 5.25 }, { limit_yield: 5.25 }, true],
        ['a lower limit', { limit_yield: 5.25 }, { limit_yield: 5.249999 }, false],
        ['a higher limit', { limit_yield: 5.25 }, { limit_yield: 5.250001 }, false],
        ['a limit where there was none', {}, { limit_yield: 5.25 }, false],
        ['a limit of zero where there was none', {}, { limit_yield: 0 }, false],
        ['no limit any more', { limit_yield: 5.25 }, { limit_yield: null }, false],
        ['less under another limit', { limit_yield: 5.25 }, { amount: 400_000, limit_yield: 5.5 }, false],
      ];
      for (const [name, terms, changes, keeps] of cases) {
        const { order, amend } = await placed(terms);
        const after = dataOf(await amend(changes));
        assert.equal(after.placed_at === order.placed_at, keeps, name);
        assert.equal(after.placed_at, keeps ? order.placed_at : after.updated_at, name);
        assert.equal(after.updated_at > order.updated_at, !isDeepStrictEqual({ ...order, ...changes }, order), name);
        assert.equal(after.created_at, order.created_at, name);
      }
    },
  );

  await t.test('a change leaves what it does not name, and is audited with the terms after it', async () => {
    const { order, investor, amend } = await placed({ minimum_amount: 100_000, limit_yield: 5.25 });
    const { result, changed } = await changesOf(gateway, () => amend({ amount: 450_000 }));
    const { updated_at, ...after } = dataOf(result);
    const { updated_at: _then, ...expected } = { ...order, amount: 450_000 };
    assert.deepEqual(after, expected);
    assert.deepEqual(changed, ['audit_log', 'orders']);
    assert.deepEqual(await desk.read(`orders/${order.order_id}`, investor), { ...after, updated_at });
    const [, entry] = await desk.audited(order.order_id);
    assert.deepEqual([entry?.action, entry?.after?.amount, entry?.after?.minimum_amount], ['order.amended', 450_000, 100_000]);
  });

  await t.test('minimum and amount are compared as they will be together', async () => {
    const { amend } = await placed({ minimum_amount: 300_000 });
    await assertRefused(gateway, () => amend({ amount: 299_000 }), [422, 'UNPROCESSABLE']);
    await assertRefused(gateway, () => amend({ minimum_amount: 500_000.01 }), [422, 'UNPROCESSABLE']);
    const both = dataOf(await amend({ amount: 200_000, minimum_amount: 200_000 }));
    assert.deepEqual([both.amount, both.minimum_amount], [200_000, 200_000]);
  });

  await t.test('a change passes the checks again, and a refused one leaves the order as it was', async () => {
    const { order, investor, amend } = await placed();
    const fraction = await assertRefused(gateway, () => amend({ amount: 500_500 }), [422, 'COMPLIANCE_FAILED'], ['audit_log']);
    assert.deepEqual(failedChecks(fraction), ['minimum_and_increment']);
    await setProfile(gateway, investor, { sanctions_status: 'HIT' });
    const smaller = await assertRefused(gateway, () => amend({ amount: 1_000 }), [422, 'COMPLIANCE_FAILED'], ['audit_log']);
    assert.deepEqual(failedChecks(smaller), ['sanctions']);
    assert.deepEqual(await desk.read(`orders/${order.order_id}`, investor), order);
    assert.deepEqual(
      (await desk.audited(order.deal_id)).map((entry) => entry.action),
      ['order.refused', 'order.refused'],
    );
  });

  await t.test('the findings are those of the last change: a review that has come up is on the order', async () => {
    const { investor, amend } = await placed();
    await setProfile(gateway, investor, { sanctions_status: 'REVIEW' });
    const after = dataOf(await amend({ amount: 400_000 }));
    const finding = after.compliance_checks.find((each: { check: string }) => each.check === 'sanctions');
    assert.deepEqual([after.compliance_check_result, finding.result], ['review_required', 'review_required']);
    dataOf(await amend({ amount: 300_000 }));
    const alerts = dataOf(await desk.send('GET', '/v1/api/alerts?type=compliance.review_required', investor));
    assert.deepEqual(
      alerts.map(({ entity_id }: { entity_id: string }) => entity_id),
      [after.order_id],
      'the investor is told when it comes up, and not again',
    );
  });

  await t.test('the order itself does not count against the limit of its own change; others do', async () => {
    const { deal, investor, amend } = await placed();
    dataOf(await desk.order(deal, investor, { amount: 200_000 }));
    await setProfile(gateway, investor, { concentration_limit: 1_000_000 });
    assert.deepEqual(failedChecks(await amend({ amount: 801_000 })), ['concentration']);
    assert.equal(dataOf(await amend({ amount: 800_000 })).amount, 800_000);
  });

  await t.test('changes at once leave one of them whole, never a mixture above the limit', async () => {
    const { deal, investor, order } = await placed();
    const second = dataOf(await desk.order(deal, investor, { amount: 100_000 }));
    await setProfile(gateway, investor, { concentration_limit: 1_000_000 });
    const answers = await Promise.all([
      desk.amendOrder(order.order_id, investor, { amount: 900_000 }),
      desk.amendOrder(second.order_id, investor, { amount: 500_000 }),
    ]);
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 422]);
    const rows = await desk.read(`orders?deal_id=${deal.deal_id}`, investor);
    assert.equal(
      rows.reduce((sum: number, row: { amount: number }) => sum + row.amount, 0),
      1_000_000,
    );
  });

  await t.test('a change that waits for a cancellation finds the order cancelled', async () => {
    const { investor, order, amend } = await placed();
    const commit = await heldOpen(gateway, (tx) => cancelOrder(tx, investor, order.order_id));
    const late = amend({ amount: 400_000 });
    await waitingForLock(gateway);
    await commit();
    assert.deepEqual(codeOf(await late), [409, 'INVALID_TRANSITION']);
    assert.equal((await desk.read(`orders/${order.order_id}`, investor)).amount, 500_000);
  });

  await t.test('values that are none are refused', async () => {
    const { amend } = await placed();
    for (const changes of [
      { amount: null },
      { amount: 0 },
      { amount: '1000' },
      { minimum_amount: 0 },
      { minimum_amount: -1 },
      { limit_yield: 101 },
      { limit_yield: -1 },
      { limit_yield: 5.0000001 },
    ]) {
      await assertRefused(gateway, () => amend(changes), [400, 'VALIDATION_FAILED']);
    }
  });

  await t.test('a cancelled order says by whom, is audited and moves no more', async () => {
    const { investor, order, amend } = await placed();
    const { result, changed } = await changesOf(gateway, () => desk.cancelOrder(order.order_id, investor));
    assert.deepEqual(dataOf(result).status, 'CANCELLED');
    assert.equal(result.body.data.reason, 'cancelled by the investor');
    assert.deepEqual(changed, ['alerts', 'audit_log', 'events', 'orders']);
    assert.equal((await desk.audited(order.order_id)).at(-1)?.action, 'order.cancelled');
    for (const act of [() => desk.cancelOrder(order.order_id, investor), () => amend({ amount: 1_000 })]) {
      const refused = await assertRefused(gateway, act, [409, 'INVALID_TRANSITION']);
      assert.deepEqual([refused.body.current_status, refused.body.allowed], ['CANCELLED', []]);
    }
  });

  await t.test(
    'with closed books an order stands as it is; when they are opened again it can be changed and cancelled',
    async () => {
      const { deal, investor, order, amend } = await placed();
      dataOf(await desk.move(deal, 'close-books'));
      await assertRefused(gateway, () => amend({ amount: 400_000 }), [409, 'BOOKS_CLOSED']);
      await assertRefused(gateway, () => desk.cancelOrder(order.order_id, investor), [409, 'BOOKS_CLOSED']);
      dataOf(await desk.move(deal, 'reopen-books'));
      assert.equal(dataOf(await amend({ amount: 400_000 })).amount, 400_000);
      assert.equal(dataOf(await desk.cancelOrder(order.order_id, investor)).status, 'CANCELLED');
    },
  );

  await t.test('an allocated order can be neither changed nor cancelled', async () => {
    const { deal, investor, order, amend } = await placed();
    dataOf(await desk.allocate(deal));
    await assertRefused(gateway, () => amend({ amount: 400_000 }), [409, 'BOOKS_CLOSED']);
    const cancel = () => desk.cancelOrder(order.order_id, investor);
    const refused = await assertRefused(gateway, cancel, [409, 'INVALID_TRANSITION']);
    assert.equal(refused.body.current_status, 'ALLOCATED');
  });

  await t.test('another organization changes and cancels nothing: as if the order were not there', async () => {
    const { order } = await placed();
    const stranger = await desk.investor();
    for (const act of [
      (id: string) => desk.amendOrder(id, stranger, { amount: 1_000 }),
      (id: string) => desk.cancelOrder(id, stranger),
    ]) {
      const foreign = await assertRefused(gateway, () => act(order.order_id), [404, 'NOT_FOUND']);
      const absent = await assertRefused(gateway, () => act(newId('ord')), [404, 'NOT_FOUND']);
      assert.equal(foreign.body.message, absent.body.message);
    }
  });

  await t.test('a cancellation and a close of the books at once: either the order is cancelled or it stands', async () => {
    const { deal, investor, order } = await placed();
    const [cancelled] = await Promise.all([desk.cancelOrder(order.order_id, investor), desk.move(deal, 'close-books')]);
    const after = (await desk.read(`orders/${order.order_id}`, investor)).status;
    if (cancelled.status === 200) assert.equal(after, 'CANCELLED');
    else assert.deepEqual([codeOf(cancelled), after], [[409, 'BOOKS_CLOSED'], 'OPEN']);
  });
});
