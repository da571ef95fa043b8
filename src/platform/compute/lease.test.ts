import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { openDatabase } from '../db/database.ts';
import { takeLease } from './lease.ts';

test('a lease on a subject', async (t) => {
  const { url, drop } = await cloneDatabase();
  const [here, there] = [openDatabase({ url, max: 4 }), openDatabase({ url, max: 4 })];
  t.after(async () => {
    await here[Symbol.asyncDispose]();
    await there[Symbol.asyncDispose]();
    await drop();
  });

  await t.test('has one holder, however many processes ask at once', async () => {
    const asked = await Promise.all(
      Array.from({ length: 20 }, (_, index) => takeLease(index % 2 === 0 ? here : there, 'one', 60_000)),
    );
    assert.equal(asked.filter((lease) => lease !== null).length, 1);
  });

  await t.test('says nothing of other subjects', async () => {
    assert.ok(await takeLease(here, 'another', 60_000));
  });

  await t.test('is free when its holder has released it', async () => {
    const lease = await takeLease(here, 'released', 60_000);
    assert.equal(await takeLease(there, 'released', 60_000), null);
    await lease?.[Symbol.asyncDispose]();
    assert.ok(await takeLease(there, 'released', 60_000));
  });

  await t.test('is free at its end, though its holder has died', async () => {
    await takeLease(here, 'dead', 60_000);
    await here.direct(`update compute_leases set expires_at = clock_timestamp() - interval '1 second' where subject = 'dead'`);
    assert.ok(await takeLease(there, 'dead', 60_000));
  });

  await t.test('stays with its new holder when the former one releases it late', async () => {
    const former = await takeLease(here, 'late', 60_000);
    await here.direct(`update compute_leases set expires_at = clock_timestamp() - interval '1 second' where subject = 'late'`);
    assert.ok(await takeLease(there, 'late', 60_000));
    await former?.[Symbol.asyncDispose]();
    assert.equal(await takeLease(here, 'late', 60_000), null);
  });
});
