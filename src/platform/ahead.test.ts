import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ahead } from './ahead.ts';

/** Gives numbers, and tells which were asked for and whether it was ended. */
function source(items: number, fails = false): { given: number[]; ended: () => boolean; items: AsyncIterable<number> } {
  const given: number[] = [];
  let ended = false;
  const generate = async function* (): AsyncGenerator<number> {
    try {
      for (let item = 1; item <= items; item += 1) {
        given.push(item);
        yield item;
      }
      if (fails) throw new Error('the source failed');
    } finally {
      ended = true;
    }
  };
  return { given, ended: () => ended, items: generate() };
}

test('items come in their order, each once, however many are read ahead', async () => {
  for (const most of [1, 3, 50])
    assert.deepEqual(
      await Array.fromAsync(ahead(source(20).items, most)),
      [...Array(20).keys()].map((n) => n + 1),
    );
});

test('while an item is used the next ones are read, and no more than asked for', async () => {
  const { given, items } = source(20);
  for await (const item of ahead(items, 4)) {
    await new Promise(setImmediate);
    assert.equal(given.length, Math.min(20, item + 4));
  }
});

test('a failure is thrown behind the items before it, and told by nothing else', async () => {
  const got: number[] = [];
  await assert.rejects(async () => {
    for await (const item of ahead(source(2, true).items, 8)) {
      await new Promise(setImmediate);
      got.push(item);
    }
  }, /the source failed/);
  assert.deepEqual(got, [1, 2]);
});

test('a reader that leaves ends the source', async () => {
  const { given, ended, items } = source(1_000);
  for await (const item of ahead(items, 4)) if (item === 2) break;
  assert.ok(ended());
  assert.ok(given.length <= 7, `${given.length} were read`);
});
