import { type Link, LOGGED, type LoggedEntry } from '../../platform/audit-chain.ts';
import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Filter, type PageQuery, selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import type { Page, PageRequest } from '../../platform/pages.ts';
import type { Id } from '../../platform/ids.ts';

export type AuditRow = {
  entry_id: Id<'aud'>;
  sequence: number;
  organization_id: Id<'org'>;
  actor: string;
  actor_name: string | null;
  action: string;
  entity_type: string;
  entity_id: string;
  before: unknown;
  after: unknown;
  reason: string | null;
  at: Date;
  previous_hash: string;
  hash: string;
};

// Records of a deal: the deal, the pools that hold or became it, and its indications, commitments, allocations and trades.
const POOLS = 'select pool_id from pools where deal_id = ? or ? = any(deal_ids)';
const OF_DEAL = `select ? union all ${POOLS}
  union all select calculation_id from calculations where pool_id in (${POOLS})
  union all select waiver_id from waivers where deal_id = ?
  union all select ioi_id from iois where deal_id = ?
  union all select subscription_id from subscriptions where deal_id = ?
  union all select order_id from orders where deal_id = ?
  union all select allocation_id from allocations where deal_id = ?
  union all select trade_id from trades where deal_id = ?
  union all select document_id from documents where deal_id = ?
  union all select remittance_id from remittances where deal_id = ?`;

// A member or key of another organization is hidden by row-level security, and so is its name.
const NAMED = `(select a.*, coalesce(m.name, k.label, k.requester) as actor_name
  from audit_log a left join members m on m.member_id = a.actor left join keys k on k.key_id = a.actor) a`;

export const AUDIT_RECORD = storedRecord('audit_log', 'entry_id');

export function findAuditEntry(tx: Tx, entryId: Id<'aud'>): Promise<AuditRow | null> {
  return tx.one<AuditRow>(`select * from ${NAMED} where entry_id = $1`, [entryId]);
}

type AuditFilter = { action?: string; actor?: string; entity_id?: string };
const ofEntry = ({ action, actor, entity_id }: AuditFilter): Filter[] => [
  ['action = ?', action],
  ['actor = ?', actor],
  ['entity_id = ?', entity_id],
];

/** The newest entry first. */
const LIST = {
  select: '*',
  from: NAMED,
  countFrom: 'audit_log',
  order: [{ by: 'sequence', as: 'bigint', desc: true }],
  apart: 'one',
} satisfies Omit<PageQuery, 'filters'>;

export function listAudit(
  tx: Tx,
  query: PageRequest & Between & AuditFilter & { organization_id?: Id<'org'>; deal_id?: Id<'deal'>; status?: string },
): Promise<Page<AuditRow>> {
  const filters = [
    ['organization_id = ?', query.organization_id],
    // An array is looked up in the index; a join was run through the whole log where a deal has far more records than its share of it.
    [`entity_id = any(array(${OF_DEAL}))`, query.deal_id],
    ['status = ?', query.status],
    ...ofEntry(query),
    ...between('at', query),
  ] as const;
  return selectPage(tx, { ...LIST, filters }, query);
}

export function listOwnAudit(
  tx: Tx,
  organizationId: Id<'org'>,
  query: PageRequest & Between & AuditFilter,
): Promise<Page<AuditRow>> {
  const filters = [['organization_id = ?', organizationId], ...ofEntry(query), ...between('at', query)] as const;
  return selectPage(tx, { ...LIST, filters }, query);
}

export type ExportedEntry = LoggedEntry & { actor_name: string | null };

const EXPORTED = `select ${LOGGED}, (select m.name from members m where m.member_id = a.actor union all
  select coalesce(k.label, k.requester) from keys k where k.key_id = a.actor) as actor_name from audit_log a`;

/** Entries of the log of all behind one, in its order. */
export function listForExport(tx: Reader, after: number, last: number, limit: number): Promise<ExportedEntry[]> {
  return tx.rows(`${EXPORTED} where sequence > $1 and sequence <= $2 order by sequence limit $3`, [after, last, limit]);
}

/** Entries of one organization behind one, in the order of the log. */
export function listOwnForExport(
  tx: Reader,
  organizationId: Id<'org'>,
  { after, from, to, limit }: { after: number; from: Date | null; to: Date | null; limit: number },
): Promise<ExportedEntry[]> {
  return tx.rows(
    `${EXPORTED} where organization_id = $1 and sequence > $2 and ($3::timestamptz is null or at >= $3) and ($4::timestamptz is null or at < $4)
     order by sequence limit $5`,
    [organizationId, after, from, to, limit],
  );
}

/** The last entry of the log, and the one before which an export begins. */
export async function findBounds(tx: Reader, fromSequence: number): Promise<{ last: number; before: Link | null }> {
  const head = await tx.one<{ sequence: number }>('select sequence from audit_head');
  const before = await tx.one<Link>('select sequence, hash from audit_log where sequence = $1', [fromSequence - 1]);
  return { last: head?.sequence ?? 0, before };
}
