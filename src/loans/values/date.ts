import { sqlText } from '../engine/sql.ts';
import { isMissing } from './missing.ts';
import { foreignMonths, withEnglishMonths, withEnglishMonthsSql } from './months.ts';

/** A distinct text of a column and how many rows have it. */
export type ValueCount = { text: string; count: number };

/** The notation of the dates of a column. */
export type DateReading = {
  /** Formats of the engine's strptime, tried in order after ISO dates (`2020-01-31`, also with a time). */
  formats: string[];
  iso: boolean;
  /** Day numbers instead of dates. */
  serial: 'SAS' | 'EXCEL' | 'EXCEL1904' | null;
  /** Some dates carry a time of day, which is left out. */
  timed: boolean;
  /** Some dates have tabs or line ends around them. */
  padded: boolean;
  /** Foreign names of months that occur. */
  months: string[];
  /** Order of day and month: EVIDENCE if a value decides it, TAPE if none does and the other dates of the tape do, ASSUMED if neither does (day first, where a year in front is as likely), CONFLICT if values disagree, null if it does not matter. */
  order: { dayFirst: boolean; basis: 'EVIDENCE' | 'TAPE' | 'ASSUMED' | 'CONFLICT' } | null;
};

/** Rows whose date can only be day first, and rows whose date can only be month first. */
export type OrderCounts = { dayFirst: number; monthFirst: number };

/** Decides the notation of the dates of a column from its distinct texts; `counts` are of all rows where there are more of them. */
export function decideDates(values: readonly ValueCount[], pattern?: string, counts?: OrderCounts): DateReading {
  const trimmed = values.map(({ text, count }) => ({ text: text.trim(), count }));
  const padded = trimmed.some(({ text }, at) => text !== values[at].text);
  const present = trimmed.filter(({ text }) => !isMissing(text));
  if (pattern !== undefined) return { ...patternReading(pattern, present), padded };
  const yearFirst = yearFirstCounts(present);
  const swapped = yearFirst.dayFirst >= SWAPPED_MIN && yearFirst.monthFirst === 0;
  const mixed = yearFirst.dayFirst > 0 && yearFirst.monthFirst > 0;
  const iso = !swapped && present.some(({ text }) => ISO.test(text));
  const others = present.filter(({ text }) => swapped || !ISO.test(text));
  const months = [...new Set(others.flatMap(({ text }) => foreignMonths(text)))];
  const dates = others.map(({ text, count }) => ({ text: dateText(text), count }));
  const shapes = new Set(dates.map(({ text }) => shapeOf(text)));
  const found =
    [...shapes].some((shape) => NUMERIC_SHAPE.test(shape)) || hasCompactOrder(dates) || isSixOrdered(dates)
      ? decideOrder(counts ?? orderCounts(dates))
      : null;
  const isOpen = found?.dayFirst && found.basis === 'EVIDENCE' && mayBeYearFirst(dates);
  const order = found && isOpen ? { ...found, basis: 'ASSUMED' as const } : found;
  const formats = [...new Set([...shapes].flatMap((shape) => formatsOf(shape, order?.dayFirst ?? false, dates)))];
  return {
    formats: twoDigitYearsFirst(formats),
    iso,
    serial: null,
    timed: others.some(({ text }) => AT_END.test(text)),
    padded,
    months,
    order: order ?? openYear(dates) ?? (mixed ? { dayFirst: false, basis: 'CONFLICT' } : null),
  };
}

/** The order of day and month that columns of dates show, where one shows any and all that do agree; else null. */
export function commonOrder(readings: readonly DateReading[]): OrderCounts | null {
  const shown = readings.flatMap(({ order }) => (order && order.basis !== 'ASSUMED' ? [order] : []));
  const [first] = shown;
  if (!first || shown.some(({ basis, dayFirst }) => basis === 'CONFLICT' || dayFirst !== first.dayFirst)) return null;
  return { dayFirst: Number(first.dayFirst), monthFirst: Number(!first.dayFirst) };
}

/**
 * The rows whose dates can only have day and month in the other order than a pattern says, and one of them, where no date can only have that of
 * the pattern: all that both orders read have the two swapped. Null where the pattern has no order or the dates do not contradict it.
 */
export function contradictedOrder(values: readonly ValueCount[], pattern: string): { rows: number; example: string } | null {
  const [, year, first] = /^(%Y.)?%([dm])[/.-]?%[dm]/.exec(strptimeFormat(pattern)) ?? [];
  if (first === undefined) return null;
  const counted = values.map((value) => ({ ...value, ...(year ? yearFirstCounts([value]) : orderCounts([value])) }));
  const sum = (name: keyof OrderCounts) => counted.reduce((total, each) => total + each[name], 0);
  const [own, other] = first === 'd' ? (['dayFirst', 'monthFirst'] as const) : (['monthFirst', 'dayFirst'] as const);
  const [rows, example] = [sum(other), counted.find((each) => each[other] > 0)?.text];
  return example !== undefined && rows >= SWAPPED_MIN && sum(own) === 0 ? { rows, example } : null;
}

/** Whether the order of a column is open between day first and month first, so that it is read as the other dates of its tape. */
export function isOrderOpen({ order, formats }: DateReading): boolean {
  return order?.basis === 'ASSUMED' && !order.dayFirst && !formats.includes('%y%m%d');
}

/** SQL of the date of a trimmed text; NULL for anything else, including impossible dates such as 2026-02-30. */
export function dateSql(source: string, reading: DateReading): string {
  const text = reading.padded ? `trim(${source}, chr(9) || chr(10) || chr(13) || ' ')` : source;
  const days = reading.serial ? serialSql(text, reading.serial) : null;
  if (days) return reading.iso ? `coalesce(${days}, ${isoSql(text)})` : days;
  const branches = reading.iso || reading.formats.length === 0 ? [isoSql(text)] : [];
  const timeless = reading.timed ? `regexp_replace(${text}, ${sqlText(TIME.source)}, '')` : text;
  const plain = reading.months.length > 0 ? withEnglishMonthsSql(timeless, reading.months) : timeless;
  const parsed = reading.formats.map((format) => `CAST(TRY_STRPTIME(${plain}, ${sqlText(format)}) AS DATE)`);
  return `coalesce(${[...branches, ...parsed, 'CAST(NULL AS DATE)'].join(', ')})`;
}

/** SQL of the order counts of a column over all rows. */
export function orderCountsSql(text: string): string {
  const [first, second] = [1, 2].map(
    (group) => `TRY_CAST(regexp_extract(${text}, ${sqlText(ORDERED.source)}, ${group}) AS INTEGER)`,
  );
  return (
    `count(CASE WHEN ${first} BETWEEN 13 AND 31 AND ${second} <= 12 THEN 1 END) AS "dayFirst", ` +
    `count(CASE WHEN ${second} BETWEEN 13 AND 31 AND ${first} <= 12 THEN 1 END) AS "monthFirst"`
  );
}

/** A text without its time of day, with English names of months. */
export function dateText(text: string): string {
  return withEnglishMonths(text.replace(AT_END, ''));
}

const ISO = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]\d.*)?$/;
const NUMERIC_SHAPE = /^9{1,2}[/.-]9{1,2}[/.-](?:99|9999)$/;
/** `10:30`, `10:30:00.000`, `10:30 PM`, with a zone; `:00:00:00` behind the dates of SAS. The same in the engine's expressions. */
const TIME =
  /[ T:]+(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?(?:Z|UTC|GMT|[-+]\d{2}:?\d{2}))?$/;
/** The same, looked for only where blanks begin: from each of a thousand blanks it would be looked for again. The engine's expressions are linear. */
const AT_END = new RegExp(`(?<![ T:])${TIME.source}`);
/** Day, month and year in an order that the digits do not tell by themselves. */
const ORDERED = /^(\d{1,2})[/.-](\d{1,2})[/.-](?:\d{4}|\d{2})(?:[ T].*)?$/;
const COMPACT = /^(\d{2})(\d{2})((?:19|20)\d{2})$/;
const SIX = /^(\d{2})(\d{2})\d{2}$/;
const YEAR_FIRST = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;

function shapeOf(text: string): string {
  return text.replace(/\d+/g, (digits) => '9'.repeat(digits.length)).replace(/[A-Za-z]+/g, wordShape);
}

/** Fewer dates with day and month in another order are mistakes in a column of the usual one. */
const SWAPPED_MIN = 3;

/** Dates with the year in front that can only have the day before the month, and those that can only have it behind. */
function yearFirstCounts(values: readonly ValueCount[]): OrderCounts {
  const counts = { dayFirst: 0, monthFirst: 0 };
  for (const { text, count } of values) {
    const parts = /^\d{4}[-/](\d{1,2})[-/](\d{1,2})(?:[T ].*)?$/.exec(text);
    const [second, third] = [Number(parts?.[1] ?? 0), Number(parts?.[2] ?? 0)];
    if (second > 12 && second <= 31 && third >= 1 && third <= 12) counts.dayFirst += count;
    if (third > 12 && third <= 31 && second >= 1 && second <= 12) counts.monthFirst += count;
  }
  return counts;
}

/** Rows of each kind, and different days, from which on it is no chance that no day of one kind is above 12 and all of the other are. */
const [PARTLY_ROWS, PARTLY_DAYS] = [5, 3];

/**
 * What a spreadsheet of the other country leaves of a column of dates: those that it could read became dates, with day and month swapped,
 * and those whose day is above 12 stayed texts. The rows of both kinds and a date of the first; null where it is not so.
 */
export function partlyConverted(values: readonly ValueCount[]): { converted: number; kept: number; example: string } | null {
  const found = { converted: 0, kept: 0, example: '' };
  const days = new Set<number>();
  for (const { text, count } of values) {
    const day = Number(/^\d{4}-\d{2}-(\d{2})(?:[T ].*)?$/.exec(text)?.[1] ?? 0);
    const parts = ORDERED.exec(text);
    if (day > 12 || (parts && Math.max(Number(parts[1]), Number(parts[2])) <= 12)) return null;
    if (parts) found.kept += count;
    if (day === 0) continue;
    found.converted += count;
    found.example ||= text;
    days.add(day);
  }
  return found.converted >= PARTLY_ROWS && found.kept >= PARTLY_ROWS && days.size >= PARTLY_DAYS ? found : null;
}

/** Whether some eight digits are no year, month and day, but a day, a month and a year in either order. */
function hasCompactOrder(values: readonly ValueCount[]): boolean {
  return values.some(({ text }) => COMPACT.test(text) && !YEAR_FIRST.test(text));
}

function wordShape(word: string): string {
  return word.length === 1 ? word.toUpperCase() : word.length <= 3 ? 'MON' : 'MONTH';
}

function isoSql(text: string): string {
  const tail = `(strlen(${text}) <= 10 OR regexp_full_match(${text}, '.{8,10}[T ]\\d.*'))`;
  const shape = `${text}[5:5] IN ('-', '/') AND ${text}[1:1] BETWEEN '0' AND '9' AND ${tail}`;
  return `CASE WHEN ${shape} THEN TRY_CAST(${text} AS DATE) END`;
}

function serialSql(text: string, serial: 'SAS' | 'EXCEL' | 'EXCEL1904'): string {
  // The 1900 system counts a 29 February 1900 that did not exist, so its day 61 is 60 days after 1899-12-31.
  const start = { SAS: '1960-01-01', EXCEL: '1899-12-30', EXCEL1904: '1904-01-01' }[serial];
  // A fraction is a time of day, so the day is the whole number below it.
  const days = `TRY_CAST(floor(TRY_CAST(${text} AS DECIMAL(18,8))) AS INTEGER)`;
  return `TRY(CASE WHEN ${days} BETWEEN -60000 AND 200000 THEN CAST(DATE '${start}' + ${days} AS DATE) END)`;
}

function orderCounts(values: readonly ValueCount[]): OrderCounts {
  const counts = { dayFirst: 0, monthFirst: 0 };
  const six = isSixOrdered(values);
  for (const { text, count } of values) {
    const parts = ORDERED.exec(text) ?? (YEAR_FIRST.test(text) ? null : COMPACT.exec(text)) ?? (six ? SIX.exec(text) : null);
    if (!parts) continue;
    const [first, second] = [Number(parts[1]), Number(parts[2])];
    if (first > 12 && first <= 31 && second <= 12) counts.dayFirst += count;
    if (second > 12 && second <= 31 && first <= 12) counts.monthFirst += count;
  }
  return counts;
}

/** A first number above 12 proves day-first, a second number above 12 proves month-first. */
function decideOrder({ dayFirst, monthFirst }: OrderCounts): NonNullable<DateReading['order']> {
  if (dayFirst > 0 && monthFirst > 0) return { dayFirst: dayFirst > monthFirst, basis: 'CONFLICT' };
  if (dayFirst > 0) return { dayFirst: true, basis: 'EVIDENCE' };
  return { dayFirst: false, basis: monthFirst > 0 ? 'EVIDENCE' : 'ASSUMED' };
}

function formatsOf(shape: string, dayFirst: boolean, values: readonly ValueCount[]): string[] {
  const s = /[/.\- ]/.exec(shape)?.[0] ?? '';
  if (NUMERIC_SHAPE.test(shape)) {
    const year = shape.endsWith('9999') ? '%Y' : '%y';
    return [dayFirst ? `%d${s}%m${s}${year}` : `%m${s}%d${s}${year}`];
  }
  if (/^9999[-/]9{1,2}[-/]9{1,2}$/.test(shape)) return [`%Y${s}%d${s}%m`];
  if (/^9{1,2}[/.-]9999$/.test(shape)) return [`%m${s}%Y`];
  if (/^9999[/.-]9{1,2}$/.test(shape)) return [`%Y${s}%m`];
  if (shape === '999999') return isSixOrdered(values) ? [dayFirst ? '%d%m%y' : '%m%d%y'] : sixFormats(values);
  if (shape === '99999999') return ['%Y%m%d', dayFirst ? '%d%m%Y' : '%m%d%Y'];
  if (/^9999年9{1,2}月(?:9{1,2}日)?$/.test(shape)) return [shape.endsWith('日') ? '%Y年%m月%d日' : '%Y年%m月'];
  return monthNameFormats(shape, s);
}

const MONTH = '(?:0[1-9]|1[0-2])';
const DAY = '(?:0[1-9]|[12]\\d|3[01])';
const YEAR = '(?:19[5-9]|20[0-6])\\d';
const SIX_DIGITS: readonly [RegExp, string][] = [
  [new RegExp(`^${YEAR}${MONTH}$`), '%Y%m'],
  [new RegExp(`^${MONTH}${YEAR}$`), '%m%Y'],
  [new RegExp(`^\\d{2}${MONTH}${DAY}$`), '%y%m%d'],
  [new RegExp(`^${MONTH}${DAY}\\d{2}$`), '%m%d%y'],
  [new RegExp(`^${DAY}${MONTH}\\d{2}$`), '%d%m%y'],
];

/** Months and years where no notation fits all dates of six digits, as where both notations of them mix. */
function sixFormats(values: readonly ValueCount[]): string[] {
  const [format] = sixDigitFormats(values);
  return format ? [format] : ['%Y%m', '%m%Y'];
}

/** A year of two digits in front that could as well be a day or a month. */
function openYear(values: readonly ValueCount[]): DateReading['order'] {
  const [format, other] = sixDigitFormats(values);
  return format === '%y%m%d' && other !== undefined ? { dayFirst: false, basis: 'ASSUMED' } : null;
}

/** So many different first numbers, and twice as many as last ones, are days of a month rather than years. */
const DAYS_SEEN = 20;

/** Whether dates such as `19/06/12` are dates with the year in front as well. */
function mayBeYearFirst(values: readonly ValueCount[]): boolean {
  const parts = values.map(({ text }) => /^(\d{2})[-/](\d{2})[-/](\d{2})$/.exec(text));
  if (!parts.every((part) => part && isWithin(part[2], 12) && isWithin(part[3], 31))) return false;
  const [first, last] = [1, 3].map((group) => new Set(parts.map((part) => part?.[group])).size);
  return first < DAYS_SEEN || first < 2 * last;
}

function isWithin(text: string, most: number): boolean {
  return Number(text) >= 1 && Number(text) <= most;
}

/** Whether the dates of six digits end in a year of two, so that day and month come in either order. */
function isSixOrdered(values: readonly ValueCount[]): boolean {
  return ['%m%d%y', '%d%m%y'].includes(sixDigitFormats(values)[0] ?? '');
}

/** The notations in which all dates of six digits are dates, the likeliest first. */
function sixDigitFormats(values: readonly ValueCount[]): string[] {
  const texts = values.map(({ text }) => text).filter((text) => /^\d{6}$/.test(text));
  return SIX_DIGITS.filter(([pattern]) => texts.length > 0 && texts.every((text) => pattern.test(text))).map(
    ([, format]) => format,
  );
}

function monthNameFormats(shape: string, s: string): string[] {
  const month = shape.includes('MONTH') ? '%B' : '%b';
  const flat = shape.replace('MONTH', 'MON');
  const year = flat.endsWith('9999') ? '%Y' : '%y';
  if (/^MON[-/ .]?(?:99|9999)$/.test(flat)) return [`${month}${s}${year}`];
  if (/^9{1,2}[-/ .]?MON[-/ .]?(?:99|9999)$/.test(flat)) return [`%d${s}${month}${s}${year}`];
  if (/^MON 9{1,2}, ?9999$/.test(flat)) return [`${month} %d,${flat.includes(', ') ? ' ' : ''}%Y`];
  if (/^9999[-/ ]MON[-/ ]9{1,2}$/.test(flat)) return [`%Y${s}${month}${s}%d`];
  return [];
}

/** strptime reads `%Y` from two digits as a year of the first century, so the stricter format goes first. */
function twoDigitYearsFirst(formats: string[]): string[] {
  return [...formats.filter((format) => format.includes('%y')), ...formats.filter((format) => !format.includes('%y'))];
}

/**
 * The notation that a mapping names. Dates in the form of ISO, which the date cells of a workbook have beside its texts, are read too, unless
 * the pattern is another one with the year in front.
 */
function patternReading(pattern: string, values: readonly ValueCount[]): Omit<DateReading, 'padded'> {
  const upper = pattern.trim().toUpperCase();
  const serial = upper === 'SAS' || upper === 'EXCEL' || upper === 'EXCEL1904' ? upper : null;
  const iso = (!upper.startsWith('YYYY') || upper.startsWith('YYYY-MM-DD')) && values.some(({ text }) => ISO.test(text));
  if (serial) return { formats: [], iso, serial, timed: false, months: [], order: null };
  const format = strptimeFormat(upper);
  const others = values.filter(({ text }) => !(iso && ISO.test(text)));
  return {
    formats: [format],
    iso,
    serial: null,
    timed: !/%[HIM]/.test(format) && others.some(({ text }) => AT_END.test(text)),
    months: /%[bB]/.test(format) ? [...new Set(others.flatMap(({ text }) => foreignMonths(text)))] : [],
    order: null,
  };
}

/** `MMYYYY` → `%m%Y`. */
export function strptimeFormat(pattern: string): string {
  let rest = pattern.toUpperCase();
  let format = '';
  while (rest !== '') {
    const token = TOKEN_FORMATS.find(([word]) => rest.startsWith(word));
    format += token ? token[1] : rest[0] === '%' ? '%%' : rest[0];
    rest = rest.slice(token ? token[0].length : 1);
  }
  return format;
}

const TOKEN_FORMATS: readonly [string, string][] = [
  ['YYYY', '%Y'],
  ['YY', '%y'],
  ['MONTH', '%B'],
  ['MON', '%b'],
  ['MMM', '%b'],
  ['MM', '%m'],
  ['MI', '%M'],
  ['M', '%m'],
  ['DD', '%d'],
  ['D', '%d'],
  ['HH', '%H'],
  ['SS', '%S'],
];

/** Whether a pattern can be used: it names a year once and a month once. */
export function isDatePattern(pattern: string): boolean {
  const upper = pattern.trim().toUpperCase();
  if (upper === 'SAS' || upper === 'EXCEL' || upper === 'EXCEL1904') return true;
  const format = strptimeFormat(upper);
  const years = format.match(/%[Yy]/g)?.length ?? 0;
  const months = format.match(/%[mbB]/g)?.length ?? 0;
  return years === 1 && months === 1 && !/[A-Z]/.test(upper.replace(/YYYY|YY|MONTH|MON|MMM|MM|MI|M|DD|D|HH|SS|T/g, ''));
}
