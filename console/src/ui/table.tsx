import { ActionIcon, Menu, Table, Tooltip, UnstyledButton } from '@mantine/core';
import { IconColumns3, IconDownload } from '@tabler/icons-react';
import {
  columnVisibilityFeature,
  createSortedRowModel,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo, type ReactNode } from 'react';
import type { Column } from './column.ts';
import { saveCsv } from './export-csv.ts';
import { ICON } from './icon.ts';
import { MANY, TableBody } from './table-body.tsx';

type Props<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Whether these are all rows there are; a part of a list cannot be sorted without telling lies. */
  whole: boolean;
  tools?: ReactNode;
  /** Under which name the rows can be saved as a file. */
  file?: string;
  /** Whether the first column stays where the others are scrolled. */
  pinned?: boolean;
};

const features = tableFeatures({
  columnVisibilityFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFns.basic, alphanumeric: sortFns.alphanumeric },
});

const ORDER = { asc: 'ascending', desc: 'descending' } as const;

/** Rows with a header that stays, columns that can be chosen and, where all rows are here, an order that can be chosen. */
export function DataTable<Row extends object>({
  label,
  columns,
  rows,
  rowKey,
  whole,
  tools,
  file,
  pinned = false,
}: Props<Row>): ReactNode {
  const shape = useMemo(
    () =>
      columns.map(({ id, title, value, number }) => ({
        id,
        header: title,
        accessorFn: (row: Row) => value(row) ?? undefined,
        sortFn: number ? ('basic' as const) : ('alphanumeric' as const),
        sortUndefined: 'last' as const,
      })),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({
    features,
    columns: shape,
    data,
    getRowId: rowKey,
    enableSorting: whole,
    initialState: { columnVisibility: Object.fromEntries(columns.map(({ id, hidden }) => [id, !hidden])) },
  });
  const sorted = table.getRowModel().rows;
  const known = new Map(columns.map((column) => [column.id, column]));
  const visible = table.getVisibleLeafColumns().flatMap(({ id }) => known.get(id) ?? []);
  return (
    <div>
      <div className="tools">
        {tools}
        {file && (
          <Tooltip label="Save as CSV">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Save ${label} as CSV`}
              onClick={() =>
                saveCsv(
                  file,
                  columns.map(({ title }) => title),
                  sorted.map(({ original }) => columns.map(({ value }) => value(original))),
                )
              }
            >
              <IconDownload {...ICON} />
            </ActionIcon>
          </Tooltip>
        )}
        <Menu position="bottom-end" closeOnItemClick={false} shadow="md">
          <Menu.Target>
            <Tooltip label="Columns">
              <ActionIcon variant="subtle" color="gray" aria-label={`Columns of ${label}`}>
                <IconColumns3 {...ICON} />
              </ActionIcon>
            </Tooltip>
          </Menu.Target>
          <Menu.Dropdown>
            {table.getAllLeafColumns().map((column) => (
              <Menu.CheckboxItem key={column.id} checked={column.getIsVisible()} onChange={() => column.toggleVisibility()}>
                {known.get(column.id)?.title || 'Acts'}
              </Menu.CheckboxItem>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
      <div className="table-scroll" tabIndex={0} role="region" aria-label={label}>
        <Table
          stickyHeader
          aria-label={label}
          className={pinned ? 'table pinned' : 'table'}
          {...(sorted.length > MANY ? { 'aria-rowcount': sorted.length + 1 } : {})}
        >
          <Table.Thead>
            {table.getHeaderGroups().map((group) => (
              <Table.Tr key={group.id}>
                {group.headers.map(({ id, column }) => {
                  const order = column.getIsSorted();
                  const number = known.get(column.id)?.number;
                  const title = known.get(column.id)?.title ?? '';
                  return (
                    <Table.Th
                      key={id}
                      className={number ? 'number' : ''}
                      scope="col"
                      aria-sort={order ? ORDER[order] : undefined}
                    >
                      {whole && title !== '' ? (
                        <UnstyledButton fz="xs" fw={600} onClick={column.getToggleSortingHandler()}>
                          {title}
                          <span aria-hidden>{order === 'asc' ? ' ↑' : order === 'desc' ? ' ↓' : ''}</span>
                        </UnstyledButton>
                      ) : (
                        title || <span className="unseen">Acts</span>
                      )}
                    </Table.Th>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Thead>
          <TableBody rows={sorted} columns={visible} />
          {visible.some(({ total }) => total !== undefined) && (
            <Table.Tfoot>
              <Table.Tr>
                {visible.map(({ id, number, total }) => (
                  <Table.Td key={id} className={number ? 'number' : ''}>
                    {total}
                  </Table.Td>
                ))}
              </Table.Tr>
            </Table.Tfoot>
          )}
        </Table>
      </div>
    </div>
  );
}
