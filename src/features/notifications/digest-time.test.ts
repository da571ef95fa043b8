import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestDay } from './digest-time.ts';

const at = (instant: string) => {
  const due = digestDay(new Date(instant), 'America/New_York');
  return due && [due.date, due.before.toISOString()];
};

test('digests are due from seven in New York on business days, about what was raised before', () => {
  assert.equal(at('2026-03-02T11:59:59.999Z'), null);
  assert.deepEqual(at('2026-03-02T12:00:00.000Z'), ['2026-03-02', '2026-03-02T12:00:00.000Z']);
  assert.deepEqual(at('2026-03-02T20:15:30.123Z'), ['2026-03-02', '2026-03-02T12:00:00.000Z']);
  assert.deepEqual(at('2026-03-03T04:59:59.999Z'), ['2026-03-02', '2026-03-02T12:00:00.000Z'], 'an hour before midnight there');
  assert.equal(at('2026-03-03T05:00:00.000Z'), null, 'the next day begins there');
});

test('the hour is that of the clock on the wall, in winter and in summer', () => {
  assert.deepEqual(at('2026-03-06T12:00:00.000Z'), ['2026-03-06', '2026-03-06T12:00:00.000Z']);
  assert.deepEqual(at('2026-03-09T11:00:00.000Z'), ['2026-03-09', '2026-03-09T11:00:00.000Z']);
  assert.deepEqual(at('2026-11-02T18:00:00.000Z'), ['2026-11-02', '2026-11-02T12:00:00.000Z']);
});

test('none are due on a weekend or a holiday of the Federal Reserve', () => {
  for (const day of ['2026-03-07', '2026-03-08', '2026-07-03', '2026-12-25', '2026-11-26']) {
    if (day === '2026-07-03') assert.ok(at(`${day}T15:00:00.000Z`), 'a holiday on a Saturday is not kept');
    else assert.equal(at(`${day}T15:00:00.000Z`), null, day);
  }
});
