import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDrawn, scaleOf, testFigure } from '../../console/src/ui/trigger-figures.ts';

test('the figures of a test are percentages, amounts, a period or a date', () => {
  assert.equal(testFigure('CUMULATIVE_NET_LOSS', 0.502049), '0.502049');
  assert.equal(testFigure('RATIO', null), 'unknown');
  assert.equal(testFigure('DATE', 20_834), '2027-01-16');
  assert.equal(testFigure('PERIOD', 7), '7');
  for (const metric of ['NOTE_BALANCE', 'NOTE_BALANCE_AVG3']) assert.match(testFigure(metric, 66_338.49), /66.338.49/);
});

test('an amount is drawn as an amount, a period and a date not at all', () => {
  assert.deepEqual(['RATIO', 'INTEREST_SHORTFALL', 'PERIOD', 'DATE'].filter(isDrawn), ['RATIO', 'INTEREST_SHORTFALL']);
  assert.match(scaleOf('OC').format(12.5), /%$/);
  assert.doesNotMatch(scaleOf('INTEREST_SHORTFALL').format(12.5), /%/);
});
