import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { joinSmall } from './small-groups.ts';

const join = (counts: number[], ordered: boolean, least = 5) => joinSmall(counts, { countOf: (count) => count, ordered, least });

test('in an order a small group joins the one before it, a small first one the one after', () => {
  assert.deepEqual(join([9, 3, 8, 2, 2], true), [
    [9, 3],
    [8, 2, 2],
  ]);
  assert.deepEqual(join([1, 9, 9], true), [[1, 9], [9]]);
  assert.deepEqual(join([1, 1, 1], true), [[1, 1, 1]]);
  assert.deepEqual(join([], true), []);
});

test('otherwise the small ones are together, with the smallest other where they are too few', () => {
  assert.deepEqual(join([20, 4, 9, 3], false), [[20], [9], [4, 3]]);
  assert.deepEqual(join([20, 9, 2], false), [[20], [2, 9]]);
  assert.deepEqual(join([2], false), [[2]]);
});

test('no group is small unless it is the only one, none is lost, and nothing is joined without need', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 })), fc.boolean(), (counts, ordered) => {
      const groups = join(counts, ordered);
      const sizes = groups.map((group) => group.reduce((sum, count) => sum + count, 0));
      assert.ok(sizes.length <= 1 || sizes.every((size) => size >= 5), sizes.join());
      assert.deepEqual(groups.flat().toSorted(), counts.toSorted());
      if (counts.every((count) => count >= 5)) assert.equal(groups.length, counts.length);
      if (ordered) assert.deepEqual(groups.flat(), counts);
    }),
  );
  assert.deepEqual(join([1, 2, 3], false, 0), [[1], [2], [3]]);
});
