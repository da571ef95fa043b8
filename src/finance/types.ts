/**
 * The types that the modules of `finance/` share.
 *
 * Units: money in currency units as doubles (cents only in `money.ts`), rates and speeds in percent (`ratePercent` 6.5 is
 * 6.5 % a year), terms in months, dates as `YYYY-MM-DD`. Arrays of a projection start at month 1: index 0 is month 1.
 */

/** A calendar date, `YYYY-MM-DD`, without a time or a zone. */
export type IsoDate = string;

export type DayCount = '30/360' | '30E/360' | 'ACT/360' | 'ACT/365' | 'ACT/ACT';

export type BusinessDayRule = 'NONE' | 'FOLLOWING' | 'MODIFIED_FOLLOWING';

export type CalendarName = 'US_FED' | 'TARGET' | 'WEEKENDS';

export type Frequency = 'MONTHLY' | 'QUARTERLY' | 'SEMI_ANNUAL' | 'ANNUAL';

/**
 * Collateral cash flow of a pool, one entry per month from the cut-off.
 *
 * Identities of every month, up to rounding of doubles:
 * `opening - scheduledPrincipal - prepayment - defaulted = closing`, `closing[i] = opening[i + 1]`, and
 * `pendingRecovery[i] = pendingRecovery[i - 1] + defaulted[i] - recovery[i] - loss[i] - advancedPrincipal[i]`.
 * Opening and closing are performing balance.
 */
export type Collateral = {
  /** Number of months; every array has this length. */
  periods: number;
  opening: Float64Array;
  /** Scheduled principal of the performing balance, balloons included, less interest that joins it; that interest is in `interest`. */
  scheduledPrincipal: Float64Array;
  prepayment: Float64Array;
  /** Balance that defaults in the month. */
  defaulted: Float64Array;
  /** Liquidation proceeds received in the month. */
  recovery: Float64Array;
  /** Principal loss booked in the month (at liquidation). */
  loss: Float64Array;
  /** Interest paid by the performing balance. */
  interest: Float64Array;
  /** Scheduled principal that the servicer advances on defaulted balance not yet liquidated. */
  advancedPrincipal: Float64Array;
  /** Interest that the servicer advances on defaulted balance not yet liquidated. */
  advancedInterest: Float64Array;
  /** Defaulted balance not yet liquidated, after the month. */
  pendingRecovery: Float64Array;
  closing: Float64Array;
  /** Balance that would default in the last months of its loans and does not, since it could not be liquidated in time. */
  omittedDefaults?: number;
  /** Sum over loans of performing balance at the opening of the month × loan rate of the month in percent; where `series` asks for it. */
  weightedRate?: Float64Array;
  /**
   * Adjustment of the pool balance at the cut-off (index 0) and after each month (index i = month i), where `series` asks for it:
   * `periods` + 1 numbers.
   */
  adjustment?: Float64Array;
};

/** Series of the collateral that liabilities may need beside its cash flow. */
export type CollateralSeries = {
  weightedRate?: boolean;
  /**
   * Balance less the present value of the remaining scheduled payments at `ratePercent` a year, a month being a twelfth, of loans whose
   * rate at the cut-off is below it (BELOW) or of all. Payments are those of the schedule, without prepayment and default, in proportion
   * to the balance that performs. A repline counts with its average rate.
   */
  adjustment?: { ratePercent: number; applies: 'BELOW' | 'ALL' };
};

/** Coupon that follows an index. Rates in percent a year. */
export type FloatingTerms = {
  /** Name of the index, a key of `ProjectionOptions.indexCurves`. */
  index: string;
  marginPercent: number;
  /** Lifetime cap and floor of the coupon. */
  capPercent?: number;
  floorPercent?: number;
  /** Largest move of the coupon at one reset, up or down. */
  periodicCapPercent?: number;
  /** Months between resets; 1 when absent. */
  resetMonths?: number;
  /** Projection month of the next reset, 1 being the first; the current rate holds until then. 1 when absent. */
  firstResetMonth?: number;
};

/** The coupon becomes `ratePercent` from projection month `fromMonth` on. */
export type RateStep = { fromMonth: number; ratePercent: number };

/** One loan, or one repline that stands for `count` loans, at the cut-off. Without optional terms it is level pay. */
export type CollateralLoan = {
  /** Current balance, currency units. */
  balance: number;
  /** Current coupon, percent a year. */
  ratePercent: number;
  /** Months to maturity; for a balloon loan the months over which the payment amortizes. */
  remainingMonths: number;
  /** Months since origination; the first projected month has age `ageMonths + 1`. */
  ageMonths: number;
  originalMonths: number;
  /** Loans behind this row; 1 when absent. */
  count?: number;
  /** Loan type; replines never mix two of them. */
  type?: string;
  /** Projection months, from month 1, that pay interest alone. */
  interestOnlyMonths?: number;
  /** Projection month in which the whole balance falls due. */
  balloonMonth?: number;
  floating?: FloatingTerms;
  /** Agreed coupons of a step loan, ascending by month. The payment is recomputed at every step. */
  steps?: RateStep[];
  /** Payment of the tape, a month, used instead of the recomputed one. */
  scheduledPayment?: number;
  /** Projection months, from month 1, in which no principal is paid, and interest only under `defermentInterest` PAY. */
  deferMonths?: number;
  /**
   * Interest of deferred months before the cut-off, currency units: part of the balance under CAPITALISE, due in equal parts after the deferred
   * months under SPREAD. Tapes do not have it; rolled loans do.
   */
  deferredInterest?: number;
};

export type PrepaymentMeasure = 'cpr' | 'psa' | 'abs' | 'smm';
export type DefaultMeasure = 'cdr' | 'sda' | 'mdr';

/**
 * Speeds by projection month in percent (100 = the standard curve for `psa` and `sda`); the last value persists, `[0]` is none. With `byAge`
 * they are by age of the loan: value i is that of the i-th month since origination.
 */
export type PrepaymentSpeed = { measure: PrepaymentMeasure; values: number[]; byAge?: boolean };
export type DefaultSpeed = { measure: DefaultMeasure; values: number[]; byAge?: boolean };

/** Behaviour of a credit card pool in amortization, by month, last value persists. */
export type CardAssumptions = {
  /** Principal paid in a month, percent of the opening balance. */
  paymentRatePercent: number[];
  /** Finance charges and fees collected, percent of the opening balance a year. */
  portfolioYieldPercent: number[];
  /** Balance charged off, percent of the opening balance a year. */
  chargeOffPercent: number[];
};

/** Collateral assumptions after defaults have been filled in. */
export type Assumptions = {
  prepayment: PrepaymentSpeed;
  default: DefaultSpeed;
  /** Share of the defaulted balance that is lost, in percent: a number, or by month. */
  severityPercent: number | number[];
  /** The severity vector is read by age of the loan in the month of default. */
  severityByAge?: boolean;
  /** Months from default to liquidation. */
  recoveryLagMonths: number;
  /** Loans default to their last payment, and what cannot be liquidated by then is liquidated after it. False when absent. */
  keepsLateDefaults?: boolean;
  servicerAdvances: boolean;
  /** CAPITALISE when absent. */
  defermentInterest?: DefermentInterest;
  /** 60+ days delinquent, percent of the pool by month; feeds triggers only. */
  delinquencyPercent?: number[];
  /** As `delinquencyPercent`, 30+ and 90+ days. Each includes worse buckets. */
  delinquency30Percent?: number[];
  delinquency90Percent?: number[];
  /** When present the pool revolves: `prepayment` and `default` are not read. */
  card?: CardAssumptions;
  /** Loans of a segment have its assumptions instead of these. */
  segments?: SegmentAssumptions;
};

/** Assumptions of the segments of a pool, in their order; `segmentation` names the list of rules that says which loan is in which. */
export type SegmentAssumptions = { segmentation: string; each: Assumptions[] };

/** What becomes of the interest of deferred months: it joins the balance, is due in equal parts afterwards, or is paid as it accrues. */
export type DefermentInterest = 'CAPITALISE' | 'SPREAD' | 'PAY';

/** Inputs of a projection besides loans and assumptions. */
export type ProjectionOptions = {
  /** Index rates by projection month, percent a year; the last value persists. */
  indexCurves?: Record<string, number[]>;
  /** CAPITALISE when absent. */
  defermentInterest?: DefermentInterest;
  /** None when absent: a projection then costs no more and gives the same numbers. */
  series?: CollateralSeries;
};

/** A point of a benchmark curve: maturity in years, rate in percent. */
export type CurvePoint = { years: number; rate: number };
