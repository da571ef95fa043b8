import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { addBusinessDays, adjustDate, isBusinessDay } from './calendar.ts';
import { paymentDates } from './schedule.ts';
import { holidays } from './test-support.ts';

test('the Federal Reserve closes on these days of 2026 and 2027 (Board of Governors, K.8 holiday schedule)', () => {
  deepEqual(holidays('US_FED', 2026), [
    '2026-01-01',
    '2026-01-19',
    '2026-02-16',
    '2026-05-25',
    '2026-06-19',
    '2026-09-07',
    '2026-10-12',
    '2026-11-11',
    '2026-11-26',
    '2026-12-25',
  ]);
  deepEqual(holidays('US_FED', 2027), [
    '2027-01-01',
    '2027-01-18',
    '2027-02-15',
    '2027-05-31',
    '2027-07-05',
    '2027-09-06',
    '2027-10-11',
    '2027-11-11',
    '2027-11-25',
  ]);
});

test('a Federal Reserve holiday on a Saturday leaves the Friday before open', () => {
  equal(isBusinessDay('US_FED', '2026-07-03'), true);
  equal(isBusinessDay('US_FED', '2026-07-04'), false);
});

test('Juneteenth closes the Federal Reserve from 2022 on, its Saturday of 2021 closed nothing', () => {
  equal(isBusinessDay('US_FED', '2020-06-19'), true);
  equal(isBusinessDay('US_FED', '2022-06-20'), false);
});

test('TARGET closes on Good Friday and Easter Monday (European Central Bank, closing days of 2026)', () => {
  deepEqual(holidays('TARGET', 2026), ['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-01', '2026-12-25']);
  deepEqual(holidays('TARGET', 2024), ['2024-01-01', '2024-03-29', '2024-04-01', '2024-05-01', '2024-12-25', '2024-12-26']);
});

test('WEEKENDS knows Saturdays and Sundays only', () => {
  deepEqual(holidays('WEEKENDS', 2026), []);
  equal(isBusinessDay('WEEKENDS', '2026-12-25'), true);
  equal(isBusinessDay('WEEKENDS', '2026-11-21'), false);
});

test('FOLLOWING moves into the next month, MODIFIED_FOLLOWING turns back, NONE stays', () => {
  equal(adjustDate('2026-05-31', 'FOLLOWING', 'US_FED'), '2026-06-01');
  equal(adjustDate('2026-05-31', 'MODIFIED_FOLLOWING', 'US_FED'), '2026-05-29');
  equal(adjustDate('2026-05-31', 'NONE', 'US_FED'), '2026-05-31');
  equal(adjustDate('2026-11-26', 'MODIFIED_FOLLOWING', 'US_FED'), '2026-11-27');
});

test('business days are counted over weekends and holidays, both ways', () => {
  equal(addBusinessDays('2026-11-25', 1, 'US_FED'), '2026-11-27');
  equal(addBusinessDays('2026-11-25', 2, 'US_FED'), '2026-11-30');
  equal(addBusinessDays('2026-11-30', -2, 'US_FED'), '2026-11-25');
  equal(addBusinessDays('2026-11-28', 0, 'US_FED'), '2026-11-30');
  equal(addBusinessDays('2026-11-28', -1, 'US_FED'), '2026-11-27');
});

test('payments fall on the payment day of each month, moved to business days without drifting', () => {
  const dates = paymentDates({ firstPaymentDate: '2026-12-15', paymentDay: 15 }, 4);
  deepEqual(dates, [
    { unadjusted: '2026-12-15', paid: '2026-12-15' },
    { unadjusted: '2027-01-15', paid: '2027-01-15' },
    { unadjusted: '2027-02-15', paid: '2027-02-16' },
    { unadjusted: '2027-03-15', paid: '2027-03-15' },
  ]);
});

test('a quarterly schedule on the last day keeps to the last day', () => {
  const dates = paymentDates({ firstPaymentDate: '2026-11-30', paymentDay: 31, frequency: 'QUARTERLY', businessDay: 'NONE' }, 3);
  deepEqual(
    dates.map((date) => date.paid),
    ['2026-11-30', '2027-02-28', '2027-05-31'],
  );
});
