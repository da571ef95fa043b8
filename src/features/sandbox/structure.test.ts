import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { addMonths, dateParts, isoDate } from '../../finance/dates.ts';
import { lintStructure } from '../../finance/structure/lint.ts';
import { validateStructure } from '../../finance/structure/validate.ts';
import { offeringDates, pricingAt, structureFor } from './structure.ts';

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

const Today = fc
  .tuple(fc.integer({ min: 2020, max: 2060 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, day]) => isoDate(year, month, day));

test('whatever the day, cut-off, closing and first payment follow each other in three months', () => {
  fc.assert(
    fc.property(Today, (today) => {
      const { year, month } = dateParts(today);
      const { cutOff, closing, firstPayment, finalMaturity } = offeringDates(today);
      assert.ok(cutOff < isoDate(year, month, 1) && isoDate(year, month, 1) < closing && closing < firstPayment);
      assert.deepEqual([dateParts(closing).month, firstPayment], [month, addMonths(isoDate(year, month, 15), 1)]);
      assert.ok(![0, 6].includes(new Date(`${closing}T00:00:00Z`).getUTCDay()), `${closing} is on a weekend`);
      assert.equal(finalMaturity, addMonths(firstPayment, 84));
      assert.deepEqual([pricingAt(closing).as_of, pricingAt(closing).benchmark_curve.as_of], [closing, closing]);
    }),
  );
});

test('the classes of a structure never exceed the pool, and each is whole thousands', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100_000, max: 1_000_000_000 }), Today, (balance, today) => {
      const { tranches } = structureFor(balance, offeringDates(today));
      const notes = tranches.reduce((sum, each) => sum + (each.balance ?? 0), 0);
      assert.ok(notes <= 0.9 * balance && notes > 0.9 * balance - 3_000, `${notes} of ${balance}`);
      for (const each of tranches) assert.equal((each.balance ?? 0) % 1_000, 0);
    }),
  );
});

test('the structure of the sandbox is a template: valid, without findings, and its notes are offered', () => {
  const dates = offeringDates('2028-01-31');
  const structure = structureFor(12_345_678.9, dates);
  const facts = { balance: 12_345_678.9, cut_off_date: dates.cutOff, closing_date: dates.closing };
  assert.deepEqual(validateStructure(structure, facts).issues, []);
  assert.deepEqual(lintStructure(structure, facts), []);
  const [a1] = structure.tranches;
  assert.deepEqual(
    [a1?.tranche, a1?.balance, a1?.rating, a1?.final_maturity, a1?.denomination],
    ['A-1', 4_938_000, 'AAA', '2035-02-15', 1_000],
  );
  assert.deepEqual(structure.payment, {
    payment_day: 15,
    first_accrual: 'ACTUAL',
    first_payment_date: '2028-02-15',
    dated_date: '2028-01-18',
  });
});
