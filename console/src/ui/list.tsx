import { ActionIcon, Anchor, Group, Pagination, Text, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../app/address.ts';
import type { Records } from '../app/api.ts';
import type { Column } from './column.ts';
import { type Filter, Filters } from './filters.tsx';
import { count } from './format.tsx';
import { saveCsv } from './export-csv.ts';
import { ICON } from './icon.ts';
import { Empty, Loading } from './page.tsx';
import { Problem } from './problem.tsx';
import { DataTable } from './table.tsx';

export type ListPage<Row> = { data: Row[]; pagination: Pick<Records['Pagination'], 'total' | 'totalPages' | 'next_cursor'> };

type From = { page: number } | { cursor: string };
type Window = From & { limit: number };

type Props<Row, Query> = {
  /** Of the list in the cache. */
  name: readonly string[];
  label: string;
  read: (query: Query) => Promise<ListPage<Row>>;
  /** What is always asked for. */
  fixed?: Partial<Query>;
  filters?: readonly Filter[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  empty: ReactNode;
  /** Mostly short or empty: less room is kept for it. */
  few?: boolean;
};

const PER_PAGE = 50;
const PER_READ = 100;
/** Rows that are written to a file of the browser: more is what the API's exports are for. */
const MOST_EXPORTED = 10_000;
const NONE: readonly Filter[] = [];

/** A list of the API: pages and filters in the address, the rows of the filter as a file. */
export function RecordList<Row extends object, Query extends object>(props: Props<Row, Query>): ReactNode {
  const { name, label, read, fixed, filters = NONE, columns, rowKey, empty, few = false } = props;
  const [values, set] = useAddress();
  const page = Number(values.page ?? 1);
  const chosen = Object.fromEntries(
    filters.flatMap((filter) => (values[filter.name] ? [[filter.name, values[filter.name]]] : [])),
  );
  // The address is what somebody typed: the API says what is wrong with it.
  const queryOf = (window: Window): Query => ({ ...chosen, ...fixed, ...window }) as unknown as Query;
  const result = useQuery({
    queryKey: [...name, 'list', chosen, fixed, page],
    queryFn: () => read(queryOf({ page, limit: PER_PAGE })),
    placeholderData: keepPreviousData,
  });
  const exported = useMutation({
    mutationFn: () => everyRow((from) => read(queryOf({ ...from, limit: PER_READ }))),
    onSuccess: ({ rows, left }) => {
      saveCsv(
        label.toLowerCase().replaceAll(' ', '-'),
        columns.map(({ id }) => id),
        rows.map((row) => columns.map(({ value }) => value(row))),
      );
      if (left > 0)
        notifications.show({
          color: 'yellow',
          title: 'Not all rows',
          message: `The file has the first ${count(rows.length)} rows; ${count(left)} more match. Narrow the filter, or use the API.`,
        });
    },
    onError: (error) => notifications.show({ color: 'red', title: 'No file was made', message: error.message }),
  });
  const rows = result.data?.data;
  const { total, totalPages } = result.data?.pagination ?? {};
  return (
    <div>
      {filters.length > 0 && <Filters filters={filters} />}
      {result.error && <Problem error={result.error} retry={() => void result.refetch()} />}
      {!rows && !result.error && <Loading few={few} />}
      {rows?.length === 0 && page > 1 && (
        <Empty>
          There is nothing on page {count(page)}: the list ends before it.{' '}
          <Anchor component="button" type="button" size="sm" onClick={() => set({ page: null })}>
            Go to its first page
          </Anchor>
        </Empty>
      )}
      {rows?.length === 0 && page === 1 && (
        <Empty>{Object.keys(chosen).length > 0 ? 'Nothing matches these filters: remove one of them.' : empty}</Empty>
      )}
      {rows && rows.length > 0 && (
        <DataTable
          label={label}
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          whole={totalPages === 1}
          tools={
            <>
              <Text size="xs" c="dimmed" role="status">
                {total == null ? '' : total === 1 ? '1 record' : `${count(total)} records`}
              </Text>
              <Tooltip label="Save the rows of this filter as CSV">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Save ${label} as CSV`}
                  loading={exported.isPending}
                  onClick={() => exported.mutate()}
                >
                  <IconDownload {...ICON} />
                </ActionIcon>
              </Tooltip>
            </>
          }
        />
      )}
      {totalPages != null && totalPages > 1 && (
        <Group justify="center" mt="sm">
          <Pagination
            size="sm"
            total={totalPages}
            value={page}
            onChange={(next) => set({ page: next === 1 ? null : String(next) }, { keepPage: true })}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
          />
        </Group>
      )}
    </div>
  );
}

/** Each page begins behind the last row of the one before: by number, a row that is added meanwhile would push another one across. */
async function everyRow<Row>(readFrom: (from: From) => Promise<ListPage<Row>>): Promise<{ rows: Row[]; left: number }> {
  const rows: Row[] = [];
  for (let from: From = { page: 1 }; ; ) {
    const { data, pagination } = await readFrom(from);
    rows.push(...data);
    if (!pagination.next_cursor) return { rows, left: 0 };
    if (rows.length >= MOST_EXPORTED) return { rows, left: Math.max(1, (pagination.total ?? 0) - rows.length) };
    from = { cursor: pagination.next_cursor };
  }
}
