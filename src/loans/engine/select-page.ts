import { behind, keysAsText, type Order, orderBy, type Page, type PageRequest, type Position } from '../../platform/pages.ts';
import type { Engine } from './engine.ts';
import { jsonList, sqlText } from './sql.ts';

type RowsQuery = {
  columns: string;
  /** SQL relation. */
  source: string;
  conditions?: readonly string[];
  order: Order;
  /** The source is a file in this order: a page is read from its place, and nothing is sorted. */
  isSorted?: boolean;
  /** A column of the relation that no two rows share: with it the rows before a deep page are passed over without their other columns. */
  key?: string;
  /** How many rows there are in all, where it is known. */
  total?: number | undefined;
};

/** To so many rows the engine keeps those of a page while it reads; with more before it, it sorts whole rows, and reading the file twice is faster. */
const DEEP = 5_000;

/** As `selectPage` of the database: a page by its number, with the total, or the rows behind a position. */
export async function selectRows<Row extends object>(
  engine: Engine,
  { columns, source, conditions = [], order, isSorted = false, key, total }: RowsQuery,
  { page, limit, offset = (page - 1) * limit, cursor }: PageRequest,
): Promise<Page<Row>> {
  const where = (all: readonly string[]): string => (all.length > 0 ? `where ${all.join(' and ')}` : '');
  const ahead = cursor ? [behind(order, cursor, (value, type) => `CAST(${sqlText(value)} AS ${type})`)] : [];
  const inOrder = isSorted ? '' : `order by ${orderBy(order)}`;
  const passed = cursor ? 0 : offset;
  const ofPage = `${where([...conditions, ...ahead])} ${inOrder} limit ${limit + 1} offset ${passed}`;
  const rest =
    key && passed > DEEP ? `where ${key} in (select ${key} from ${source} ${ofPage}) order by ${orderBy(order)}` : ofPage;
  const [found, counted] = await Promise.all([
    engine.rows<Row & { sort_position: string }>(
      `select ${columns}, ${jsonList(keysAsText(order))} as sort_position from ${source} ${rest}`,
    ),
    cursor || total !== undefined
      ? null
      : engine.first<{ total: number }>(`select count(*)::integer as total from ${source} ${where(conditions)}`),
  ]);
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    rows: shown.map(({ sort_position: _position, ...row }) => row as unknown as Row),
    total: cursor ? null : (total ?? counted?.total ?? 0),
    next: last ? (JSON.parse(last.sort_position) as Position) : null,
  };
}
