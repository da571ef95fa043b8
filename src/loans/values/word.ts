import type { Field } from '../dictionary/field.ts';
import { sqlText } from '../engine/sql.ts';
import type { ValueCount } from './date.ts';
import { isMissing } from './missing.ts';

/** How the words of an enum or boolean column are read: source text → canonical text, null for a missing value. */
export type WordReading = { meanings: Map<string, string | null>; unknown: ValueCount[] };

/** Yes and no in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish, as people and spreadsheets write them. */
const YES: ReadonlySet<string> = new Set(
  'Y YES TRUE T 1 1.0 J JA OUI SI SÍ SÌ SIM WAHR VRAI VERO VERDADERO WAAR TAK PRAWDA'.split(' '),
);
const NO: ReadonlySet<string> = new Set('N NO FALSE F 0 0.0 NEIN NON NÃO NEE FALSCH FAUX FALSO ONWAAR NIE FAŁSZ'.split(' '));

/**
 * Reads each distinct text of the column once: by the words of the user first, then the coding of a known source, the canonical words,
 * the words of the dictionary, and yes/no for booleans. Unknown words are listed, never guessed.
 */
export function decideWords(
  values: readonly ValueCount[],
  field: Field,
  requested: ReadonlyMap<string, string | null>,
): WordReading {
  const meanings = new Map<string, string | null>();
  const unknown: ValueCount[] = [];
  for (const value of values) {
    const meaning = meaningOf(value.text, field, requested);
    if (meaning === undefined) unknown.push(value);
    else meanings.set(value.text, meaning);
  }
  return { meanings, unknown };
}

function meaningOf(text: string, field: Field, requested: ReadonlyMap<string, string | null>): string | null | undefined {
  const word = wordKey(text);
  if (requested.has(word)) return requested.get(word);
  const whole = word.replace(/^(-?\d+)\.0+$/, '$1');
  if (requested.has(whole)) return requested.get(whole);
  const canonical = field.enum?.find((member) => wordKey(member) === word || member === word.replace(/[^A-Z0-9]+/g, '_'));
  if (canonical !== undefined) return canonical;
  for (const key of [word, whole]) if (Object.hasOwn(field.codes, key)) return field.codes[key];
  if (isMissing(text)) return null;
  if (field.type !== 'boolean') return field.enum?.find((member) => member === whole);
  return YES.has(word) ? 'true' : NO.has(word) ? 'false' : undefined;
}

/** Whether a text is a word for yes or no. */
export function isYesOrNo(text: string): boolean {
  const word = wordKey(text);
  return YES.has(word) || NO.has(word);
}

/** The form in which words are compared: upper case, runs of blanks as one. */
export function wordKey(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toUpperCase();
}

/** `wordKey` as SQL over a trimmed text; runs of blanks are rare and expensive to find, so they are looked for first. */
export function wordKeySql(text: string): string {
  const ragged = ['  ', '\t', '\n', '\r'].map((blank) => `contains(${text}, ${sqlText(blank)})`).join(' OR ');
  return `upper(CASE WHEN ${ragged} THEN trim(regexp_replace(${text}, '\\s+', ' ', 'g')) ELSE ${text} END)`;
}

/** SQL of the canonical word of a trimmed text: VARCHAR for enums, BOOLEAN for booleans. */
export function wordSql(text: string, reading: WordReading, field: Field): string {
  const branches = [...reading.meanings]
    .filter(([, meaning]) => meaning !== null)
    .map(([source, meaning]) => `WHEN ${sqlText(source)} THEN ${field.type === 'boolean' ? meaning : sqlText(meaning ?? '')}`);
  const type = field.type === 'boolean' ? 'BOOLEAN' : 'VARCHAR';
  if (branches.length === 0) return `CAST(NULL AS ${type})`;
  return `CAST(CASE ${text} ${branches.join(' ')} END AS ${type})`;
}

/** Texts that are read as missing values, so that they are not reported as unreadable. */
export function silentWords(reading: WordReading): string[] {
  return [...reading.meanings].filter(([, meaning]) => meaning === null).map(([source]) => source);
}
