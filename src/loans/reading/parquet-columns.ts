import { sumSql } from '../engine/sql.ts';

/** How a column of Parquet becomes text. */
export type ColumnKind = 'PLAIN' | 'QUOTED' | 'FLOAT' | 'TIMESTAMP' | 'INSTANT' | 'BYTES' | 'AS_TEXT';

export interface ParquetColumn {
  name: string;
  kind: ColumnKind;
  /** A word for the type, for messages. */
  type: string;
  /** Its numbers have 32 bits or fewer. */
  isNarrow?: true;
}

/** The kind of a column by its type in the engine. */
export function columnType(type: string): Omit<ParquetColumn, 'name'> {
  if (/^(STRUCT|MAP|UNION|VARIANT|GEOMETRY)\b|\[\d*\]$/.test(type)) return { kind: 'AS_TEXT', type: nestedWord(type) };
  if (type === 'BLOB') return { kind: 'BYTES', type: 'binary' };
  if (type === 'FLOAT') return { kind: 'FLOAT', type: 'number', isNarrow: true };
  if (type === 'DOUBLE') return { kind: 'FLOAT', type: 'number' };
  if (/^TIMESTAMP.* WITH TIME ZONE$/.test(type)) return { kind: 'INSTANT', type: 'timestamp' };
  if (type.startsWith('TIMESTAMP')) return { kind: 'TIMESTAMP', type: 'timestamp' };
  if (/^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\b.*|DATE|BOOLEAN)$/.test(type)) return { kind: 'PLAIN', type: 'value' };
  return { kind: 'QUOTED', type: 'text' };
}

function nestedWord(type: string): string {
  if (type.endsWith(']')) return 'list';
  return /^[A-Z]+/.exec(type)?.[0].toLowerCase() ?? 'nested';
}

/** Names of the columns of a schema that is listed depth first, its root first. */
export function topLevelNames(schema: readonly { name: string; num_children: number | null }[]): string[] {
  const names: string[] = [];
  let at = 1;
  const skip = () => {
    let open = 1;
    for (; open > 0 && at < schema.length; at += 1) open += (schema[at].num_children ?? 0) - 1;
  };
  while (at < schema.length) {
    names.push(schema[at].name);
    skip();
  }
  return names;
}

/**
 * SQL of the rows of a Parquet file as lines of CSV in the order of the file, and whether a row has more than `rowBytes` bytes: the
 * values of such a row are cut, so that a small file of large values cannot fill the memory.
 */
export function parquetLines(source: string, columns: readonly ParquetColumn[], rowBytes: number): string {
  const names = columns.map((_, index) => `c${index}`);
  const texts = columns.map(({ kind }, index) => `${textSql(kind, `c${index}`)} AS t${index}`);
  const sizes = columns.flatMap(({ kind }, index) => (isShort(kind) ? [] : [`coalesce(strlen(t${index}), 0)`]));
  const cut = Math.max(16, Math.floor(rowBytes / 2 / columns.length));
  const line = (value: (index: number) => string) =>
    `concat(${columns.map(({ kind }, index) => (isShort(kind) ? value(index) : quotedSql(value(index)))).join(", ',', ")})`;
  return (
    `SELECT is_long, CASE WHEN is_long THEN ${line((index) => `left(t${index}, ${cut})`)} ELSE ${line((index) => `t${index}`)} END AS line ` +
    `FROM (SELECT *, ${sizes.length === 0 ? 'false' : `(${sumSql(sizes)}) > ${rowBytes}`} AS is_long FROM (SELECT ${texts.join(', ')} FROM ${source} AS file(${names.join(', ')})))`
  );
}

/**
 * SQL of one row that counts, as `n` and the index of the column, the values of each binary column that are no text and the rounded ones of each
 * column of 32 bits. Null where the file has neither.
 */
export function doubtfulCountsSql(source: string, columns: readonly ParquetColumn[]): string | null {
  const counts = columns.flatMap((column, index) => {
    const doubtful = column.isNarrow ? roundedSql(`c${index}`) : column.kind === 'BYTES' ? noTextSql(`c${index}`) : null;
    return doubtful === null ? [] : [`count(*) FILTER (${doubtful}) AS n${index}`];
  });
  const names = columns.map((_, index) => `c${index}`);
  return counts.length === 0 ? null : `SELECT ${counts.join(', ')} FROM ${source} AS file(${names.join(', ')})`;
}

const noTextSql = (column: string): string => `${column} IS NOT NULL AND TRY(decode(${column})) IS NULL`;

/** From 2^17 on two neighbours are more than a cent apart, from 2^24 on more than one. A whole number below that is taken for the one that was meant. */
function roundedSql(column: string): string {
  const value = `abs(${column})`;
  return `isfinite(${column}) AND (${value} > 16777216 OR (${value} >= 131072 AND ${value} <> trunc(${value})))`;
}

/** Numbers and times: a few bytes without a delimiter. */
function isShort(kind: ColumnKind): boolean {
  return kind === 'PLAIN' || kind === 'FLOAT' || kind === 'TIMESTAMP' || kind === 'INSTANT';
}

function textSql(kind: ColumnKind, column: string): string {
  const text = `CAST(${column} AS VARCHAR)`;
  switch (kind) {
    case 'FLOAT':
      // Programs keep whole numbers, ids among them, as floats when a value is missing.
      return `CASE WHEN isnan(${column}) THEN NULL WHEN ${column} = trunc(${column}) AND abs(${column}) < 1e15 THEN CAST(CAST(${column} AS BIGINT) AS VARCHAR) ELSE ${text} END`;
    case 'TIMESTAMP':
      return timestampSql(text);
    case 'INSTANT':
      return `CASE WHEN isfinite(${column}) THEN ${instantSql(column)} ELSE ${text} END`;
    case 'BYTES':
      // Older writers do not mark text as such.
      return `coalesce(TRY(decode(${column})), ${text})`;
    default:
      return text;
  }
}

/** A day as a date, any other time as `2026-10-31T12:30:00`. */
function timestampSql(text: string): string {
  return `replace(regexp_replace(${text}, ' 00:00:00$', ''), ' ', 'T')`;
}

/** The same in universal time, which a `Z` after the time says. */
function instantSql(column: string): string {
  const text = timestampSql(`CAST(make_timestamp(epoch_us(${column})) AS VARCHAR)`);
  return `regexp_replace(${text}, '(T.*)$', '\\1Z')`;
}

function quotedSql(value: string): string {
  return `CASE WHEN ${value} IS NOT NULL THEN '"' || replace(${value}, '"', '""') || '"' END`;
}
