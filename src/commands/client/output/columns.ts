import type { Noun } from '../catalogue/nouns.ts';
import type { Operation } from '../catalogue/operation.ts';
import type { Record_ } from './cells.ts';

const FIRST = [/^(id|\w*_id)$/, /^(name|title|file_name)$/, /^(status|state|kind|type|event)$/, /^(row_number|line|period)$/];
const LAST = [/_at$/, /^(description|message|detail|reason)$/];
const MOST = 8;

/** The columns of a list: those of its noun, or the telling ones of its records: the id, the name, the state, figures, then dates. */
export function columnsOf({ reply }: Operation, noun: Noun | null, records: readonly Record_[]): string[] {
  const known = reply.columns.length > 0 ? reply.columns : plainFields(records[0]);
  if (noun?.columns?.every((name) => known.includes(name))) return [...noun.columns];
  const rank = (name: string, index: number): number => {
    const first = FIRST.findIndex((pattern) => pattern.test(name));
    // Only the id of the record itself comes first.
    if (first === 0 && index > 0) return 50;
    if (first >= 0) return first;
    const last = LAST.findIndex((pattern) => pattern.test(name));
    return last >= 0 ? 60 + last : reply.money.includes(name) ? 10 : 20;
  };
  return known
    .map((name, index) => ({ name, rank: rank(name, index), index }))
    .sort((one, other) => one.rank - other.rank || one.index - other.index)
    .slice(0, MOST)
    .map(({ name }) => name);
}

const plainFields = (record: Record_ = {}): string[] =>
  Object.keys(record).filter((name) => typeof record[name] !== 'object' || record[name] === null);

/** All fields, those of the description first: for files. */
export function allColumns({ reply }: Operation, records: readonly Record_[]): string[] {
  return [...new Set([...reply.columns, ...records.flatMap((record) => Object.keys(record))])];
}
