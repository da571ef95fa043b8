import { adjustDate } from './calendar.ts';
import { addMonths } from './dates.ts';
import type { BusinessDayRule, CalendarName, Frequency, IsoDate } from './types.ts';

/** A payment date as scheduled and as paid after the business day rule. */
export type PaymentDate = { unadjusted: IsoDate; paid: IsoDate };

export type ScheduleTerms = {
  /** Unadjusted first payment date. */
  firstPaymentDate: IsoDate;
  /** Day of the month of later payments (31 = last day); the first date's own day when absent. */
  paymentDay?: number;
  frequency?: Frequency;
  businessDay?: BusinessDayRule;
  calendar?: CalendarName;
};

export const MONTHS_BETWEEN_PAYMENTS: Record<Frequency, number> = { MONTHLY: 1, QUARTERLY: 3, SEMI_ANNUAL: 6, ANNUAL: 12 };

/** The first `count` payment dates, ascending. Defaults: MONTHLY, FOLLOWING, US_FED. */
export function paymentDates(terms: ScheduleTerms, count: number): PaymentDate[] {
  const { firstPaymentDate, paymentDay, frequency = 'MONTHLY', businessDay = 'FOLLOWING', calendar = 'US_FED' } = terms;
  const months = MONTHS_BETWEEN_PAYMENTS[frequency];
  return Array.from({ length: count }, (_, index) => {
    const unadjusted = index === 0 ? firstPaymentDate : addMonths(firstPaymentDate, index * months, paymentDay);
    return { unadjusted, paid: adjustDate(unadjusted, businessDay, calendar) };
  });
}
