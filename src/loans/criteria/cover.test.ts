import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import * as covers from './cure/cover.ts';

type CoverItem = { index: number; gain: bigint; cost: number };

function columnsOf(items: readonly CoverItem[]): covers.CoverItems {
  const named = new Map(items.map((item) => [item.index, item]));
  return {
    indices: Uint32Array.from(named.keys()),
    gain: (index) => named.get(index)?.gain ?? 0n,
    cost: (index) => named.get(index)?.cost ?? Number.NaN,
  };
}

const cheapestCover = (items: readonly CoverItem[], needed: bigint) => covers.cheapestCover(columnsOf(items), needed);

const itemsOf = (pairs: readonly (readonly [gain: number, cost: number])[]): CoverItem[] =>
  pairs.map(([gain, cost], index) => ({ index: index + 100, gain: BigInt(gain), cost }));
const pair = fc.tuple(fc.integer({ min: -3, max: 40 }), fc.integer({ min: 0, max: 30 }));

/** The cost of the cheapest choice that gains enough, by trying all; null when none does. */
function cheapest(items: readonly CoverItem[], needed: bigint): number | null {
  let best: number | null = null;
  for (let mask = 0; mask < 2 ** items.length; mask += 1) {
    const chosen = items.filter((_, index) => mask & (1 << index));
    const cost = chosen.reduce((sum, item) => sum + item.cost, 0);
    const gain = chosen.reduce((sum, item) => sum + item.gain, 0n);
    if (gain >= needed && (best === null || cost < best)) best = cost;
  }
  return best;
}

function totals(items: readonly CoverItem[], chosen: readonly number[]) {
  const named = new Map(items.map((item) => [item.index, item]));
  return {
    gain: chosen.reduce((sum, index) => sum + (named.get(index)?.gain ?? 0n), 0n),
    cost: chosen.reduce((sum, index) => sum + (named.get(index)?.cost ?? Number.NaN), 0),
  };
}

test('a cover of few items is the cheapest of all choices, and said to be', () => {
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 11 }), fc.integer({ min: -5, max: 200 }), (pairs, needed) => {
      const items = itemsOf(pairs);
      const cover = cheapestCover(items, BigInt(needed));
      const best = cheapest(items, BigInt(needed));
      assert.equal(cover.optimal, true);
      if (best === null) return assert.deepEqual([cover.chosen, cover.cost, cover.bound], [null, 0, 0]);
      assert.deepEqual([cover.cost, cover.bound], [best, best]);
      const { gain, cost } = totals(items, cover.chosen ?? []);
      assert.ok(gain >= BigInt(needed), 'the chosen gain enough');
      assert.equal(cost, cover.cost, 'the cost is theirs');
      assert.equal(new Set(cover.chosen).size, cover.chosen?.length, 'none is chosen twice');
    }),
    { endOnFailure: true, numRuns: 300 },
  );
});

test('nothing is chosen where nothing is needed', () => {
  for (const needed of [0n, -1n])
    assert.deepEqual(cheapestCover(itemsOf([[5, 1]]), needed), { chosen: [], cost: 0, bound: 0, optimal: true });
  assert.deepEqual(cheapestCover([], 0n).chosen, []);
});

test('exactly what all items gain can be had, one more cannot', () => {
  const items = itemsOf([
    [5, 1],
    [7, 2],
    [0, 9],
    [-4, 9],
  ]);
  assert.deepEqual(cheapestCover(items, 12n).chosen?.toSorted(), [100, 101], 'an item without a gain is never chosen');
  assert.equal(cheapestCover(items, 13n).chosen, null);
  assert.equal(cheapestCover([], 1n).chosen, null);
});

test('items that cost nothing are taken before any that cost something', () => {
  const items = itemsOf([
    [10, 5],
    [6, 0],
    [4, 0],
  ]);
  const cover = cheapestCover(items, 10n);
  assert.deepEqual([cover.cost, cover.chosen?.toSorted()], [0, [101, 102]]);
});

/** The cheapest cost of each gain by dynamic programming: another method, for more items than can be tried one by one. */
function tableOfCosts(items: readonly CoverItem[], most: number): number[] {
  const costs = [0, ...Array.from({ length: most }, () => Number.POSITIVE_INFINITY)];
  for (const item of items.filter(({ gain }) => gain > 0n)) {
    for (let need = most; need > 0; need -= 1) {
      const rest = costs[Math.max(0, need - Number(item.gain))] ?? Number.POSITIVE_INFINITY;
      costs[need] = Math.min(costs[need] ?? Number.POSITIVE_INFINITY, rest + item.cost);
    }
  }
  return costs;
}

test('a cover of more items gains enough, never claims too much, and is the cheapest wherever it says so', () => {
  const many = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 50 })), {
    minLength: 20,
    maxLength: 70,
  });
  let proved = 0;
  fc.assert(
    fc.property(many, fc.integer({ min: 1, max: 700 }), (pairs, needed) => {
      const items = itemsOf(pairs);
      const cover = cheapestCover(items, BigInt(needed));
      const best = tableOfCosts(items, needed)[needed] ?? Number.POSITIVE_INFINITY;
      if (cover.chosen === null) return assert.equal(best, Number.POSITIVE_INFINITY);
      const { gain, cost } = totals(items, cover.chosen);
      assert.ok(gain >= BigInt(needed) && cost === cover.cost);
      assert.ok(cover.bound <= best && best <= cover.cost, `${cover.bound} ${best} ${cover.cost}`);
      if (!cover.optimal) return;
      proved += 1;
      assert.equal(cover.cost, best);
    }),
    { endOnFailure: true, numRuns: 60 },
  );
  assert.ok(proved >= 15, `${proved} of 60 were proved`);
});

test('items in order serve several needs, each as by itself', () => {
  const items = itemsOf([
    [9, 4],
    [9, 9],
    [3, 1],
    [20, 11],
    [-1, 1],
  ]);
  const ordered = covers.orderItems(columnsOf(items));
  for (const needed of [1n, 9n, 12n, 21n, 41n, 42n])
    assert.deepEqual(covers.coverFrom(ordered, needed), cheapestCover(items, needed));
  assert.deepEqual(ordered.gains.at(-1), 41n);
});

test('among equally efficient items few large ones are removed rather than many small ones', () => {
  const items = itemsOf([...Array.from({ length: 30 }, () => [10, 10] as const), [300, 300]]);
  assert.deepEqual(cheapestCover(items, 300n).chosen, [130]);
});

test('items come in the order of their gain per cost, the dearer first among equals, whatever their number and size', () => {
  const size = fc.integer({ min: 1, max: 12 });
  const item = fc.oneof(
    // Ratios that many share, and some that differ in their last digits.
    fc.tuple(size, size).map(([gain, cost]) => ({ gain: BigInt(gain * 1_000), cost: cost * 1_000 })),
    fc.tuple(fc.bigInt(1n, 2n ** 70n), fc.integer({ min: -5, max: 2 ** 40 })).map(([gain, cost]) => ({ gain, cost })),
    fc.integer({ min: 0, max: 99 }).map((more) => ({ gain: 10n ** 15n + BigInt(more), cost: 10 ** 9 })),
  );
  fc.assert(
    fc.property(fc.array(item, { maxLength: 600 }), (found) => {
      const items = found.map((each, index) => ({ ...each, index }));
      const { indices, gains } = covers.orderItems(columnsOf(items));
      const sorted = [...indices].map((index) => items[index]);
      assert.equal(new Set(indices).size, items.length);
      assert.equal(
        gains.at(-1),
        items.reduce((sum, { gain }) => sum + gain, 0n),
      );
      for (const [place, next] of sorted.entries()) {
        const before = sorted[place - 1];
        if (before === undefined) continue;
        const paid = ({ cost }: CoverItem) => BigInt(Math.max(cost, 0));
        const [left, right] = [before.gain * paid(next), next.gain * paid(before)];
        const apart = left - right;
        assert.ok(apart * 10n ** 11n >= -left, 'none stands behind one of a lower ratio');
        if (apart === 0n && before.gain < 2n ** 53n && next.gain < 2n ** 53n)
          assert.ok(before.cost >= next.cost, 'among equals the dearer is first');
      }
    }),
    { numRuns: 100 },
  );
});
