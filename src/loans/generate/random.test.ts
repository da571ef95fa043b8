import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from './random.ts';

const many = <Value>(draw: (random: Random) => Value, count = 20_000, seed = 5): Value[] => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => draw(random));
};

test('the same seed draws the same numbers, and neighbouring seeds others', () => {
  const first = (seed: number) => many((random) => random.next(), 5, seed);
  assert.deepEqual(first(7), first(7));
  const seeds = Array.from({ length: 200 }, (_, seed) => first(seed)[0]);
  assert.equal(new Set(seeds).size, 200);
  assert.deepEqual(first(-1), first(-1), 'any whole number is a seed');
  assert.ok(first(2 ** 40).every((each) => each >= 0 && each < 1));
});

test('the numbers are Mulberry32 with the published constants', () => {
  // the published generator, with the same first state
  let state = (3 ^ 0x9e3779b9) | 0;
  const published = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const random = new Random(3);
  for (let index = 0; index < 1_000; index += 1) assert.equal(random.next(), published());
});

test('a whole number comes from between its bounds, both of them drawn, each about as often', () => {
  const counts = Map.groupBy(
    many((random) => random.integer(-2, 3)),
    (each) => each,
  );
  assert.deepEqual(
    [...counts.keys()].sort((a, b) => a - b),
    [-2, -1, 0, 1, 2, 3],
  );
  for (const [value, drawn] of counts) assert.ok(Math.abs(drawn.length - 20_000 / 6) < 250, `${value}: ${drawn.length}`);
  assert.ok(many((random) => random.integer(4, 4), 50).every((each) => each === 4));
});

test('a choice takes each of its values, as often as it is listed', () => {
  const drawn = many((random) => random.pick(['a', 'a', 'a', 'b']));
  const share = drawn.filter((each) => each === 'a').length / drawn.length;
  assert.ok(Math.abs(share - 0.75) < 0.015, String(share));
});

test('a chance is met as often as it says: never at zero, always at one', () => {
  assert.ok(many((random) => random.chance(0), 2_000).every((met) => !met));
  assert.ok(many((random) => random.chance(1), 2_000).every(Boolean));
  const share = many((random) => random.chance(0.02), 50_000).filter(Boolean).length / 50_000;
  assert.ok(Math.abs(share - 0.02) < 0.003, String(share));
});

test('numbers around a middle have it as their mean and lie within three times the spread', () => {
  const drawn = many((random) => random.around(700, 40));
  const mean = drawn.reduce((sum, each) => sum + each, 0) / drawn.length;
  assert.ok(Math.abs(mean - 700) < 1, String(mean));
  assert.ok(drawn.every((each) => Math.abs(each - 700) <= 120));
  const near = drawn.filter((each) => Math.abs(each - 700) <= 40).length / drawn.length;
  assert.ok(near > 0.6 && near < 0.75, `${near} within one spread`);
});
