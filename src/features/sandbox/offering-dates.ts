import { adjustDate } from '../../finance/calendar.ts';
import { addDays, addMonths, dateParts, isoDate } from '../../finance/dates.ts';

export type OfferingDates = { year: number; cutOff: string; closing: string; firstPayment: string; finalMaturity: string };

/** Dates of a deal that is offered in the month of `today`: the month before is its cut-off, the month after its first payment. */
export function offeringDates(today: string): OfferingDates {
  const { year, month } = dateParts(today);
  const firstPayment = addMonths(isoDate(year, month, 15), 1);
  return {
    year,
    cutOff: addDays(isoDate(year, month, 1), -1),
    closing: adjustDate(isoDate(year, month, 16), 'FOLLOWING', 'US_FED'),
    firstPayment,
    finalMaturity: addMonths(firstPayment, 84),
  };
}
