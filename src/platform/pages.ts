/* Lists in pages, whether the database or the columnar engine holds the rows: orders, positions in them, and pages. */

/** An SQL type whose text form, cast back, is the same value: a position holds its keys as text. */
type KeyType = 'text' | 'timestamptz' | 'date' | 'integer' | 'bigint' | 'numeric';

/**
 * A key of the order of a list. `nulls` where it may be null, and then says on which side nulls stand. `apart`: it is never null, and the
 * order still says that nulls come last, so that only an index of that order serves the list.
 */
export type SortKey = { by: string; as: KeyType; desc?: boolean; nulls?: 'first' | 'last'; apart?: true };

/** The order of a list. Together its keys are unique: rows without an order among them would be repeated or skipped. */
export type Order = readonly SortKey[];

/** The place of a row in the order of its list: its keys as text. */
export type Position = readonly (string | null)[];

/** By time of creation, then by id, both descending. */
export const newestFirst = (created: string, id: string): Order => [
  { by: created, as: 'timestamptz', desc: true },
  { by: id, as: 'text', desc: true },
];

export const orderBy = (order: Order): string =>
  order
    .map(({ by, desc, nulls, apart }) => `${by}${desc ? ' desc' : ''}${nulls ? ` nulls ${nulls}` : apart ? ' nulls last' : ''}`)
    .join(', ');

/** The keys of a row as text, for `Position`. */
export const keysAsText = (order: Order): string[] => order.map(({ by }) => `cast(${by} as text)`);

/**
 * The condition of the rows behind a position. `literal` writes a key's value into the statement. Keys of one direction and without nulls
 * are compared as one row, which an index in that order answers from its place in the tree, however deep it is.
 */
export function behind(order: Order, position: Position, literal: (value: string, type: KeyType) => string): string {
  if (position.length !== order.length) throw new Error(`a position of ${position.length} keys in an order of ${order.length}`);
  const values = order.map(({ as }, index) => {
    const value = position[index];
    return value === null || value === undefined ? null : literal(value, as);
  });
  const [first] = order;
  const uniform = order.every(({ desc, nulls }) => !nulls && Boolean(desc) === Boolean(first?.desc)) && !values.includes(null);
  if (uniform) return `(${order.map(({ by }) => by).join(', ')}) ${first?.desc ? '<' : '>'} (${values.join(', ')})`;
  return behindFrom(order, values, 0);
}

function behindFrom(order: Order, values: readonly (string | null)[], index: number): string {
  const key = order[index];
  if (!key) return 'false';
  const value = values[index] ?? null;
  const same = value === null ? `${key.by} is null` : `${key.by} = ${value}`;
  return `(${beyond(key, value)} or (${same} and ${behindFrom(order, values, index + 1)}))`;
}

/** The rows whose key alone is behind the value; none for a null that stands last. */
function beyond({ by, desc, nulls }: SortKey, value: string | null): string {
  if (value === null) return nulls === 'first' ? `${by} is not null` : 'false';
  const further = `${by} ${desc ? '<' : '>'} ${value}`;
  return nulls === 'last' ? `${further} or ${by} is null` : further;
}

/** A page by its number, with `offset` the rows after so many, or with `cursor` the rows behind a position, whatever the number says. */
export type PageRequest = { page: number; limit: number; offset?: number | undefined; cursor?: Position | undefined };

/** Rows of a list. `total` is null behind a cursor; `next` is the position of the last row, null where no row follows it. */
export type Page<Row> = { rows: Row[]; total: number | null; next: Position | null };

export const NO_ROWS: Page<never> = { rows: [], total: 0, next: null };

/** The page with each of its rows changed. */
export const mapPage = <From, To>(page: Page<From>, change: (row: From) => To): Page<To> => ({
  ...page,
  rows: page.rows.map(change),
});
