import { ActionIcon, Checkbox, Group, Menu, SegmentedControl, Skeleton, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import {
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { count } from './format.tsx';
import { ICON } from './icon.ts';
import type { ListPage } from './list.tsx';
import { Empty } from './page.tsx';
import { Problem } from './problem.tsx';
import { To } from './link.tsx';

export type GridColumn = { id: string; title: string; hidden: boolean };
export type GridQuery = { offset: number; limit: number; sort: string | null };
type Row = Record<string, unknown>;

type Props = {
  name: readonly unknown[];
  columns: readonly GridColumn[];
  /** Some rows, from which the kinds of the columns are known. */
  rows: readonly Row[];
  read: (query: GridQuery) => Promise<ListPage<Row>>;
  sort: string | null;
  setSort: (sort: string | null) => void;
  /** Where a row leads to; without it rows lead nowhere. */
  linkOf?: ((rowNumber: string) => string) | undefined;
};

const features = tableFeatures({ columnVisibilityFeature, columnSizingFeature, columnPinningFeature });

const WINDOW = 200;
const HEIGHTS: Record<string, number> = { dense: 26, roomy: 36 };
/** Browsers draw no element that is higher; a longer list scrolls several rows a pixel. */
const MOST_PIXELS = 15_000_000;
const WIDTH = 150;
const FIRST_WIDTH = 190;
const NONE: Row[] = [];

/** Rows of a list of any length, of which those that are looked at are read, in windows. */
export function LoanGrid({ name, columns, rows, read, sort, setSort, linkOf }: Props): ReactNode {
  const [density, setDensity] = useState('dense');
  const shape = useMemo(
    () =>
      columns.map(({ id, title }, index) => ({
        id,
        header: title,
        accessorFn: (row: Row) => row[id],
        size: index === 0 ? FIRST_WIDTH : WIDTH,
      })),
    [columns],
  );
  const table = useTable({
    features,
    columns: shape,
    data: NONE,
    initialState: {
      columnVisibility: Object.fromEntries(columns.map(({ id, hidden }) => [id, !hidden])),
      columnPinning: { start: columns.slice(0, 1).map(({ id }) => id), end: [] },
    },
  });
  const numbers = useMemo(
    () => new Set(columns.map(({ id }) => id).filter((id) => rows.some((row) => typeof row[id] === 'number'))),
    [columns, rows],
  );
  const shown = table.getVisibleLeafColumns();
  const first = useQuery({
    queryKey: [...name, sort, 0],
    queryFn: () => read({ offset: 0, limit: WINDOW, sort }),
    placeholderData: keepPreviousData,
  });
  const total = first.data?.pagination.total ?? 0;
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="xs" c="dimmed" role="status">
          {first.data ? `${count(total)} loans` : 'Reading …'}
        </Text>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Density"
            value={density}
            onChange={setDensity}
            data={[
              { value: 'dense', label: 'Dense' },
              { value: 'roomy', label: 'Roomy' },
            ]}
          />
          <Menu position="bottom-end" closeOnItemClick={false} shadow="md">
            <Menu.Target>
              <Tooltip label="Columns">
                <ActionIcon variant="subtle" color="gray" aria-label="Columns of the loans">
                  <IconColumns3 {...ICON} />
                </ActionIcon>
              </Tooltip>
            </Menu.Target>
            <Menu.Dropdown mah={420} className="scroll">
              {table.getAllLeafColumns().map((column) => (
                <Menu.Item
                  key={column.id}
                  onClick={() => column.toggleVisibility()}
                  role="menuitemcheckbox"
                  aria-checked={column.getIsVisible()}
                >
                  <Checkbox
                    size="xs"
                    readOnly
                    tabIndex={-1}
                    aria-hidden
                    checked={column.getIsVisible()}
                    label={columns.find(({ id }) => id === column.id)?.title}
                  />
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
      {first.error && <Problem error={first.error} retry={() => void first.refetch()} />}
      {first.data && total === 0 && (
        <Empty>No loan matches: change the filter. Rejected rows are no loans; see the findings.</Empty>
      )}
      {total > 0 && (
        <Body
          key={JSON.stringify([name, sort])}
          name={name}
          total={total}
          height={HEIGHTS[density] ?? 26}
          columns={shown.map((column) => ({
            id: column.id,
            title: columns.find(({ id }) => id === column.id)?.title ?? column.id,
            width: column.getSize(),
            pinned: column.getIsPinned() === 'start',
            number: numbers.has(column.id),
          }))}
          read={read}
          sort={sort}
          setSort={setSort}
          linkOf={linkOf}
        />
      )}
    </div>
  );
}

type Shown = { id: string; title: string; width: number; pinned: boolean; number: boolean };
type BodyProps = Pick<Props, 'name' | 'read' | 'sort' | 'setSort' | 'linkOf'> & {
  total: number;
  height: number;
  columns: readonly Shown[];
};

function Body({ name, total, height, columns, read, sort, setSort, linkOf }: BodyProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
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
  const view = virtualizer.scrollRect?.height ?? 600;
  const fits = Math.ceil(view / height) + 1;
  // At the end of the scrolled length the last row has to be in view, whatever a row takes of it.
  const longest = Math.max(1, total * step - view);
  const exact = Math.min(1, offset / longest) * Math.max(0, total - view / height);
  const from = Math.max(0, Math.floor(exact) - 4);
  const to = Math.min(total, Math.floor(exact) + fits + 4);
  const windows = windowsOf(from, to);
  const results = useQueries({
    queries: windows.map((window) => ({
      queryKey: [...name, sort, window],
      queryFn: () => read({ offset: window * WINDOW, limit: WINDOW, sort }),
      staleTime: 60_000,
    })),
  });
  const rowAt = (index: number): Row | undefined =>
    results[windows.indexOf(Math.floor(index / WINDOW))]?.data?.data[index % WINDOW];
  const failed = results.find(({ error }) => error);
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  const move = (event: KeyboardEvent): void => {
    const rows = { ArrowDown: 1, ArrowUp: -1, PageDown: fits - 2, PageUp: 2 - fits }[event.key];
    const ends = { Home: 0, End: total }[event.key];
    if (rows === undefined && ends === undefined) return;
    event.preventDefault();
    const row = ends ?? exact + (rows ?? 0);
    virtualizer.scrollToOffset((row / Math.max(1, total - view / height)) * longest);
  };
  return (
    <>
      {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a grid is scrolled by keys. */}
      <div
        ref={scroller}
        className="grid"
        role="grid"
        aria-label="Loans"
        aria-rowcount={total + 1}
        aria-colcount={columns.length}
        tabIndex={0}
        onKeyDown={move}
      >
        <div className="grid-head" role="row" style={{ width }}>
          {columns.map((column) => (
            <HeadCell key={column.id} column={column} sort={sort} setSort={setSort} />
          ))}
        </div>
        <div style={{ height: total * step, width }} className="grid-body" role="rowgroup">
          {Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).map((index) => (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              className="grid-row"
              style={{ height, width, transform: `translateY(${offset + (index - exact) * height}px)` }}
            >
              {columns.map((column) => (
                <BodyCell key={column.id} column={column} row={rowAt(index)} linkOf={linkOf} />
              ))}
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

function windowsOf(from: number, to: number): number[] {
  const first = Math.floor(from / WINDOW);
  return Array.from({ length: Math.floor(Math.max(from, to - 1) / WINDOW) - first + 1 }, (_, at) => first + at);
}

function HeadCell({
  column,
  sort,
  setSort,
}: {
  column: Shown;
  sort: string | null;
  setSort: (sort: string | null) => void;
}): ReactNode {
  const { id, title, width, pinned, number } = column;
  const order = sort === id ? 'ascending' : sort === `-${id}` ? 'descending' : undefined;
  const next = order === 'ascending' ? `-${id}` : order === 'descending' ? null : id;
  return (
    <div
      role="columnheader"
      className={`grid-cell${pinned ? ' pinned' : ''}${number ? ' number' : ''}`}
      style={{ width }}
      aria-sort={order}
    >
      <UnstyledButton fz="xs" fw={600} onClick={() => setSort(next)} title={`Sort by ${title}`}>
        {title}
        <span aria-hidden>{order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}</span>
      </UnstyledButton>
    </div>
  );
}

function BodyCell({
  column,
  row,
  linkOf,
}: {
  column: Shown;
  row: Row | undefined;
  linkOf: ((rowNumber: string) => string) | undefined;
}): ReactNode {
  const { id, width, pinned, number } = column;
  const text = row ? shownText(row[id], number) : '';
  return (
    <div
      role="gridcell"
      className={`grid-cell${pinned ? ' pinned' : ''}${number ? ' number' : ''}`}
      style={{ width }}
      title={text}
    >
      {!row ? (
        <Skeleton height={10} mt={8} />
      ) : pinned && linkOf ? (
        <To to={linkOf(String(row.row_number))} size="xs">
          {text}
        </To>
      ) : (
        text
      )}
    </div>
  );
}

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });

function shownText(value: unknown, number: boolean): string {
  if (value === null || value === undefined) return '–';
  if (number && typeof value === 'number') return NUMBER.format(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
