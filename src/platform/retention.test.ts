import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../test/support/gateway.ts';
import { housekeeping } from '../worker.ts';
import { deleteInBatches } from './retention.ts';

const DAY = 86_400;

const count = async (gateway: Gateway, table: string): Promise<number> => {
  const row = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.one<{ count: number }>(`select count(*)::int as count from ${table}`),
  );
  return row?.count ?? 0;
};

const insertAlerts = (gateway: Gateway, organizationId: string, number: number) =>
  gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.exec(
      `insert into alerts (alert_id, organization_id, type, category, priority, status, title, message)
       select 'alt_' || gen_random_uuid(), $1, 'loan.mapping_needed', 'deal', 'HIGH', (array['UNREAD', 'READ', 'ARCHIVED'])[1 + i % 3], 't', 'm'
       from generate_series(1, $2::int) i`,
      [organizationId, number],
    ),
  );

test('alerts of two years are deleted by the platform’s clock, whatever their status; younger ones stay', async () => {
  await using gateway = await startGateway();
  const { organization_id } = await gateway.key('originator');
  // More than one batch.
  await insertAlerts(gateway, organization_id, 7_000);
  await gateway.advance(2 * 365 * DAY);
  await insertAlerts(gateway, organization_id, 3);
  await housekeeping(gateway.deps);
  assert.equal(await count(gateway, 'alerts'), 7_003);
  await gateway.advance(3 * DAY);
  await housekeeping(gateway.deps);
  assert.equal(await count(gateway, 'alerts'), 3);
});

test('what belongs to requests, and the logs of who read documents and records, end with their time', async () => {
  await using gateway = await startGateway();
  const { organization_id, actor_id } = await gateway.key('originator');
  const insert = (age: string) =>
    gateway.deps.db.tx({ platform: true }, async (tx) => {
      await tx.exec(
        `insert into idempotency_keys (organization_id, key, request_hash, status, body, created_at) values ($1, $2, 'h', 200, '{}', now() - $2::text::interval)`,
        [organization_id, age],
      );
      await tx.exec(`insert into rate_windows (subject, started_at, used) values ($1, now() - $1::text::interval, 1)`, [age]);
      await tx.exec(
        `insert into documents (document_id, organization_id, file_key, file_name, document_type, content_type, size, sha256, object_key, version, created_at)
         values ('doc_1', $1, 'k', 'n', 'OTHER', 'text/csv', 1, 's', 'o', 1, now()) on conflict do nothing`,
        [organization_id],
      );
      await tx.exec(
        `insert into document_accesses (document_id, organization_id, reader_id, actor_id, act, at) values ('doc_1', $1, $1, $2, 'DOWNLOADED', now() - $3::interval)`,
        [organization_id, actor_id, age],
      );
      await tx.exec(
        `insert into record_accesses (organization_id, reader_id, actor_id, act, entity_type, entity_id, what, at)
         values ($1, $1, $2, 'READ', 'deal', 'deal_1', 'loans', now() - $3::interval)`,
        [organization_id, actor_id, age],
      );
    });
  for (const age of ['1 minute', '11 minutes', '23 hours', '25 hours', '6 years', '8 years']) await insert(age);
  await housekeeping(gateway.deps);
  assert.deepEqual(
    await Promise.all(
      ['rate_windows', 'idempotency_keys', 'document_accesses', 'record_accesses'].map((table) => count(gateway, table)),
    ),
    [1, 3, 5, 5],
  );
});

test('a run deletes a bounded number of rows in batches, and the next one goes on', async () => {
  await using gateway = await startGateway();
  const { organization_id } = await gateway.key('originator');
  await insertAlerts(gateway, organization_id, 95);
  const sql = 'delete from alerts where alert_id in (select alert_id from alerts limit $1 for update skip locked)';
  const run = () => deleteInBatches(gateway.deps.db, sql, { rows: 10, batches: 6 });
  assert.deepEqual([await run(), await run(), await run()], [60, 35, 0]);
});

test('an index is behind the age that alerts, stored responses and accesses are deleted by', async () => {
  await using gateway = await startGateway();
  const plans = await gateway.deps.db.tx({ platform: true }, async (tx) => {
    for (const other of ['seqscan', 'bitmapscan', 'sort']) await tx.exec(`set local enable_${other} = off`);
    return Promise.all(
      [
        `explain select alert_id from alerts where created_at < sluice_now() - interval '2 years' order by created_at limit 5000`,
        `explain select key from idempotency_keys where created_at < now() - interval '24 hours' order by created_at limit 5000`,
        `explain select access_id from document_accesses where at < sluice_now() - interval '7 years' order by at limit 5000`,
        `explain select access_id from record_accesses where at < sluice_now() - interval '7 years' order by at limit 5000`,
      ].map((sql) => tx.rows<Record<string, string>>(sql)),
    );
  });
  const used = plans.map((plan) => /Index (?:Only )?Scan using (\w+)/.exec(plan.map((row) => row['QUERY PLAN']).join('\n'))?.[1]);
  assert.deepEqual(used, ['alerts_created', 'idempotency_keys_created', 'document_accesses_at', 'record_accesses_at']);
});
