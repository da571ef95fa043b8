import { AUTO_FIELDS } from './auto.ts';
import { BUSINESS_FIELDS } from './business.ts';
import { COLLATERAL_FIELDS } from './collateral.ts';
import { CREDIT_CARD_FIELDS } from './credit-card.ts';
import type { Field } from './field.ts';
import { FOREIGN_NAMES } from './foreign-names.ts';
import { MORTGAGE_FIELDS } from './mortgage.ts';
import { PERSONAL_FIELDS } from './personal.ts';
import { isOf, SECONDARY_NAMES } from './secondary-names.ts';
import { SERVICING_FIELDS } from './servicing.ts';
import { STUDENT_FIELDS } from './student.ts';
import { withTerms } from './terms.ts';
import type { LoanType } from '../types.ts';

const FIELDS: Record<LoanType, readonly Field[]> = {
  Auto: fieldsOf('Auto', withTerms(AUTO_FIELDS), COLLATERAL_FIELDS.Auto),
  Personal: fieldsOf('Personal', withTerms(PERSONAL_FIELDS), COLLATERAL_FIELDS.Personal),
  Mortgage: fieldsOf('Mortgage', withTerms(MORTGAGE_FIELDS), COLLATERAL_FIELDS.Mortgage),
  Student: fieldsOf('Student', withTerms(STUDENT_FIELDS), COLLATERAL_FIELDS.Student),
  Business: fieldsOf('Business', withTerms(BUSINESS_FIELDS), COLLATERAL_FIELDS.Business),
  'Credit Card': fieldsOf('Credit Card', CREDIT_CARD_FIELDS, []),
};

function fieldsOf(type: LoanType, own: readonly Field[], collateral: readonly Field[]): readonly Field[] {
  return withSecondaryNames(type, [...own, ...collateral, ...SERVICING_FIELDS[type]]);
}

/** The fields of a type with the names that none of them has. */
function withSecondaryNames(type: LoanType, fields: readonly Field[]): readonly Field[] {
  const taken = new Set(fields.flatMap(({ field, aliases }) => [field, ...aliases]).map(comparedHeader));
  return fields.map((field) => {
    const given = SECONDARY_NAMES.filter((each) => each.field === field.field && isOf(type, each));
    const names = [...given.flatMap((each) => each.names), ...(FOREIGN_NAMES[field.field] ?? [])];
    const added = names.filter((name) => !taken.has(comparedHeader(name)));
    if (added.length === 0) return field;
    const near = given.flatMap(({ standIns = {} }) => Object.entries(standIns)).filter(([name]) => added.includes(name));
    return {
      ...field,
      aliases: [...field.aliases, ...added],
      secondary: new Set(added),
      standIns: { ...field.standIns, ...Object.fromEntries(near) },
    };
  });
}

/** Canonical fields of a loan type, in the order of the loan table. */
export function dictionary(type: LoanType): readonly Field[] {
  return FIELDS[type];
}

/** The field with that name, or undefined. */
export function findField(type: LoanType, name: string): Field | undefined {
  return FIELDS[type].find((field) => field.field === name);
}

/** The fields of a loan type that have a role on every tape. */
export type Roles = { id: string; original: string; current: string };

/** For cards the account is the loan and the limit is the amount. */
export function roles(type: LoanType): Roles {
  if (type === 'Credit Card') return { id: 'account_id', original: 'credit_limit', current: 'current_balance' };
  return { id: 'loan_id', original: 'original_balance', current: 'current_balance' };
}

/**
 * Header in the form in which headers are compared: lower case, runs of other than letters and digits become `_`. `Loan #` is a loan
 * number, and the number of a column (`12. Model`) is no part of its name.
 */
export function normalizeHeader(header: string): string {
  return header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^\s*\d{1,3}[.)]\s+(?=\S)/, '')
    .replaceAll('#', ' number ')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
}

/** As `normalizeHeader`; a header without a Latin letter or digit keeps the letters that it has. */
export function comparedHeader(header: string): string {
  const latin = normalizeHeader(header);
  if (latin !== '') return latin;
  return header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

/** Codes of the United States Postal Service for states and territories, armed forces included. */
export const STATE_CODES: readonly string[] = (
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN ' +
  'TX UT VT VA WA WV WI WY PR VI GU AS MP AA AE AP'
).split(' ');

/** Full names, as on some tapes. */
export const STATE_NAMES: Readonly<Record<string, string>> = {
  ALABAMA: 'AL',
  ALASKA: 'AK',
  ARIZONA: 'AZ',
  ARKANSAS: 'AR',
  CALIFORNIA: 'CA',
  COLORADO: 'CO',
  CONNECTICUT: 'CT',
  DELAWARE: 'DE',
  'DISTRICT OF COLUMBIA': 'DC',
  FLORIDA: 'FL',
  GEORGIA: 'GA',
  HAWAII: 'HI',
  IDAHO: 'ID',
  ILLINOIS: 'IL',
  INDIANA: 'IN',
  IOWA: 'IA',
  KANSAS: 'KS',
  KENTUCKY: 'KY',
  LOUISIANA: 'LA',
  MAINE: 'ME',
  MARYLAND: 'MD',
  MASSACHUSETTS: 'MA',
  MICHIGAN: 'MI',
  MINNESOTA: 'MN',
  MISSISSIPPI: 'MS',
  MISSOURI: 'MO',
  MONTANA: 'MT',
  NEBRASKA: 'NE',
  NEVADA: 'NV',
  'NEW HAMPSHIRE': 'NH',
  'NEW JERSEY': 'NJ',
  'NEW MEXICO': 'NM',
  'NEW YORK': 'NY',
  'NORTH CAROLINA': 'NC',
  'NORTH DAKOTA': 'ND',
  OHIO: 'OH',
  OKLAHOMA: 'OK',
  OREGON: 'OR',
  PENNSYLVANIA: 'PA',
  'RHODE ISLAND': 'RI',
  'SOUTH CAROLINA': 'SC',
  'SOUTH DAKOTA': 'SD',
  TENNESSEE: 'TN',
  TEXAS: 'TX',
  UTAH: 'UT',
  VERMONT: 'VT',
  VIRGINIA: 'VA',
  WASHINGTON: 'WA',
  'WEST VIRGINIA': 'WV',
  WISCONSIN: 'WI',
  WYOMING: 'WY',
  'PUERTO RICO': 'PR',
  'VIRGIN ISLANDS': 'VI',
  GUAM: 'GU',
  'AMERICAN SAMOA': 'AS',
  'NORTHERN MARIANA ISLANDS': 'MP',
};
