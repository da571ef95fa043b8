import type { IsoDate } from '../types.ts';

export type StructureIssueCode =
  | 'WATERFALL_INVALID'
  | 'TRANCHES_EXCEED_POOL'
  | 'DATE_INVALID'
  | 'TRIGGER_INVALID'
  | 'UNKNOWN_FIELD';

/** A defect of a structure; `path` is a JSON path such as `waterfall[3].to[1]`. */
export type StructureIssue = { code: StructureIssueCode; path: string; message: string };

/** Facts of the pool that a structure must fit; balance in currency units. */
export type PoolFacts = { balance: number; cut_off_date: IsoDate; closing_date: IsoDate };

export const invalid = (path: string, message: string): StructureIssue => ({ code: 'WATERFALL_INVALID', path, message });
