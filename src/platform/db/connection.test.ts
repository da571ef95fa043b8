import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import fc from '../../../test/support/property.ts';
import { TYPES } from './connection.ts';

const { TIMESTAMPTZ } = pg.types.builtins;

test('a time is read as the driver reads it, however the server writes it', () => {
  const [ours, driver] = [TYPES.getTypeParser(TIMESTAMPTZ), pg.types.getTypeParser(TIMESTAMPTZ)];
  const same = (text: string): void => assert.deepEqual(ours(text), driver(text), text);
  for (const text of [
    '2026-11-28 14:58:05+00',
    '2026-11-28 14:58:05.1+00',
    '2026-11-28 14:58:05.12+00',
    '2026-11-28 14:58:05.123456+00',
    '2026-12-31 23:59:59.9999+00',
    '2024-02-29 00:00:00+00',
    '0099-01-01 00:00:00+00',
    '12026-11-28 14:58:05+00',
    '0044-03-15 12:00:00+00 BC',
    '2026-11-28 20:28:05.123+05:30',
    '2026-11-28 14:58:05.123-08',
    'infinity',
    '-infinity',
  ])
    same(text);
  fc.assert(
    fc.property(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      const iso = date.toISOString().replace('T', ' ').replace('Z', '+00');
      same(iso);
      same(iso.replace(/\.?0+\+/, '+'));
    }),
  );
});
