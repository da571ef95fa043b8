import type { Database, Reader } from './database.ts';

/** Lists whose totals the database keeps, and the columns by which it does: those of the triggers, in their order. */
export const KEPT_TOTALS: Readonly<Record<string, readonly string[]>> = {
  alerts: ['status', 'type', 'category', 'priority'],
  webhook_deliveries: ['status', 'event'],
  deals: ['status', 'loan_type'],
  securitization_deals: ['status', 'market_status', 'asset_type'],
  trades: ['status'],
  orders: ['status'],
  subscriptions: ['status'],
  allocations: ['status'],
  iois: ['status'],
  audit_log: ['action'],
  request_log: ['method', 'status'],
  payments: ['holder'],
  tapes: ['job_status'],
  bulk_jobs: ['status'],
  pools: ['status', 'loan_type'],
};

/** The column of whose rows a list is. */
export const OWNER = 'organization_id';
const MOST_AT_ONCE = 50_000;

/** Columns and the values that they have in the rows of a list. */
export type Equal = ReadonlyMap<string, unknown>;

/** The columns by which the totals of a list are kept. */
export const keptColumns = (list: string): readonly string[] => KEPT_TOTALS[list] ?? [];

/** Whether the totals of a list are kept by all of these columns; else its rows have to be counted. */
export const isKept = (list: string, equal: Equal): boolean =>
  KEPT_TOTALS[list] !== undefined && [...equal.keys()].every((column) => column === OWNER || placeOf(list, column) > 0);

/** How many rows of a list have these values. Without an organization among them: the rows of all, for the platform's scope. */
export async function keptTotal(tx: Reader, list: string, equal: Equal): Promise<number> {
  const values: unknown[] = [];
  return (await tx.one<{ total: number }>(`select ${keptSum(list, equal, values)} as total`, values))?.total ?? 0;
}

/** A list that is one of the kinds of another, with its names for columns that have another name there. */
export type KindOfList = { kind: string; list: string; names: Readonly<Record<string, string>> };

/** How many rows of all kinds have these values, `kind` being one of them where one is asked for; null where their totals are not kept. */
export function keptTotalOfKinds(tx: Reader, kinds: readonly KindOfList[], equal: Equal): Promise<number> | null {
  const { kind, ...others } = Object.fromEntries(equal);
  const parts = kinds
    .filter((each) => kind === undefined || each.kind === kind)
    .map(({ list, names }) => ({
      list,
      equal: new Map(Object.entries(others).map(([column, value]) => [names[column] ?? column, value])),
    }));
  if (!parts.every((each) => isKept(each.list, each.equal))) return null;
  return Promise.all(parts.map((each) => keptTotal(tx, each.list, each.equal))).then((totals) =>
    totals.reduce((sum, total) => sum + total, 0),
  );
}

/** How many rows of a list with these values there are for each combination of some columns; none for those that no row has. */
export function keptTotalsBy<Column extends string>(
  tx: Reader,
  list: string,
  equal: Equal,
  by: readonly Column[],
): Promise<(Record<Column, string> & { count: number })[]> {
  const values: unknown[] = [];
  const from = kept(list, equal, values);
  const columns = by.map((column) => `key[${placeOf(list, column)}] as ${column}`);
  return tx.rows(
    `select ${columns.join(', ')}, sum(n)::int as count from ${from} group by ${by.map((_, index) => index + 1).join(', ')} having sum(n) > 0`,
    values,
  );
}

/** The place of a column in the keys of a list, from 1; 0 where its totals are not kept by it. */
const placeOf = (list: string, column: string): number => keptColumns(list).indexOf(column) + 1;

/** `keptTotal` as an expression; what it binds is added to `values`. */
export const keptSum = (list: string, equal: Equal, values: unknown[]): string =>
  `(select coalesce(sum(n), 0)::int from ${kept(list, equal, values)})`;

/** What was added up and what has been noted since, as a relation of `key` and `n`; what it binds is added to `values`. */
function kept(list: string, equal: Equal, values: unknown[]): string {
  const owner = equal.get(OWNER);
  const [ofList, ofOwner] = [`$${values.push(list)}`, `$${values.push(owner ?? '')}`];
  const conditions = [...equal]
    .filter(([column]) => column !== OWNER)
    .map(([column, value]) => ` and key[${placeOf(list, column)}] = $${values.push(String(value))}`)
    .join('');
  // The changes of all organizations are those of the platform's total.
  const noted = owner === undefined ? `${ofOwner} = ''` : `organization_id = ${ofOwner}`;
  return `(select key, total as n from list_totals where list = ${ofList} and organization_id = ${ofOwner}${conditions}
    union all select key, change from list_total_changes where list = ${ofList} and ${noted}${conditions}) kept`;
}

/** Adds up what was noted of the totals since the last time. */
export async function addUpTotals(db: Database): Promise<void> {
  for (;;) {
    const added = await db.tx({ platform: true }, (tx) =>
      tx.one<{ rows: number }>('select sluice_add_up_totals($1) as rows', [MOST_AT_ONCE]),
    );
    if ((added?.rows ?? 0) < MOST_AT_ONCE) return;
  }
}
