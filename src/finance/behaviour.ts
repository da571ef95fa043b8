import { dependsOnAge, monthlyMdr, monthlySmm, RAMP_MONTHS, valueAt } from './rates.ts';
import type { Assumptions, DefaultSpeed, PrepaymentSpeed } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';

/** Assumptions compiled for a number of months: monthly rates by age, severity by month. */
export type Behaviour = {
  /** Months of the cash flow: those of the loans, and the liquidations after them. */
  periods: number;
  lagMonths: number;
  /** Months at the end of a loan in which nothing defaults. */
  quietMonths: number;
  advances: boolean;
  /** Whether loans of different ages have different rates. */
  byAge: boolean;
  /** Share of defaulted balance lost, as a fraction, by month of default (index 0 = month 1). */
  severity: Float64Array;
  /** The same for a loan that has `ageMonths` at the cut-off, where severity depends on age; `severity` is then not read. */
  severityOf: ((ageMonths: number) => Float64Array) | null;
  /** Monthly prepayment and default rates, fractions by month, of a loan that has `ageMonths` at the cut-off. */
  rates(ageMonths: number): { smm: Float64Array; mdr: Float64Array };
};

/** Compiles assumptions for loans of at most `loanMonths` months. Throws RangeError for a negative or non-finite speed, severity or lag. */
export function compileBehaviour(assumptions: Assumptions, loanMonths: number): Behaviour {
  if (assumptions.segments) throw new RangeError('a pool with segments is projected segment by segment');
  assertSpeeds('prepayment', assumptions.prepayment.values);
  assertSpeeds('default', assumptions.default.values);
  const lagMonths = assumptions.recoveryLagMonths;
  if (!Number.isInteger(lagMonths) || lagMonths < 0) {
    throw new RangeError(`recoveryLagMonths is ${lagMonths}, expected whole months from 0`);
  }
  const keeps = assumptions.keepsLateDefaults === true;
  // With advances the servicer has paid the whole schedule by the last payment, so nothing is left to liquidate after it.
  const periods = loanMonths + (keeps && !assumptions.servicerAdvances && loanMonths > 0 ? lagMonths : 0);
  const severityOf = severityByAge(assumptions, periods);
  const byAge = differsByAge(assumptions.prepayment) || differsByAge(assumptions.default) || severityOf !== null;
  const smmOf = ratesByAge(assumptions.prepayment, monthlySmm, periods);
  const mdrOf = ratesByAge(assumptions.default, monthlyMdr, periods);
  return {
    periods,
    lagMonths,
    quietMonths: keeps ? 0 : lagMonths,
    advances: assumptions.servicerAdvances,
    byAge,
    severity: compileSeverity(assumptions.severityPercent, periods),
    severityOf,
    rates: (ageMonths) => ({ smm: smmOf(ageMonths), mdr: mdrOf(ageMonths) }),
  };
}

type Speed = PrepaymentSpeed | DefaultSpeed;
type MonthlyRate<S extends Speed> = (speed: S, period: number, ageMonths: number) => number;

/** Whether a speed is another for loans of another age. */
function differsByAge({ measure, values, byAge }: Speed): boolean {
  return dependsOnAge(measure) || (byAge === true && values.length > 1);
}

/**
 * Monthly rates by age of the loan. A speed without a vector, or with one that is read by age, depends on the loan's month alone, so all
 * ages share one array of it.
 */
function ratesByAge<S extends Speed>(speed: S, rateOf: MonthlyRate<S>, periods: number): (ageMonths: number) => Float64Array {
  if (!differsByAge(speed)) {
    const rates = compileRates(speed, rateOf, periods, 0);
    return () => rates;
  }
  const byAge = new Map<number, Float64Array>();
  let fromOrigination = new Float64Array(0);
  return (ageMonths) => {
    let rates = byAge.get(ageMonths);
    if (rates) return rates;
    if (speed.values.length > 1 && !speed.byAge) rates = compileRates(speed, rateOf, periods, ageMonths);
    else {
      const months = ageMonths + periods;
      if (fromOrigination.length < months) fromOrigination = compileRates(speed, rateOf, Math.max(months, 2 * periods), 0);
      rates = fromOrigination.subarray(ageMonths, months);
    }
    byAge.set(ageMonths, rates);
    return rates;
  };
}

function compileRates<S extends Speed>(speed: S, rateOf: MonthlyRate<S>, periods: number, ageMonths: number) {
  const rates = new Float64Array(periods);
  const computed = Math.min(periods, settledFrom(speed, ageMonths) + 1);
  for (let index = 0; index < computed; index++) rates[index] = rateOf(speed, index + 1, ageMonths);
  // From here on the vector and the standard curve are constant, so the rate is computed only once.
  return rates.fill(rates[computed - 1], computed);
}

/** Number of months after which the rate is constant; infinite for ABS, whose SMM rises to the end. */
function settledFrom({ measure, values }: Speed, ageMonths: number): number {
  return Math.max(RAMP_MONTHS[measure] - ageMonths, values.length, 1);
}

/** Severity by age of the loan; null where it is the same for all ages. */
function severityByAge({ severityPercent, severityByAge: byAge }: Assumptions, periods: number): Behaviour['severityOf'] {
  if (!byAge || typeof severityPercent === 'number' || severityPercent.length === 1) return null;
  let fromOrigination: Float64Array = new Float64Array(0);
  return (ageMonths) => {
    const months = ageMonths + periods;
    if (fromOrigination.length < months) fromOrigination = compileSeverity(severityPercent, Math.max(months, 2 * periods));
    return fromOrigination.subarray(ageMonths, months);
  };
}

/** Severity by month of default as fractions. Throws RangeError outside 0 to 100 %. */
export function compileSeverity(severityPercent: number | number[], periods: number): Float64Array {
  const severity = new Float64Array(periods);
  for (let index = 0; index < periods; index++) {
    const percent = valueAt(severityPercent, index + 1);
    if (!(percent >= 0 && percent <= 100)) throw new UnusableInputError(`severity is ${percent} %, expected 0 to 100`);
    severity[index] = percent / 100;
  }
  return severity;
}

function assertSpeeds(name: string, values: readonly number[]): void {
  for (const value of values) {
    if (!(value >= 0 && Number.isFinite(value)))
      throw new UnusableInputError(`${name} speed is ${value}, expected a number from 0`);
  }
}
