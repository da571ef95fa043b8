import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offeringDates } from './structure.ts';

test('a deal offered in a month was cut off in the month before, closes on a business day, and pays in the month after', () => {
  assert.deepEqual(offeringDates('2028-01-31'), {
    year: 2028,
    cutOff: '2027-12-31',
    // The 16th is a Sunday and the 17th Martin Luther King Day.
    closing: '2028-01-18',
    firstPayment: '2028-02-15',
    finalMaturity: '2035-02-15',
  });
  const december = offeringDates('2027-12-01');
  assert.deepEqual([december.cutOff, december.firstPayment], ['2027-11-30', '2028-01-15']);
});
