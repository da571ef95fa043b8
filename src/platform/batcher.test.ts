import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { createBatcher } from './batcher.ts';

test('a lone item is sent at once; items that arrive meanwhile form the next batch, each with its own result', async () => {
  const batches: number[][] = [];
  const add = createBatcher(async (_key, items: readonly number[]) => {
    batches.push([...items]);
    await Promise.resolve();
    return items.map((item) => item * 10);
  });
  const results = await Promise.all([1, 2, 3, 4].map((item) => add('a', item)));
  assert.deepEqual(results, [10, 20, 30, 40]);
  assert.deepEqual(batches, [[1], [2, 3, 4]]);
  assert.equal(await add('a', 5), 50);
});

test('keys do not wait for each other', async () => {
  const gate = Promise.withResolvers<void>();
  const add = createBatcher(async (key, items: readonly string[]) => {
    if (key === 'slow') await gate.promise;
    return items;
  });
  const slow = add('slow', 'first');
  assert.equal(await add('fast', 'second'), 'second');
  gate.resolve();
  assert.equal(await slow, 'first');
});

test('a batch that fails rejects its own items, and the next one is sent', async () => {
  let attempts = 0;
  const add = createBatcher(async (_key, items: readonly string[]) => {
    attempts += 1;
    if (attempts === 1) throw new Error('lost');
    return items;
  });
  const [first, second] = await Promise.allSettled([add('a', 'one'), add('a', 'two')]);
  assert.deepEqual([first.status, second.status], ['rejected', 'fulfilled']);
});

test('an item whose result is a promise fails alone', async () => {
  const flush = async (_key: string, items: readonly string[]) =>
    items.map((item) => (item === 'two' ? Promise.reject(new Error('refused')) : item));
  const add = createBatcher(flush, { schedule: setImmediate });
  const settled = await Promise.allSettled(['one', 'two', 'three'].map((item) => add('a', item)));
  assert.deepEqual(
    settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    ['one', 'Error: refused', 'three'],
  );
});

test('a batch with another number of results than items fails: no item gets the result of its neighbour', async () => {
  const add = createBatcher(async (_key, items: readonly string[]) => items.slice(1), { schedule: setImmediate });
  const settled = await Promise.allSettled([add('a', 'one'), add('a', 'two')]);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});

test('a batch that is scheduled for later takes the items that arrive until then', async () => {
  const batches: number[] = [];
  const flush = async (_key: string, items: readonly number[]) => {
    batches.push(items.length);
    return items;
  };
  const add = createBatcher(flush, { schedule: setImmediate });
  await Promise.all([1, 2, 3].map((item) => add('a', item)));
  assert.deepEqual(batches, [3]);
});

test('disposal waits for what was added, and for nothing where nothing was', async () => {
  const gate = Promise.withResolvers<void>();
  const settled: string[] = [];
  const add = createBatcher(async (_key, items: readonly string[]) => {
    await gate.promise;
    return items;
  });
  for (const item of ['one', 'two']) void add('a', item).then((result) => settled.push(result));
  const disposed = add[Symbol.asyncDispose]().then(() => settled.push('disposed'));
  gate.resolve();
  await disposed;
  assert.deepEqual(settled, ['one', 'two', 'disposed']);
  await add[Symbol.asyncDispose]();
});

test('every item gets its own result or its batch’s error; the batches of a key are in order, bounded and one at a time', async () => {
  const item = fc.record({ key: fc.constantFrom('a', 'b', 'c'), ticks: fc.nat({ max: 3 }), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), async (items, maxBatch) => {
      const seen = new Map<string, number[]>();
      const inFlight = new Set<string>();
      const flush = async (key: string, batch: readonly number[]) => {
        assert.ok(!inFlight.has(key), 'two batches of one key are in flight');
        assert.ok(batch.length > 0 && batch.length <= maxBatch, `a batch of ${batch.length}`);
        inFlight.add(key);
        seen.set(key, [...(seen.get(key) ?? []), ...batch]);
        for (let tick = items[batch[0] ?? 0]?.ticks ?? 0; tick > 0; tick -= 1) await Promise.resolve();
        inFlight.delete(key);
        if (batch.some((index) => items[index]?.fails)) throw new Error(`batch of ${batch.join()}`);
        return batch.map((index) => `result of ${index}`);
      };
      const add = createBatcher(flush, { maxBatch });
      const settled = await Promise.allSettled(items.map(({ key }, index) => add(key, index)));
      for (const [index, each] of settled.entries()) {
        if (each.status === 'fulfilled') assert.equal(each.value, `result of ${index}`);
        else assert.match(String(each.reason), new RegExp(`batch of (.*,)?${index}(,|$)`));
        if (items[index]?.fails) assert.equal(each.status, 'rejected');
      }
      for (const [key, order] of seen) {
        assert.deepEqual(
          order,
          items.flatMap((each, index) => (each.key === key ? [index] : [])),
        );
      }
    }),
  );
});
