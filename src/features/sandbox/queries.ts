import type { Tx } from '../../platform/db/database.ts';

/** What the audit log says of the sandbox as a whole: it outlives the process that fills the sandbox, and the reset. */
export const WHOLE_SANDBOX = 'everything';
export const SEED_BEGUN = 'sandbox.seed_begun';
export const SEEDED = 'sandbox.seeded';

/** The last thing that was done with the whole sandbox; null where nothing is on record. */
export async function findLastAct(tx: Tx): Promise<string | null> {
  const entry = await tx.one<{ action: string }>(
    'select action from audit_log where entity_id = $1 order by sequence desc limit 1',
    [WHOLE_SANDBOX],
  );
  return entry?.action ?? null;
}

/** Whether the database has ever served production. */
export async function hasServedProduction(tx: Tx): Promise<boolean> {
  return (await tx.one<{ production: boolean }>('select production from platform_clock'))?.production ?? false;
}

/** Securitization deals of an organization in which others hold anything: indications, commitments, trades or positions. */
export async function dealsInUse(tx: Tx, organizationId: string): Promise<string[]> {
  const held = ['iois', 'subscriptions', 'orders', 'allocations', 'trades', 'positions']
    .map((table) => `exists (select 1 from ${table} r where r.deal_id = d.deal_id and r.organization_id <> d.organization_id)`)
    .join(' or ');
  const rows = await tx.rows<{ deal_id: string }>(
    `select d.deal_id from securitization_deals d where d.organization_id = $1 and (${held}) order by d.deal_id`,
    [organizationId],
  );
  return rows.map((row) => row.deal_id);
}

/** Loan deals of an organization that are in no pool, or only in cancelled ones, and that no pledge names; locked. */
export async function lockUnpooledDeals(tx: Tx, organizationId: string): Promise<string[]> {
  const rows = await tx.rows<{ deal_id: string }>(
    `select d.deal_id from deals d where d.organization_id = $1
       and not exists (select 1 from pools p where p.organization_id = $1 and p.status <> 'CANCELLED' and d.deal_id = any(p.deal_ids))
       and not exists (select 1 from outside_pledges o where o.deal_id = d.deal_id)
     order by d.deal_id for update`,
    [organizationId],
  );
  return rows.map((row) => row.deal_id);
}

/** Removes loan deals with everything derived from their tapes. */
export async function removeDeals(tx: Tx, organizationId: string, dealIds: readonly string[]): Promise<void> {
  const params = [organizationId, dealIds];
  const mine = 'organization_id = $1 and deal_id = any($2)';
  await tx.exec(`delete from waivers where ${mine}`, params);
  await tx.exec(`delete from exception_files where ${mine}`, params);
  await tx.exec(`delete from sc_jobs where ${mine}`, params);
  await tx.exec(`delete from document_accesses where document_id in (select document_id from documents where ${mine})`, params);
  await tx.exec(`delete from documents where ${mine}`, params);
  await tx.exec(`delete from uploads where ${mine}`, params);
  await tx.exec(
    `with jobs as (select distinct job_id from bulk_items where ${mine}),
       items as (delete from bulk_items i using jobs j where i.job_id = j.job_id returning i.job_id)
     select count(*) from items`,
    params,
  );
  await tx.exec(
    `delete from bulk_jobs j where organization_id = $1 and not exists (select 1 from bulk_items i where i.job_id = j.job_id)`,
    [organizationId],
  );
  await tx.exec(`delete from deals where ${mine}`, params);
}

/** Removes criteria sets, except those of runs that stay; returns how many. */
export async function removeCriteria(tx: Tx, organizationId: string): Promise<number> {
  const row = await tx.one<{ removed: number }>(
    `select sluice_remove_sandbox_criteria($1, array(select distinct criteria_id from sc_jobs where organization_id = $1)) as removed`,
    [organizationId],
  );
  return row?.removed ?? 0;
}

/** Removes subscriptions that wait for a confirmation and returns their capacity; returns how many. */
export async function removePendingSubscriptions(tx: Tx, organizationId: string): Promise<number> {
  const pending = `organization_id = $1 and status = 'pending_confirmation'`;
  // Locks books before subscriptions, as every operation does.
  await tx.rows(
    `select 1 from tranche_books where tranche_id in (select tranche_id from subscriptions where ${pending}) order by tranche_id for update`,
    [organizationId],
  );
  const row = await tx.one<{ removed: number }>(
    `with gone as (delete from subscriptions where ${pending} returning tranche_id, subscription_amount),
       freed as (select tranche_id, sum(subscription_amount) as amount from gone group by tranche_id),
       books as (update tranche_books b set committed = b.committed - f.amount from freed f where b.tranche_id = f.tranche_id)
     select count(*)::int as removed from gone`,
    [organizationId],
  );
  return row?.removed ?? 0;
}

/** Removes open orders without an allocation; returns how many. */
export function removeOpenOrders(tx: Tx, organizationId: string): Promise<number> {
  return tx.exec(
    `delete from orders o where o.organization_id = $1 and o.status = 'OPEN' and not exists (select 1 from allocations a where a.order_id = o.order_id)`,
    [organizationId],
  );
}

/** Removes indications, except those that were converted into a subscription that stays; returns how many. */
export function removeIois(tx: Tx, organizationId: string): Promise<number> {
  return tx.exec(
    `delete from iois i where i.organization_id = $1 and not exists (select 1 from subscriptions s where s.organization_id = $1 and s.ioi_id = i.ioi_id)`,
    [organizationId],
  );
}

/** Removes webhook subscriptions with their deliveries; returns how many subscriptions. */
export async function removeWebhooks(tx: Tx, organizationId: string): Promise<number> {
  const removed = await tx.exec('delete from webhook_subscriptions where organization_id = $1', [organizationId]);
  for (const table of ['webhook_queue', 'webhook_attempts', 'webhook_deliveries']) {
    await tx.exec(`delete from ${table} where organization_id = $1`, [organizationId]);
  }
  return removed;
}

export function removeAlerts(tx: Tx, organizationId: string): Promise<number> {
  return tx.exec('delete from alerts where organization_id = $1', [organizationId]);
}

/** Stored responses name records that are gone. */
export function removeStoredResponses(tx: Tx, organizationId: string): Promise<number> {
  return tx.exec('delete from idempotency_keys where organization_id = $1', [organizationId]);
}

/** Empties every table except organizations, keys and the audit log, and resets the clock to the present. */
export async function emptySandbox(tx: Tx): Promise<void> {
  await tx.rows('select sluice_reset_sandbox()');
}

/** Advances the platform's clock; returns the new time. */
export async function advanceClock(tx: Tx, seconds: number): Promise<Date> {
  const row = await tx.one<{ now: Date }>(
    `with moved as (update platform_clock set advanced = advanced + make_interval(secs => $1) returning advanced)
     select now() + advanced as now from moved`,
    [seconds],
  );
  return row?.now ?? tx.now;
}
