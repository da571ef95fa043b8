import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { cloneDatabase } from '../../test/support/postgres.ts';
import { openDatabase, type Tx } from './db/database.ts';
import { createIdGenerator, newId } from './ids.ts';

const MICROS_OF_2026 = 1_767_225_600_000_000;
const ID = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/;

test('an id says its kind and is opaque otherwise', () => {
  const ids = Array.from({ length: 1_000 }, () => newId('deal'));
  for (const id of [...ids, createIdGenerator(MICROS_OF_2026)('deal')]) assert.match(id, ID);
  assert.equal(new Set(ids).size, ids.length);
});

test('ids sort by their moment, then in the order in which they were made, however many there are', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5_000_000 }), { minLength: 1, maxLength: 20 }), (offsets) => {
      const moments = [...new Set(offsets)].sort((a, b) => a - b);
      const made = moments.flatMap((offset) => {
        const next = createIdGenerator(MICROS_OF_2026 + offset);
        return [next('evt'), next('evt'), next('evt')];
      });
      assert.deepEqual(made.toSorted(), made);
    }),
  );
});

test('a moment gives as many ids as a transaction asks for, in their order', () => {
  const next = createIdGenerator(MICROS_OF_2026);
  const made = Array.from({ length: 3 * 32 ** 3 }, () => next('row'));
  assert.deepEqual(made.toSorted(), made);
});

test('an id sorts by the begin of its transaction, whichever of two makes its id first', async (t) => {
  const { url, drop } = await cloneDatabase();
  const db = openDatabase({ url });
  t.after(async () => {
    await db[Symbol.asyncDispose]();
    await drop();
  });
  const begun = Promise.withResolvers<void>();
  const later = Promise.withResolvers<string>();
  const earlier = db.tx({ platform: true }, async (tx: Tx) => {
    begun.resolve();
    await later.promise;
    return tx.newId('evt');
  });
  await begun.promise;
  later.resolve(await db.tx({ platform: true }, async (tx) => tx.newId('evt')));
  assert.ok((await earlier) < (await later.promise));
});

test('an id sorts after those of earlier versions, which had milliseconds and a count', () => {
  const millisecond = createIdGenerator(MICROS_OF_2026)('evt').slice(0, 'evt_'.length + 10);
  assert.ok(createIdGenerator(MICROS_OF_2026 + 1_000)('evt') > `${millisecond}zzzzzzzzzzzzzzzz`);
});
