import { normalizeHeader } from '../dictionary/dictionary.ts';
import { sqlText } from '../engine/sql.ts';
import type { ColumnSample } from './content.ts';

/** Words of a header that name data of a person. */
const PERSONAL = new Set(
  (
    'ssn ssnum itin tin taxid email emails mail phone phones telephone tel mobile cell fax address addresses street birth birthdate birthday dob ' +
    'passport iban firstname lastname surname forename fullname middlename maiden spouse social'
  ).split(' '),
);

/** Words beside which `name` names a person, and those beside which `number` or `id` is a number of a person. */
const PERSONS = new Set(
  'first last middle full given family borrower coborrower obligor coobligor customer client applicant cardholder holder owner guarantor cosigner debtor'.split(
    ' ',
  ),
);
const NUMBERS = new Set('tax national licence license driver drivers'.split(' '));

const EMAIL = /[^\s@]@[^\s@]+\.[a-z]{2,}/i;
const TAX_NUMBER = /(?:^|\D)\d{3}-\d{2}-\d{4}(?:\D|$)/;
const PHONE = /(?:^|[^\d.])(?:\+?1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[ .-]\d{4}(?:[^\d.]|$)|^\+\d{1,3}[ \d().-]{7,16}$/;

/**
 * Whole values that are an e-mail address, a telephone number or a US tax number (SSN, ITIN, EIN, also masked), each in a form that no
 * amount, date or code has. Understood by JavaScript and by the engine alike.
 */
const PERSONAL_VALUES = [
  '[^\\s@]+@[^\\s@]+\\.[A-Za-z]{2,}',
  '[0-9Xx*]{3}[- ][0-9Xx*]{2}[- ][0-9]{4}',
  '[0-9]{2}-[0-9]{7}',
  '(?:\\+?1[ .-]?)?(?:\\([0-9]{3}\\) ?|[0-9]{3}[ .-])[0-9]{3}[ .-]?[0-9]{4}(?: ?(?:x|ext\\.?) ?[0-9]{1,6})?',
  '\\+[0-9]{1,3}[ 0-9().-]{7,16}',
];
const PERSONAL_VALUE = new RegExp(`^(?:${PERSONAL_VALUES.join('|')})$`);

/** A column is personal by content when at least this share of its values has such a form. */
export const PERSONAL_SHARE = 0.95;

export const isPersonalValue = (text: string): boolean => text.length <= 100 && PERSONAL_VALUE.test(text);

/** `isPersonalValue` as SQL over a trimmed text. */
export const personalValueSql = (text: string): string =>
  `(strlen(${text}) <= 100 AND regexp_full_match(${text}, ${sqlText(PERSONAL_VALUES.join('|'))}))`;

/** Whether a header names data of a person: a name, an address, a telephone, e-mail or tax number. */
export function isPersonalHeader(header: string): boolean {
  const words = normalizeHeader(header.replace(/([a-z0-9])([A-Z])/g, '$1_$2')).split('_');
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  const named = words.includes('name') && (words.length === 1 || has(PERSONS));
  const numbered = has(NUMBERS) && words.some((word) => ['id', 'no', 'nr', 'num', 'number'].includes(word));
  return has(PERSONAL) || PERSONAL.has(words.join('')) || named || numbered;
}

/**
 * Why the values of a column are not shown outside the files of the tape, or null: they look like data of a person. The loans show a
 * person's name as a token only.
 */
export function personalData(header: string, sample: ColumnSample, target: string): string | null {
  if (target === 'obligor_name') return 'the values would be names of persons, which the loans show as tokens only';
  if (isPersonalHeader(header)) return 'the header looks like data of a person';
  const isPersonal = (text: string) => text.length <= 500 && (EMAIL.test(text) || TAX_NUMBER.test(text) || PHONE.test(text));
  return sample.texts.some(isPersonal) ? 'values look like addresses, telephone or tax numbers of persons' : null;
}
