import { DESTROYED_TEXT, SEALED_TEXT } from '../types.ts';

/** A text as an SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Text or null as an SQL literal of type VARCHAR. */
export function textOrNull(text: string | null | undefined): string {
  return text === null || text === undefined ? 'CAST(NULL AS VARCHAR)' : sqlText(text);
}

/** A list of texts as an SQL list; `list_contains` on it keeps the order of rows, whereas `IN` with many texts becomes a join. */
export function textList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`;
}

/** Texts of a row as one JSON text: many columns cross from the engine several times faster as one. */
export function jsonList(values: readonly string[]): string {
  return values.length === 0 ? "'[]'" : `CAST(to_json([${values.join(', ')}]) AS VARCHAR)`;
}

/** SQL of the texts of a row as one text, and of what is kept of it, computed over a column that holds it. */
export interface Gathering {
  text(values: readonly string[]): string;
  kept(column: string, values: readonly string[]): string;
}

/** A list in JSON; a missing text is null. */
export const AS_LIST: Gathering = { text: jsonList, kept: (column) => column };

/** Stands before each cell of a row of marked cells. */
export const CELL_MARK = '\u001f';

/**
 * Each text behind a mark, a missing one empty; a list in JSON where one of them has the mark itself. Such a text is read in a third of the time
 * of a list.
 */
export const AS_MARKED: Gathering = {
  text: (values) =>
    values.length === 0 ? "''" : `concat(${values.map((value) => `${MARK}, coalesce(${value}, '')`).join(', ')})`,
  kept: (column, values) =>
    `CASE WHEN strlen(${column}) - strlen(replace(${column}, ${MARK}, '')) = ${values.length} THEN ${column} ELSE ${jsonList(values)} END`,
};
const MARK = `chr(${CELL_MARK.charCodeAt(0)})`;

/** The text of a source column as a file shows it: the mark of a sealed value says when it is destroyed. */
export function sourceCell(column: string, isDestroyed: boolean): string {
  return isDestroyed
    ? `CASE WHEN ${column} = ${sqlText(SEALED_TEXT)} THEN ${sqlText(DESTROYED_TEXT)} ELSE ${column} END`
    : column;
}

/** `read_parquet` of one file. */
export function parquet(path: string): string {
  return `read_parquet(${sqlText(path)})`;
}

/**
 * Rows of a group of our Parquet files: half the engine's own number. A page reads the group that it lies in, and a million rows make
 * enough groups to keep two cores busy to the end (the typed columns of a tape: 3.1 s in the place of 4.5 s).
 */
export const ROW_GROUP_ROWS = 61_440;

/** Columns up to which a group may be that long. */
const GROUP_COLUMNS = 60;
/** What the engine reads and writes at once; a group is a multiple of it. */
const VECTOR_ROWS = 2_048;

/**
 * Rows of a group of that many columns: a group is in memory while it is written, so wide ones are shorter. A group of a file of few rows is no longer
 * than that, since the engine makes room for dictionaries of it: a small tape is stored in three fifths of the time.
 */
export function rowGroupRows(columns: number, rows = Infinity): number {
  const most = Math.min(ROW_GROUP_ROWS, (ROW_GROUP_ROWS * GROUP_COLUMNS) / columns, rows + VECTOR_ROWS - 1);
  return Math.max(VECTOR_ROWS, Math.floor(most / VECTOR_ROWS) * VECTOR_ROWS);
}

/** A sum of any number of terms, in halves: the engine bounds how deep an expression may be, and plans a deep one in half as long again. */
export function sumSql(terms: readonly string[]): string {
  if (terms.length < 3) return terms.join(' + ') || '0';
  const middle = Math.ceil(terms.length / 2);
  return `(${sumSql(terms.slice(0, middle))}) + (${sumSql(terms.slice(middle))})`;
}

export const MILLION = 1_000_000n;

/** SQL of an amount, DECIMAL(18,6), in two parts: whole millions, and the rest. */
export function inMillions(amount: string): { millions: string; rest: string } {
  const millions = `(CAST(trunc(${amount}) AS BIGINT) // ${MILLION})`;
  return { millions, rest: `(${amount} - ${millions} * ${MILLION})` };
}

/** Columns that a statement treats at once where there may be any number: memory then does not grow with the width of a tape. */
const COLUMNS_AT_ONCE = 100;

/** The columns of a tape, or what stands for them, a hundred at a time. */
export function* columnSlices<Column>(columns: readonly Column[]): Generator<Column[], void> {
  for (let start = 0; start < columns.length; start += COLUMNS_AT_ONCE) yield columns.slice(start, start + COLUMNS_AT_ONCE);
}

/**
 * Texts, or numbers, of a column of a group that get a dictionary. The engine takes room for many more of each column of each group and gives it back, which
 * takes longer than the rest of writing: a file of a million loans is made in three quarters of the time, and is a fortieth larger.
 */
const DICTIONARY_TEXTS = 4_096;

/** Writes a query into a Parquet file, in the order of the query. */
export function copyToParquet(query: string, path: string, more = '', groupRows = ROW_GROUP_ROWS): string {
  const dictionary = groupRows > DICTIONARY_TEXTS ? `, DICTIONARY_SIZE_LIMIT ${DICTIONARY_TEXTS}` : '';
  const layout = `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${groupRows}${dictionary}`;
  return `COPY (${query}) TO ${sqlText(path)} (${layout}${more})`;
}

/** The same for a file that only this ingest reads: half as long again, and made in seven eighths of the time. */
export function copyToWorkFile(query: string, path: string): string {
  return `COPY (${query}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`;
}

/**
 * An expression over a column whose texts repeat, computed once for each text of a group of the file: the engine does so for functions, and computes
 * casts and CASE for each row unless they are inside of one. The parameter has the name of the column. Where texts do not repeat it is slower.
 */
export function oncePerText(column: string, expression: string): string {
  return `list_transform([${column}], lambda ${column}: ${expression})[1]`;
}
