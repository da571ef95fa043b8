import { Table } from '@mantine/core';
import { lazyRouteComponent } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Column } from './column.ts';

export type BodyProps<Row> = {
  rows: readonly { id: string; original: Row }[];
  columns: readonly Column<Row>[];
};

/** More rows are drawn only where they are seen. */
export const MANY = 150;

// Read for the first long table: most tables are short, and measuring what scrolls makes them slow to appear.
const RowsInView = lazyRouteComponent(() => import('./rows-in-view.tsx'), 'RowsInView');

/** The rows of a table: all of them where they are few or on paper, else those in view. */
export function TableBody<Row extends object>({ rows, columns }: BodyProps<Row>): ReactNode {
  const printing = usePrinting();
  if (rows.length <= MANY || printing) return <AllRows rows={rows} columns={columns} />;
  return (
    <Suspense fallback={<AllRows rows={rows.slice(0, MANY)} columns={columns} />}>
      <RowsInView count={rows.length} columns={columns.length}>
        {(index) => {
          const row = rows[index];
          return row && <OneRow key={row.id} row={row.original} columns={columns} at={index} />;
        }}
      </RowsInView>
    </Suspense>
  );
}

const AllRows = <Row extends object>({ rows, columns }: BodyProps<Row>): ReactNode => (
  <Table.Tbody>
    {rows.map((row) => (
      <OneRow key={row.id} row={row.original} columns={columns} />
    ))}
  </Table.Tbody>
);

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
