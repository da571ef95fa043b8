import { behind, newestFirst, type Order, orderBy, type Position } from '../pages.ts';
import type { Database, Reader, Tx } from './database.ts';
import { type Equal, keptSum, OWNER } from './kept-totals.ts';

/** A list in whose order the places of rows are kept once it is long: a page of any number is then read from a place near it. */
export type PlacedList = {
  /** The tables that have its rows, all of them; the totals of each are kept. */
  tables: readonly string[];
  from: string;
  order: Order;
  /** As in `PageQuery`. Without it, the list is only ever read of one organization. */
  apart?: 'one' | 'all';
};

const byTime = (table: string, id: string): PlacedList => ({
  tables: [table],
  from: table,
  order: newestFirst('created_at', id),
});
const ofAll = { apart: 'all' } as const;

/** The lists of one table. */
export const PLACED_TABLES: readonly PlacedList[] = [
  byTime('alerts', 'alert_id'),
  byTime('deals', 'deal_id'),
  { ...byTime('webhook_deliveries', 'delivery_id'), ...ofAll },
  { ...byTime('trades', 'trade_id'), ...ofAll },
  { ...byTime('orders', 'order_id'), ...ofAll },
  { ...byTime('subscriptions', 'subscription_id'), ...ofAll },
  { ...byTime('allocations', 'allocation_id'), ...ofAll },
  { ...byTime('iois', 'ioi_id'), ...ofAll },
  { tables: ['audit_log'], from: 'audit_log', order: [{ by: 'sequence', as: 'bigint', desc: true }], apart: 'one' },
  {
    tables: ['request_log'],
    from: 'request_log',
    order: [
      { by: 'at', as: 'timestamptz', desc: true },
      { by: 'entry_id', as: 'bigint', desc: true },
    ],
  },
];

/** Which rows have their places kept: one of every so many in lists of so many rows or more. */
export type Spacing = { every: number; from: number };
const SPACING: Spacing = { every: 1_000, from: 20_000 };
/** So many places are added in one transaction, for which changes of old rows wait. */
const MOST_AT_ONCE = 200;

/** A row of a list that has `total` rows, and how many rows lie between it and the last one before a page. */
export type Place = { position: Position; skip: number; total: number };

/** The place from which to read the rows of a list after the first `before`; null where none is kept. `equal` says whose list it is, and no more. */
export async function placeBefore(tx: Reader, list: PlacedList, equal: Equal, before: number): Promise<Place | null> {
  const values: unknown[] = [nameOf(list), equal.get(OWNER) ?? '', before];
  const total = list.tables.map((table) => keptSum(table, equal, values)).join(' + ');
  // Counted from the oldest row, the one before the page has the rank `total - before + 1`.
  return await tx.one<Place>(
    `select total, position, (rank - (total - $3::bigint + 1))::int as skip from (select ${total} as total) counted
     cross join lateral (select rank, position from list_places
       where list = $1 and organization_id = $2 and rank > total - $3::bigint and total > $3::bigint order by rank limit 1) nearest`,
    values,
  );
}

/** Counts the places of rows that have become old enough since the last time, in all long lists. */
export async function keepPlaces(db: Database, lists: readonly PlacedList[], spacing = SPACING): Promise<void> {
  for (const list of lists) {
    const long = await db.tx({ platform: true }, (tx) =>
      tx.rows<{ organization_id: string }>(
        'select organization_id from list_totals where list = any ($1) group by 1 having sum(total) >= $2',
        [list.tables, spacing.from],
      ),
    );
    for (const { organization_id } of long) {
      if (organization_id === '' && !list.apart) continue;
      while (await db.tx({ platform: true }, (tx) => addPlaces(tx, list, organization_id, spacing)));
    }
  }
}

/** Adds the places behind the newest that is kept; whether there may be more of them. */
async function addPlaces(tx: Tx, list: PlacedList, organizationId: string, { every }: Spacing): Promise<boolean> {
  await tx.rows(`select pg_advisory_xact_lock(hashtext('sluice_list_places'))`);
  const newest = await tx.one<{ rank: string; position: Position }>(
    'select rank, position from list_places where list = $1 and organization_id = $2 order by rank desc limit 1',
    [nameOf(list), organizationId],
  );
  const [first] = list.order;
  const isByTime = first?.as === 'timestamptz';
  // The clock was set back: what was added since lies among the rows that have places.
  if (isByTime && newest) {
    const forgotten = await tx.exec(
      `delete from list_places where list = $1 and organization_id = $2 and $3::timestamptz > now() - interval '30 minutes'`,
      [nameOf(list), organizationId, newest.position[0]],
    );
    if (forgotten > 0) return true;
  }
  const values: unknown[] = [nameOf(list), organizationId, newest?.rank ?? 0];
  const conditions = [organizationId === '' ? `$2 = ''` : `${OWNER} = $2`];
  // Rows come in the order of their times but for those of transactions that are open; the sequence of the audit log has none of these.
  if (isByTime) conditions.push(`${first.by} < now() - interval '1 hour'`);
  const oldestFirst = list.order.map(({ by, as, desc }) => ({ by, as, desc: !desc }));
  if (newest) conditions.push(behind(oldestFirst, newest.position, (value, type) => `$${values.push(value)}::${type}`));
  const isApart = list.apart === (organizationId === '' ? 'all' : 'one');
  const inOrder = (keys: readonly string[]): string =>
    orderBy(oldestFirst.map((key, at) => ({ ...key, by: keys[at] ?? '', ...(isApart && { nulls: 'first' }) })));
  const keys = oldestFirst.map((_, at) => `k${at}`);
  const added = await tx.exec(
    `insert into list_places (list, organization_id, rank, position)
     select $1, $2, $3::bigint + n, array[${keys.map((key) => `cast(${key} as text)`).join(', ')}] from (
       select *, row_number() over (order by ${inOrder(keys)}) as n from (
         select ${oldestFirst.map(({ by }, at) => `${by} as k${at}`).join(', ')} from ${list.from}
         where ${conditions.join(' and ')} order by ${inOrder(oldestFirst.map(({ by }) => by))} limit ${MOST_AT_ONCE * every}) older) numbered
     where n % ${every} = 0`,
    values,
  );
  return added === MOST_AT_ONCE;
}

const nameOf = ({ tables }: PlacedList): string => tables.join(',');
