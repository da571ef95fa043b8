import type { AlertStatus, Priority } from '../../events/events.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { selectPage } from '../../platform/db/page.ts';
import type { Page } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.ts';

export type AlertRow = {
  id: Id<'alt'>;
  type: string;
  category: string;
  priority: Priority;
  status: AlertStatus;
  title: string;
  message: string;
  created_at: Date;
  entity_type: string | null;
  entity_id: string | null;
  read_at: Date | null;
};

export type AlertFilter = {
  page: number;
  limit: number;
  status?: string;
  type?: string;
  category?: string;
  priority?: string;
  from: Date | null;
  to: Date | null;
};

const ALERT = 'alert_id as id, type, category, priority, status, title, message, created_at, entity_type, entity_id, read_at';

export function listAlerts(tx: Reader, organizationId: string, filter: AlertFilter): Promise<Page<AlertRow>> {
  const filters = [
    ['organization_id = ?', organizationId],
    ['status = ?', filter.status],
    ['type = ?', filter.type],
    ['category = ?', filter.category],
    ['priority = ?', filter.priority],
    ['created_at >= ?', filter.from],
    ['created_at < ?', filter.to],
  ] as const;
  return selectPage(tx, { select: ALERT, from: 'alerts', filters, order: 'created_at desc, alert_id desc' }, filter);
}

export function findAlert(tx: Reader, organizationId: string, alertId: string): Promise<AlertRow | null> {
  return tx.one<AlertRow>(`select ${ALERT} from alerts where organization_id = $1 and alert_id = $2`, [organizationId, alertId]);
}

export function updateAlert(tx: Tx, organizationId: string, alertId: string, status: string): Promise<AlertRow | null> {
  return tx.one<AlertRow>(
    `update alerts set status = $3, read_at = case when $3 = 'UNREAD' then null else coalesce(read_at, sluice_now()) end
     where organization_id = $1 and alert_id = $2 returning ${ALERT}`,
    [organizationId, alertId, status],
  );
}

export function markAlerts(
  tx: Tx,
  organizationId: string,
  which: { ids?: string[]; before?: Date; category?: string },
  status: string,
): Promise<number> {
  return tx.exec(
    `update alerts set status = $2, read_at = case when $2 = 'UNREAD' then null else coalesce(read_at, sluice_now()) end
     where organization_id = $1 and status <> $2
       and ($3::text[] is null or alert_id = any($3))
       and ($4::timestamptz is null or created_at < $4 and status <> 'ARCHIVED') and ($5::text is null or category = $5)`,
    [organizationId, status, which.ids ?? null, which.before ?? null, which.category ?? null],
  );
}

export function countUnread(
  tx: Reader,
  organizationId: string,
): Promise<{ priority: string; category: string; count: number }[]> {
  return tx.rows(
    `select priority, category, count(*)::int as count from alerts where organization_id = $1 and status = 'UNREAD' group by priority, category`,
    [organizationId],
  );
}

/** A place in the alerts by time. The instant is text, so that none of its digits are lost. */
export type Cursor = { at: string; id: string };

export function findCursor(tx: Tx, organizationId: string, alertId: string): Promise<Cursor | null> {
  return tx.one<Cursor>(
    'select created_at::text as at, alert_id as id from alerts where organization_id = $1 and alert_id = $2',
    [organizationId, alertId],
  );
}

/** The place behind everything that can have been read by now. */
export async function endOfAlerts(tx: Tx): Promise<Cursor> {
  const row = await tx.one<{ at: string }>('select (sluice_settled_before() + (sluice_now() - now()))::text as at');
  return { at: row?.at ?? '', id: '' };
}

/** Alerts behind a place, oldest first; only those before which nothing can appear any more. */
export async function listAlertsAfter(
  tx: Tx,
  organizationId: string,
  cursor: Cursor,
  limit: number,
): Promise<(AlertRow & { at: string })[]> {
  const end = await endOfAlerts(tx);
  return tx.rows(
    `select ${ALERT}, created_at::text as at from alerts
     where organization_id = $1 and (created_at, alert_id) > ($2::timestamptz, $3) and created_at < $4::timestamptz
     order by created_at, alert_id limit $5`,
    [organizationId, cursor.at, cursor.id, end.at, limit],
  );
}
