import { sqlText, textList } from '../engine/sql.ts';
import { DESTROYED_TEXT, SEALED_TEXT } from '../types.ts';

/** Whole values that mean a missing value on any tape, in lower case. */
export const MISSING_MARKERS: readonly string[] = [
  '',
  'na',
  'n/a',
  '#n/a',
  'null',
  'none',
  'nan',
  '.',
  '-',
  '--',
  'not available',
  'not applicable',
  // What databases, data frames, pivot tables and data terminals write for no value.
  '\\n',
  '(null)',
  '<null>',
  '[null]',
  '<na>',
  '(blank)',
  '#n/a n/a',
  // The no-data options of the ESMA templates.
  'nd1',
  'nd2',
  'nd3',
  'nd4',
  'nd5',
  SEALED_TEXT,
  DESTROYED_TEXT,
];

const LONGEST_MARKER = Math.max(...MISSING_MARKERS.map((marker) => marker.length));
const MARKER_SET: ReadonlySet<string> = new Set(MISSING_MARKERS);
const BEGINNINGS: ReadonlySet<string> = new Set(MISSING_MARKERS.map((marker) => marker.charAt(0)));

/** Whether a trimmed text means a missing value. */
export function isMissing(text: string | null): boolean {
  if (text === null) return true;
  // Most values are numbers, which begin as no marker does.
  return text.length <= LONGEST_MARKER && BEGINNINGS.has(text.charAt(0).toLowerCase()) && MARKER_SET.has(text.toLowerCase());
}

/** `isMissing` as SQL over a trimmed text; never null. */
export function missingSql(text: string): string {
  return `(${text} IS NULL OR (strlen(${text}) <= ${LONGEST_MARKER} AND list_contains(${textList(MISSING_MARKERS)}, lower(${text}))))`;
}

/**
 * The text of a source column without outer spaces. Other blanks (tabs, no-break spaces) are rare and four times as expensive to
 * find, so each kind of reading handles them where its fast path fails.
 */
export function trimmedSql(column: string): string {
  return `trim(${column})`;
}

/**
 * The text of a source column, without the mark by which a spreadsheet keeps it a text: `="00123"` as `00123`. Numbers lose it with other
 * marks, where they are read.
 */
export function cellTextSql(column: string): string {
  const text = trimmedSql(column);
  return `CASE WHEN starts_with(${text}, '="') THEN trim(regexp_replace(${text}, '^="(.*)"$', '\\1')) ELSE ${text} END`;
}

/**
 * SQL that is true of a text that is empty, has a space at an end or is not of ASCII alone; a missing text is none of them. To look at the ends of a
 * text takes a tenth of the time of `trim`, which looks up each character, and twice as long to plan.
 */
function isWrapped(column: string): string {
  return `${column} < '!' OR ends_with(${column}, ' ') OR strlen(${column}) <> length(${column})`;
}

/** `trimmedSql`, and NULL in the place of an empty text: fast of a column of many texts, short where they are few or repeat. */
export function presentTextSql(column: string, isFast: boolean): string {
  if (!isFast) return `nullif(${trimmedSql(column)}, '')`;
  return `CASE WHEN ${isWrapped(column)} THEN nullif(${trimmedSql(column)}, '') ELSE ${column} END`;
}

/** `cellTextSql`, and NULL in the place of an empty text: fast of a column of many texts, short where they are few or repeat. */
export function presentCellSql(column: string, isFast: boolean): string {
  if (!isFast) return `nullif(${cellTextSql(column)}, '')`;
  return `CASE WHEN ${isWrapped(column)} OR starts_with(${column}, '=') THEN nullif(${cellTextSql(column)}, '') ELSE ${column} END`;
}

/** `cellTextSql` of a text in this process. */
export function cellText(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith('="') ? trimmed.replace(/^="(.*)"$/, (_, held: string) => held.trim()) : trimmed;
}

/**
 * SQL that is true where a text is one of the sentinels, none of them empty: `9999`, also with zeros before or behind it, with groups of thousands
 * or a percent sign.
 */
export function sentinelSql(text: string, sentinels: readonly string[], european = false): string {
  const [comma, point] = european ? ['\\.', '[.,]'] : [',', '\\.'];
  const digits = sentinels.map((sentinel) => sentinel.replace(/\B(?=(?:\d{3})+$)/g, `${comma}?`));
  const written = sqlText(`0*(?:${digits.join('|')})(?:${point}0*)?\\s*%?`);
  return `(list_contains(${textList(sentinels)}, ${text}) OR (strlen(${text}) > ${shortest(sentinels)} AND regexp_full_match(${text}, ${written})))`;
}

function shortest(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length));
}
