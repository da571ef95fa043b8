import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textOf, valueOf, wordOf, wordOrFormOf } from '../../console/src/ui/value-text.ts';

test('a number keeps all its digits, and an amount is in whole cents', () => {
  for (const number of [5.875, 4.375, 0.0525, 99.984375, -0.125, 0, 12])
    assert.deepEqual(valueOf(String(number)), { value: number });
  assert.deepEqual(
    ['250k', '1.1m', '$1,500,000', '25 000'].map((text) => valueOf(text)),
    [250_000, 1_100_000, 1_500_000, 25_000].map((value) => ({ value })),
  );
});

test('a number that was written into a field is read from it as it was', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e15, max: 1e15 }), (number) => {
      const text = textOf(number);
      fc.pre(!text.includes('e'));
      assert.deepEqual(valueOf(text), { value: Number(text) });
    }),
  );
});

test('a name that looks like an amount stays a name', () => {
  assert.deepEqual(
    [wordOf(' 5m '), wordOf(''), wordOrFormOf('250k')],
    [{ value: '5m' }, { value: undefined }, { value: '250k' }],
  );
  assert.deepEqual(wordOrFormOf('{"any_of": ["cnl", "oc"]}'), { value: { any_of: ['cnl', 'oc'] } });
});
