import { MAX_TERM_MONTHS } from './amortization.ts';
import { addMonths, monthsBetween } from './dates.ts';
import type { CollateralLoan, FloatingTerms, IsoDate, RateStep } from './types.ts';

/**
 * Canonical fields of one loan: amounts in currency units, rates in percent, dates as `YYYY-MM-DD`; absent, null and unknown
 * fields are the same. Beside the fields of the dictionary these say more than level pay: `interest_only_months` (left at the cut-off),
 * `balloon_months` or `balloon_date`, `index` or `rate_index` with `margin`, `rate_cap`, `rate_floor`, `periodic_rate_cap`, `rate_reset_months`,
 * `next_rate_reset_date`, `rate_steps` ([{from_month, rate}]), `deferment_months`, `scheduled_payment`.
 */
export type LoanFields = Readonly<Record<string, unknown>>;

export type TermsContext = {
  cutOff: IsoDate;
  /** Project the payment of the tape instead of the recomputed one. */
  useScheduledPayment?: boolean;
  /** Card accounts have no term; only their balance is projected. */
  creditCard?: boolean;
};

export type TermsWarningCode =
  | 'BALANCE_MISSING'
  | 'REMAINING_TERM_MISSING'
  | 'RATE_MISSING'
  | 'INTEREST_ONLY_TERM_MISSING'
  | 'BALLOON_DATE_MISSING'
  | 'INDEX_OR_MARGIN_MISSING'
  | 'DEFERMENT_TERM_MISSING';

/** What was assumed for lack of a field, for how many loans, and the first of them (0 = first of the pool). */
export type TermsWarning = { code: TermsWarningCode; message: string; count: number; firstIndex: number };

const MESSAGES: Record<TermsWarningCode, string> = {
  BALANCE_MISSING: 'no current_balance: the loan is left out',
  REMAINING_TERM_MISSING: 'no remaining_term_months, maturity_date or original_term_months: the loan is left out',
  RATE_MISSING: 'no interest_rate: projected without interest',
  INTEREST_ONLY_TERM_MISSING: 'interest-only loan without interest_only_months: projected as level pay',
  BALLOON_DATE_MISSING: 'balloon loan without balloon_months or balloon_date: projected as level pay',
  INDEX_OR_MARGIN_MISSING: 'adjustable rate without index and margin: the current rate is kept',
  DEFERMENT_TERM_MISSING: 'loan not yet in repayment without deferment_months: projected as level pay',
};

/** Terms of a pool's loans in their order, and what had to be assumed. Loans that cannot be projected are left out with a warning. */
export function readPoolTerms(
  rows: Iterable<LoanFields>,
  context: TermsContext,
): { loans: CollateralLoan[]; warnings: TermsWarning[] } {
  const loans: CollateralLoan[] = [];
  const warnings = new Map<TermsWarningCode, TermsWarning>();
  let index = 0;
  for (const fields of rows) {
    const warn = (code: TermsWarningCode) => {
      const warning = warnings.get(code);
      if (warning) warning.count++;
      else warnings.set(code, { code, message: MESSAGES[code], count: 1, firstIndex: index });
    };
    const loan = readLoanTerms(fields, context, warn);
    if (loan) loans.push(loan);
    index++;
  }
  return { loans, warnings: [...warnings.values()] };
}

/** Terms of one loan; null when it has no balance or no term. `warn` is told what was assumed. */
export function readLoanTerms(
  fields: LoanFields,
  context: TermsContext,
  warn: (code: TermsWarningCode) => void,
): CollateralLoan | null {
  const balance = numberOf(fields.current_balance);
  if (balance === undefined || balance < 0) return reject(warn, 'BALANCE_MISSING');
  const ageMonths = readAge(fields, context.cutOff);
  const remainingMonths = context.creditCard ? 1 : readRemaining(fields, context.cutOff, ageMonths);
  if (remainingMonths === undefined) return reject(warn, 'REMAINING_TERM_MISSING');
  const ratePercent = numberOf(fields.interest_rate) ?? numberOf(fields.apr);
  if (ratePercent === undefined && !context.creditCard) warn('RATE_MISSING');
  return {
    balance,
    ratePercent: Math.max(0, ratePercent ?? 0),
    remainingMonths,
    ageMonths,
    originalMonths: wholeMonths(fields.original_term_months) ?? ageMonths + remainingMonths,
    ...(context.creditCard ? {} : readSpecialTerms(fields, context, warn)),
  };
}

function readSpecialTerms(fields: LoanFields, context: TermsContext, warn: (code: TermsWarningCode) => void) {
  const special: Partial<CollateralLoan> = {};
  const amortization = textOf(fields.amortization_type) ?? textOf(fields.rate_type);
  if (amortization) special.type = amortization;
  const interestOnly = wholeMonths(fields.interest_only_months);
  if (interestOnly) special.interestOnlyMonths = interestOnly;
  else if (amortization === 'IO') warn('INTEREST_ONLY_TERM_MISSING');
  const balloon = wholeMonths(fields.balloon_months) ?? monthsUntil(context.cutOff, fields.balloon_date);
  if (balloon) special.balloonMonth = balloon;
  else if (amortization === 'BALLOON') warn('BALLOON_DATE_MISSING');
  const deferment = wholeMonths(fields.deferment_months);
  if (deferment) special.deferMonths = deferment;
  else if (deferment === undefined && NOT_IN_REPAYMENT.has(textOf(fields.status) ?? '')) warn('DEFERMENT_TERM_MISSING');
  const steps = readSteps(fields.rate_steps);
  if (steps.length > 0) special.steps = steps;
  const floating = readFloating(fields, context.cutOff);
  if (floating) special.floating = floating;
  else if (isAdjustable(fields) && steps.length === 0) warn('INDEX_OR_MARGIN_MISSING');
  const payment = numberOf(fields.scheduled_payment);
  if (context.useScheduledPayment && payment !== undefined && payment > 0) special.scheduledPayment = payment;
  return special;
}

const NOT_IN_REPAYMENT = new Set(['IN_SCHOOL', 'GRACE', 'DEFERMENT', 'FORBEARANCE']);
const ADJUSTABLE = new Set(['ARM', 'ADJUSTABLE', 'FLOATING', 'VARIABLE']);

function isAdjustable(fields: LoanFields): boolean {
  return ADJUSTABLE.has(textOf(fields.amortization_type) ?? '') || ADJUSTABLE.has(textOf(fields.rate_type) ?? '');
}

/** Age of the tape, else original less remaining term, else whole months since origination, else 0. */
function readAge(fields: LoanFields, cutOff: IsoDate): number {
  const original = wholeMonths(fields.original_term_months);
  const remaining = wholeMonths(fields.remaining_term_months);
  const difference = original !== undefined && remaining !== undefined ? Math.max(0, original - remaining) : undefined;
  const origination = dateOf(fields.origination_date);
  const sinceOrigination = origination ? Math.max(0, monthsBetween(origination, cutOff)) : undefined;
  return Math.min(MAX_TERM_MONTHS, wholeMonths(fields.loan_age_months) ?? difference ?? sinceOrigination ?? 0);
}

/** Remaining term of the tape, else months from the cut-off to maturity (a part of a month has an instalment), else original less age. */
function readRemaining(fields: LoanFields, cutOff: IsoDate, ageMonths: number): number | undefined {
  const original = wholeMonths(fields.original_term_months);
  const left = original === undefined ? undefined : Math.max(0, original - ageMonths);
  const months = wholeMonths(fields.remaining_term_months) ?? monthsUntil(cutOff, fields.maturity_date) ?? left;
  return months === undefined ? undefined : Math.min(MAX_TERM_MONTHS, months);
}

function readFloating(fields: LoanFields, cutOff: IsoDate): FloatingTerms | undefined {
  const index = textOf(fields.index) ?? textOf(fields.rate_index);
  const marginPercent = numberOf(fields.margin);
  if (!index || index === 'NONE' || marginPercent === undefined) return undefined;
  const terms: FloatingTerms = { index, marginPercent, resetMonths: Math.max(1, wholeMonths(fields.rate_reset_months) ?? 1) };
  const capPercent = numberOf(fields.rate_cap);
  const floorPercent = numberOf(fields.rate_floor);
  const periodicCapPercent = numberOf(fields.periodic_rate_cap);
  const firstResetMonth = monthsUntil(cutOff, fields.next_rate_reset_date);
  if (capPercent !== undefined) terms.capPercent = capPercent;
  if (floorPercent !== undefined) terms.floorPercent = floorPercent;
  if (periodicCapPercent !== undefined) terms.periodicCapPercent = periodicCapPercent;
  if (firstResetMonth) terms.firstResetMonth = firstResetMonth;
  return terms;
}

function readSteps(value: unknown): RateStep[] {
  if (!Array.isArray(value)) return [];
  const steps = value.flatMap((step: { from_month?: unknown; rate?: unknown }) => {
    const fromMonth = wholeMonths(step?.from_month);
    const ratePercent = numberOf(step?.rate);
    return fromMonth !== undefined && ratePercent !== undefined ? [{ fromMonth, ratePercent }] : [];
  });
  return steps.sort((a, b) => a.fromMonth - b.fromMonth);
}

/** Months to a date, a begun month counting as one; undefined without a date, 0 when it has passed. */
function monthsUntil(cutOff: IsoDate, value: unknown): number | undefined {
  const date = dateOf(value);
  if (!date) return undefined;
  if (date <= cutOff) return 0;
  const whole = monthsBetween(cutOff, date);
  return addMonths(cutOff, whole) < date ? whole + 1 : whole;
}

function reject(warn: (code: TermsWarningCode) => void, code: TermsWarningCode): null {
  warn(code);
  return null;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function wholeMonths(value: unknown): number | undefined {
  const months = numberOf(value);
  return months === undefined || months < 0 ? undefined : Math.round(months);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function dateOf(value: unknown): IsoDate | undefined {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
}
