import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import {
  type AttemptResult,
  cancelQueued,
  type ClaimedDelivery,
  claimDue,
  endWaiting,
  type ClaimLimits,
  measureQueue,
  recordResults,
  releaseClaims,
  renewLeases,
} from './queue-queries.ts';
import { resultOf } from './testing/claimed.ts';
import { fire, inPlatform, newHolder, subscribe } from './testing/webhooks.ts';

const FIRST = '00000000-0000-4000-8000-000000000001';
const SECOND = '00000000-0000-4000-8000-000000000002';
const LIMITS: ClaimLimits = {
  claimId: FIRST,
  free: 64,
  freeRetries: 32,
  perSubscription: 8,
  perOrganization: 48,
  ended: [],
  open: [],
  halfOpen: [],
  throttled: [],
  perThrottled: 2,
  leaseSeconds: 30,
};

const claim = (gateway: Gateway, limits: Partial<ClaimLimits> = {}): Promise<ClaimedDelivery[]> =>
  inPlatform(gateway, (tx) => claimDue(tx, { ...LIMITS, ...limits }));

const record = (gateway: Gateway, ...results: AttemptResult[]): Promise<Set<string>> =>
  inPlatform(gateway, (tx) => recordResults(tx, results));

const expireLeases = (gateway: Gateway): Promise<number> =>
  inPlatform(gateway, (tx) =>
    tx.exec(`update webhook_queue set lease_until = now() - interval '1 second' where claim_id is not null`),
  );

const setLane = (gateway: Gateway, holder: Holder, lane: 0 | 1): Promise<number> =>
  inPlatform(gateway, (tx) =>
    tx.exec('update webhook_queue set lane = $1 where organization_id = $2', [lane, holder.organization_id]),
  );

type Stored = { status: string; attempts: number; error: string | null; next_attempt_at: Date | null };

const stored = (gateway: Gateway, deliveryId: string): Promise<Stored | null> =>
  inPlatform(gateway, (tx) =>
    tx.one<Stored>('select status, attempts, error, next_attempt_at from webhook_deliveries where delivery_id = $1', [
      deliveryId,
    ]),
  );

const countBy = <Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, number> =>
  rows.reduce((counts, row) => counts.set(key(row), (counts.get(key(row)) ?? 0) + 1), new Map<string, number>());

/** An organization with as many subscriptions, each with as many due deliveries. */
async function queueFor(gateway: Gateway, subscriptions: number, deliveries: number): Promise<{ holder: Holder; ids: string[] }> {
  const holder = await newHolder(gateway);
  const ids: string[] = [];
  for (let index = 0; index < subscriptions; index += 1) ids.push((await subscribe(gateway, holder)).id);
  await fire(gateway, holder, 'loan.approved', { count: deliveries });
  return { holder, ids };
}

test('a burst of one organization leaves capacity for another', async () => {
  await using gateway = await startGateway();
  const { holder: quiet } = await queueFor(gateway, 1, 1);
  await queueFor(gateway, 2, 2_000);
  const claimed = await claim(gateway, { free: 4 });
  assert.equal(claimed.length, 4);
  assert.equal(claimed.filter((row) => row.organization_id === quiet.organization_id).length, 1);
});

test('a claim looks at what it may take and what is in flight, however long the queue is', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 4, 3_000);
  const read = await inPlatform(gateway, async (tx) => {
    await claimDue(tx, LIMITS);
    await claimDue(tx, { ...LIMITS, claimId: SECOND });
    return tx.one<{ tables: number; entries: number }>(
      `select pg_stat_get_xact_tuples_returned('webhook_queue'::regclass) as tables,
              (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = 'webhook_queue'::regclass) as entries`,
    );
  });
  assert.equal(read?.tables, 0);
  assert.ok(Number(read?.entries) < 1_000, `${read?.entries} entries of indexes`);
});

test('a subscription has at most eight attempts in flight, however many processes claim', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 1, 1);
  await queueFor(gateway, 2, 100);
  const all = (await Promise.all([claim(gateway), claim(gateway, { claimId: SECOND }), claim(gateway)])).flat();
  assert.deepEqual([...countBy(all, (row) => row.subscription_id).values()].sort(), [1, 8, 8]);
  assert.equal(new Set(all.map((row) => row.delivery_id)).size, all.length);
});

test('a claimed delivery whose attempt has ended takes no place, and is not claimed again', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 1, 100);
  const first = (await claim(gateway)).map((row) => row.delivery_id);
  assert.equal(first.length, 8);
  const ended = first.slice(0, 3);
  const next = (await claim(gateway, { claimId: SECOND, ended })).map((row) => row.delivery_id);
  assert.equal(next.length, 3);
  assert.equal(new Set([...first, ...next]).size, 11);
  assert.deepEqual(await claim(gateway, { claimId: SECOND, ended }), []);
});

test('the body of an event is claimed for each of its receivers', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 3, 2);
  const rows = await claim(gateway);
  const events = await inPlatform(gateway, (tx) =>
    tx.rows<{ event_id: string; body: Buffer }>('select event_id, body from events where event_id = any($1)', [
      rows.map((row) => row.event_id),
    ]),
  );
  const bodies = new Map(events.map(({ event_id, body }) => [event_id, String(body)]));
  assert.deepEqual([rows.length, bodies.size], [6, 2]);
  assert.deepEqual(
    rows.map(({ body }) => String(body)),
    rows.map(({ event_id }) => bodies.get(event_id)),
  );
});

test('an organization has a bounded number in flight, however many subscriptions it has', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 5, 20);
  assert.equal((await claim(gateway, { perOrganization: 12 })).length, 12);
  assert.equal((await claim(gateway, { perOrganization: 12, claimId: SECOND })).length, 0);
});

test('a subscription gets no attempt while its breaker is open, one while it is half-open, and two while it is throttled', async () => {
  await using gateway = await startGateway();
  const { ids } = await queueFor(gateway, 4, 20);
  const [open = '', halfOpen = '', throttled = '', closed = ''] = ids;
  const claimed = await claim(gateway, { open: [open], halfOpen: [halfOpen], throttled: [halfOpen, throttled] });
  const counts = countBy(claimed, (row) => row.subscription_id);
  assert.deepEqual(
    [open, halfOpen, throttled, closed].map((id) => counts.get(id) ?? 0),
    [0, 1, 2, 8],
  );
});

test('retries leave the capacity for first attempts alone', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 1, 1);
  const { holder } = await queueFor(gateway, 2, 100);
  await setLane(gateway, holder, 1);
  const lanes = countBy(await claim(gateway, { freeRetries: 3 }), (row) => String(row.lane));
  assert.deepEqual([lanes.get('1'), lanes.get('0')], [3, 1]);
});

test('a delivery is claimed when it is due and not before, the oldest first', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 1, 3);
  const [first] = await claim(gateway, { free: 1 });
  assert.ok(first);
  await record(
    gateway,
    resultOf(first, FIRST, { status: 'FAILED', http_status: 500, error: 'http_status', retry_in_ms: 60_000 }),
  );
  assert.ok(!(await claim(gateway)).some((row) => row.delivery_id === first.delivery_id));
  await gateway.advance(60);
  const [again] = await claim(gateway);
  assert.deepEqual([again?.delivery_id, again?.lane, again?.attempts, again?.claims], [first.delivery_id, 1, 1, 2]);
});

test('a delivery whose lease ran out is claimed again, and the late result of the old holder is discarded', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 1, 1);
  const [held] = await claim(gateway);
  assert.ok(held);
  assert.deepEqual(await claim(gateway, { claimId: SECOND }), [], 'not while the lease holds');
  await expireLeases(gateway);
  const [taken] = await claim(gateway, { claimId: SECOND });
  assert.deepEqual([taken?.delivery_id, taken?.claims], [held.delivery_id, 2]);
  assert.equal((await record(gateway, resultOf(held, FIRST))).size, 0);
  assert.deepEqual(await stored(gateway, held.delivery_id), {
    status: 'PENDING',
    attempts: 0,
    error: null,
    next_attempt_at: null,
  });
  assert.equal((await record(gateway, resultOf(held, SECOND))).size, 1);
  assert.equal((await record(gateway, resultOf(held, SECOND))).size, 0, 'a result counts once');
  assert.deepEqual(await stored(gateway, held.delivery_id), {
    status: 'DELIVERED',
    attempts: 1,
    error: null,
    next_attempt_at: null,
  });
});

test('only the holder renews its lease', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 1, 1);
  const [held] = await claim(gateway);
  assert.ok(held);
  const renew = (claim_id: string) =>
    inPlatform(gateway, (tx) => renewLeases(tx, [{ delivery_id: held.delivery_id, claim_id }], 30));
  await expireLeases(gateway);
  assert.deepEqual([await renew(SECOND), await renew(FIRST)], [0, 1]);
  assert.deepEqual(await claim(gateway, { claimId: SECOND }), [], 'a renewed lease holds again');
});

test('a released claim can be claimed at once and does not count as one', async () => {
  await using gateway = await startGateway();
  await queueFor(gateway, 1, 1);
  const [held] = await claim(gateway);
  assert.ok(held);
  const release = (claim_id: string) =>
    inPlatform(gateway, (tx) => releaseClaims(tx, [{ delivery_id: held.delivery_id, claim_id }]));
  assert.deepEqual([await release(SECOND), await release(FIRST)], [0, 1]);
  const [again] = await claim(gateway, { claimId: SECOND });
  assert.deepEqual([again?.delivery_id, again?.claims], [held.delivery_id, 1]);
});

test('to cancel the queued deliveries of a subscription ends them FAILED, but not those in flight or of others', async () => {
  await using gateway = await startGateway();
  const { ids } = await queueFor(gateway, 2, 10);
  const [cancelled = '', other = ''] = ids;
  const inFlight = await claim(gateway, { perSubscription: 3 });
  await inPlatform(gateway, (tx) => cancelQueued(tx, [cancelled], 'subscription_disabled'));
  const rows = await inPlatform(gateway, (tx) =>
    tx.rows<{ delivery_id: string; subscription_id: string; status: string; error: string | null }>(
      'select delivery_id, subscription_id, status, error from webhook_deliveries',
    ),
  );
  const failed = rows.filter((row) => row.status === 'FAILED');
  assert.equal(failed.length, 7);
  assert.ok(failed.every((row) => row.subscription_id === cancelled && row.error === 'subscription_disabled'));
  assert.ok(!inFlight.some((row) => failed.some((each) => each.delivery_id === row.delivery_id)));
  assert.equal(rows.filter((row) => row.subscription_id === other && row.status === 'PENDING').length, 10);
});

test('a subscription with more than one transaction may end is paused or deleted at once, and a worker ends the rest', async () => {
  await using gateway = await startGateway();
  const holder = await newHolder(gateway);
  const operator = await newHolder(gateway);
  const [paused, deleted, active] = [
    await subscribe(gateway, holder),
    await subscribe(gateway, holder),
    await subscribe(gateway, operator),
  ];
  await fire(gateway, holder, 'loan.approved', { count: 10_010 });
  await fire(gateway, operator, 'loan.approved', { count: 3 });
  const waiting = async () =>
    Object.fromEntries(
      (
        await inPlatform(gateway, (tx) =>
          tx.rows<{ subscription_id: string; kinds: string[]; n: number }>(
            'select subscription_id, array_agg(distinct kind) as kinds, count(*)::int as n from webhook_queue group by 1',
          ),
        )
      ).map(({ subscription_id, kinds, n }) => [subscription_id, `${n} ${kinds.join()}`]),
    );
  const path = '/v1/api/webhooks/subscriptions';
  assert.equal((await gateway.call('PATCH', `${path}/${paused.id}`, { as: holder, body: { active: false } })).status, 200);
  assert.equal((await gateway.call('DELETE', `${path}/${deleted.id}`, { as: holder })).status, 200);
  const left = { [paused.id]: '10 EVENT', [deleted.id]: '10 EVENT', [active.id]: '3 EVENT' };
  assert.deepEqual(await waiting(), left);
  // What is asked for after the pause is sent.
  await gateway.advance(1);
  await gateway.call('POST', `${path}/${paused.id}/test`, { as: holder, body: { event: 'loan.approved' } });
  assert.equal(await endWaiting(gateway.deps.db), 20);
  assert.deepEqual(await waiting(), { [paused.id]: '1 TEST', [active.id]: '3 EVENT' });
  const ended = await inPlatform(gateway, (tx) =>
    tx.rows(
      `select subscription_id, error, count(*)::int as n from webhook_deliveries where status = 'FAILED' group by 1, 2 order by 2`,
    ),
  );
  assert.deepEqual(ended, [
    { subscription_id: deleted.id, error: 'subscription_deleted', n: 10_010 },
    { subscription_id: paused.id, error: 'subscription_disabled', n: 10_010 },
  ]);
});

test('a retry that is cancelled keeps the error of its last attempt', async () => {
  await using gateway = await startGateway();
  const { ids } = await queueFor(gateway, 1, 1);
  const [held] = await claim(gateway);
  assert.ok(held);
  await record(gateway, resultOf(held, FIRST, { status: 'FAILED', http_status: 500, error: 'http_status', retry_in_ms: 60_000 }));
  await inPlatform(gateway, (tx) => cancelQueued(tx, ids, 'subscription_deleted'));
  assert.deepEqual(await stored(gateway, held.delivery_id), {
    status: 'FAILED',
    attempts: 1,
    error: 'http_status',
    next_attempt_at: null,
  });
});

test('the queue is measured by its length and by how long its oldest delivery has been due', async () => {
  await using gateway = await startGateway();
  const measure = () => inPlatform(gateway, (tx) => measureQueue(tx));
  assert.deepEqual(await measure(), { depth: 0, oldest_due_seconds: 0 });
  await queueFor(gateway, 1, 3);
  await gateway.advance(120);
  const { depth, oldest_due_seconds } = await measure();
  assert.equal(depth, 3);
  assert.ok(oldest_due_seconds >= 120 && oldest_due_seconds < 180, String(oldest_due_seconds));
});

type Step = { kind: 'claim' | 'deliver' | 'fail' | 'expire' | 'release' | 'late'; process: 0 | 1 };

test('whatever two processes do, a delivery is held by one, recorded once per attempt, and never lost', async () => {
  await using gateway = await startGateway();
  const Steps = fc.array(
    fc.record<Step>({
      kind: fc.constantFrom('claim', 'deliver', 'fail', 'expire', 'release', 'late'),
      process: fc.constantFrom(0, 1),
    }),
    { minLength: 5, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(Steps, async (steps) => {
      await inPlatform(gateway, (tx) => tx.exec('delete from webhook_queue'));
      const { holder } = await queueFor(gateway, 2, 5);
      const claimIds = [FIRST, SECOND] as const;
      const held: [Map<string, ClaimedDelivery>, Map<string, ClaimedDelivery>] = [new Map(), new Map()];
      const lost: [ClaimedDelivery, string][] = [];
      const delivered = new Set<string>();
      for (const { kind, process } of steps) {
        const [own, claimId] = [held[process], claimIds[process]];
        const first = own.values().next().value;
        if (kind === 'claim') {
          for (const row of await claim(gateway, { claimId, perSubscription: 2, free: 3 })) {
            assert.ok(!held[0].has(row.delivery_id) && !held[1].has(row.delivery_id), 'held twice');
            assert.ok(!delivered.has(row.delivery_id), 'claimed after it was delivered');
            own.set(row.delivery_id, row);
          }
          for (const count of countBy([...held[0].values(), ...held[1].values()], (row) => row.subscription_id).values())
            assert.ok(count <= 2, 'over the limit');
        } else if (kind === 'expire') {
          await expireLeases(gateway);
          held.forEach((each, index) => {
            for (const row of each.values()) lost.push([row, claimIds[index] ?? '']);
            each.clear();
          });
        } else if (kind === 'late') {
          // A lease that ran out can still record as long as nobody else has claimed the delivery.
          const late = lost.pop();
          if (!late) continue;
          const [row, lateClaim] = late;
          const other = held.some((each) => each.has(row.delivery_id));
          const counted = await record(gateway, resultOf(row, lateClaim));
          if (other || delivered.has(row.delivery_id)) {
            // The same process may have claimed it anew under the same claim id.
            const again = held[claimIds.indexOf(lateClaim as typeof FIRST)]?.delete(row.delivery_id) ?? false;
            assert.equal(counted.size, again ? 1 : 0);
          }
          if (counted.size > 0) delivered.add(row.delivery_id);
        } else if (first) {
          own.delete(first.delivery_id);
          if (kind === 'release') await inPlatform(gateway, (tx) => releaseClaims(tx, [{ ...first, claim_id: claimId }]));
          else {
            const failure = { status: 'FAILED', http_status: 500, error: 'http_status', retry_in_ms: 0 } as const;
            const recorded = await record(gateway, resultOf(first, claimId, kind === 'fail' ? failure : {}));
            assert.equal(recorded.size, 1, 'the holder records');
            if (kind === 'deliver') delivered.add(first.delivery_id);
          }
        }
      }
      const [counts] = await inPlatform(gateway, (tx) =>
        tx.rows<{ queued: number; delivered: number; attempts: number; logged: number }>(
          `select (select count(*)::int from webhook_queue where organization_id = $1) as queued,
                  count(*) filter (where status = 'DELIVERED')::int as delivered, sum(attempts)::int as attempts,
                  (select count(*)::int from webhook_attempts where organization_id = $1) as logged
           from webhook_deliveries where organization_id = $1`,
          [holder.organization_id],
        ),
      );
      assert.deepEqual([counts?.queued, counts?.delivered], [10 - delivered.size, delivered.size], 'none lost, none twice');
      assert.equal(counts?.attempts, counts?.logged, 'every attempt is in the log once');
    }),
    { numRuns: 15 },
  );
});

test('deliveries of a suspended organization wait, are not late, and go out once it is resumed', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const [suspended, other] = [await queueFor(gateway, 2, 3), await queueFor(gateway, 1, 1)];
  const put = async (act: 'suspend' | 'resume') => {
    const path = `/v1/operator/organizations/${suspended.holder.organization_id}/${act}`;
    assert.equal((await gateway.call('POST', path, { as: operator, body: { reason: 'A review.' } })).status, 200);
  };
  await put('suspend');
  const claimed = await claim(gateway);
  assert.deepEqual(
    claimed.map(({ subscription_id }) => subscription_id),
    other.ids,
  );
  await record(gateway, ...claimed.map((row) => resultOf(row, FIRST)));
  await gateway.advance(3_600);
  assert.deepEqual(await inPlatform(gateway, (tx) => measureQueue(tx)), { depth: 6, oldest_due_seconds: 0 });
  const { deliveries } = (await gateway.call('GET', '/v1/operator/health', { as: operator })).body.data;
  assert.deepEqual([deliveries.waiting, deliveries.oldest_seconds], [0, 0]);
  await put('resume');
  const released = await claim(gateway, { claimId: SECOND });
  assert.deepEqual([released.length, released.every(({ attempts }) => attempts === 0)], [6, true]);
  assert.equal((await stored(gateway, released[0]?.delivery_id ?? ''))?.status, 'PENDING');
});
