import type { Reader } from './database.ts';
import {
  behind,
  keysAsText,
  mapPage,
  NO_ROWS,
  type Order,
  orderBy,
  type Page,
  type PageRequest,
  type Position,
} from '../pages.ts';

export { mapPage, NO_ROWS, type Page, type PageRequest };

/** A condition with `?` for its value; left out where the value is null or undefined. */
export type Filter = readonly [condition: string, value: unknown];

export type PageQuery = {
  select: string;
  from: string;
  /** Values that `from` names as $1, $2, …; every statement of the page binds them. */
  values?: readonly unknown[];
  /** The relation whose rows are counted, where that is cheaper than `from` and has as many rows. */
  countFrom?: string;
  filters: readonly Filter[];
  order: Order;
};

/**
 * One page of rows and, without a cursor, how many there are in all. `filters` are joined by `and`; conditions and keys of the order are
 * SQL of the caller, values are always bound. One row more than the page is read: it says whether another page follows.
 */
export async function selectPage<Row>(tx: Reader, query: PageQuery, { page, limit, cursor }: PageRequest): Promise<Page<Row>> {
  const values: unknown[] = [...(query.values ?? [])];
  const conditions = query.filters
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([condition, value]) => {
      values.push(value);
      return condition.replaceAll('?', `$${values.length}`);
    });
  const counted = `select count(*)::int as total from ${query.countFrom ?? query.from} where ${conditions.join(' and ') || 'true'}`;
  const countValues = [...values];
  if (cursor) conditions.push(behind(query.order, cursor, (value, type) => `$${values.push(value)}::${type}`));
  const listed = `select ${query.select}, array[${keysAsText(query.order).join(', ')}] as sort_position from ${query.from}
    where ${conditions.join(' and ') || 'true'} order by ${orderBy(query.order)} limit $${values.length + 1} offset $${values.length + 2}`;
  const [found, count] = await Promise.all([
    tx.rows<Row & { sort_position: Position }>(listed, [...values, limit + 1, cursor ? 0 : (page - 1) * limit]),
    cursor ? null : tx.one<{ total: number }>(counted, countValues),
  ]);
  const rows = found.slice(0, limit);
  return {
    rows: rows.map(({ sort_position: _position, ...row }) => row as Row),
    total: cursor ? null : (count?.total ?? 0),
    next: found.length > limit ? (rows.at(-1)?.sort_position ?? null) : null,
  };
}
