import { storedRecord } from '../../platform/http/stored-record.ts';
import type { AlertStatus, Priority } from '../../events/events.ts';
import type { Database, Reader, Tx } from '../../platform/db/database.ts';
import { keptTotalsBy } from '../../platform/db/kept-totals.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import { type Id, microsIn } from '../../platform/ids.ts';
import { deleteInBatches } from '../../platform/retention.ts';

export const ALERT_RECORD = storedRecord('alerts', 'alert_id');

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

export type AlertFilter = PageRequest &
  Between & {
    status?: string;
    type?: string;
    category?: string;
    priority?: string;
  };

const ALERT = 'alert_id as id, type, category, priority, status, title, message, created_at, entity_type, entity_id, read_at';

export function listAlerts(tx: Reader, organizationId: string, filter: AlertFilter): Promise<Page<AlertRow>> {
  const filters = [
    ['organization_id = ?', organizationId],
    ['status = ?', filter.status],
    ['type = ?', filter.type],
    ['category = ?', filter.category],
    ['priority = ?', filter.priority],
    ...between('created_at', filter),
  ] as const;
  return selectPage(tx, { select: ALERT, from: 'alerts', filters, order: newestFirst('created_at', 'alert_id') }, filter);
}

export function findAlert(tx: Reader, organizationId: string, alertId: string): Promise<AlertRow | null> {
  return tx.one<AlertRow>(`select ${ALERT} from alerts where organization_id = $1 and alert_id = $2`, [organizationId, alertId]);
}

/**
 * Clears the read time of an alert that becomes UNREAD; otherwise the first read time stays. Takes the organization as $1 and the status
 * as $2.
 */
const MARK = `update alerts set status = $2, read_at = case when $2 = 'UNREAD' then null else coalesce(read_at, sluice_now()) end
  where organization_id = $1`;

export function markAlert(tx: Tx, organizationId: string, alertId: string, status: AlertStatus): Promise<AlertRow | null> {
  return tx.one<AlertRow>(`${MARK} and alert_id = $3 returning ${ALERT}`, [organizationId, status, alertId]);
}

/** Alerts by id, or those before a moment that are not archived. */
export type AlertSelection = { ids: string[] } | { before: Date; category?: string };

/** A statement has a time limit of its own, whatever the number of alerts. */
const MARKED_AT_ONCE = 5_000;

/** Sets the status of alerts that have another one; returns how many changed. */
export async function markAlerts(tx: Tx, organizationId: string, which: AlertSelection, status: AlertStatus): Promise<number> {
  if ('ids' in which) {
    return tx.exec(`${MARK} and status <> $2 and alert_id = any($3)`, [organizationId, status, which.ids]);
  }
  let changed = 0;
  let after: AlertCursor | null = null;
  do {
    const some: Marked = await markNext(tx, organizationId, { ...which, after }, status);
    changed += some.changed;
    after = some.last;
  } while (after);
  return changed;
}

/** `last` is the place to go on from; null at the end. */
type Marked = { changed: number; last: AlertCursor | null };

/** Marks the next alerts in the order of time. */
async function markNext(
  tx: Tx,
  organizationId: string,
  { before, category, after }: { before: Date; category?: string; after: AlertCursor | null },
  status: AlertStatus,
): Promise<Marked> {
  const marked = await tx.one<Marked>(
    `with found as (
       select alert_id, created_at from alerts
       where organization_id = $1 and status <> $2 and created_at < $3 and status <> 'ARCHIVED' and ($4::text is null or category = $4)
         and (created_at, alert_id) > (coalesce($5::timestamptz, '-infinity'), coalesce($6::text, ''))
       order by created_at, alert_id limit ${MARKED_AT_ONCE}
     ), changed as (${MARK} and status <> $2 and alert_id in (select alert_id from found) returning 1)
     select (select count(*)::int from changed) as changed,
       (select json_build_object('at', created_at::text, 'id', alert_id) from found
        order by created_at, alert_id offset ${MARKED_AT_ONCE - 1}) as last`,
    [organizationId, status, before, category ?? null, after?.at ?? null, after?.id ?? null],
  );
  return marked ?? { changed: 0, last: null };
}

export function countUnread(
  tx: Reader,
  organizationId: string,
): Promise<{ priority: string; category: string; count: number }[]> {
  const unread = new Map(Object.entries({ organization_id: organizationId, status: 'UNREAD' }));
  return keptTotalsBy(tx, 'alerts', unread, ['priority', 'category']);
}

/** A position in the alerts by time. The instant is text, which keeps its microseconds. */
export type AlertCursor = { at: string; id: string };

/**
 * The position of an alert. One that is not there any more, as after the database was taken back to an earlier moment, or by its age, was
 * raised at the moment that its id names; null of a text that is no id.
 */
export function findCursor(tx: Tx, organizationId: string, alertId: string): Promise<AlertCursor | null> {
  const micros = microsIn(alertId);
  if (micros === null) return Promise.resolve(null);
  return tx.one<AlertCursor>(
    `select coalesce((select created_at from alerts where organization_id = $1 and alert_id = $2),
       least(timestamptz 'epoch' + $3::float8 * interval '1 microsecond', sluice_now()))::text as at, $2::text as id`,
    [organizationId, alertId, micros],
  );
}

/** No open transaction can still commit an alert before it. */
const END = 'select sluice_settled_before() + (select advanced from platform_clock) as at';

/** The current end of the alerts. */
export async function endOfAlerts(tx: Tx): Promise<AlertCursor> {
  const row = await tx.one<{ at: string }>(`select at::text as at from (${END}) settled`);
  return { at: row?.at ?? '', id: '' };
}

/**
 * Alerts after a position and before the current end, oldest first. A position that lies ahead is of a clock that was set back since:
 * what was raised in the last minute comes then, once more rather than never.
 */
export async function listAlertsAfter(
  tx: Tx,
  organizationId: string,
  cursor: AlertCursor,
  limit: number,
): Promise<(AlertRow & { at: string })[]> {
  const settled = await tx.one<{ before: string; back: string | null }>(
    `select at::text as before, case when $1::timestamptz > sluice_now() + interval '1 second' then (at - interval '1 minute')::text end as back
     from (${END}) settled`,
    [cursor.at],
  );
  const after = settled?.back ? { at: settled.back, id: '' } : cursor;
  return tx.rows(
    `select ${ALERT}, created_at::text as at from alerts
     where organization_id = $1 and (created_at, alert_id) > ($2::timestamptz, $3) and created_at < $4::timestamptz
     order by created_at, alert_id limit $5`,
    [organizationId, after.at, after.id, settled?.before, limit],
  );
}

/** Alerts are kept for two years, whatever their status. */
const OLD_ALERTS = `delete from alerts where alert_id in (
  select alert_id from alerts where created_at < sluice_now() - interval '2 years' order by created_at limit $1 for update skip locked)`;

export const deleteOldAlerts = (db: Database): Promise<number> => deleteInBatches(db, OLD_ALERTS);
