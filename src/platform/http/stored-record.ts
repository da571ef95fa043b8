import type { Tx } from '../db/database.ts';
import type { Id } from '../ids.ts';

/** Where the stored fields of a record are. Its version is a hash of them: the same fields, the same version. */
export type StoredRecord = {
  table: string;
  /** SQL condition of its row `r` for the id `$1`. */
  where: string;
  /** SQL of its fields, a jsonb. */
  fields: string;
  /** Takes the locks that every operation on the record takes before that of its row. */
  hold?: (tx: Tx, id: string, organizationId: Id<'org'>) => Promise<unknown>;
};

/**
 * A record of one row of `table`, found by its column `id`. `without`: columns in which the platform keeps house, which are no part of the
 * record; `only`: the columns that change, where the row is large; `also`: SQL of what the record shows from other rows, without counters
 * that follow from them.
 */
export const storedRecord = (
  table: string,
  id: string,
  {
    without = [],
    only,
    also = [],
    hold,
  }: { without?: readonly string[]; only?: readonly string[]; also?: readonly string[]; hold?: StoredRecord['hold'] } = {},
): StoredRecord => {
  const row = only
    ? `jsonb_build_array(${only.map((column) => `r.${column}`).join(', ')})`
    : `to_jsonb(r) - '{${without.join()}}'::text[]`;
  return { table, where: `r.${id} = $1`, fields: `jsonb_build_array(${[row, ...also].join(', ')})`, ...(hold ? { hold } : {}) };
};

/**
 * The record that a path names: the first of `records` that has the id of the path's parameter, or of the caller's organization. Two parameters
 * with a slash between them are an id of that form.
 */
export type RecordOfPath = { records: readonly StoredRecord[]; param: string | null };

export const recordOfPath = (param: string, ...records: readonly StoredRecord[]): RecordOfPath => ({ records, param });

export const recordOfCaller = (record: StoredRecord): RecordOfPath => ({ records: [record], param: null });
