import type { Records } from '../../app/api.ts';

/** How many wait, since when the newest does, and by when the first has to be done; `note` where not all of them were looked at. */
export type Waits = { total: number; newest: string | null; deadline: string | null; note?: string; to?: string };

export type Listed<Row> = { data: Row[]; pagination: Pick<Records['Pagination'], 'total'> };

/** Of so many records, the newest, deadlines are looked at. */
export const MANY = { limit: 100 };

/** Of records that have no deadline. */
export const waits = ({ data, pagination }: Listed<{ created_at: string }>): Waits => ({
  total: pagination.total ?? data.length,
  newest: data[0]?.created_at ?? null,
  deadline: null,
});

/** Of records with a deadline: the first of it. */
export const waitsUntil = <Row extends { created_at: string }>(
  list: Listed<Row>,
  deadlineOf: (row: Row) => string | null,
): Waits => ({
  ...waits(list),
  deadline: firstOf(list.data.map(deadlineOf)),
  ...(isCut(list) ? { note: `The deadline is the first of the newest ${list.data.length}: see the list for the others.` } : {}),
});

/** Of those records of a list that a condition finds, which the API does not know. */
export const waitsAmong = <Row extends { created_at: string }>(
  list: Listed<Row>,
  condition: (row: Row) => boolean,
  deadlineOf: (row: Row) => string | null,
): Waits => {
  const found = list.data.filter(condition);
  return {
    ...waitsUntil({ data: found, pagination: { total: found.length } }, deadlineOf),
    ...(isCut(list) ? { note: `Counted among the newest ${list.data.length}: see the list for the others.` } : {}),
  };
};

/** Where not all records were looked at, that none was found does not say that none waits. */
export const isShown = ({ total, note }: Waits): boolean => total > 0 || note !== undefined;

const firstOf = (times: readonly (string | null)[]): string | null => times.filter((at) => at !== null).toSorted()[0] ?? null;
const isCut = ({ data, pagination }: Listed<unknown>): boolean => (pagination.total ?? data.length) > data.length;
