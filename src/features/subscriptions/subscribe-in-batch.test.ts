import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../../test/support/desk.ts';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import type { ListedDeal } from '../../../test/support/market.ts';
import { startSilentProxy } from '../../../test/support/silent-proxy.ts';
import { type Batcher, type Batchers, createBatcher, type DatabaseFlush } from '../../platform/batcher.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { asId } from '../../platform/ids.ts';
import { isDatabaseUnavailable } from '../../platform/unavailable.ts';
import { subscribeInBatch } from './subscribe-in-batch.ts';

test('subscriptions that are committed together', async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  await using proxy = await startSilentProxy(gateway.deps.databaseUrl);
  await using db = openDatabase({ url: proxy.url(gateway.deps.databaseUrl), role: 'sluice_app' });

  const subscribeTogether = (deal: ListedDeal, investors: readonly Holder[]) => {
    const batchers = gathering(db, investors.length);
    const request = { deal_id: asId('deal', deal.deal_id), tranche_id: null, amount: '1000.00' };
    return Promise.allSettled(investors.map((each) => subscribeInBatch({ db, batchers }, each, request)));
  };
  const booked = async (deal: ListedDeal) =>
    (await desk.operate('GET', `subscriptions?deal_id=${deal.deal_id}`)).body.data.map(
      (row: { organization_id: string }) => row.organization_id,
    );
  const three = async () => [await desk.investor(), await desk.investor(), await desk.investor()] as const;

  await t.test('are booked once where the database commits them and its answer is lost: each is told to come again', async () => {
    const [deal, investors] = [await desk.list(), await three()];
    proxy.loseCommits(1);
    const settled = await subscribeTogether(deal, investors);
    const reasons = settled.map((each) => each.status === 'rejected' && isDatabaseUnavailable(each.reason));
    assert.deepEqual([reasons, (await booked(deal)).length], [[true, true, true], investors.length]);
  });

  await t.test('fail each for itself: one that the database refuses takes none of the others with it', async () => {
    const [deal, [first, second, third]] = [await desk.list(), await three()];
    const refused = { ...second, actor_id: asId('key', 'key_\0') };
    const settled = await subscribeTogether(deal, [first, refused, third]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual((await booked(deal)).toSorted(), [first.organization_id, third.organization_id].toSorted());
  });

  await t.test('are not sent one after the other to a database that is gone', async () => {
    const [deal, investors] = [await desk.list(), await three()];
    // The commit of all is refused for one of them, and of the transactions of their own the first is the last one.
    const refused = { ...investors[2], actor_id: asId('key', 'key_\0') };
    proxy.loseCommits(1);
    const settled = await subscribeTogether(deal, [investors[0], investors[1], refused]);
    assert.deepEqual(
      settled.map((each) => each.status === 'rejected' && isDatabaseUnavailable(each.reason)),
      [true, true, true],
    );
    assert.deepEqual(await booked(deal), [investors[0].organization_id]);
  });
});

/** Batchers whose batches start when as many items as said have come. */
function gathering(db: Database, count: number): Batchers {
  const created = new Map<unknown, unknown>();
  const make = <Item, Result>(flush: DatabaseFlush<Item, Result>) => {
    let [added, begin] = [0, (): void => {}];
    const add = createBatcher((key: string, batch: readonly Item[]) => flush(db, key, batch), {
      schedule: (start) => (begin = start),
    });
    const counted = (key: string, item: Item): Promise<Result> => {
      const result = add(key, item);
      if ((added += 1) === count) begin();
      return result;
    };
    return Object.assign(counted, { [Symbol.asyncDispose]: () => add[Symbol.asyncDispose]() });
  };
  return {
    of<Item, Result>(flush: DatabaseFlush<Item, Result>) {
      const batcher = created.get(flush) ?? make(flush);
      created.set(flush, batcher);
      // The batcher that is stored under a flush function was created from it above.
      return batcher as Batcher<Item, Result>;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
