import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { until } from '../../../test/support/until.ts';
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
    const asked = await Promise.all(Array.from({ length: 20 }, (_, index) => takeLease(index % 2 === 0 ? here : there, 'one')));
    assert.equal(asked.filter((lease) => lease !== null).length, 1);
  });

  await t.test('says nothing of other subjects', async () => {
    assert.ok(await takeLease(here, 'another'));
  });

  await t.test('is free when its holder has released it', async () => {
    const lease = await takeLease(here, 'released');
    assert.equal(await takeLease(there, 'released'), null);
    await lease?.[Symbol.asyncDispose]();
    assert.ok(await takeLease(there, 'released'));
  });

  await t.test('is kept by a holder that lives, and ends 15 seconds after one that died', async () => {
    const ends = async (): Promise<{ at: Date; in_seconds: number }> => {
      const [row] = await here.direct<{ at: Date; in_seconds: number }>(
        `select expires_at as at, extract(epoch from expires_at - clock_timestamp())::float8 as in_seconds from compute_leases where subject = 'kept'`,
      );
      assert.ok(row);
      return row;
    };
    await using _lease = await takeLease(here, 'kept');
    const first = await ends();
    assert.ok(first.in_seconds <= 15, `${first.in_seconds} seconds`);
    await until(async () => (await ends()).at > first.at);
  });

  await t.test('is free where it was taken before the clock was set back by hours', async () => {
    await takeLease(here, 'set back');
    await here.direct(`update compute_leases set expires_at = expires_at + interval '6 hours' where subject = 'set back'`);
    assert.ok(await takeLease(there, 'set back'));
  });

  await t.test('is free at its end, though its holder has died', async () => {
    await takeLease(here, 'dead');
    await here.direct(`update compute_leases set expires_at = clock_timestamp() - interval '1 second' where subject = 'dead'`);
    assert.ok(await takeLease(there, 'dead'));
  });

  await t.test('stays with its new holder when the former one releases it late', async () => {
    const former = await takeLease(here, 'late');
    await here.direct(`update compute_leases set expires_at = clock_timestamp() - interval '1 second' where subject = 'late'`);
    assert.ok(await takeLease(there, 'late'));
    await former?.[Symbol.asyncDispose]();
    assert.equal(await takeLease(here, 'late'), null);
  });
});
