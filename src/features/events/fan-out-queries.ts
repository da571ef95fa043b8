import type { FanOut } from '../../events/queries.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { Profile } from '../keys/queries.ts';
import type { SecuritizationDeal } from '../securitizations/queries.ts';

/** An event that goes to many, with the deal that it is about. */
export type OpenFanOut = Pick<SecuritizationDeal, 'organization_id' | 'offering' | 'market_status'> &
  Pick<FanOut, 'fan_out_id' | 'data'> & {
    /** The last organization that was considered. */
    reached: string;
  };

/** Locks the oldest fan-out that is not expanded and that no other worker has; null when there is none. */
export function lockOpenFanOut(tx: Tx): Promise<OpenFanOut | null> {
  return tx.one<OpenFanOut>(
    `select f.fan_out_id, f.organization_id, f.data, f.reached, d.offering, d.market_status
     from event_fan_outs f join securitization_deals d using (deal_id)
     where f.expanded_at is null order by f.created_at, f.fan_out_id limit 1 for update of f skip locked`,
  );
}

export type Candidate = { organization_id: Id<'org'>; profile: Profile | null };

/** Investors after an id, other than the owner, in the order of their ids. */
export function listInvestorsAfter(tx: Tx, fanOut: OpenFanOut, limit: number): Promise<Candidate[]> {
  return tx.rows<Candidate>(
    `select organization_id, profile from organizations
     where organization_id > $1 and organization_id <> $2 and status = 'ACTIVE' and roles && array['investor', 'both']
     order by organization_id limit $3`,
    [fanOut.reached, fanOut.organization_id, limit],
  );
}

/** Records that organizations are told; returns those that were not told before. */
export async function insertRecipients(tx: Tx, fanOutId: string, organizationIds: readonly string[]): Promise<Id<'org'>[]> {
  const rows = await tx.rows<{ organization_id: Id<'org'> }>(
    `insert into event_fan_out_recipients (fan_out_id, organization_id, told_at) select $1, unnest($2::text[]), $3
     on conflict on constraint event_fan_out_recipients_pkey do nothing returning organization_id`,
    [fanOutId, organizationIds, tx.now],
  );
  return rows.map((row) => row.organization_id);
}

export async function recordReached(tx: Tx, fanOutId: string, reached: string): Promise<void> {
  await tx.exec('update event_fan_outs set reached = $2 where fan_out_id = $1', [fanOutId, reached]);
}

export async function endFanOut(tx: Tx, fanOutId: string): Promise<void> {
  await tx.exec('update event_fan_outs set expanded_at = $2 where fan_out_id = $1', [fanOutId, tx.now]);
}
