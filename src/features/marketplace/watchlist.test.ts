import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, changesOf, dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { insertPosition } from '../../../test/support/market.ts';

test('the watch list', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const watch = (method: 'PUT' | 'DELETE' | 'GET', dealId: string, as: Holder) =>
    desk.send(method, `/v1/api/investor/watchlist/${dealId}`, as);
  const watched = async (as: Holder): Promise<string[]> =>
    (await desk.read('watchlist', as)).map((row: { id: string }) => row.id);

  await t.test('has a deal once, from the first time that it was watched', async () => {
    const [deal, investor] = [await desk.list({ name: 'Watched' }), await desk.investor()];
    const { result, changed } = await changesOf(gateway, () => watch('PUT', deal.deal_id, investor));
    assert.deepEqual(changed, ['watchlist']);
    await gateway.advance(60);
    const again = await changesOf(gateway, () => watch('PUT', deal.deal_id, investor));
    assert.deepEqual([again.result.body, again.changed], [result.body, []]);
    const { watched_at, ...card } = dataOf(await watch('GET', deal.deal_id, investor));
    assert.equal(watched_at, result.body.data.watched_at);
    assert.deepEqual(card, (await desk.read('deals?q=Watched', investor))[0]);
    assert.deepEqual(await watched(investor), [deal.deal_id]);
    const [other, neighbour] = [await desk.list(), await desk.investor()];
    for (const [as, dealId] of [
      [investor, other.deal_id],
      [neighbour, deal.deal_id],
    ] as const) {
      const since = dataOf(await watch('PUT', dealId, as)).watched_at;
      assert.equal(since, dataOf(await watch('GET', dealId, as)).watched_at);
      assert.ok(since > watched_at, 'from when this deal was watched by this investor');
    }
  });

  await t.test('is each organization’s own', async () => {
    const [deal, ours, theirs] = [await desk.list(), await desk.investor(), await desk.investor()];
    dataOf(await watch('PUT', deal.deal_id, ours));
    assert.deepEqual([await watched(ours), await watched(theirs)], [[deal.deal_id], []]);
    for (const method of ['GET', 'DELETE'] as const) {
      await assertRefused(gateway, () => watch(method, deal.deal_id, theirs), [404, 'NOT_FOUND']);
    }
    dataOf(await watch('PUT', deal.deal_id, theirs));
    dataOf(await watch('DELETE', deal.deal_id, theirs));
    assert.deepEqual(await watched(ours), [deal.deal_id]);
  });

  await t.test('loses what is no longer watched, once', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    dataOf(await watch('PUT', deal.deal_id, investor));
    const removed = await watch('DELETE', deal.deal_id, investor);
    assert.deepEqual([removed.status, removed.body.success, typeof removed.body.message], [200, true, 'string']);
    for (const method of ['GET', 'DELETE'] as const) {
      await assertRefused(gateway, () => watch(method, deal.deal_id, investor), [404, 'NOT_FOUND']);
    }
    assert.deepEqual(await watched(investor), []);
  });

  await t.test('has the latest first, pages, and says of one deal whether it is watched', async () => {
    const investor = await desk.investor();
    const deals = [await desk.list(), await desk.list(), await desk.list()];
    for (const place of [1, 0, 2]) {
      await gateway.advance(1);
      dataOf(await watch('PUT', deals[place]?.deal_id ?? '', investor));
    }
    const [a, b, c] = deals.map((deal) => deal.deal_id);
    assert.deepEqual(await watched(investor), [c, a, b]);
    const { data, pagination } = (await desk.get('watchlist?limit=2&page=2', investor)).body;
    assert.deepEqual([data.map((row: { id: string }) => row.id), pagination.total], [[b], 3]);
    const other = await desk.list();
    for (const [dealId, found] of [
      [b, [b]],
      [other.deal_id, []],
    ] as const) {
      const { body } = await desk.get(`watchlist?limit=1&deal_id=${dealId}`, investor);
      assert.deepEqual([body.data.map((row: { id: string }) => row.id), body.pagination.total], [found, found.length]);
    }
  });

  await t.test('takes no deal that is not there for the investor, and hides one that is withdrawn', async () => {
    const [deal, hidden] = [await desk.list(), await desk.list({ market_status: 'WITHDRAWN' })];
    const [investor, holder] = [await desk.investor(), await desk.investor()];
    await insertPosition(gateway, holder, deal.tranches[0] as string, 1_000);
    for (const id of [hidden.deal_id, 'deal_none'])
      await assertRefused(gateway, () => watch('PUT', id, investor), [404, 'NOT_FOUND']);
    for (const as of [investor, holder]) dataOf(await watch('PUT', deal.deal_id, as));
    dataOf(await desk.move(deal, 'withdraw', { reason: 'market conditions' }));
    assert.deepEqual([await watched(investor), await watched(holder)], [[], [deal.deal_id]]);
  });

  await t.test('watched many times at once is watched once', async () => {
    const [deal, investor] = [await desk.list(), await desk.investor()];
    const answers = await Promise.all(Array.from({ length: 8 }, () => watch('PUT', deal.deal_id, investor)));
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
    assert.deepEqual(await watched(investor), [deal.deal_id]);
  });
});
