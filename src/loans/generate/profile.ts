import type { LoanType } from '../types.ts';
import type { LoanTerms, TermsSpec } from './loan-terms.ts';
import type { Random } from './random.ts';

/** Value of a cell before formatting by the originator: dates ISO, money in cents, percents and counts as numbers. */
export type CellKind = 'text' | 'date' | 'month' | 'money' | 'percent' | 'integer' | 'number';
export interface GeneratedCell {
  kind: CellKind;
  value: string | number;
}

export interface GeneratedColumn {
  /** Header as written by the originator. */
  header: string;
  /** The canonical field of the column. */
  field: string;
  kind: CellKind;
  value(loan: LoanTerms, random: Random): string | number | null;
}

/** How one kind of originator writes a tape of one loan type. */
export interface TapeProfile {
  type: LoanType;
  terms: TermsSpec;
  /** `MM/DD/YYYY`, `YYYY-MM-DD`; months as `MM/YYYY` or `MON-YYYY`. */
  dateStyle: 'US' | 'ISO';
  monthStyle: 'MM/YYYY' | 'MON-YYYY';
  /** `$1,234.50` or `1234.50`. */
  moneyStyle: 'DOLLARS' | 'PLAIN';
  /** `7.25%` or `7.25`. */
  percentStyle: 'SIGN' | 'PLAIN';
  columns: readonly GeneratedColumn[];
}

/** A column with the values of `value`. */
export function column(header: string, field: string, kind: CellKind, value: GeneratedColumn['value']): GeneratedColumn {
  return { header, field, kind, value };
}

/** A column of words, each as often as it is listed. */
export function words(header: string, field: string, choices: readonly string[]): GeneratedColumn {
  return column(header, field, 'text', (_, random) => random.pick(choices));
}

/** A number written as digits of a fixed length, for ids: spread over the whole range, never twice the same. */
export function idDigits(number: number, digits: number): string {
  // a factor without common divisor with a power of ten visits every number once
  const range = 10 ** digits;
  return String((number * 7_368_787 + 1_234_567) % range).padStart(digits, '0');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A cell as text of a CSV file, not yet quoted. */
export function cellText(cell: GeneratedCell | null, profile: TapeProfile): string {
  if (cell === null) return '';
  switch (cell.kind) {
    case 'date':
      return dateText(String(cell.value), profile.dateStyle);
    case 'month':
      return monthText(String(cell.value), profile.monthStyle);
    case 'money':
      return moneyText(Number(cell.value), profile.moneyStyle);
    case 'percent':
      return profile.percentStyle === 'SIGN' ? `${cell.value}%` : String(cell.value);
    default:
      return String(cell.value);
  }
}

/** A month as the profile writes it; months are text in workbooks too. */
export function monthText(date: string, style: TapeProfile['monthStyle']): string {
  const [year, month] = date.split('-');
  return style === 'MM/YYYY' ? `${month}/${year}` : `${MONTHS[Number(month) - 1]}-${year}`;
}

function dateText(date: string, style: TapeProfile['dateStyle']): string {
  const [year, month, day] = date.split('-');
  return style === 'ISO' ? date : `${month}/${day}/${year}`;
}

function moneyText(cents: number, style: TapeProfile['moneyStyle']): string {
  const plain = `${Math.trunc(cents / 100)}.${String(Math.abs(cents % 100)).padStart(2, '0')}`;
  return style === 'PLAIN' ? plain : `$${plain.replace(/\B(?=(\d{3})+\.)/g, ',')}`;
}
