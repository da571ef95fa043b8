import { UnstyledButton } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import type { GridColumn, GridRow } from './grid-source.ts';

const WIDTH = 150;
const FIRST_WIDTH = 190;
const widthOf = (at: number): number => (at === 0 ? FIRST_WIDTH : WIDTH);
export const widthOfAll = (columns: readonly GridColumn[]): number => columns.reduce((sum, _, at) => sum + widthOf(at), 0);
export const cellId = (row: number, column: number): string => `cell-${row}-${column}`;

type RowProps = {
  index: number;
  row: GridRow | undefined;
  columns: readonly GridColumn[];
  height: number;
  /** Null where rows lead nowhere. */
  hrefOf: (rowNumber: string) => string | null;
  /** Pixels from the top of what is in view together. */
  top: number;
  /** First and last selected column; -1 where none is. */
  from: number;
  to: number;
  active: number;
};

/** A row of the grid. Scrolling moves rows as they are: one that is in view already is not made again. */
export const Row = memo(function Row({ index, row, columns, height, top, hrefOf, from, to, active }: RowProps): ReactNode {
  // While the bar is dragged hundreds of rows pass by that nobody reads: such a row is one element.
  if (!row && from < 0 && active < 0) {
    return (
      <div role="row" aria-rowindex={index + 2} className="grid-row" style={{ height, top }}>
        <div
          role="gridcell"
          aria-colspan={columns.length}
          data-row={index}
          data-column={0}
          className="to-read"
          style={{ width: widthOfAll(columns) }}
        />
      </div>
    );
  }
  const href = row ? hrefOf(String(row.row_number)) : null;
  return (
    <div role="row" aria-rowindex={index + 2} className="grid-row" style={{ height, top }}>
      {columns.map((column, at) => {
        const text = row ? column.show(row[column.id]) : '';
        const selected = at >= from && at <= to;
        return (
          <div
            key={column.id}
            id={cellId(index, at)}
            role="gridcell"
            data-row={index}
            data-column={at}
            aria-selected={selected}
            className={classOf(at, column.number, selected, at === active)}
            style={{ width: widthOf(at) }}
            title={text}
          >
            {!row ? (
              <span className="unread" />
            ) : at === 0 && href !== null ? (
              // A plain link: hundreds a second are drawn while one scrolls. The grid opens it without leaving the page.
              <a href={href} tabIndex={-1} draggable={false}>
                {text}
              </a>
            ) : (
              text
            )}
          </div>
        );
      })}
    </div>
  );
});

const classOf = (at: number, number: boolean, selected: boolean, active: boolean): string =>
  ['grid-cell', at === 0 && 'pinned', number && 'number', selected && 'selected', active && 'active'].filter(Boolean).join(' ');

type HeadProps = { columns: readonly GridColumn[]; sort: string | null; setSort: (sort: string | null) => void };

export const Head = ({ columns, sort, setSort }: HeadProps): ReactNode =>
  columns.map(({ id, title, about, number }, at) => {
    const order = sort === id ? 'ascending' : sort === `-${id}` ? 'descending' : undefined;
    const next = order === 'ascending' ? `-${id}` : order === 'descending' ? null : id;
    return (
      <div
        key={id}
        role="columnheader"
        className={classOf(at, number, false, false)}
        style={{ width: widthOf(at) }}
        aria-sort={order}
        title={about}
      >
        <UnstyledButton fz="xs" fw={600} onClick={() => setSort(next)}>
          {title}
          <span aria-hidden>{order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}</span>
        </UnstyledButton>
      </div>
    );
  });
