import { useQuery } from '@tanstack/react-query';
import { api, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { count, day, money, words } from '../../ui/format.tsx';
import { numbers } from '../../ui/intl.ts';

export type LoanField = Records['CanonicalField'];

/** The fields of a loan type by name: what they are and in which unit. The operator has no dictionary: values speak for themselves. */
export function useLoanFields(loanType: Records['LoanType'] | undefined): ReadonlyMap<string, LoanField> {
  const operator = isOperator(useMe());
  const dictionary = useQuery({
    queryKey: ['dictionary', loanType],
    enabled: !operator && loanType !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => sent(api.GET('/v1/api/originator/loans/dictionary', { params: { query: { type: loanType ?? 'Auto' } } })),
    select: ({ data }) => new Map(data.map((field) => [field.field, field])),
  });
  return dictionary.data ?? NO_FIELDS;
}

const NO_FIELDS: ReadonlyMap<string, LoanField> = new Map();
const number = numbers({ maximumFractionDigits: 6 });
const DAY = /^\d{4}-\d\d-\d\d$/;
/** Units that stand behind a number. */
const COUNTED = ['months', 'days', 'years'];

/** A value as people read it: amounts in dollars, rates in percent, days as days. */
export function shownValue(value: unknown, field: LoanField | undefined): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string') return DAY.test(value) ? day(value) : value;
  if (typeof value !== 'number') return JSON.stringify(value);
  if (field?.type === 'money') return money(value);
  if (field?.type === 'percent') return `${number(value)}%`;
  // A year is a number that is not counted with.
  if (field?.unit === 'year') return String(value);
  return field?.type === 'integer' ? count(value) : number(value);
}

/** The same with the unit behind it, where it stands alone. */
export function withUnit(value: unknown, field: LoanField | undefined): string {
  const text = shownValue(value, field);
  if (typeof value !== 'number' || !field?.unit) return text;
  if (field.type === 'percent') return field.unit.includes('p.a.') ? `${text} a year` : text;
  return COUNTED.includes(field.unit) ? `${text} ${field.unit}` : text;
}

/** What a field is, for those who point at it. */
export function aboutField(name: string, field: LoanField | undefined): string {
  if (!field) return name;
  const type = field.unit ? `${field.type}, ${field.unit}` : field.type;
  return `${name} (${type}): ${field.description}`;
}

export const isNumber = (field: LoanField | undefined, value: unknown): boolean =>
  field ? ['money', 'percent', 'integer', 'number'].includes(field.type) : typeof value === 'number';

export const titleOf = (name: string, field: LoanField | undefined): string =>
  field?.unit && COUNTED.includes(field.unit) && !name.includes(field.unit) ? `${words(name)} (${field.unit})` : words(name);
