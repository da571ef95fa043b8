import type { ReactNode } from 'react';
import type { Cell, Column } from './column.ts';
import { count, Day, money, When, words } from './format.tsx';
import { Status } from './status.tsx';

/** Makes columns of one field each, which is shown in one way and sorted and exported as it is. */
const columnOf =
  <Value extends Cell>(cell: (value: Value) => ReactNode, common: { number?: boolean } = {}) =>
  <Name extends string>(id: Name, title: string, options: { hidden?: boolean } = {}): Column<Readonly<Record<Name, Value>>> => ({
    id,
    title,
    ...common,
    ...options,
    value: (row) => row[id],
    cell: (row) => cell(row[id]),
  });

type Absent = null | undefined;

/** An amount in US dollars. */
export const moneyColumn = columnOf<number | Absent>(money, { number: true });
/** A number of things. */
export const countColumn = columnOf<number | Absent>(count, { number: true });
/** An instant. */
export const whenColumn = columnOf<string | Absent>((at) => <When at={at} />);
/** A day. */
export const dayColumn = columnOf<string | Absent>((at) => <Day at={at} />);
export const statusColumn = columnOf<string | Absent>((status) => <Status of={status} />);
/** A word of the API. */
export const wordsColumn = columnOf<string>(words);
