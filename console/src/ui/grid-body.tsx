import { useThrottledValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRouter } from '@tanstack/react-router';
import { useCallback, useRef, useState, type KeyboardEvent, type MouseEvent, type PointerEvent, type ReactNode } from 'react';
import { cellId, Head, Row, widthOfAll } from './grid-row.tsx';
import { type Area, areaOf, type Cell, copyCells, type Selection } from './grid-selection.ts';
import { type GridColumn, type GridRow, type GridSource, WINDOW } from './grid-source.ts';
import type { ListPage } from './list.tsx';
import { Problem } from './problem.tsx';

/** Browsers draw no element that is higher; a longer list scrolls several rows a pixel. */
const MOST_PIXELS = 15_000_000;
/** While one scrolls, windows are asked for at most this often. */
const READ_EVERY_MS = 120;
const AROUND = 4;
const HEAD_HEIGHT = 33;
const BLOCK = 1_000;
const ROOM = 600;

type BodyProps = GridSource & {
  total: number;
  height: number;
  columns: readonly GridColumn[];
  sort: string | null;
  setSort: (sort: string | null) => void;
};

/** The rows in view, under a header that stays; cells are chosen with the pointer or the keys, and copied. */
export function GridBody({ name, total, height, columns, read, sort, setSort, linkOf }: BodyProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [selection, select] = useState<Selection | null>(null);
  const client = useQueryClient();
  const router = useRouter();
  // What a row takes of the scrolled length: less than its height where the list is longer than a browser can draw.
  const step = Math.min(height, MOST_PIXELS / total);
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => step,
    overscan: 0,
    useFlushSync: false,
  });
  const offset = virtualizer.scrollOffset ?? 0;
  const view = (virtualizer.scrollRect?.height ?? ROOM) - HEAD_HEIGHT;
  const fits = Math.ceil(view / height) + 1;
  // At the end of the scrolled length the last row has to be in view, whatever a row takes of it.
  const longest = Math.max(1, total * step - view);
  const exact = Math.min(1, offset / longest) * Math.max(0, total - view / height);
  const from = Math.max(0, Math.floor(exact) - AROUND);
  const to = Math.min(total, Math.floor(exact) + fits + AROUND);
  // Rows are placed in blocks: while one scrolls within a block, rows that stay in view stay as they are.
  const base = from - (from % BLOCK);
  const windows = useThrottledValue(windowsOf(from, to).join(), READ_EVERY_MS).split(',').map(Number);
  const results = useQueries({
    queries: windows.map((window) => ({
      queryKey: [...name, sort, window],
      queryFn: ({ signal }: { signal: AbortSignal }) => read({ offset: window * WINDOW, limit: WINDOW, sort, signal }),
      staleTime: 60_000,
    })),
  });
  const pages = new Map(results.map(({ data }, at) => [windows[at], data?.data]));
  // What was read before is there at once, before its window is asked for.
  const rowsOf = (window: number): GridRow[] | undefined =>
    pages.get(window) ?? client.getQueryData<ListPage<GridRow>>([...name, sort, window])?.data;
  const failed = results.find(({ error }) => error);
  const width = widthOfAll(columns);
  const area = selection && areaOf(selection);

  const show = (row: number): void => {
    const last = exact + view / height - 1;
    if (row >= exact && row <= last) return;
    const top = row < exact ? row : exact + row - last;
    virtualizer.scrollToOffset((top / Math.max(1, total - view / height)) * longest);
  };
  const move = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'c' && area) {
      event.preventDefault();
      copyCells(client, area, { name, read, sort, columns, window: WINDOW }).catch((error: Error) =>
        notifications.show({ color: 'red', title: 'Nothing was copied', message: error.message }),
      );
      return;
    }
    const at = selection?.at ?? { row: Math.ceil(exact), column: 0 };
    const next = movedBy(event.key, selection ? at : null, { at, total, columns: columns.length, page: fits - 2 });
    if (!next) return;
    event.preventDefault();
    select({ start: event.shiftKey && selection ? selection.start : next, at: next });
    show(next.row);
  };
  const hrefOf = useCallback(
    (row: string) => (linkOf ? router.buildLocation({ to: linkOf(row) }).publicHref : null),
    [router, linkOf],
  );
  const open = (event: MouseEvent): void => {
    const cell = event.target instanceof Element ? event.target.closest('a') : null;
    if (!cell || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    router.history.push(cell.getAttribute('href') ?? '');
  };
  const point = (event: PointerEvent): void => {
    const cell = cellOf(event.target);
    if (!cell || event.button !== 0) return;
    if (event.type === 'pointerdown') select({ start: event.shiftKey && selection ? selection.start : cell, at: cell });
    else if (event.buttons === 1 && selection) select({ ...selection, at: cell });
  };
  return (
    <>
      {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a grid is scrolled and its cells are chosen. */}
      <div
        ref={scroller}
        className="grid"
        role="grid"
        aria-label="Loans"
        aria-multiselectable
        aria-rowcount={total + 1}
        aria-colcount={columns.length}
        aria-activedescendant={
          selection && selection.at.row >= from && selection.at.row < to
            ? cellId(selection.at.row, selection.at.column)
            : undefined
        }
        tabIndex={0}
        onKeyDown={move}
        onClick={open}
        onPointerDown={point}
        onPointerOver={(event) => event.buttons === 1 && point(event)}
      >
        <div className="grid-head" role="row" style={{ width }}>
          <Head columns={columns} sort={sort} setSort={setSort} />
        </div>
        <div style={{ height: total * step, width }} className="grid-body" role="rowgroup">
          <div className="grid-view" style={{ width, transform: `translateY(${offset + (base - exact) * height}px)` }}>
            {Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).map((index) => (
              <Row
                // Rows that left the view become those that come into it.
                key={index % (fits + 2 * AROUND + 1)}
                index={index}
                top={(index - base) * height}
                row={rowsOf(Math.floor(index / WINDOW))?.[index % WINDOW]}
                columns={columns}
                height={height}
                hrefOf={hrefOf}
                {...rangeOf(area, index)}
                active={selection?.at.row === index ? selection.at.column : -1}
              />
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

function windowsOf(from: number, to: number): number[] {
  const first = Math.floor(from / WINDOW);
  return Array.from({ length: Math.floor(Math.max(from, to - 1) / WINDOW) - first + 1 }, (_, at) => first + at);
}

const rangeOf = (area: Area | null, row: number): { from: number; to: number } =>
  area && row >= area.top && row <= area.bottom ? { from: area.left, to: area.right } : { from: -1, to: -1 };

function cellOf(target: EventTarget): Cell | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null;
  return cell ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : null;
}

type Places = { at: Cell; total: number; columns: number; page: number };

/** The cell that a key leads to; the first arrow only chooses where one is. */
function movedBy(key: string, from: Cell | null, { at, total, columns, page }: Places): Cell | null {
  const down = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[key];
  const across = { ArrowRight: 1, ArrowLeft: -1 }[key];
  const end = { Home: 0, End: total - 1 }[key];
  if (down === undefined && across === undefined && end === undefined) return null;
  if (!from && end === undefined) return at;
  return {
    row: Math.min(total - 1, Math.max(0, end ?? at.row + (down ?? 0))),
    column: Math.min(columns - 1, Math.max(0, at.column + (across ?? 0))),
  };
}
