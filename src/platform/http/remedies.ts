import { CSV, PARQUET, XLSX } from '../files/content-types.ts';
import { BEYOND, type Expecting } from './expectations.ts';
import { likeliest } from './nearest.ts';

/** Extensions by which files are named where their content type is expected. */
const BY_EXTENSION: Record<string, string> = { csv: CSV, xlsx: XLSX, xls: XLSX, excel: XLSX, parquet: PARQUET };

/** How to mend a value that a schema refuses, where the value itself says it; empty where it does not. */
export function remedyOf(schema: Expecting, value: unknown, place: 'body' | 'elsewhere'): string {
  const types: readonly string[] = schema.type === undefined ? [] : [schema.type].flat();
  if (schema.anyOf) return schema.anyOf.map((each) => remedyOf(each, value, place)).find((each) => each !== '') ?? '';
  if (schema.enum) return ofWord(schema.enum, value);
  if (schema.format === 'date') return typeof value === 'string' ? ofDate(value) : '';
  if (schema.format === 'date-or-instant') return typeof value === 'string' ? ofInstant(value) : '';
  if (types.some((type) => type === 'number' || type === 'integer')) return ofNumber(schema, value, place);
  if (types.includes('boolean') && typeof value === 'string' && /^(true|false)$/i.test(value.trim()))
    return place === 'body' ? `send ${value.trim().toLowerCase()} without quotes` : `send ${value.trim().toLowerCase()}`;
  if (types.includes('array') && !types.includes('string') && typeof value === 'string')
    return 'put it in brackets, even if it is one';
  if (types.includes('object') && typeof value === 'string' && /^\s*\{/.test(value))
    return 'send the object itself, not text that holds it';
  if (types.includes('string') && typeof value === 'number') return `put it in quotes: "${value}"`;
  return '';
}

function ofWord(words: readonly unknown[], value: unknown): string {
  if (typeof value !== 'string') return '';
  const known = words.filter((word) => typeof word === 'string');
  const type = BY_EXTENSION[value.replace(/^\./, '').toLowerCase()];
  const meant = type !== undefined && known.includes(type) ? type : likeliest(value, known);
  return meant === null ? '' : `did you mean "${meant}"?`;
}

function ofNumber(schema: Expecting, value: unknown, place: 'body' | 'elsewhere'): string {
  if (typeof value === 'number') return ofBoundOrDecimals(schema, value);
  if (typeof value !== 'string') return '';
  const plain = value
    .trim()
    .replace(/^[$€£]|%$/g, '')
    .replace(/,(?=\d{3}(\D|$))/g, '')
    .replace(/^(-?)0+(?=\d)/, '$1');
  const power = /^\d{1,6}(\.\d{1,6})?e\d$/i.test(plain);
  if (!(power || /^-?\d{1,15}(\.\d{1,12})?$/.test(plain)) || !mayBe(schema, Number(plain))) return '';
  if (power) return `send ${Number(plain)}`;
  const number = [schema.type].flat().includes('number') ? plain : String(Number(plain));
  return place === 'body' ? `send ${number} without quotes` : `send ${number}`;
}

function ofBoundOrDecimals(schema: Expecting, value: number): string {
  // What is expected names no bound this far away, so that the few whom it stops are told here.
  if (schema.maximum !== undefined && schema.maximum >= BEYOND && value > schema.maximum) return `send at most ${schema.maximum}`;
  const rounded = Number(value.toFixed(2));
  return schema.format === 'money' && rounded !== value && mayBe(schema, rounded) ? 'round it to 2 decimals' : '';
}

/** Whether a schema takes the number: what it refuses as well is no remedy. */
function mayBe({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Expecting, number: number): boolean {
  const whole = [type ?? []].flat().includes('number') || Number.isInteger(number);
  const isAbove = number >= (minimum ?? number) && number > (exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  return whole && isAbove && number <= (maximum ?? number) && number < (exclusiveMaximum ?? Number.POSITIVE_INFINITY);
}

function ofDate(text: string): string {
  if (text.startsWith('0000-')) return 'there is no year 0: years are 0001 to 9999';
  const [, day] = /^(\d{4}-\d{2}-\d{2})[T ]/.exec(text) ?? [];
  if (day) return `send "${day}", without a time`;
  const [, year, month, date] = /^(\d{4})[./]?(\d{2})[./]?(\d{2})$/.exec(text) ?? [];
  if (year) return `send "${year}-${month}-${date}"`;
  return ofLocalDate(text);
}

/** A date whose year is last: only a number above 12 says which of the others is the day. */
function ofLocalDate(text: string): string {
  const [, first = '', second = '', year] = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text) ?? [];
  if (!year) return '';
  const [a, b] = [first.padStart(2, '0'), second.padStart(2, '0')];
  if (Number(second) > 12 && Number(first) <= 12) return `send "${year}-${a}-${b}"`;
  if (Number(first) > 12 && Number(second) <= 12) return `send "${year}-${b}-${a}"`;
  return `send the year first: "${year}-${a}-${b}" or "${year}-${b}-${a}"`;
}

function ofInstant(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(text)) return `add the time zone, such as ${text}Z for UTC`;
  // In a query an unencoded plus sign is a blank.
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+ \d{2}:\d{2}$/.test(text)) return 'write the + of the time zone as %2B';
  if (/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}/.test(text)) return 'put a T between date and time, and a time zone behind them';
  return ofDate(text).replaceAll('"', '');
}
