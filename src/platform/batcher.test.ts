import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inCompany } from './batcher.ts';

test('a lone item goes at once; those that come meanwhile go together on the next trip, each with its own answer', async () => {
  const trips: number[][] = [];
  const ride = inCompany(async (_line, items: readonly number[]) => {
    trips.push([...items]);
    await Promise.resolve();
    return items.map((item) => item * 10);
  });
  const answers = await Promise.all([1, 2, 3, 4].map((item) => ride('a', item)));
  assert.deepEqual(answers, [10, 20, 30, 40]);
  assert.deepEqual(trips, [[1], [2, 3, 4]]);
  assert.equal(await ride('a', 5), 50);
});

test('lines do not wait for each other', async () => {
  const gate = Promise.withResolvers<void>();
  const ride = inCompany(async (line, items: readonly string[]) => {
    if (line === 'slow') await gate.promise;
    return items;
  });
  const slow = ride('slow', 'first');
  assert.equal(await ride('fast', 'second'), 'second');
  gate.resolve();
  assert.equal(await slow, 'first');
});

test('a trip that fails fails for those on it, and the next one goes', async () => {
  let trip = 0;
  const ride = inCompany(async (_line, items: readonly string[]) => {
    trip += 1;
    if (trip === 1) throw new Error('lost');
    return items;
  });
  const [first, second] = await Promise.allSettled([ride('a', 'one'), ride('a', 'two')]);
  assert.deepEqual([first.status, second.status], ['rejected', 'fulfilled']);
});
