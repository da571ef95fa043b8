import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMailDesk } from '../../src/features/notifications/testing/mail.ts';
import { fire, inPlatform, subscribe } from '../../src/features/webhooks/testing/webhooks.ts';
import { openRuntime } from '../../src/runtime.ts';
import { until } from '../support/until.ts';

test('a clock of the database that was set back by hours holds up no delivery and no e-mail', async () => {
  await using desk = await openMailDesk();
  const { gateway } = desk;
  const as = await desk.newHolder();
  await subscribe(gateway, as);
  await desk.preferences(as, { emails: ['ada@example.com', 'bob@example.com'] });
  await fire(gateway, as, 'loan.approved', { count: 4 });
  const run = (sql: string) => inPlatform(gateway, (tx) => tx.exec(sql));
  // What the hours before the step have left: deliveries that waited for a first, a second and a last attempt, and one of a killed worker.
  await run(`insert into emails (email_id, organization_id, address_id, kind, alert_ids, total, created_at, due_at, claim_id, lease_until)
    select 'eml_' || position, organization_id, address_id, 'ALERT', '{}', 0, sluice_now(), sluice_now() + interval '6 hours' * position,
      gen_random_uuid(), now() + interval '6 hours' from notification_addresses`);
  await run(`update webhook_queue q set due_at = now() + interval '6 hours', lane = least(n, 1), attempts = n,
      claim_id = case n when 3 then gen_random_uuid() end, lease_until = case n when 3 then now() + interval '6 hours' end
    from (select delivery_id, (row_number() over (order by delivery_id))::int - 1 as n from webhook_queue) numbered where q.delivery_id = numbered.delivery_id`);
  await run(
    `update webhook_deliveries d set next_attempt_at = q.due_at from webhook_queue q where q.delivery_id = d.delivery_id and q.attempts > 0`,
  );
  await gateway.deps.db.direct(`update pgboss.version set cron_on = now() + interval '6 hours'`);
  await using worker = await openRuntime(gateway.deps.config, { migrate: false });
  void worker;
  const left = `select 1 from pgboss.version where cron_on > now() + interval '1 second'`;
  await until(async () => (await gateway.deps.db.direct(left)).length === 0);
  const waits = await inPlatform(gateway, (tx) =>
    tx.rows<{ attempts: number; due: number; lease: number | null; told: number | null }>(
      `select q.attempts, extract(epoch from q.due_at - now())::float8 as due, extract(epoch from q.lease_until - now())::float8 as lease,
         extract(epoch from d.next_attempt_at - now())::float8 as told
       from webhook_queue q join webhook_deliveries d using (delivery_id) order by q.attempts`,
    ),
  );
  const [first, second, third, fourth] = waits;
  assert.ok(first && second && third && fourth);
  // The plan of retries is 30 seconds, 5 minutes, 30 minutes, with a tenth more at most.
  for (const [wait, mostSeconds] of [
    [first, 0],
    [second, 33],
    [third, 330],
    [fourth, 1_980],
  ] as const) {
    assert.ok(wait.due <= mostSeconds, `${wait.attempts} attempts: ${wait.due} seconds`);
    assert.equal(wait.told, wait.attempts === 0 ? null : wait.due);
  }
  assert.ok((fourth.lease ?? 0) <= 15, `${fourth.lease} seconds`);
  const late = `select 1 from emails where due_at > sluice_now() or lease_until > now() + interval '90 seconds'`;
  assert.deepEqual(await inPlatform(gateway, (tx) => tx.rows(late)), []);
});
