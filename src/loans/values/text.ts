import { STATE_NAMES } from '../dictionary/dictionary.ts';
import { sqlText } from '../engine/sql.ts';
import { missingSql } from './missing.ts';
import { tokenSql } from './token.ts';

/** Text with inner runs of blanks collapsed; missing markers are NULL. `text` is trimmed. */
export function stringSql(text: string): string {
  return `CASE WHEN ${missingSql(text)} THEN NULL ELSE ${collapsedSql(text)} END`;
}

function collapsedSql(text: string): string {
  const ragged = `contains(${text}, '  ') OR ${hasOddBlank(text)}`;
  return `CASE WHEN ${ragged} THEN nullif(trim(regexp_replace(${text}, '[\\s\\x{a0}]+', ' ', 'g')), '') ELSE ${text} END`;
}

/**
 * An id: trimmed, without what nobody sees and otherwise untouched, so that `00123` keeps its zeros; only `100000.0`, which a program
 * writes for the number 100000 when another id of the column is missing, is `100000` as in any other version of the tape.
 */
export function idSql(text: string): string {
  return `CASE WHEN ${floatIdSql(text)} THEN left(${text}, -2) ELSE ${bareSql(text, INVISIBLE)} END`;
}

/** SQL that is true for a whole number that was written as a float; never null. A float has no leading zeros. */
export function floatIdSql(text: string): string {
  return `coalesce(ends_with(${text}, '.0') AND regexp_full_match(${text}, '(?:0|[1-9][0-9]*)\\.0'), false)`;
}

/**
 * Characters that nobody sees, as a part of a class of a regular expression: soft hyphens, blanks of no width, marks of direction and
 * variation, invisible operators.
 */
const INVISIBLE =
  '\\x{ad}\\x{61c}\\x{180e}\\x{200b}-\\x{200f}\\x{202a}-\\x{202e}\\x{2060}-\\x{2064}\\x{2066}-\\x{206f}\\x{fe00}-\\x{fe0f}\\x{feff}';

/** Text without the blanks around it and without soft hyphens and blanks of no width, otherwise untouched; missing markers are NULL. */
export const bareTextSql = (text: string): string => bareSql(text, '\\x{ad}\\x{200b}\\x{2060}\\x{feff}');

function bareSql(text: string, leftOut: string): string {
  const bare = `nullif(regexp_replace(${text}, '^[\\s\\x{a0}\\x{feff}]+|[\\s\\x{a0}]+$|[${leftOut}]', '', 'g'), '')`;
  return `CASE WHEN ${missingSql(text)} THEN NULL WHEN ${hasOddBlank(text)} OR strlen(${text}) <> length(${text}) THEN ${bare} ELSE ${text} END`;
}

/** SQL of a text without any blank and without what nobody sees. */
export const withoutBlanks = (text: string): string =>
  `regexp_replace(${text}, '[\\s\\x{a0}\\x{202f}\\x{3000}${INVISIBLE}]', '', 'g')`;

function hasOddBlank(text: string): string {
  return ['\t', '\n', '\r', '\u00a0'].map((blank) => `contains(${text}, ${sqlText(blank)})`).join(' OR ');
}

/** A state as its two-letter code: upper case, full names shortened; anything else is kept and reported. */
export function stateSql(text: string): string {
  const names = Object.entries(STATE_NAMES).map(([name, code]) => `WHEN ${sqlText(name)} THEN ${sqlText(code)}`);
  const other = `list_transform([${collapsedSql(text)}], lambda name: CASE WHEN strlen(name) = 2 THEN upper(name) ELSE CASE upper(name) ${names.join(' ')} ELSE name END END)[1]`;
  return `CASE WHEN ${missingSql(text)} THEN NULL WHEN strlen(${text}) = 2 THEN upper(${text}) ELSE ${other} END`;
}

/** The token of a name: the same person always has the same one, in any case and with any blanks. */
export function pseudonymSql(text: string): string {
  return `CASE WHEN ${missingSql(text)} THEN NULL ELSE ${tokenSql(`upper(regexp_replace(${text}, '\\s+', ' ', 'g'))`)} END`;
}
