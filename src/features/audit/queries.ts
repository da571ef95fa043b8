import { storedRecord } from '../../platform/http/record-version.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type PageRequest, selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import type { Page } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.ts';

export type AuditRow = {
  entry_id: Id<'aud'>;
  sequence: number;
  organization_id: Id<'org'>;
  actor: string;
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

export const AUDIT_RECORD = storedRecord('audit_log', 'entry_id');

export function findAuditEntry(tx: Tx, entryId: Id<'aud'>): Promise<AuditRow | null> {
  return tx.one<AuditRow>('select * from audit_log where entry_id = $1', [entryId]);
}

export function listAudit(
  tx: Tx,
  query: PageRequest & Between & { organization_id?: Id<'org'>; deal_id?: Id<'deal'>; status?: string },
): Promise<Page<AuditRow>> {
  const filters = [
    ['organization_id = ?', query.organization_id],
    [`entity_id in (${OF_DEAL})`, query.deal_id],
    [`? in (after ->> 'status', after ->> 'market_status')`, query.status],
    ...between('at', query),
  ] as const;
  return selectPage(
    tx,
    { select: '*', from: 'audit_log', filters, order: [{ by: 'sequence', as: 'bigint', desc: true }] },
    query,
  );
}

export function listOwnAudit(
  tx: Tx,
  organizationId: Id<'org'>,
  query: PageRequest & Between & { action?: string; entity_id?: string },
): Promise<Page<AuditRow>> {
  const filters = [
    ['organization_id = ?', organizationId],
    ['action = ?', query.action],
    ['entity_id = ?', query.entity_id],
    ...between('at', query),
  ] as const;
  return selectPage(
    tx,
    { select: '*', from: 'audit_log', filters, order: [{ by: 'sequence', as: 'bigint', desc: true }] },
    query,
  );
}
