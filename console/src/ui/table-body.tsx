import { Table } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { Column } from './table.tsx';

type Props<Row> = {
  rows: readonly { id: string; original: Row }[];
  columns: readonly Column<Row>[];
  /** What scrolls, once it is there. */
  viewport: HTMLElement | null;
};

/** More rows are drawn only where they are seen. */
export const MANY = 150;
const [ROW_HEIGHT, BEYOND] = [37, 20];

/** The rows of a table: all of them where they are few or on paper, else those in view. */
export function TableBody<Row>({ rows, columns, viewport }: Props<Row>): ReactNode {
  const printing = usePrinting();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport,
    estimateSize: () => ROW_HEIGHT,
    overscan: BEYOND,
  });
  if (rows.length <= MANY || printing)
    return (
      <Table.Tbody>
        {rows.map((row) => (
          <OneRow key={row.id} row={row.original} columns={columns} />
        ))}
      </Table.Tbody>
    );
  const drawn = virtual.getVirtualItems();
  const [before, behind] = [drawn[0]?.start ?? 0, virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0)];
  return (
    <Table.Tbody>
      <Room height={before} columns={columns.length} />
      {drawn.map(({ index }) => {
        const row = rows[index];
        return row && <OneRow key={row.id} row={row.original} columns={columns} at={index} />;
      })}
      <Room height={behind} columns={columns.length} />
    </Table.Tbody>
  );
}

/** `at` is the place among all rows, where not all are drawn; the header is the first. */
function OneRow<Row>({ row, columns, at }: { row: Row; columns: readonly Column<Row>[]; at?: number }): ReactNode {
  return (
    <Table.Tr {...(at === undefined ? {} : { 'aria-rowindex': at + 2 })}>
      {columns.map(({ id, number, cell, value }) => (
        <Table.Td key={id} className={number ? 'number' : ''}>
          {cell ? cell(row) : (value(row) ?? '–')}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

const Room = ({ height, columns }: { height: number; columns: number }): ReactNode =>
  height > 0 && (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );

/** Whether the page is being put on paper, where nothing can be scrolled. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const [start, end] = [() => flushSync(() => setPrinting(true)), () => setPrinting(false)];
    addEventListener('beforeprint', start);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', start);
      removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}
