import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amount, numberOfCell } from '../../console/src/ui/amount.ts';
import { readJson } from '../../console/src/ui/read-json.ts';
import { textOf, valueOf, wordOf, wordOrFormOf } from '../../console/src/ui/value-text.ts';

test('a number keeps all its digits, and an amount is in whole cents', () => {
  for (const number of [5.875, 4.375, 0.0525, 99.984375, -0.125, 0, 12])
    assert.deepEqual(valueOf(String(number)), { value: number });
  assert.deepEqual(
    ['250k', '1.1m', '$1,500,000', '25 000'].map((text) => valueOf(text)),
    [250_000, 1_100_000, 1_500_000, 25_000].map((value) => ({ value })),
  );
  for (const comma of ['1,5m', '5,87', '1,50', '2,5000', '12 34'])
    assert.deepEqual([amount(comma), valueOf(comma)], [undefined, { value: comma }]);
});

test('a cell of a spreadsheet keeps its sign and its size', () => {
  assert.deepEqual(
    ['(1,250.00)', ' ($5) ', '1.25E+05', '-2e-3'].map((cell) => numberOfCell(cell)),
    [-1_250, -5, 125_000, -0.002],
  );
  // What a field reads by itself, and what is no number.
  for (const cell of ['1,250.00', '-5', '(1,2)', '(5', 'e5', '']) assert.equal(numberOfCell(cell), null, cell);
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

test('a number that the browser would send as another one is told and not taken', () => {
  const told = (number: string, kept: string) => ({
    problem: `The number ${number} has more digits than are kept: it would be sent as ${kept}.`,
  });
  for (const [number, kept] of [
    ['123456789012345678.91', '123456789012345680'],
    ['9007199254740993', '9007199254740992'],
    ['-90071992547409.91', '-90071992547409.9'],
  ] as const) {
    assert.deepEqual(readJson(`{"value": [1, ${number}]}`), told(number, kept));
    assert.deepEqual(valueOf(number), told(number, kept));
    assert.deepEqual(valueOf(`{"scale": ${number}}`), told(number, kept));
  }
  assert.deepEqual(readJson('[1e400]'), told('1e400', 'Infinity'));
  assert.deepEqual(
    readJson('{"id": "12345678901234567890", "rate": 0.12345678901234567890, "balance": 90071992547409.5, "all": 1e20}'),
    {
      value: { id: '12345678901234567890', rate: 0.123_456_789_012_345_68, balance: 90_071_992_547_409.5, all: 1e20 },
    },
  );
  const wrong = readJson('{"a": }');
  assert.match('problem' in wrong ? wrong.problem : '', /^This is not JSON: /);
});
