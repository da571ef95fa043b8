import type { TapeFinding } from '../types.ts';
import { tapeFinding } from './tape-checks.ts';

/** Values of fields in the rows of a sample, in one order. */
type Sample = ReadonlyMap<string, readonly (number | null)[]>;
type Loan = { amount: number; rate: number; months: number; payment: number };
/** One column in another unit: what it would be, how the mapping reads it so, and the loan with it. */
type Unit = { field: string; unit: string; remedy: string; read: (loan: Loan) => Loan };

const [AMOUNT, RATE, TERM, PAYMENT] = ['original_balance', 'interest_rate', 'original_term_months', 'scheduled_payment'];
/** The fields of a loan with level payments: each follows from the others. */
export const SCHEDULE_FIELDS: readonly string[] = [AMOUNT, RATE, TERM, PAYMENT];

const UNITS: readonly Unit[] = [
  { field: AMOUNT, unit: 'cents', remedy: '{"scale": 0.01}', read: (loan) => ({ ...loan, amount: loan.amount / 100 }) },
  { field: AMOUNT, unit: 'thousands', remedy: '{"scale": 1000}', read: (loan) => ({ ...loan, amount: loan.amount * 1000 }) },
  { field: RATE, unit: 'rates of a month', remedy: '{"scale": 12}', read: (loan) => ({ ...loan, rate: loan.rate * 12 }) },
  // Rates of a month below 2 % were taken for fractions, which a scale settles.
  { field: RATE, unit: 'rates of a month', remedy: '{"scale": 12}', read: (loan) => ({ ...loan, rate: (loan.rate / 100) * 12 }) },
  { field: RATE, unit: 'basis points', remedy: '{"scale": 0.01}', read: (loan) => ({ ...loan, rate: loan.rate / 100 }) },
  { field: TERM, unit: 'years', remedy: '{"scale": 12}', read: (loan) => ({ ...loan, months: loan.months * 12 }) },
  payments('cents', '{"scale": 0.01}', 1 / 100),
  payments('payments of a week', '{"multiply": 52, "divide": 12}', 52 / 12),
  payments('payments of two weeks', '{"multiply": 26, "divide": 12}', 26 / 12),
  payments('payments of half a month', '{"scale": 2}', 2),
  payments('payments of a quarter', '{"divide": 3}', 1 / 3),
  payments('payments of a year', '{"divide": 12}', 1 / 12),
];

function payments(unit: string, remedy: string, factor: number): Unit {
  return { field: PAYMENT, unit, remedy, read: (loan) => ({ ...loan, payment: loan.payment * factor }) };
}

/** Fewer loans show nothing. */
const LOANS_MIN = 10;
/** A payment so near the level one follows from amount, rate and term. */
const NEAR = 0.03;
/** So many payments do in the unit of the column, where it is right, and in another, where that is. */
const [FEW, MOST] = [0.1, 0.8];

/** A column of amounts, rates, terms or payments by which hardly a payment follows from the others, and nearly all do in another unit. */
export function scheduleUnits(sample: Sample, sourceOf: (field: string) => string): TapeFinding[] {
  const loans = loansOf(sample);
  if (loans.length < LOANS_MIN) return [];
  const shareOf = (read: Unit['read']) => loans.filter((loan) => isLevel(read(loan))).length / loans.length;
  const asIs = shareOf((loan) => loan);
  if (asIs > FEW) return [];
  const found = UNITS.map((each) => ({ ...each, share: shareOf(each.read) })).find(({ share }) => share >= MOST);
  if (!found) return [];
  const { field, unit, remedy, share } = found;
  const [fit, now] = [share, asIs].map((each) => `${Math.floor(100 * each)} %`);
  const message = `"${sourceOf(field)}": ${now} of the payments are those that amount, rate and term give, and ${fit} are if its values are ${unit}; they are kept as they are. Set ${remedy} in the mapping if they are ${unit}`;
  return [
    tapeFinding('SCALE_SUSPECTED', message, {
      field,
      column: sourceOf(field),
      actual: `${now} of the payments fit`,
      expected: EXPECTED[field] ?? null,
    }),
  ];
}

const EXPECTED: Readonly<Record<string, string>> = {
  [AMOUNT]: 'amounts in whole currency units',
  [RATE]: 'percents of a year',
  [TERM]: 'terms in months',
  [PAYMENT]: 'payments of a month',
};

function loansOf(sample: Sample): Loan[] {
  const [amounts = [], rates = [], terms = [], paid = []] = SCHEDULE_FIELDS.map((field) => sample.get(field));
  return amounts.flatMap((amount, row) => {
    const [rate, months, payment] = [rates[row], terms[row], paid[row]];
    return amount && rate && months && payment && Math.min(amount, rate, months, payment) > 0
      ? [{ amount, rate, months, payment }]
      : [];
  });
}

/** Whether the payment is the level one: B · r / (1 − (1 + r)^−n), r the monthly rate, n the months. */
function isLevel({ amount, rate, months, payment }: Loan): boolean {
  const monthly = rate / 1200;
  const level = (amount * monthly) / (1 - (1 + monthly) ** -months);
  return Math.abs(payment - level) <= NEAR * level;
}

export const DAYS = 'days_past_due';
/** Fewer loans past due may all be so by a few days. */
const PAST_DUE_MIN = 10;
/** Days of many loans go beyond; a loan that is so many months past due is charged off. */
const MONTHS_MAX = 12;
/** Of counts of months 1 has so large a share; days are alike where all loans are due on one day, and spread where they are not. */
const ONES_MIN = 0.2;

/** Days past due of which none is above a dozen and many are 1: counts of months. */
export function monthsPastDue(values: readonly (number | null)[], source: string): TapeFinding[] {
  const late = values.filter((value): value is number => value !== null && value > 0);
  const ones = late.filter((value) => value === 1).length;
  const largest = late.reduce((most, value) => Math.max(most, value), 0);
  if (late.length < PAST_DUE_MIN || largest === 1 || largest > MONTHS_MAX || ones < ONES_MIN * late.length) return [];
  const message = `"${source}": no loan is more than ${largest} days past due, and many are so by 1, as counts of months are; they are kept as days. Set {"scale": 30} in the mapping if they are months`;
  const actual = `at most ${largest}`;
  return [tapeFinding('SCALE_SUSPECTED', message, { field: DAYS, column: source, actual, expected: 'days past due' })];
}
