import { equal } from 'node:assert/strict';
import fc from '../../test/support/property.ts';
import { isBusinessDay } from './calendar.ts';
import { addDays, addMonths, weekday } from './dates.ts';
import { MONTHS_BETWEEN_PAYMENTS } from './schedule.ts';
import type { Assumptions, CalendarName, CollateralLoan, Frequency, IsoDate, RateStep } from './types.ts';

/** Fails unless `actual` is within `tolerance` of `expected`; the message says both. */
export function near(actual: number | null | undefined, expected: number, tolerance: number, what = 'value'): void {
  const close = typeof actual === 'number' && Math.abs(actual - expected) <= tolerance;
  equal(close ? 'near' : `${actual}`, close ? 'near' : `${expected} ± ${tolerance}`, what);
}

/** A level-pay loan of 100,000 over 30 years at 6 %, with the changes of a test. */
export function aLoan(changes: Partial<CollateralLoan> = {}): CollateralLoan {
  return { balance: 100_000, ratePercent: 6, remainingMonths: 360, ageMonths: 0, originalMonths: 360, ...changes };
}

/** No prepayments, defaults or advances, with the changes of a test. */
export function assuming(changes: Partial<Assumptions> = {}): Assumptions {
  return {
    prepayment: { measure: 'cpr', values: [0] },
    default: { measure: 'cdr', values: [0] },
    severityPercent: 0,
    recoveryLagMonths: 0,
    servicerAdvances: false,
    ...changes,
  };
}

/** Loans of every kind that a projection supports. */
export const anyLoan: fc.Arbitrary<CollateralLoan> = fc
  .record(
    {
      balance: fc.integer({ min: 1, max: 100_000_000 }).map((cents) => cents / 100),
      ratePercent: fc.integer({ min: 0, max: 3000 }).map((points) => points / 100),
      remainingMonths: fc.integer({ min: 1, max: 120 }),
      ageMonths: fc.integer({ min: 0, max: 200 }),
      originalMonths: fc.integer({ min: 1, max: 360 }),
      interestOnlyMonths: fc.integer({ min: 1, max: 150 }),
      balloonMonth: fc.integer({ min: 1, max: 150 }),
      deferMonths: fc.integer({ min: 1, max: 150 }),
      scheduledPayment: fc.integer({ min: 0, max: 2_000_000 }).map((cents) => cents / 100),
      steps: fc.constant<RateStep[]>([
        { fromMonth: 3, ratePercent: 4 },
        { fromMonth: 20, ratePercent: 9 },
      ]),
      floating: fc.record({
        index: fc.constant('SOFR'),
        marginPercent: fc.constantFrom(0.5, 2, 3.25),
        capPercent: fc.constantFrom(8, 12),
        periodicCapPercent: fc.constantFrom(1, 2),
        resetMonths: fc.constantFrom(1, 6, 12),
        firstResetMonth: fc.integer({ min: 1, max: 24 }),
      }),
    },
    { requiredKeys: ['balance', 'ratePercent', 'remainingMonths', 'ageMonths', 'originalMonths'] },
  )
  .filter((loan) => !(loan.steps && loan.floating));

const speedValues = (max: number) =>
  fc.array(
    fc.integer({ min: 0, max: max * 100 }).map((points) => points / 100),
    { minLength: 1, maxLength: 5 },
  );

/** Assumptions over all measures. */
export const anyAssumptions: fc.Arbitrary<Assumptions> = fc.record({
  prepayment: fc.oneof(
    fc.record({ measure: fc.constantFrom('cpr', 'smm', 'abs'), values: speedValues(100) }),
    fc.record({ measure: fc.constant('psa'), values: speedValues(2000) }),
  ),
  default: fc.oneof(
    fc.record({ measure: fc.constantFrom('cdr', 'mdr'), values: speedValues(100) }),
    fc.record({ measure: fc.constant('sda'), values: speedValues(5000) }),
  ),
  severityPercent: fc.oneof(fc.integer({ min: 0, max: 100 }), speedValues(100)),
  recoveryLagMonths: fc.integer({ min: 0, max: 24 }),
  keepsLateDefaults: fc.boolean(),
  servicerAdvances: fc.boolean(),
});

/** Index curve for the floaters of `anyLoan`. */
export const SOFR_CURVE = { indexCurves: { SOFR: [4.1, 4.3, 4.7, 5.2, 3.9, 1.0] } };

/** Coupon dates from `start` to `maturity`, both included, counted back from maturity; a short first period when they do not meet. */
export function couponDates(start: IsoDate, maturity: IsoDate, frequency: Frequency): IsoDate[] {
  const months = MONTHS_BETWEEN_PAYMENTS[frequency];
  const dates: IsoDate[] = [];
  for (let k = 0; ; k++) {
    const date = addMonths(maturity, -k * months);
    if (date <= start) break;
    dates.unshift(date);
  }
  return [start, ...dates];
}

/** Days of a year from Monday to Friday on which the banks of a calendar are closed. */
export function holidays(calendar: CalendarName, year: number): string[] {
  return Array.from({ length: 366 }, (_, day) => addDays(`${year}-01-01`, day)).filter(
    (date) => date < `${year + 1}` && ![0, 6].includes(weekday(date)) && !isBusinessDay(calendar, date),
  );
}
