import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percent, termPrice, termRate } from '../../console/src/ui/format-market.ts';
import { ruleValue } from '../../console/src/ui/loan-filter.ts';

test('a rate or price that somebody agrees to is shown with all its decimals', () => {
  assert.deepEqual([5.125, 4.375, 5, 5.1234565, null].map(termRate), ['5.125%', '4.375%', '5.00%', '5.123457%', '–']);
  assert.deepEqual([99.984375, 100, undefined].map(termPrice), ['99.984375', '100.00', '–']);
  assert.equal(percent(5.125), '5.13%', 'an average has two');
});

test('digits are a number where the field holds numbers, and a text in every other field', () => {
  assert.deepEqual(
    [
      ruleValue('620', true),
      ruleValue('-0.5', true),
      ruleValue('x', true),
      ruleValue('000008603354', false),
      ruleValue('799', false),
    ],
    [620, -0.5, 'x', '000008603354', '799'],
  );
});
