import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { isBusinessDay } from './calendar.ts';
import { afterDay, businessDate, businessDeadline, endOfDay, localDate, localDatesIn, recordDate } from './business-date.ts';

const NEW_YORK = 'America/New_York';

test('the date of an instant is that of the zone, from one midnight there to the next', () => {
  const cases: [string, string, string][] = [
    ['2026-11-20T04:59:59.999Z', NEW_YORK, '2026-11-19'],
    ['2026-11-20T05:00:00.000Z', NEW_YORK, '2026-11-20'],
    ['2026-07-01T03:59:59.999Z', NEW_YORK, '2026-06-30'],
    ['2026-07-01T04:00:00.000Z', NEW_YORK, '2026-07-01'],
    ['2026-11-20T04:59:59.999Z', 'UTC', '2026-11-20'],
    ['2026-11-20T14:59:59.000Z', 'Asia/Tokyo', '2026-11-20'],
    ['2026-11-20T15:00:00.000Z', 'Asia/Tokyo', '2026-11-21'],
  ];
  for (const [at, zone, date] of cases) assert.equal(localDate(new Date(at), zone), date, `${at} ${zone}`);
});

test('the dates of many instants are those of each, and the zone is looked up once', (t) => {
  const instants = Array.from({ length: 1_000 }, (_, hour) => new Date(Date.UTC(2026, 9, 20, hour)));
  const expected = instants.map((at) => localDate(at, NEW_YORK));
  const formats = t.mock.method(Intl, 'DateTimeFormat');
  assert.deepEqual(instants.map(localDatesIn(NEW_YORK)), expected);
  assert.equal(formats.mock.callCount(), 1);
});

test('on a weekend or a Federal holiday the business date is the next business day', () => {
  const cases: [string, string][] = [
    // Friday evening in New York is Saturday in UTC.
    ['2026-11-21T02:00:00Z', '2026-11-20'],
    ['2026-11-21T15:00:00Z', '2026-11-23'],
    ['2026-11-22T15:00:00Z', '2026-11-23'],
    // Sunday evening in New York is Monday in UTC.
    ['2026-11-23T02:00:00Z', '2026-11-23'],
    // Thanksgiving, and the evening before.
    ['2026-11-26T03:00:00Z', '2026-11-25'],
    ['2026-11-26T15:00:00Z', '2026-11-27'],
    ['2026-12-25T15:00:00Z', '2026-12-28'],
  ];
  for (const [at, date] of cases) assert.equal(businessDate(new Date(at), NEW_YORK), date, at);
});

test('a day ends at 23:59:59 of the zone, before and after each change of its clocks', () => {
  const cases: [string, string, string][] = [
    ['2026-11-20', NEW_YORK, '2026-11-21T04:59:59.000Z'],
    // Summer time begins on 2027-03-14 and ends on 2027-11-07, both at 2 o'clock.
    ['2027-03-13', NEW_YORK, '2027-03-14T04:59:59.000Z'],
    ['2027-03-14', NEW_YORK, '2027-03-15T03:59:59.000Z'],
    ['2027-11-06', NEW_YORK, '2027-11-07T03:59:59.000Z'],
    ['2027-11-07', NEW_YORK, '2027-11-08T04:59:59.000Z'],
    ['2026-11-20', 'UTC', '2026-11-20T23:59:59.000Z'],
    // Brazil set its clocks back at midnight: 23:59:59 came twice. Chile set them forward at midnight.
    ['2018-02-17', 'America/Sao_Paulo', '2018-02-18T02:59:59.000Z'],
    ['2026-09-05', 'America/Santiago', '2026-09-06T03:59:59.000Z'],
    ['2026-11-20', 'Pacific/Kiritimati', '2026-11-20T09:59:59.000Z'],
  ];
  for (const [date, zone, end] of cases) assert.equal(endOfDay(date, zone).toISOString(), end, `${date} ${zone}`);
});

test('business days are counted from the business date', () => {
  const cases: [string, number, string][] = [
    ['2026-11-16T15:00:00Z', 2, '2026-11-19T04:59:59.000Z'],
    // A Saturday counts as the Monday after it.
    ['2026-11-21T15:00:00Z', 2, '2026-11-26T04:59:59.000Z'],
    // Thanksgiving counts as the Friday.
    ['2026-11-26T15:00:00Z', 2, '2026-12-02T04:59:59.000Z'],
    // Across the beginning of summer time.
    ['2027-03-12T15:00:00Z', 2, '2027-03-17T03:59:59.000Z'],
    ['2026-11-16T15:00:00Z', 0, '2026-11-17T04:59:59.000Z'],
  ];
  for (const [at, days, end] of cases) assert.equal(businessDeadline(new Date(at), days, NEW_YORK).toISOString(), end, at);
});

test('the record date is the business day before the payment', () => {
  const cases: [string, string][] = [
    ['2027-01-15', '2027-01-14'],
    // After a weekend with a holiday on Monday (Presidents' Day, 2027-02-15).
    ['2027-02-16', '2027-02-12'],
    ['2027-01-16', '2027-01-15'],
  ];
  for (const [payment, record] of cases) assert.equal(recordDate(payment), record);
});

test('an instant is after the end of the day before its date, and not after the end of its own', () => {
  const zones = [NEW_YORK, 'UTC', 'Europe/London', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/Havana', 'Pacific/Apia'];
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2012-01-02'), max: new Date('2060-01-01'), noInvalidDate: true }),
      fc.constantFrom(...zones),
      (at, zone) => {
        const date = localDate(at, zone);
        const previous = new Date(Date.parse(`${date}T12:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
        assert.ok(at < afterDay(date, zone));
        assert.ok(at >= afterDay(previous, zone));
        assert.ok(isBusinessDay('US_FED', businessDate(at, zone)));
        assert.ok(businessDate(at, zone) >= date);
      },
    ),
  );
});
