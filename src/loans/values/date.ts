import { sqlText } from '../engine/sql.ts';
import { isMissing } from './missing.ts';

/** A distinct text of a column and how many rows have it. */
export type ValueCount = { text: string; count: number };

/** The notation of the dates of a column. */
export type DateReading = {
  /** Formats of the engine's strptime, tried in order; ISO dates (`2020-01-31`, also with a time) are always read first. */
  formats: string[];
  iso: boolean;
  /** Day numbers instead of dates. */
  serial: 'SAS' | 'EXCEL' | 'EXCEL1904' | null;
  /** Order of day and month: EVIDENCE if a value decides it, ASSUMED if none does, CONFLICT if values disagree, null if it does not matter. */
  order: { dayFirst: boolean; basis: 'EVIDENCE' | 'ASSUMED' | 'CONFLICT' } | null;
};

/** Decides the notation of the dates of a column from its distinct texts. */
export function decideDates(values: readonly ValueCount[], pattern?: string): DateReading {
  if (pattern !== undefined) return patternReading(pattern);
  const shapes = new Set<string>();
  let iso = false;
  for (const { text } of values) {
    if (isMissing(text)) continue;
    if (ISO.test(text)) iso = true;
    else shapes.add(text.replace(/\d+/g, (digits) => '9'.repeat(digits.length)).replace(/[A-Za-z]+/g, wordShape));
  }
  const order = [...shapes].some((shape) => NUMERIC_SHAPE.test(shape) || TIMED_SHAPE.test(shape)) ? decideOrder(values) : null;
  const formats = [...new Set([...shapes].flatMap((shape) => formatsOf(shape, order?.dayFirst ?? false)))];
  return { formats: twoDigitYearsFirst(formats), iso, serial: null, order };
}

/** SQL of the date of a trimmed text; NULL for anything else, including impossible dates such as 2026-02-30. */
export function dateSql(text: string, reading: DateReading): string {
  if (reading.serial) return serialSql(text, reading.serial);
  const branches = reading.iso || reading.formats.length === 0 ? [isoSql(text)] : [];
  const parsed = reading.formats.map((format) => `CAST(TRY_STRPTIME(${text}, ${sqlText(format)}) AS DATE)`);
  return `coalesce(${[...branches, ...parsed, 'CAST(NULL AS DATE)'].join(', ')})`;
}

const ISO = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]\d.*)?$/;
const NUMERIC_SHAPE = /^9{1,2}[/.-]9{1,2}[/.-](?:99|9999)$/;
/** Dates with a time, by the clock of 24 hours or of 12: 13/01/2020 10:30, 1/13/2020 10:30:00 PM. */
const TIMED_SHAPE = /^9{1,2}[/.-]9{1,2}[/.-]9999 9{1,2}:99(:99)?( MON)?$/;

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
  const days = `TRY_CAST(floor(TRY_CAST(${text} AS DECIMAL(18,6))) AS INTEGER)`;
  return `TRY(CASE WHEN ${days} BETWEEN -60000 AND 200000 THEN CAST(DATE '${start}' + ${days} AS DATE) END)`;
}

/** A first number above 12 proves day-first, a second number above 12 proves month-first. */
function decideOrder(values: readonly ValueCount[]): NonNullable<DateReading['order']> {
  let dayFirst = 0;
  let monthFirst = 0;
  for (const { text, count } of values) {
    const parts = /^(\d{1,2})[/.-](\d{1,2})[/.-](?:\d{2}|\d{4})(?: .*)?$/.exec(text);
    if (!parts) continue;
    const [first, second] = [Number(parts[1]), Number(parts[2])];
    if (first > 12 && first <= 31 && second <= 12) dayFirst += count;
    if (second > 12 && second <= 31 && first <= 12) monthFirst += count;
  }
  if (dayFirst > 0 && monthFirst > 0) return { dayFirst: dayFirst > monthFirst, basis: 'CONFLICT' };
  if (dayFirst > 0) return { dayFirst: true, basis: 'EVIDENCE' };
  return { dayFirst: false, basis: monthFirst > 0 ? 'EVIDENCE' : 'ASSUMED' };
}

function formatsOf(shape: string, dayFirst: boolean): string[] {
  const s = /[/.\- ]/.exec(shape)?.[0] ?? '';
  if (NUMERIC_SHAPE.test(shape)) {
    const year = shape.endsWith('9999') ? '%Y' : '%y';
    return [dayFirst ? `%d${s}%m${s}${year}` : `%m${s}%d${s}${year}`];
  }
  const timed = TIMED_SHAPE.exec(shape);
  // The time is ignored.
  if (timed)
    return [
      `${dayFirst ? `%d${s}%m` : `%m${s}%d`}${s}%Y ${timed[2] ? '%I' : '%H'}:%M${timed[1] ? ':%S' : ''}${timed[2] ? ' %p' : ''}`,
    ];
  if (/^9{1,2}[/.-]9999$/.test(shape)) return [`%m${s}%Y`];
  if (/^9999[/.-]9{1,2}$/.test(shape)) return [`%Y${s}%m`];
  if (shape === '999999') return ['%Y%m', '%m%Y'];
  if (shape === '99999999') return ['%Y%m%d', dayFirst ? '%d%m%Y' : '%m%d%Y'];
  return monthNameFormats(shape, s);
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

function patternReading(pattern: string): DateReading {
  const upper = pattern.trim().toUpperCase();
  const serial = upper === 'SAS' || upper === 'EXCEL' || upper === 'EXCEL1904' ? upper : null;
  if (serial) return { formats: [], iso: false, serial, order: null };
  return { formats: [strptimeFormat(upper)], iso: upper.startsWith('YYYY-MM-DD'), serial: null, order: null };
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
