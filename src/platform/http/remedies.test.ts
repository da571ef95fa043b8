import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARQUET, XLSX } from '../files/content-types.ts';
import type { Expecting } from './expectations.ts';
import { remedyOf } from './remedies.ts';

const DATE: Expecting = { type: 'string', format: 'date' };
const TIME: Expecting = { type: 'string', format: 'date-or-instant' };
const NUMBER: Expecting = { type: 'number' };

test('a value that shows what was meant has a remedy that is valid', () => {
  const cases: [Expecting, unknown, string][] = [
    [DATE, '12/31/2026', 'send "2026-12-31"'],
    [DATE, '31.12.2026', 'send "2026-12-31"'],
    [DATE, '20261231', 'send "2026-12-31"'],
    [DATE, '2026-12-31T23:00:00Z', 'send "2026-12-31", without a time'],
    [DATE, '0000-12-31', 'there is no year 0: years are 0001 to 9999'],
    [TIME, '0000-12-31T23:00:00Z', 'there is no year 0: years are 0001 to 9999'],
    [TIME, '2026-12-31T23:00:00', 'add the time zone, such as 2026-12-31T23:00:00Z for UTC'],
    [TIME, '2026-12-31T23:00:00 05:00', 'write the + of the time zone as %2B'],
    [TIME, '2026-12-31 23:00:00', 'put a T between date and time, and a time zone behind them'],
    [NUMBER, '$1,250,000.50', 'send 1250000.50 without quotes'],
    [NUMBER, '9.21%', 'send 9.21 without quotes'],
    [NUMBER, '1.5e6', 'send 1500000'],
    [NUMBER, '007.5', 'send 7.5 without quotes'],
    [{ type: 'integer' }, '1.0', 'send 1 without quotes'],
    [{ type: 'integer' }, '-012', 'send -12 without quotes'],
    [{ type: 'number', format: 'money' }, 1.005, 'round it to 2 decimals'],
    [{ type: 'number', format: 'money' }, 1e308, ''],
    [{ type: 'boolean' }, 'True', 'send true without quotes'],
    [{ type: 'string' }, 7, 'put it in quotes: "7"'],
    [{ type: 'array' }, 'one', 'put it in brackets, even if it is one'],
    [{ type: 'object' }, '{"a":1}', 'send the object itself, not text that holds it'],
    [{ enum: ['Auto', XLSX] }, 'XLSX', `did you mean "${XLSX}"?`],
    [{ enum: [PARQUET] }, '.parquet', `did you mean "${PARQUET}"?`],
    [{ enum: ['Credit Card', 'Auto'] }, 'creditCard', 'did you mean "Credit Card"?'],
  ];
  for (const [schema, value, remedy] of cases) assert.equal(remedyOf(schema, value, 'body'), remedy, String(value));
});

test('a number that is refused with and without its quotes is not recommended', () => {
  const whole: Expecting = { type: 'integer', minimum: 1, maximum: 12 };
  for (const place of ['body', 'elsewhere'] as const) {
    for (const value of ['1.5', '0', '13', '1e3', '-1']) assert.equal(remedyOf(whole, value, place), '', value);
    assert.equal(remedyOf({ type: 'number', exclusiveMinimum: 0 }, '0', place), '');
    assert.equal(remedyOf({ type: 'number', exclusiveMaximum: 9 }, '9', place), '');
  }
  assert.equal(remedyOf(whole, '12', 'body'), 'send 12 without quotes');
});

test('an amount is told to be rounded where rounding mends it, and the bound where it is beyond', () => {
  const amount: Expecting = { type: 'number', format: 'money', exclusiveMinimum: 0, maximum: 90_071_992_547_409.91 };
  const cases: [number, string][] = [
    [0.005001, 'round it to 2 decimals'],
    [-1.1, ''],
    [-1.005, ''],
    [0.001, ''],
    [1e-7, ''],
    [90_071_992_547_409.92, 'send at most 90071992547409.9'],
    [1e300, 'send at most 90071992547409.9'],
  ];
  for (const [value, remedy] of cases) assert.equal(remedyOf(amount, value, 'body'), remedy, String(value));
});

test('a value that may mean several things is not guessed', () => {
  assert.equal(remedyOf(DATE, '03/04/2026', 'body'), 'send the year first: "2026-03-04" or "2026-04-03"');
  const silent: [Expecting, unknown][] = [
    [NUMBER, '1.234,56'],
    [NUMBER, 'twelve'],
    [DATE, 'tomorrow'],
    [{ enum: ['Auto', 'Student'] }, 'Boat'],
    [{ enum: ['A', 'B'] }, 'C'],
  ];
  for (const [schema, value] of silent) assert.equal(remedyOf(schema, value, 'body'), '', String(value));
});
