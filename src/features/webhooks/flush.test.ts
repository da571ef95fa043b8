import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import type { Deps } from '../../platform/deps.ts';
import { createResultBuffer } from './flush.ts';
import { type ClaimedDelivery, claimDue } from './queue-queries.ts';
import { resultOf } from './testing/claimed.ts';
import { fire, inPlatform, newHolder, subscribe } from './testing/webhooks.ts';

const CLAIM_ID = '00000000-0000-4000-8000-000000000001';

/** As many claimed deliveries, of subscriptions that may each have eight in flight. */
async function claimed(gateway: Gateway, subscriptions: number, each: number): Promise<ClaimedDelivery[]> {
  const holder = await newHolder(gateway);
  for (let count = 0; count < subscriptions; count += 1) await subscribe(gateway, holder);
  await fire(gateway, holder, 'loan.approved', { count: each });
  const rows = await inPlatform(gateway, (tx) =>
    claimDue(tx, {
      claimId: CLAIM_ID,
      free: 1_000,
      freeRetries: 1_000,
      perSubscription: each,
      perOrganization: 1_000,
      ended: [],
      open: [],
      halfOpen: [],
      throttled: [],
      perThrottled: 2,
      leaseSeconds: 60,
    }),
  );
  assert.equal(rows.length, subscriptions * each);
  return rows;
}

/** The gateway's means with a database whose transactions are counted, and of which the first ones fail. */
function observed(gateway: Gateway, failures = 0): { deps: Deps; transactions(): number } {
  let transactions = 0;
  const { db } = gateway.deps;
  const tx: typeof db.tx = async (scope, work) => {
    transactions += 1;
    if (transactions <= failures) throw new Error('the database is away');
    return db.tx(scope, work);
  };
  return { deps: { ...gateway.deps, db: { ...db, tx } }, transactions: () => transactions };
}

const statuses = (gateway: Gateway): Promise<{ status: string; count: number }[]> =>
  inPlatform(gateway, (tx) =>
    tx.rows('select status, count(*)::int as count from webhook_deliveries group by status order by status'),
  );

test('results are recorded in batches, and each delivery leaves the flight once', async () => {
  await using gateway = await startGateway();
  const rows = await claimed(gateway, 30, 10);
  const { deps, transactions } = observed(gateway);
  const flushed: string[] = [];
  const buffer = createResultBuffer(deps, (ids) => flushed.push(...ids));
  for (const row of rows) buffer.add({ claimed: row, result: resultOf(row, CLAIM_ID) });
  await buffer.flush();
  assert.deepEqual(await statuses(gateway), [{ status: 'DELIVERED', count: 300 }]);
  assert.deepEqual(flushed.toSorted(), rows.map((row) => row.delivery_id).toSorted());
  assert.ok(transactions() <= 6, `${transactions()} transactions for 300 results`);
});

test('a single result is recorded without a flush', async () => {
  await using gateway = await startGateway();
  const [row] = await claimed(gateway, 1, 1);
  assert.ok(row);
  await new Promise<void>((resolve) => {
    const buffer = createResultBuffer(gateway.deps, () => resolve());
    buffer.add({ claimed: row, result: resultOf(row, CLAIM_ID) });
  });
  assert.deepEqual(await statuses(gateway), [{ status: 'DELIVERED', count: 1 }]);
});

test('a flush of an empty buffer ends at once', async () => {
  await using gateway = await startGateway();
  const { deps, transactions } = observed(gateway);
  await createResultBuffer(deps, () => {}).flush();
  assert.equal(transactions(), 0);
});

test('results wait for a database that is away, and the health signals of a lost transaction come again', async () => {
  await using gateway = await startGateway();
  const rows = await claimed(gateway, 1, 5);
  const { deps, transactions } = observed(gateway, 2);
  const buffer = createResultBuffer(deps, () => {});
  const failure = { status: 'FAILED', http_status: 500, error: 'http_status', retry_in_ms: 30_000 } as const;
  for (const row of rows) buffer.add({ claimed: row, result: resultOf(row, CLAIM_ID, failure) });
  await buffer.flush();
  assert.equal(transactions(), 3);
  assert.deepEqual(await statuses(gateway), [{ status: 'FAILED', count: 5 }]);
  const failing = await inPlatform(gateway, (tx) =>
    tx.one<{ failing: boolean }>('select failing_since is not null as failing from webhook_subscriptions'),
  );
  assert.equal(failing?.failing, true);
});

test('a result waits for a database that is away for longer than a restart takes', async () => {
  await using gateway = await startGateway();
  const [row] = await claimed(gateway, 1, 1);
  assert.ok(row);
  const { deps, transactions } = observed(gateway, 6);
  const buffer = createResultBuffer(deps, () => {});
  buffer.add({ claimed: row, result: resultOf(row, CLAIM_ID) });
  await buffer.flush();
  assert.equal(transactions(), 7);
  assert.deepEqual(await statuses(gateway), [{ status: 'DELIVERED', count: 1 }]);
});

test('results that come in while a batch is written are in the next one', async () => {
  await using gateway = await startGateway();
  const rows = await claimed(gateway, 3, 10);
  const flushed: string[] = [];
  const buffer = createResultBuffer(gateway.deps, (ids) => {
    flushed.push(...ids);
    for (const row of rows.splice(0, 10)) buffer.add({ claimed: row, result: resultOf(row, CLAIM_ID) });
  });
  for (const row of rows.splice(0, 10)) buffer.add({ claimed: row, result: resultOf(row, CLAIM_ID) });
  await buffer.flush();
  assert.equal(new Set(flushed).size, 30);
  assert.deepEqual(await statuses(gateway), [{ status: 'DELIVERED', count: 30 }]);
});

test('the result of a claim that was lost changes nothing, not even the health of the receiver', async () => {
  await using gateway = await startGateway();
  const [row] = await claimed(gateway, 1, 1);
  assert.ok(row);
  const buffer = createResultBuffer(gateway.deps, () => {});
  const gone = { status: 'FAILED', http_status: 410, error: 'http_status' } as const;
  buffer.add({ claimed: row, result: resultOf(row, '00000000-0000-4000-8000-000000000009', gone) });
  await buffer.flush();
  assert.deepEqual(await statuses(gateway), [{ status: 'PENDING', count: 1 }]);
  const subscription = await inPlatform(gateway, (tx) => tx.one<{ active: boolean }>('select active from webhook_subscriptions'));
  assert.equal(subscription?.active, true);
});
