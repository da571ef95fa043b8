import type { DefaultSpeed, PrepaymentSpeed } from './types.ts';

/*
 * Conversions between speeds. A conversion of one speed works in fractions (0.06 is 6 %); `monthlySmm` and `monthlyMdr`, which
 * read assumptions of the wire, take percent. Sources: BMA/SIFMA Uniform Practices, chapter SF, Standard Formulas (02/01/99),
 * B.2 (SMM, CPR, PSA), B.4 (ABS), C.4 (SDA).
 */

/** Monthly rate of an annual one: 1 − (1 − annual)^(1/12). SMM of a CPR, MDR of a CDR. Rates at or above 1 give 1. */
export function monthlyFromAnnual(annual: number): number {
  return annual >= 1 ? 1 : 1 - (1 - annual) ** (1 / 12);
}

/** Annual rate of a monthly one: 1 − (1 − monthly)^12. CPR of an SMM, CDR of an MDR. */
export function annualFromMonthly(monthly: number): number {
  return monthly >= 1 ? 1 : 1 - (1 - monthly) ** 12;
}

/** CPR of a PSA multiple (1 = 100 PSA) in loan month `month`: 0.2 % times the month, 6 % from month 30. */
export function cprFromPsa(psa: number, month: number): number {
  return Math.min(1, psa * 0.002 * Math.max(1, Math.min(30, month)));
}

/** SMM of an ABS speed in loan month `month`: a / (1 − a(M − 1)), at most 1 (SF-13); months count from origination. */
export function smmFromAbs(abs: number, month: number): number {
  const remaining = 1 - abs * (month - 1);
  return remaining <= abs ? (abs > 0 ? 1 : 0) : abs / remaining;
}

/**
 * CDR of an SDA multiple (1 = 100 SDA) in loan month `month` (SF-20): rises by 0.02 % a month to 0.60 % in month 30, flat to
 * month 60, falls by 0.0095 % a month to 0.03 % in month 120, flat after.
 */
export function cdrFromSda(sda: number, month: number): number {
  return Math.min(1, sda * standardDefaultRate(Math.max(1, month)));
}

/**
 * SMM as a fraction in projection month `period` (1 = first) of a loan that had age `ageMonths` at the cut-off: the first
 * projected month is loan month `ageMonths + 1`.
 */
export function monthlySmm(speed: PrepaymentSpeed, period: number, ageMonths: number): number {
  const value = valueAt(speed.values, period) / 100;
  switch (speed.measure) {
    case 'smm':
      return Math.min(1, value);
    case 'cpr':
      return monthlyFromAnnual(value);
    case 'psa':
      return monthlyFromAnnual(cprFromPsa(value, ageMonths + period));
    case 'abs':
      return smmFromAbs(value, ageMonths + period);
  }
}

/** MDR as a fraction in projection month `period` (1 = first) of a loan that had age `ageMonths` at the cut-off. */
export function monthlyMdr(speed: DefaultSpeed, period: number, ageMonths: number): number {
  const value = valueAt(speed.values, period) / 100;
  switch (speed.measure) {
    case 'mdr':
      return Math.min(1, value);
    case 'cdr':
      return monthlyFromAnnual(value);
    case 'sda':
      return monthlyFromAnnual(cdrFromSda(value, ageMonths + period));
  }
}

/** Age from which loans of any age have the same speed: the end of the standard curve; ABS never settles. */
export const RAMP_MONTHS = { cpr: 0, smm: 0, cdr: 0, mdr: 0, psa: 30, sda: 120, abs: Number.POSITIVE_INFINITY };

/** Whether a speed differs between loans of different age. */
export function dependsOnAge(measure: PrepaymentSpeed['measure'] | DefaultSpeed['measure']): boolean {
  return RAMP_MONTHS[measure] > 0;
}

/** Value of an assumption in projection month `period` (1 = first): a number, or a vector whose last element persists. */
export function valueAt(values: number | readonly number[], period: number): number {
  if (typeof values === 'number') return values;
  if (values.length === 0) throw new RangeError('an assumption by period needs at least one value');
  return values[Math.min(period, values.length) - 1];
}

/** Annual rate at the top of 100 SDA, a fraction. */
export const HIGHEST_STANDARD_RATE = 0.006;

function standardDefaultRate(month: number): number {
  if (month <= 30) return 0.0002 * month;
  if (month <= 60) return HIGHEST_STANDARD_RATE;
  if (month < 120) return HIGHEST_STANDARD_RATE - 0.000095 * (month - 60);
  return 0.0003;
}
