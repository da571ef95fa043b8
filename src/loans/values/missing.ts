import { textList } from '../engine/sql.ts';
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

/** Whether a trimmed text means a missing value. */
export function isMissing(text: string | null): boolean {
  return text === null || (text.length <= LONGEST_MARKER && MARKER_SET.has(text.toLowerCase()));
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

/** A sentinel as tapes write it: `999`, `999.0`, `999%`. */
export function sentinelForms(sentinel: string): string[] {
  return [sentinel, `${sentinel}.0`, `${sentinel}.00`, `${sentinel}.000`, `${sentinel}%`];
}
