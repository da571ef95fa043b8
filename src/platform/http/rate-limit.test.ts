import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { signedIn } from '../../../test/support/people.ts';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import fc from '../../../test/support/property.ts';
import { openDatabase } from '../db/database.ts';
import { ApiError } from './errors.ts';
import { consumeLimit, createRateLimiter, type RateLimiter } from './rate-limit.ts';

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

  await t.test(
    'lets through as many as it says, whatever arrives when at which process, and counts down without a gap',
    async () => {
      let subjects = 0;
      const burstSizes = fc.array(fc.record({ there: fc.boolean(), size: fc.integer({ min: 1, max: 15 }) }), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(burstSizes, fc.integer({ min: 1, max: 30 }), async (bursts, limit) => {
          subjects += 1;
          const subject = `random ${subjects}`;
          const all = await Promise.all(bursts.map((each) => burst(subject, each.size, limit, [each.there ? there : here])));
          const consumed = all.flat();
          assert.equal(consumed.filter(({ allowed }) => allowed).length, Math.min(limit, consumed.length));
          assert.deepEqual(
            consumed.flatMap(({ allowed, remaining }) => (allowed ? [remaining] : [])).toSorted((a, b) => b - a),
            Array.from({ length: Math.min(limit, consumed.length) }, (_, index) => limit - 1 - index),
          );
          for (const { reset } of consumed) assert.ok(reset >= 0 && reset <= 60);
        }),
        { numRuns: 25 },
      );
    },
  );

  await t.test('starts a new window when the clock of the database has jumped back', async () => {
    await burst('jumped', 5, 5, [here]);
    await db.direct(`update rate_windows set started_at = clock_timestamp() + interval '1 hour' where subject = 'jumped'`);
    const [first] = await burst('jumped', 1, 5, [here]);
    assert.deepEqual([first?.allowed, first?.remaining], [true, 4]);
  });

  await t.test('of an act counts in its transaction: what is rolled back does not count', async () => {
    const act = (fails = false) =>
      db.tx({ platform: true }, async (tx) => {
        await consumeLimit(tx, 'act', 2, 'too often');
        if (fails) throw new Error('rolled back');
      });
    await act();
    for (let count = 0; count < 5; count += 1) await assert.rejects(act(true), /rolled back/);
    await act();
    await assert.rejects(
      act(),
      (error) => error instanceof ApiError && error.code === 'RATE_LIMITED' && error.message === 'too often',
    );
  });

  await t.test('has counted what it was asked to when its process ends', async () => {
    const limiter = createRateLimiter(db);
    const counted = Promise.all([limiter.consume('ending', 5), limiter.consume('ending', 5)]);
    await limiter[Symbol.asyncDispose]();
    assert.deepEqual(await db.direct(`select used from rate_windows where subject = 'ending'`), [{ used: 2 }]);
    await counted;
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

test('refused credentials count for the sender that a trusted proxy names: not for its port, nor for each address of a /64', async () => {
  await using gateway = await startGateway({ SLUICE_RATE_LIMIT: '2', SLUICE_TRUSTED_PROXIES: '127.0.0.1/32' });
  const from = async (forwarded: string) =>
    codeOf(await gateway.call('GET', '/v1/api/me', { headers: { 'x-forwarded-for': forwarded } }));
  // Longer than a key of an index may be.
  const noAddress = () => randomBytes(4_000).toString('hex');
  const senders = [
    [' 192.0.2.7:50001', '9.9.9.9, 192.0.2.7:50002', '192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:ffff::3'],
    [noAddress(), noAddress(), 'unknown'],
  ] as const;
  for (const [first, second, third] of senders) {
    assert.deepEqual(await from(first), [401, 'KEY_MISSING']);
    assert.deepEqual(await from(second), [401, 'KEY_MISSING']);
    assert.deepEqual(await from(third), [429, 'RATE_LIMITED']);
  }
  assert.deepEqual(await from('2001:db8:1:3::1'), [401, 'KEY_MISSING']);
  assert.deepEqual(await from('192.0.2.7, 192.0.2.8'), [401, 'KEY_MISSING']);
});

test('session cookies that are refused count for their address as refused keys do, and valid ones do not', async () => {
  await using gateway = await startGateway({ SLUICE_RATE_LIMIT: '3' });
  const { organization_id } = await gateway.key('both', 'Busy');
  const ann = await signedIn(gateway, organization_id, 'ann@example.com', ['VIEW']);
  const me = (headers: Record<string, string>) => gateway.call('GET', '/v1/api/me', { headers });
  const answers = [];
  for (let count = 0; count < 4; count += 1) answers.push(await me({ cookie: `sluice_session=guess${count}` }));
  assert.deepEqual(answers.map(codeOf), [
    [401, 'SESSION_EXPIRED'],
    [401, 'SESSION_EXPIRED'],
    [401, 'SESSION_EXPIRED'],
    [429, 'RATE_LIMITED'],
  ]);
  assert.deepEqual(codeOf(await gateway.call('GET', '/v1/api/me', { as: 'no credential at all' })), [429, 'RATE_LIMITED']);
  assert.equal((await me(ann.headers)).status, 200);
});

test('refused credentials and sign-in have a limit each: neither takes the other’s', async () => {
  await using gateway = await startGateway({ SLUICE_RATE_LIMIT: '100' });
  const many = (count: number, path: string, headers = {}) =>
    Promise.all(Array.from({ length: count }, () => gateway.call('GET', path, { headers })));
  await many(120, '/auth/me');
  assert.deepEqual(codeOf(await gateway.call('GET', '/v1/api/me')), [401, 'KEY_MISSING']);
  await many(500, '/v1/api/me', { authorization: 'Bearer nonsense' });
  await many(100, '/delta-sharing/shares', { authorization: 'Bearer nonsense' });
  assert.equal((await gateway.call('GET', '/v1/api/me')).status, 429);
  assert.deepEqual(codeOf(await gateway.call('GET', '/auth/me')), [401, 'SESSION_EXPIRED']);
  await many(480, '/auth/me');
  assert.equal((await gateway.call('GET', '/auth/me')).status, 429);
});
