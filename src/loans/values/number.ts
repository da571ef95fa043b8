import { sqlText } from '../engine/sql.ts';
import { type Factors, factoredSql } from './quotient.ts';
import { wordKeySql } from './word.ts';

/** How the values of a numeric column are converted to DECIMAL(18,6). */
export type NumberReading = {
  /** Every text is a number that the engine's own cast reads. */
  plain: boolean;
  /** Factor on plain numbers: 100 for fractions in a percent field, 1000 for amounts in thousands. */
  scale: number;
  /** Whether a `%` sign may follow; such a value is in percent whatever the factor for plain numbers is. */
  percent: boolean;
  /** Comma for decimals and point for thousands. */
  european: boolean;
  /** Read with a decimal point, and every text that is no plain number has no `UNUSUAL_SIGN`. */
  usual: boolean;
  /** Some texts have more than six decimals or a negative exponent: they are rounded half-even from the text. */
  long: boolean;
  /** For texts such as `36 months`: the unit of the field, which decides how a year is counted; null where no text has one. */
  unit: 'months' | 'years' | 'days' | null;
  /** `735-739`, `30-59`: the lower bound is read. */
  ranges: boolean;
  /** Some texts have full-width digits, a minus of typography, or the marks by which a spreadsheet keeps a text: `="123"`, `'123`. */
  marked: boolean;
  /** Exact factors on whatever number the text gives, words excepted. */
  factors?: Factors;
  /** Words → number as text, upper case. */
  words: Readonly<Record<string, string>>;
};

/** A number as it is written, exact, without a unit. */
export const PLAIN_NUMBER: NumberReading = {
  plain: false,
  scale: 1,
  percent: false,
  european: false,
  usual: false,
  long: true,
  unit: null,
  ranges: false,
  marked: false,
  words: {},
};

/**
 * SQL of the value of a numeric column: DECIMAL(18,6) in the unit of the field, or NULL where the text is not a number.
 * `text` is a trimmed text. Rounding is half-even on the decimal digits; no value passes through binary floating point.
 */
export function numberSql(source: string, reading: NumberReading): string {
  const text = reading.marked ? unmarkedSql(source) : source;
  const read = reading.plain ? plainSql(text, reading.scale, reading.long) : anySql(text, reading);
  // The list names the number once: written out, it would stand in its exact product many times over.
  const number = reading.factors ? `list_transform([${read}], lambda x: ${factoredSql('x', reading.factors)})[1]` : read;
  const words = wordBranches(reading);
  return words.length === 0 ? number : `CASE ${wordKeySql(text)} ${words.join(' ')} ELSE ${number} END`;
}

/** The number in a text that need not be a plain one. */
function anySql(text: string, reading: NumberReading): string {
  const branches = [
    ...(reading.percent ? [percentBranch(text, reading)] : []),
    ...(reading.ranges ? [rangeBranch(text, reading)] : []),
    ...(reading.unit ? unitBranches(text, reading) : []),
    moneyBranch(text, reading),
  ];
  const slow = `CASE ${branches.join(' ')} END`;
  return reading.european ? slow : `coalesce(${plainText(text, reading)}, ${slow})`;
}

/** Whether `unmarkedSql` would change a text. */
export function isMarked(text: string): string {
  return `regexp_matches(${text}, '^[''=]|[\\x{ff04}\\x{ff05}\\x{ff08}\\x{ff09}\\x{ff0c}-\\x{ff0e}\\x{ff10}-\\x{ff19}\\x{2212}]')`;
}

/** The text with full-width characters and the minus of typography as plain ones, without the marks of a spreadsheet: `="１２３"` as `123`. */
function unmarkedSql(text: string): string {
  return `regexp_replace(translate(${text}, '０１２３４５６７８９，．－＄％（）−', '0123456789,.-$%()-'), '^(?:="(.*)"|''(.*))$', '\\1\\2')`;
}

/**
 * Starts with a digit, sign or point and has no comma or percent sign: a failing cast is slow, so texts that would fail are not
 * cast. The cast would accept `1_000`, which is not a number on a tape.
 */
export function looksPlain(text: string): string {
  return `(ascii(${text}) BETWEEN 43 AND 57 AND NOT contains(${text}, ',') AND NOT contains(${text}, '%') AND NOT contains(${text}, '_'))`;
}

function plainText(text: string, reading: NumberReading): string {
  return `CASE WHEN ${looksPlain(text)} THEN ${plainSql(text, reading.scale, reading.long)} END`;
}

/** Numbers that the engine's own cast reads: `12`, `-0.5`, `1e3`. */
function plainSql(text: string, scale: number, long: boolean): string {
  const short = scaled(`TRY_CAST(${text} AS DECIMAL(18,6))`, scale);
  if (!long && Number.isInteger(scale)) return short;
  const exact = halfEven(`TRY(TRY_CAST(${sticky(text)} AS DECIMAL(38,18)) * ${decimalLiteral(scale)})`);
  if (!Number.isInteger(scale)) return exact;
  return `CASE WHEN ${isLong(text)} THEN ${exact} ELSE ${short} END`;
}

/** More decimals than the column keeps, or a negative exponent; the same test decides whether a column needs the exact path. */
export function isLong(text: string): string {
  const decimals = `strlen(${text}) > 7 AND instr(${text}, '.') > 0 AND strlen(${text}) - instr(${text}, '.') > 6`;
  const exponent = `instr(${text}, '-') > 1 AND (contains(${text}, 'e-') OR contains(${text}, 'E-'))`;
  return `((${decimals}) OR (${exponent}))`;
}

/** `735-739`, `30 to 59`, `60 - 89 days`, `120+`, as an expression of the engine and of JavaScript. */
export const RANGE = '\\d{1,4}\\s*(?:(?:-|–|to)\\s*\\d{1,4}(?:\\s*[Dd]ays?)?|\\+)';

/** Whether a text is such a range. */
export function isRange(text: string): string {
  const marked = `instr(${text}, '-') > 1 OR contains(${text}, '–') OR contains(${text}, 'to') OR instr(${text}, '+') > 1`;
  return `CASE WHEN ${marked} THEN regexp_full_match(${text}, '${RANGE}') ELSE false END`;
}

function scaled(value: string, scale: number): string {
  return scale === 1 ? value : `TRY_CAST(TRY(${value} * ${scale}) AS DECIMAL(18,6))`;
}

function decimalLiteral(scale: number): string {
  return Number.isInteger(scale) ? String(scale) : `CAST(${sqlText(String(scale))} AS DECIMAL(18,9))`;
}

/** Replaces the digits beyond the 17th decimal by a 1: they only break ties, and cutting them off could create one. */
function sticky(text: string): string {
  return `regexp_replace(${text}, '^([-+]?\\d*\\.\\d{17})\\d+$', '\\11')`;
}

/** The engine rounds ties away from zero; if that makes the last digit odd, the rounding is reversed. */
function halfEven(value: string): string {
  const away = `CAST(${value} AS DECIMAL(38,6))`;
  const tie = `abs(${away} - ${value}) = 0.0000005 AND CAST(${away} * 1000000 AS HUGEINT) % 2 <> 0`;
  return `TRY_CAST(CASE WHEN ${tie} THEN ${away} - sign(${value}) * 0.000001 ELSE ${away} END AS DECIMAL(18,6))`;
}

/** Currencies that are known beside the dollar of the United States (ISO 4217). */
export const FOREIGN_CURRENCIES: readonly string[] =
  'EUR GBP CAD CHF AUD NZD JPY CNY CZK DKK HUF INR MXN NOK PLN SEK TWD ZAR BRL COP HKD ILS KRW RON SGD THB TRY'.split(' ');
/** Codes and signs of them, as expressions of the engine and of JavaScript. */
export const FOREIGN_CODE = `(?:${FOREIGN_CURRENCIES.join('|')}|TL|kr|zł|Kč|Ft|lei|Rs)`;
export const FOREIGN_SIGN = '(?:€|£|¥|₹|₩|₪|₺|฿|₫|₱|₽|円|元|원|NT\\$|HK\\$|C\\$|A\\$|R\\$)';
/** The marks of all currencies. */
export const CURRENCY_MARK = `(?:${FOREIGN_CODE}\\.?|${FOREIGN_SIGN}|USD|US\\$|\\$)`;
/** Blanks of every width: programs write those that do not break before `€` and `%`. */
const BLANKS = '[\\s\\x{a0}\\x{2007}\\x{2009}\\x{202f}\\x{3000}\\x{feff}]*';

/** The signs around the digits of an amount, as parts of a pattern. */
type Signs = {
  flags: string;
  blanks: string;
  currency: string;
  /** Blanks and apostrophes between groups of thousands, whatever the decimal mark is. */
  grouping: string;
  /** `12.000,-` and `12'000.–` are whole amounts: the dash stands for no cents. */
  noCents: string;
};

const ALL_SIGNS: Signs = {
  flags: '(?i)',
  blanks: BLANKS,
  currency: CURRENCY_MARK,
  grouping: " '’\\x{a0}\\x{2007}\\x{2009}\\x{202f}",
  noCents: '(?:--?|[–—])',
};

/** What most amounts are written with beside their digits, as signs of a class. */
const USUAL_MARKS = ',$%()+ -';
/** A sign of none of those that most numbers are written with. */
export const UNUSUAL_SIGN = `[^0-9.${USUAL_MARKS}]`;
/** What `ALL_SIGNS` leave of themselves in a text without an unusual sign: its pattern takes 3 ms to compile, several times for each column. */
const USUAL_SIGNS: Signs = { flags: '', blanks: ' *', currency: '\\$', grouping: ' ', noCents: '--?' };

/** `1,234,567.89`, also in lakhs and crores: `12,34,567.89`. */
function americanNumber({ grouping, noCents }: Signs): string {
  return `(?:(?:\\d{1,3}(?:[,${grouping}]\\d{3})+|\\d{1,2}(?:,\\d{2})+,\\d{3}|\\d+)(?:\\.(?:\\d*|${noCents}))?|\\.\\d+)`;
}

function europeanNumber({ grouping, noCents }: Signs): string {
  return `(?:(?:\\d{1,3}(?:[.${grouping}]\\d{3})+|\\d+)(?:,(?:\\d*|${noCents}))?)`;
}

/** Signs, currencies, thousands: `$1,234.50`, `(12.00)`, `USD 5`, `12.00-`; `unit` stands behind the digits. */
function moneyPattern(reading: NumberReading, percent: boolean): string {
  const signs = reading.usual ? USUAL_SIGNS : ALL_SIGNS;
  const { flags, blanks, currency } = signs;
  const number = reading.european ? europeanNumber(signs) : americanNumber(signs);
  const unit = percent ? `${blanks}%` : '';
  const before = `${currency}${blanks}`;
  const bare = `(?:${before})?${number}(?:${blanks}${currency})?${unit}`;
  return `${flags}${blanks}(?:[-+]?${blanks}${bare}|${before}[-+]${number}${unit}|\\(${blanks}${bare}${blanks}\\)|${bare}${blanks}-)${blanks}`;
}

function moneyBranch(text: string, reading: NumberReading): string {
  return whenAmount(text, moneyPattern(reading, false), reading, reading.scale);
}

function percentBranch(text: string, reading: NumberReading): string {
  return `WHEN contains(${text}, '%') THEN CASE ${whenAmount(text, moneyPattern(reading, true), reading, 1)} END`;
}

function whenAmount(text: string, pattern: string, reading: NumberReading, scale: number): string {
  const digits = reading.usual ? `translate(${text}, '${USUAL_MARKS}', '')` : digitsOf(text, reading);
  // Blanks of any kind may precede the sign, so it is looked for anywhere: the pattern lets it stand in its places only.
  const { noCents } = reading.usual ? USUAL_SIGNS : ALL_SIGNS;
  const signed = `regexp_replace(${text}, '[.,]${noCents}[^0-9]*$', '')`;
  const sign = `CASE WHEN contains(${text}, '(') OR (contains(${text}, '-') AND contains(${signed}, '-')) THEN '-' ELSE '' END`;
  return `WHEN regexp_full_match(${text}, ${sqlText(pattern)}) THEN ${plainSql(`(${sign} || ${digits})`, scale, reading.long)}`;
}

/** The digits and the decimal point of an amount. */
function digitsOf(text: string, { european }: NumberReading): string {
  if (european) return `replace(regexp_replace(${text}, '[^0-9,]', '', 'g'), ',', '.')`;
  // The point of `kr. 500` is none of decimals.
  return `regexp_replace(${text}, '(?i)${FOREIGN_CODE}\\.|[^0-9.]', '', 'g')`;
}

function rangeBranch(text: string, reading: NumberReading): string {
  const lower = `regexp_extract(${text}, '^\\d+')`;
  return `WHEN ${isRange(text)} THEN ${plainSql(lower, reading.scale, false)}`;
}

/** In English, German, French, Spanish, Italian, Dutch, Japanese, Chinese and Korean, as expressions of the engine and of JavaScript. */
const UNIT_WORDS: readonly { pattern: string; months: number | null; days: boolean }[] = [
  {
    pattern: '(?:months?|mos?|mths?|mnths?|m|monate?|mois|mes(?:es|i)?|maand(?:en)?|[ヶか个カヵ]月|개월)',
    months: 1,
    days: false,
  },
  { pattern: '(?:years?|yrs?|y|jahre?|ans?|années?|años?|ann[io]|jaar|[年년])', months: 12, days: false },
  { pattern: '(?:days?|tage?|jours?|d[ií]as?|giorn[io]|dag(?:en)?)', months: null, days: true },
];
/** A word for months, years or days. */
export const UNIT_WORD = `(?:${UNIT_WORDS.map(({ pattern }) => pattern).join('|')})`;

function unitBranches(text: string, reading: NumberReading): string[] {
  const number = `regexp_extract(${text}, '-?[0-9]+(?:\\.[0-9]+)?')`;
  const branches = UNIT_WORDS.flatMap(({ pattern, months, days }) => {
    const factor = unitFactor(reading.unit, months, days);
    if (factor === null) return [];
    const whole = sqlText(`(?i)-?[0-9]+(?:\\.[0-9]+)?${BLANKS}\\+?${BLANKS}${pattern}\\.?`);
    return [`WHEN regexp_full_match(${text}, ${whole}) THEN ${plainSql(number, factor, reading.long)}`];
  });
  if (reading.unit !== 'years') return branches;
  return [
    ...branches,
    `WHEN regexp_full_match(${text}, '(?i)<\\s*1\\s*(?:years?|yrs?)?') THEN CAST(0 AS DECIMAL(18,6))`,
    `WHEN regexp_full_match(${text}, '[0-9]+\\s*\\+') THEN ${plainSql(number, 1, false)}`,
  ];
}

function unitFactor(unit: NumberReading['unit'], months: number | null, days: boolean): number | null {
  if (unit === 'days') return days ? 1 : null;
  if (months === null) return null;
  if (unit === 'months') return months;
  return months === 12 ? 1 : null;
}

function wordBranches(reading: NumberReading): string[] {
  return Object.entries(reading.words).map(
    ([word, number]) => `WHEN ${sqlText(word)} THEN CAST(${sqlText(number)} AS DECIMAL(18,6))`,
  );
}
