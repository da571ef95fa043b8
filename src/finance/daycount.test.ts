import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { addDays, addMonths, dateFromDayNumber, dayNumber, monthsBetween, weekday } from './dates.ts';
import { days30360, days30E360, yearFraction } from './daycount.ts';
import { near } from './test-support.ts';
import type { DayCount, IsoDate } from './types.ts';

/** Figures of Dream-Securitizations, DateUtilityTests (facts only), reproduced independently. */
const PUBLISHED: [DayCount, IsoDate, IsoDate, number][] = [
  ['ACT/360', '2000-01-01', '2000-02-01', 0.086111],
  ['ACT/365', '2000-01-01', '2000-02-01', 0.084932],
  ['ACT/360', '1999-01-01', '2000-01-01', 1.013889],
  ['ACT/365', '2000-01-01', '2001-01-01', 1.00274],
  ['30/360', '2016-04-30', '2016-05-31', 0.083333],
  ['30/360', '2016-02-01', '2016-03-01', 0.083333],
];

for (const [dayCount, start, end, published] of PUBLISHED) {
  test(`${dayCount} from ${start} to ${end} is ${published} years`, () => {
    near(yearFraction(dayCount, start, end), published, 1e-6);
  });
}

test('the bond basis counts the 31st as the 30th only after a 30th, the Eurobond basis always', () => {
  equal(days30360('2026-01-15', '2026-01-31'), 16);
  equal(days30E360('2026-01-15', '2026-01-31'), 15);
  equal(days30360('2026-01-31', '2026-03-31'), 60);
  equal(days30360('2026-01-30', '2026-03-31'), 60);
  equal(days30360('2026-02-28', '2026-03-01'), 3);
});

test('ACT/ACT splits a period that crosses into a leap year: 61/365 + 121/366 (ISDA, EMU and market conventions, 1998)', () => {
  near(yearFraction('ACT/ACT', '2003-11-01', '2004-05-01'), 61 / 365 + 121 / 366, 1e-15);
  near(yearFraction('ACT/ACT', '1999-02-01', '1999-07-01'), 150 / 365, 1e-15);
  near(yearFraction('ACT/ACT', '2004-05-01', '2003-11-01'), -(61 / 365 + 121 / 366), 1e-15);
});

test('a monthly schedule on the 31st pays on the last day of short months and returns to the 31st', () => {
  equal(addMonths('2026-01-31', 1), '2026-02-28');
  equal(addMonths('2026-01-31', 1, 31), '2026-02-28');
  equal(addMonths('2026-02-28', 1, 31), '2026-03-31');
  equal(addMonths('2027-12-15', 3), '2028-03-15');
  equal(addMonths('2026-03-31', -13), '2025-02-28');
});

test('months between dates are whole months', () => {
  equal(monthsBetween('2026-01-31', '2026-02-28'), 1);
  equal(monthsBetween('2026-01-15', '2026-02-14'), 0);
  equal(monthsBetween('2020-02-29', '2026-02-28'), 72);
  equal(monthsBetween('2026-05-10', '2026-03-11'), -1);
});

test('a date that the calendar does not have is refused with what was seen', () => {
  throws(() => dayNumber('2026-02-30'), /no such day: 2026-02-30/);
  throws(() => dayNumber('2026-2-3'), /not a date: "2026-2-3"/);
});

test('day numbers and dates are the same thing, and weekdays follow each other', () => {
  fc.assert(
    fc.property(fc.integer({ min: -100_000, max: 200_000 }), (day) => {
      const date = dateFromDayNumber(day);
      equal(dayNumber(date), day);
      equal(weekday(addDays(date, 1)), (weekday(date) + 1) % 7);
    }),
  );
  equal(weekday('2026-11-20'), 5);
});
