import { STATE_CODES, STATE_NAMES } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { dateText } from '../values/date.ts';
import { cellText, isMissing } from '../values/missing.ts';
import { CURRENCY_MARK, RANGE, UNIT_WORD } from '../values/number.ts';
import { isYesOrNo } from '../values/word.ts';
import type { Likeness } from './header-likeness.ts';

/** Sampled texts of one column, without blanks and missing markers. */
export type ColumnSample = {
  texts: readonly string[];
  distinct: number;
  /** What was found before: the columns of a tape are matched several times. */
  found?: {
    /** Shares of the texts, by what they were counted for. */
    shares: Map<Field | Test, number>;
    /** How well the header of the column names each field. */
    likeness: Map<Field, Likeness>;
  };
};

type Test = (text: string, field: Field) => boolean;

export function sampleOf(values: readonly (string | null)[]): ColumnSample {
  const texts = values
    .map((value) => (value === null ? null : cellText(value)))
    .filter((value): value is string => !isMissing(value));
  return { texts, distinct: new Set(texts).size, found: { shares: new Map(), likeness: new Map() } };
}

/** Share of the sample, 0..1, that can be a value of the field; null for an empty sample. */
export function contentAgreement(sample: ColumnSample, field: Field): number | null {
  if (sample.texts.length === 0) return null;
  const fits = TESTS[field.field === 'state' ? 'state' : field.type];
  // For fields of a type that have no codes, the texts are counted once.
  const isOwn = fits === isWord || Object.keys(field.codes).length > 0;
  return share(sample, isOwn ? field : fits, (text) => fits(text, field));
}

const NUMBER = new RegExp(
  String.raw`^[-+(]*\s*${CURRENCY_MARK}?\s*[-+]?(?:\d[\d., '’\u00a0\u2009\u202f]*|\.\d+)(?:[eE][-+]?\d+)?\s*${CURRENCY_MARK}?[)\-–—%\s]*$`,
  'i',
);
const COUNTED = new RegExp(String.raw`^(?:[<>]\s*)?\d+(?:\.\d+)?\s*\+?\s*${UNIT_WORD}\.?$`, 'i');
const RANGE_ALONE = new RegExp(`^${RANGE}$`);
const DATE =
  /^(?:\d{4}[-/]\d{1,2}(?:[-/]\d{1,2}.*)?|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}(?: .*)?|\d{1,2}[/.-]\d{4}|\d{6}|\d{8}|[A-Za-z]{3,9}[-/ .]?\d{2,4}|\d{1,2}[-/ .]?[A-Za-z]{3,9}[-/ .]?\d{2,4}|[A-Za-z]{3,9} \d{1,2}, ?\d{4}|\d{4}年\d{1,2}月(?:\d{1,2}日)?)$/;

function isNumber(text: string, field: Field): boolean {
  if (Object.hasOwn(field.codes, text.toUpperCase())) return true;
  return NUMBER.test(unmarked(text));
}

/** Printable ASCII that does not begin with an apostrophe. */
const PLAIN = /^[ -&(-~][ -~]*$/;

/** A text without the apostrophe by which a spreadsheet keeps it a text, full-width digits and the minus of typography as plain ones. */
function unmarked(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .normalize('NFKC')
    .replaceAll('\u2212', '-')
    .replace(/^'(.*)$/, '$1');
}

function isCount(text: string, field: Field): boolean {
  return isNumber(text, field) || COUNTED.test(text) || RANGE_ALONE.test(text);
}

function isWord(text: string, field: Field): boolean {
  if (field.codings.length > 0) return true;
  // Numbers with decimals are not codes; words outside the list may still be codes of the originator.
  return !/^-?\d+\.\d*[1-9]/.test(text) && text.length <= 80;
}

function isState(text: string): boolean {
  return STATE_WORDS.has(text.toUpperCase());
}

const STATE_WORDS: ReadonlySet<string> = new Set([...STATE_CODES, ...Object.keys(STATE_NAMES)]);

const TESTS: Readonly<Record<Field['type'] | 'state', (text: string, field: Field) => boolean>> = {
  string: () => true,
  state: isState,
  date: (text) => DATE.test(dateText(text)),
  money: isNumber,
  percent: isNumber,
  number: isCount,
  integer: isCount,
  enum: isWord,
  boolean: (text, field) => isYesOrNo(text) || text === '2' || Object.hasOwn(field.codes, text.toUpperCase()),
};

const WHOLE = /^[-+]?\d+(?:\.0+)?$/;
/** Eight digits that are a day: 20230131. */
const COMPACT_DATE = /^(?:19[5-9]\d|20[0-6]\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;
const isCompactDate = (text: string): boolean => COMPACT_DATE.test(text);
const isCode = (text: string): boolean => WHOLE.test(text) && Number(text) >= 0 && Number(text) <= 9;
const isScores = (text: string): boolean =>
  RANGE_ALONE.test(text) && Number(text.slice(0, 3)) >= 300 && Number(text.slice(0, 3)) <= 850;

/** Why the values cannot be the field although their form could, or null: codes are no rates and days no amounts. */
export function contentContradiction(sample: ColumnSample, field: Field, isSealed = false): string | null {
  const { texts, distinct } = sample;
  if (field.type === 'money' && texts.length >= 3 && distinct > 1 && share(sample, isCompactDate, isCompactDate) >= 0.95)
    return isSealed ? 'its values are dates' : `its values are dates such as ${texts[0]}`;
  const isRate = field.type === 'percent' && field.unit === '% p.a.';
  if (!isRate || texts.length < 20 || distinct > 2) return null;
  // One rate for all loans is real; one that reads as 1 % and as 100 % is not to be guessed.
  const codes = share(sample, isCode, isCode) === 1;
  const open = distinct === 2 || Number(texts[0]) === 1;
  if (!codes || !open) return null;
  return isSealed
    ? 'its values look like codes'
    : `its only values are ${[...new Set(texts)].toSorted().join(' and ')}, which look like codes`;
}

/**
 * Why the values of a column that is named `Rate` alone are no rates of interest, or null: the word is that of an instalment too, and rates come in
 * basis points. Values with a percent sign are what they say.
 */
export function noRate({ texts }: ColumnSample, field: Field, isSealed: boolean): string | null {
  if (field.type !== 'percent' || field.unit !== '% p.a.' || texts.length < 20) return null;
  const above = texts.filter((text) => !text.includes('%') && isNumber(text, field) && wholePart(text) > 100);
  if (above.length < 0.95 * texts.length) return null;
  const shown = isSealed ? '' : `, such as ${above[0]}`;
  return `its values are above 100${shown}, as instalments are, or rates in basis points ({"scale": 0.01} in the mapping reads those)`;
}

/** The number before the decimal mark, whichever it is: a lone mark before three digits may be one of decimals. */
function wholePart(text: string): number {
  const digits = unmarked(text).replace(/[^\d.,]/g, '');
  return Number(digits.replace(/[.,]\d*$/, '').replace(/[.,]/g, ''));
}

/** Confidence that the values alone identify the field, whatever the header; 0 unless they have a distinctive shape. */
export function contentEvidence(sample: ColumnSample, field: Field): number {
  if (sample.texts.length < 20) return 0;
  if (field.field === 'state' && sample.distinct >= 5 && share(sample, isState, isState) >= 0.98) return 0.72;
  if (field.field === 'credit_score' && sample.distinct >= 3 && share(sample, isScores, isScores) >= 0.98) return 0.72;
  return 0;
}

function share({ texts, found }: ColumnSample, of: Field | Test, test: (text: string) => boolean): number {
  const known = found?.shares.get(of);
  if (known !== undefined) return known;
  const counted = texts.filter(test).length / texts.length;
  found?.shares.set(of, counted);
  return counted;
}
