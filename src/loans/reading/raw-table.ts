import { textList } from '../engine/sql.ts';
import type { SealReason } from '../types.ts';

/** The formats of a tape; CSV may be packed with gzip. */
export type TapeFormat = 'csv' | 'xlsx' | 'parquet';

/** Limits of one reading; exceeding one ends in a problem that names it, never in an exhausted process. */
export interface ReadLimits {
  /** Size of the file as uploaded. */
  maxBytes: number;
  /** Data rows. */
  maxRows: number;
  /** Fields of the header. */
  maxColumns: number;
  /** Bytes of one row; a longer one is malformed and cut. */
  maxRowBytes: number;
  /** Bytes of what is read of a packed file, after expanding: parts of a workbook, text of a gzip file, values of a Parquet file. */
  maxExpandedBytes: number;
  /** Workbook and gzip only: expanded bytes for one packed byte, once 16 MiB are expanded. */
  maxExpansion: number;
}

const MIB = 1024 * 1024;

/** Limits of a tape by its format (contract, section 2). */
export function tapeLimits(format: TapeFormat): ReadLimits {
  const shared = { maxColumns: 2_000, maxRowBytes: MIB / 2, maxExpandedBytes: 2_048 * MIB, maxExpansion: 150 };
  if (format === 'xlsx') return { ...shared, maxBytes: 100 * MIB, maxRows: 1_048_576 };
  return { ...shared, maxBytes: 512 * MIB, maxRows: 5_000_000 };
}

export interface ReadInput {
  /** A local file. */
  path: string;
  /** The format that was named for the file; it is read as what it is. */
  format: TapeFormat;
  /** A directory that exists; the canonical CSV is written into it and belongs to the caller. */
  workDir: string;
  limits?: Partial<ReadLimits>;
  signal?: AbortSignal;
  /** Called after each part of the file with the bytes read so far and all that will be read. */
  onBytes?: ReadBytes;
}

export type ReadBytes = (done: number, total: number) => void;

export type ProblemCode = 'EMPTY_FILE' | 'UNREADABLE_FILE' | 'NO_LOAN_ROWS' | 'TOO_LARGE' | 'TOO_MANY_ROWS';

/** Why a file cannot be read as a tape: what was found, what was expected and what to do. */
export interface ReadProblem {
  code: ProblemCode;
  message: string;
}

export type ReadOutcome = { ok: true; table: RawTable } | { ok: false; problem: ReadProblem };

export type ProbeOutcome = { ok: true; columns: RawColumn[]; firstRows: string[][] } | { ok: false; problem: ReadProblem };

export interface RawColumn {
  /** Position in the file, from 0; the values are in `c{index}`. */
  index: number;
  /** As in the file, trimmed; may be empty. */
  name: string;
  /** Lower case, runs of other than letters and digits as `_`; duplicates get `_2`, `_3`; never empty. */
  normalized: string;
  /** What a second header row says under the name, such as its unit. */
  under?: string;
  /** Spreadsheet letter, workbooks only. */
  letter?: string;
  /** Workbooks only: number formats seen on cells of this column. */
  formats?: { percent?: boolean; date?: boolean; codes?: readonly FormatCode[] };
  /** Why the values are sealed; absent while they are in `c{index}` as on the tape. */
  sealed?: SealReason;
}

/** A number format that shows a unit beside the number, and how many cells of the column have it. */
export type FormatCode = { code: string; cells: number };

/** An observation of the reader that the originator should know. */
export interface ReadNotice {
  code: NoticeCode;
  severity: 'WARNING' | 'ERROR';
  line?: number;
  row_number?: number;
  column?: string;
  message: string;
  actual?: string;
  expected?: string;
}

export type NoticeCode =
  | 'BANNER_LINES'
  | 'BLANK_DELIMITED'
  | 'BLANK_ROWS'
  | 'COLUMN_AS_TEXT'
  | 'CORRECTION_COLUMNS_DIFFER'
  | 'CORRECTION_OF_OTHER_VERSION'
  | 'CORRECTION_ROW_DIFFERS'
  | 'CORRECTION_ROW_REPEATED'
  | 'CORRECTION_ROW_UNKNOWN'
  | 'CORRECTION_ROW_UNREADABLE'
  | 'CORRECTION_WITHOUT_VERSION'
  | 'DUPLICATE_HEADER'
  | 'GROUPED_HEADER'
  | 'EMPTY_HEADER'
  | 'LAYOUT_RECOGNISED'
  | 'LOAN_COUNT_DIFFERS'
  | 'ENCODING_DETECTED'
  | 'FOOTER_LINE'
  | 'FORMAT_DIFFERS'
  | 'FORMULA_WITHOUT_VALUE'
  | 'HEADER_SHIFTED'
  | 'HIDDEN_COLUMNS'
  | 'HIDDEN_ROWS'
  | 'HIDDEN_SHEET'
  | 'INVALID_TEXT'
  | 'LONG_NUMERIC_ID'
  | 'MERGED_CELLS'
  | 'NUL_BYTES'
  | 'ONE_COLUMN'
  | 'OTHER_HEADER_ROW'
  | 'OTHER_SHEETS'
  | 'RAGGED_ROW'
  | 'ROUNDED_NUMBERS'
  | 'SECOND_HEADER_ROW'
  | 'STRAY_QUOTE'
  | 'TOTALS_ROW'
  | 'TOTALS_ROW_SUSPECTED'
  | 'TRAILING_BLANK_ROWS';

/** A row that cannot serve as a loan; it is still in the table (padded or cut), so that a correctable file can show it. */
export interface MalformedRow {
  row_number: number;
  line: number;
  reason: string;
  actual: string;
  expected: string;
}

/** A row that is longer than a row can be. */
export function tooLong(row_number: number, line: number, most: number): MalformedRow {
  const reason = 'the row is longer than a row can be, its values are cut';
  return { row_number, line, reason, actual: `more than ${most} bytes`, expected: `at most ${most} bytes` };
}

/** Bytes kept of a row that is too long. */
const CUT_ROW_BYTES = 65_536;

/** What is kept of each of its values. */
export function cutOf(columns: number): number {
  return Math.max(16, Math.floor(CUT_ROW_BYTES / columns));
}

/** A line of totals that was left out by its words alone, and its numbers by the index of their columns. */
export interface StatedTotals {
  line: number;
  numbers: readonly (readonly [column: number, number: number])[];
}

/**
 * A tape as text: nothing mapped, nothing converted, nothing dropped except lines that are not loans (with a notice each).
 * Row numbers start at 1 with the first data row; `line` is the physical line of the file where the row starts (the sheet's
 * row number for workbooks, the row number for Parquet).
 */
export interface RawTable {
  /** Files of the canonical CSV, `row_number, line, c0 … c{n-1}` without a header, in their order; read them through {@link rawTableSource}. */
  csvPaths: readonly string[];
  columns: RawColumn[];
  rowCount: number;
  format: TapeFormat;
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'shift_jis';
  /** CSV only, else empty. */
  delimiter: '' | ',' | ';' | '\t' | '|' | ' ';
  headerLine: number;
  /** Some value contains a line break: the engine must not split a file between threads. */
  multiline: boolean;
  sheet?: { name: string; index: number; hidden: string[]; others: string[] };
  dateSystem?: 1900 | 1904;
  /** At most 1,000 of each code. */
  notices: ReadNotice[];
  /** Number of notices of each code, including those beyond the limit. */
  noticeCounts: Partial<Record<NoticeCode, number>>;
  malformedRows: MalformedRow[];
  /** Lines of totals whose numbers were compared with nothing. */
  statedTotals?: readonly StatedTotals[];
}

/**
 * SQL of a table function over the canonical CSV: columns `row_number INTEGER, line INTEGER, c0 … VARCHAR` in the order of the
 * file; an empty value is NULL, every other value is the text of the tape byte for byte.
 */
export function rawTableSource(table: Pick<RawTable, 'csvPaths' | 'columns' | 'multiline'>): string {
  const columns = table.columns.map((column) => `'c${column.index}': 'VARCHAR'`);
  const shape = `{'row_number': 'INTEGER', 'line': 'INTEGER'${columns.map((column) => `, ${column}`).join('')}}`;
  return (
    `read_csv(${textList(table.csvPaths)}, auto_detect=false, header=false, delim=',', quote='"', escape='"', new_line='\\n', ` +
    `strict_mode=true, parallel=${!table.multiline}, columns=${shape})`
  );
}
