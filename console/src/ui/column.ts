import type { ReactNode } from 'react';

export type Cell = string | number | null | undefined;

/** A column: what is shown, and the plain value of it, by which rows are sorted and which is written to a file. */
export type Column<Row> = {
  id: string;
  title: string;
  value: (row: Row) => Cell;
  cell?: (row: Row) => ReactNode;
  number?: boolean;
  /** Not shown before somebody asks for it. */
  hidden?: boolean;
  /** Of all rows together, in a row at the end. */
  total?: ReactNode;
};
