import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ahead, overlapping } from './ahead.ts';

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

/** Sources of numbers, which tell what they did; the last fails where that is asked for. */
function sources(lengths: readonly number[], fails = false) {
  const told: string[] = [];
  const make = async function* (name: number, length: number): AsyncGenerator<string> {
    try {
      told.push(`begun ${name}`);
      for (let item = 0; item < length; item += 1) yield `${name}.${item}`;
      if (fails && name === lengths.length - 1) throw new Error('the source failed');
    } finally {
      told.push(`ended ${name}`);
    }
  };
  const all = async function* (): AsyncGenerator<AsyncGenerator<string>> {
    for (const [name, length] of lengths.entries()) yield make(name, length);
  };
  return { told, items: all() };
}

test('the items of several sources come in their order, empty sources have none', async () => {
  assert.deepEqual(await Array.fromAsync(overlapping(sources([2, 0, 1, 0]).items)), ['0.0', '0.1', '2.0']);
  assert.deepEqual(await Array.fromAsync(overlapping(sources([]).items)), []);
});

test('a source is begun while the items of the one before are used, and no further one', async () => {
  const { told, items } = sources([3, 3, 3]);
  const seen: string[][] = [];
  for await (const item of overlapping(items)) {
    await new Promise(setImmediate);
    seen.push([item, ...told.filter((each) => each.startsWith('begun'))]);
  }
  assert.deepEqual(seen[0], ['0.0', 'begun 0', 'begun 1']);
  assert.deepEqual(seen[3], ['1.0', 'begun 0', 'begun 1', 'begun 2']);
});

test('the failure of a source comes behind the items before it', async () => {
  const got: string[] = [];
  await assert.rejects(async () => {
    for await (const item of overlapping(sources([1, 2], true).items)) got.push(item);
  }, /the source failed/);
  assert.deepEqual(got, ['0.0', '1.0', '1.1']);
});

test('a reader that leaves ends what was begun', async () => {
  const { told, items } = sources([3, 3, 3]);
  for await (const item of overlapping(items)) if (item === '0.1') break;
  assert.deepEqual(told.toSorted(), ['begun 0', 'begun 1', 'ended 0', 'ended 1']);
});
