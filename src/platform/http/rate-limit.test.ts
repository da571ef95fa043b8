import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { openDatabase } from '../db/database.ts';
import { createRateLimiter, type RateLimiter } from './rate-limit.ts';

test('the limit', async (t) => {
  const { url, drop } = await cloneDatabase();
  const [db, other] = [openDatabase({ url, max: 4 }), openDatabase({ url, max: 4 })];
  const [here, there] = [createRateLimiter(db), createRateLimiter(other)];
  t.after(async () => {
    await db[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await drop();
  });
  const burst = (subject: string, count: number, limit: number, limiters: RateLimiter[] = [here, there]) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => (limiters[index % limiters.length] as RateLimiter).consume(subject, limit)),
    );

  await t.test('lets through exactly as many as it says, however many arrive at once in two processes', async () => {
    const taken = await burst('crowd', 500, 100);
    assert.equal(taken.filter((each) => each.allowed).length, 100);
  });

  await t.test('gives each request of a burst its own count', async () => {
    const taken = await burst('counts', 60, 100);
    const remaining = taken.map((each) => each.remaining).sort((a, b) => b - a);
    assert.deepEqual(
      remaining,
      Array.from({ length: 60 }, (_, index) => 99 - index),
    );
  });

  await t.test('lets the first of a process through before those that came later', async () => {
    const taken = await burst('order', 10, 4, [here]);
    assert.deepEqual(
      taken.map((each) => each.allowed),
      [true, true, true, true, false, false, false, false, false, false],
    );
  });

  await t.test('starts a new window for a whole burst once the old one has ended', async () => {
    await burst('ended', 5, 5);
    await db.direct(`update rate_windows set started_at = started_at - interval '61 seconds' where subject = 'ended'`);
    const taken = await burst('ended', 5, 5, [here]);
    assert.deepEqual(
      taken.map((each) => each.remaining),
      [4, 3, 2, 1, 0],
    );
  });

  await t.test('counts subjects apart', async () => {
    const [ours, theirs] = await Promise.all([burst('ours', 3, 2), burst('theirs', 2, 2)]);
    assert.equal(ours.filter((each) => each.allowed).length, 2);
    assert.equal(theirs.filter((each) => each.allowed).length, 2);
  });

  await t.test('refuses every request that waited when the database refuses, and counts again afterwards', async () => {
    await db.direct('alter table rate_windows rename to away');
    const outcomes = await Promise.allSettled(Array.from({ length: 3 }, () => here.consume('absent', 10)));
    await db.direct('alter table away rename to rate_windows');
    assert.deepEqual(
      outcomes.map((each) => each.status),
      ['rejected', 'rejected', 'rejected'],
    );
    assert.equal((await here.consume('absent', 10)).remaining, 9);
  });
});

test('a refusal tells its limit, to a key and to an address whose credentials are refused', async () => {
  await using gateway = await startGateway({ SLUICE_RATE_LIMIT: '2' });
  const key = await gateway.key('both', 'Busy');
  for (const as of [key, 'no credential at all']) {
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push(await gateway.call('GET', '/v1/api/me', { as }));
    const refused = answers.at(-1);
    assert.equal(refused?.status, 429);
    const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, ...headers } = refused.headers;
    assert.deepEqual([limit, remaining], ['2', '0']);
    assert.equal(headers['x-ratelimit-reset'], headers['retry-after']);
  }
});
