import type { ListPage } from './list.tsx';

export type GridRow = Record<string, unknown>;

export type GridColumn = {
  id: string;
  title: string;
  /** Name, type and unit of the field, told where one points at its header. */
  about: string;
  hidden: boolean;
  number: boolean;
  show: (value: unknown) => string;
};

export type GridQuery = { offset: number; limit: number; sort: string | null; signal: AbortSignal };

export type GridSource = {
  name: readonly unknown[];
  read: (query: GridQuery) => Promise<ListPage<GridRow>>;
  /** Where a row leads to; without it rows lead nowhere. */
  linkOf?: ((rowNumber: string) => string) | undefined;
};

/** Rows that are read at once. */
export const WINDOW = 200;
