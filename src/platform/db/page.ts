import type { Reader } from './database.ts';
import { type Equal, isKept, keptColumns, keptTotal, OWNER } from './kept-totals.ts';
import { PLACED_TABLES, type Place, type PlacedList, placeBefore } from './list-places.ts';
import { behind, keysAsText, NO_ROWS, type Order, orderBy, type Page, type PageRequest, type Position } from '../pages.ts';

/**
 * A condition with `?` for its value; left out where the value is null or undefined. `column` where it asks for rows with the value in a
 * column and does not say so as `column = ?`.
 */
export type Filter = readonly [condition: string, value: unknown, column?: string];

export type PageQuery = {
  select: string;
  from: string;
  /** Values that `from` names as $1, $2, …; every statement of the page binds them. */
  values?: readonly unknown[];
  /** The relation whose rows are counted and passed over, where that is cheaper than `from`: it has as many rows, and the keys of the order. */
  countFrom?: string;
  filters: readonly Filter[];
  order: Order;
  /**
   * Whose lists are read by indexes whose order is `apart`, those of one organization or those of all. An index of the others is then never
   * taken for them: it would pass over the rows of other organizations one by one.
   */
  apart?: 'one' | 'all';
  /** Columns of few values: asked for by one of them alone, the same index is best whatever the value. Of a table whose totals are kept they are known. */
  enumerated?: readonly string[];
  /** How many rows there are, where more is known of it than a count says; null: count them. `equal` is what the filters ask for. */
  total?: (equal: Equal) => Promise<number> | null;
  /** The list in which places of rows are kept, where it is of more than one table. */
  placed?: PlacedList;
};

/**
 * The usual sizes of pages stand in the text of the statement. A plan for all values is only kept by the database when it looks as cheap as
 * one for each, and of a size that is a value it supposes a tenth of all rows: it would plan every page anew, which takes as long as reading it.
 */
const USUAL_SIZES = [10, 20, 25, 50, 100];

/** A row of a page as it is read: its place in the order is its last column. */
type Positioned = { sort_position: string | undefined };

/** From so many rows on, the rows before a page are passed over by the keys of the order alone. */
const DEEP = 500;

/**
 * One page of rows and, without a cursor, how many there are in all. `filters` are joined by `and`; conditions and keys of the order are
 * SQL of the caller, values are always bound. One row more than the page is read: it says whether another page follows.
 */
export async function selectPage<Row>(tx: Reader, query: PageQuery, { page, limit, cursor }: PageRequest): Promise<Page<Row>> {
  const values: unknown[] = [...(query.values ?? [])];
  const filters = query.filters.filter(([, value]) => value !== null && value !== undefined);
  const conditions = filters.map(([condition, value]) => {
    values.push(value);
    return condition.replaceAll('?', `$${values.length}`);
  });
  const order = orderOf(query, filters);
  // As text: only the position of the last row is read.
  const keys = `json_build_array(${keysAsText(order).join(', ')})::text`;
  const counted = query.countFrom ?? query.from;
  const where = (): string => conditions.join(' and ') || 'true';
  const count = (): Promise<number | null> =>
    cursor ? Promise.resolve(null) : totalOf(tx, query, filters, where(), [...values]);
  const list = async (position: Position | undefined, offset: number): Promise<Omit<Page<Row>, 'total'>> => {
    if (position) conditions.push(behind(order, position, (value, type) => `$${values.push(value)}::${type}`));
    const inText = USUAL_SIZES.includes(limit) && isReadInOrder(query, filters);
    const size = inText ? limit + 1 : `$${values.push(limit + 1)}`;
    const skipped = offset > 0 ? ` offset $${values.push(offset)}` : '';
    const found = await tx.rows<Row & Positioned>(
      `select ${query.select}, ${keys} as sort_position from ${query.from}
       where ${where()} order by ${orderBy(order)} limit ${size}${skipped}`,
      values,
    );
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    const next = last?.sort_position ? (JSON.parse(last.sort_position) as Position) : null;
    // Emptied in place, for a copy of every row costs more than the rest of the page's work on it.
    for (const row of rows) row.sort_position = undefined;
    return { rows, next };
  };

  const before = cursor ? 0 : (page - 1) * limit;
  /** The position of the last row before the page, sought from a place or else from the beginning. */
  const rowBefore = async (place: Place | null): Promise<Position | undefined> => {
    if (place?.skip === 0) return place.position;
    const bound = [...values];
    const reached = place ? ` and ${behind(order, place.position, (value, type) => `$${bound.push(value)}::${type}`)}` : '';
    const offset = `$${bound.push((place?.skip ?? before) - 1)}`;
    // The keys become text behind the offset: of the rows before it, that would be most of the work.
    const found = await tx.one<{ position: Position }>(
      `select array[${order.map((_, at) => `cast(k${at} as text)`).join(', ')}] as position from (
         select ${order.map(({ by }, at) => `${by} as k${at}`).join(', ')} from ${counted}
         where ${where()}${reached} order by ${orderBy(order)} limit 1 offset ${offset}) last`,
      bound,
    );
    return found?.position;
  };
  if (before <= DEEP) {
    // Both are sent before either is waited for.
    const [total, found] = await Promise.all([count(), list(cursor, before)]);
    return { ...found, total };
  }
  const near = await placeNear(tx, query, filters, order, before);
  const [total, last] = await Promise.all([near ? near.total : count(), rowBefore(near)]);
  return last ? { ...(await list(last, 0)), total } : { ...NO_ROWS, total };
}

/** The place from which to read a page of a list that nothing is left out of; null for any other list, and where no place is kept. */
async function placeNear(
  tx: Reader,
  { from, countFrom, placed }: PageQuery,
  filters: readonly Filter[],
  order: Order,
  before: number,
): Promise<Place | null> {
  const table = tableOf(countFrom ?? from);
  const list = placed ?? PLACED_TABLES.find((each) => each.from === table);
  const equal = equalOf(filters);
  const isWhole = equal !== null && [...equal.keys()].every((column) => column === OWNER);
  return list && isWhole && isSameOrder(order, list.order) ? await placeBefore(tx, list, equal, before) : null;
}

const bare = (column: string): string => column.slice(column.indexOf('.') + 1);
const isSameOrder = (one: Order, other: Order): boolean =>
  one.length === other.length &&
  one.every(({ by, desc }, at) => bare(by) === bare(other[at]?.by ?? '') && desc === other[at]?.desc);

/** Whether one index has the rows in their order, whatever the values: then one plan is good for all of them. */
function isReadInOrder({ from, countFrom, enumerated }: PageQuery, filters: readonly Filter[]): boolean {
  const columns = filters.map(columnOf).filter((column) => column !== OWNER);
  return (
    columns.length === 0 ||
    (columns.length === 1 && (enumerated ?? keptColumns(tableOf(countFrom ?? from))).includes(columns[0] ?? ''))
  );
}

function orderOf({ order, apart }: PageQuery, filters: readonly Filter[]): Order {
  const whose = filters.some((filter) => columnOf(filter) === OWNER) ? 'one' : 'all';
  return apart === whose ? order.map((key) => ({ ...key, apart: true as const })) : order;
}

const TABLE = /^(\w+)(?: \w+)?$/;
/** The table of a relation that is one, else nothing. */
const tableOf = (from: string): string => TABLE.exec(from)?.[1] ?? '';
const EQUAL = /^(?:\w+\.)?(\w+) = \?$/;
/** The column that a filter asks for a value of; of any other condition, the condition. */
const columnOf = ([condition, , column]: Filter): string => column ?? EQUAL.exec(condition)?.[1] ?? condition;

/** What the filters ask for, by column; null where two of them ask for one column, and thereby for both. */
function equalOf(filters: readonly Filter[]): Equal | null {
  const equal = new Map(filters.map((filter) => [columnOf(filter), filter[1]]));
  return equal.size === filters.length ? equal : null;
}

/** How many rows there are in all: as the database keeps it for lists and filters that it knows, else counted. */
async function totalOf(
  tx: Reader,
  query: PageQuery,
  filters: readonly Filter[],
  where: string,
  values: readonly unknown[],
): Promise<number> {
  const from = query.countFrom ?? query.from;
  const equal = equalOf(filters);
  const list = tableOf(from);
  if (equal && isKept(list, equal)) return await keptTotal(tx, list, equal);
  const known = equal && query.total ? query.total(equal) : null;
  if (known) return await known;
  const row = await tx.one<{ total: number }>(`select count(*)::int as total from ${from} where ${where}`, [...values]);
  return row?.total ?? 0;
}
