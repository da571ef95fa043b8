import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { safeText } from './csv-record.ts';
import { count } from './format.tsx';
import type { GridColumn, GridRow, GridSource } from './grid-source.ts';
import type { ListPage } from './list.tsx';

export type Cell = { row: number; column: number };
/** The cells between two corners; `at` is the one that keys move. */
export type Selection = { start: Cell; at: Cell };

export type Area = { top: number; bottom: number; left: number; right: number };
export const areaOf = ({ start, at }: Selection): Area => ({
  top: Math.min(start.row, at.row),
  bottom: Math.max(start.row, at.row),
  left: Math.min(start.column, at.column),
  right: Math.max(start.column, at.column),
});

/** Rows that are copied at once: more is what the file is for. */
const MOST_COPIED = 10_000;

type Copied = Pick<GridSource, 'name' | 'read'> & { sort: string | null; columns: readonly GridColumn[]; window: number };

/** Puts the selected cells on the clipboard as spreadsheets take them. Rows that are not here yet are read first. */
export async function copyCells(client: QueryClient, area: Area, { name, read, sort, columns, window }: Copied): Promise<void> {
  const bottom = Math.min(area.bottom, area.top + MOST_COPIED - 1);
  const shown = columns.slice(area.left, area.right + 1);
  const lines: string[] = [];
  for (let at = Math.floor(area.top / window); at * window <= bottom; at += 1) {
    const { data } = await client.fetchQuery<ListPage<GridRow>>({
      queryKey: [...name, sort, at],
      queryFn: ({ signal }) => read({ offset: at * window, limit: window, sort, signal }),
      staleTime: 60_000,
    });
    const rows = data.slice(Math.max(0, area.top - at * window), bottom - at * window + 1);
    lines.push(...rows.map((row) => shown.map(({ id }) => textOf(row[id])).join('\t')));
  }
  await navigator.clipboard.writeText(lines.join('\n'));
  const left = area.bottom - bottom;
  notifications.show({
    color: left > 0 ? 'yellow' : 'teal',
    message:
      left > 0
        ? `The first ${count(lines.length)} of ${count(lines.length + left)} rows are copied; save the file for all of them.`
        : `${count(lines.length)} ${lines.length === 1 ? 'row' : 'rows'} × ${count(shown.length)} ${shown.length === 1 ? 'column' : 'columns'} copied.`,
  });
}

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : safeText(typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll(/[\t\r\n]+/g, ' ');
