import { dependsOnAge, monthlyMdr, monthlySmm, valueAt } from './rates.ts';
import type { Assumptions } from './types.ts';

/** Assumptions compiled for a number of months: monthly rates by age, severity by month. */
export type Behaviour = {
  lagMonths: number;
  advances: boolean;
  /** Loans of different age differ. */
  byAge: boolean;
  /** Share of defaulted balance lost, as a fraction, by month of default (index 0 = month 1). */
  severity: Float64Array;
  /** Monthly prepayment and default rates, fractions by month, of a loan that has `ageMonths` at the cut-off. */
  rates(ageMonths: number): { smm: Float64Array; mdr: Float64Array };
};

/** Compiles assumptions for `periods` months. Throws RangeError for a negative or non-finite speed, severity or lag. */
export function compileBehaviour(assumptions: Assumptions, periods: number): Behaviour {
  assertSpeeds('prepayment', assumptions.prepayment.values);
  assertSpeeds('default', assumptions.default.values);
  const lagMonths = assumptions.recoveryLagMonths;
  if (!Number.isInteger(lagMonths) || lagMonths < 0) {
    throw new RangeError(`recoveryLagMonths is ${lagMonths}, expected whole months from 0`);
  }
  const byAge = dependsOnAge(assumptions.prepayment.measure) || dependsOnAge(assumptions.default.measure);
  const cache = new Map<number, { smm: Float64Array; mdr: Float64Array }>();
  return {
    lagMonths,
    advances: assumptions.servicerAdvances,
    byAge,
    severity: compileSeverity(assumptions.severityPercent, periods),
    rates: (ageMonths) => {
      const key = byAge ? ageMonths : 0;
      let rates = cache.get(key);
      if (!rates) {
        rates = compileRates(assumptions, periods, key);
        cache.set(key, rates);
      }
      return rates;
    },
  };
}

function compileRates(assumptions: Assumptions, periods: number, ageMonths: number) {
  const smm = new Float64Array(periods);
  const mdr = new Float64Array(periods);
  const tail = periods - settledFrom(assumptions, ageMonths);
  const computed = tail > 0 ? periods - tail + 1 : periods;
  for (let index = 0; index < computed; index++) {
    smm[index] = monthlySmm(assumptions.prepayment, index + 1, ageMonths);
    mdr[index] = monthlyMdr(assumptions.default, index + 1, ageMonths);
  }
  // From here on neither the vectors nor the standard curves move, so the powers need not be taken again.
  smm.fill(smm[computed - 1] as number, computed);
  mdr.fill(mdr[computed - 1] as number, computed);
  return { smm, mdr };
}

/** Months after which both rates are constant; infinite for ABS, whose SMM rises to the end. */
function settledFrom({ prepayment, default: defaults }: Assumptions, ageMonths: number): number {
  const rampEnds = { psa: 30, sda: 120, abs: Number.POSITIVE_INFINITY, cpr: 0, smm: 0, cdr: 0, mdr: 0 };
  const ramp = Math.max(rampEnds[prepayment.measure], rampEnds[defaults.measure]) - ageMonths;
  return Math.max(ramp, prepayment.values.length, defaults.values.length, 1);
}

/** Severity by month of default as fractions. Throws RangeError outside 0 to 100 %. */
export function compileSeverity(severityPercent: number | number[], periods: number): Float64Array {
  const severity = new Float64Array(periods);
  for (let index = 0; index < periods; index++) {
    const percent = valueAt(severityPercent, index + 1);
    if (!(percent >= 0 && percent <= 100)) throw new RangeError(`severity is ${percent} %, expected 0 to 100`);
    severity[index] = percent / 100;
  }
  return severity;
}

function assertSpeeds(name: string, values: readonly number[]): void {
  for (const value of values) {
    if (!(value >= 0 && Number.isFinite(value))) throw new RangeError(`${name} speed is ${value}, expected a number from 0`);
  }
}
