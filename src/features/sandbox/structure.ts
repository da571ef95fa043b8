import { adjustDate } from '../../finance/calendar.ts';
import { addDays, addMonths, dateParts, isoDate } from '../../finance/dates.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import { SEQUENTIAL_AUTO } from '../pools/templates/auto.ts';
import { scaleTemplate } from '../pools/templates/templates.ts';

export type OfferingDates = { year: number; cutOff: string; closing: string; firstPayment: string; finalMaturity: string };

/** By this day of a month its payment has been made, and the next deal may close. */
const SETTLED_DAY = 20;

/** The dates of a deal that has been paid `months` times by today. */
export const seasonedDates = (today: string, months: number): OfferingDates =>
  offeringDates(addMonths(addDays(today, -SETTLED_DAY), -months));

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

/** How the sandbox offers the classes of the template. */
const OFFERED: Record<string, { rating: string; erisa_eligible: boolean; offered_yield: number }> = {
  'A-1': { rating: 'AAA', erisa_eligible: true, offered_yield: 4.6 },
  'A-2': { rating: 'AAA', erisa_eligible: true, offered_yield: 4.9 },
  B: { rating: 'A', erisa_eligible: false, offered_yield: 5.8 },
};

/** The plain sequential template over a pool of this balance: two senior classes, a junior one, a reserve and a loss trigger. */
export function structureFor(balance: number, dates: OfferingDates): Structure {
  const { payment, tranches, ...rest } = scaleTemplate(SEQUENTIAL_AUTO, balance, dates.firstPayment);
  return {
    payment: { ...payment, dated_date: dates.closing },
    tranches: tranches.map((tranche) => {
      const offered = OFFERED[tranche.tranche];
      return offered ? { ...tranche, ...offered, final_maturity: dates.finalMaturity } : tranche;
    }),
    ...rest,
  };
}

/** The calculation whose result is published as the mark of the sandbox's deals. */
export const pricingAt = (asOf: string) => ({
  type: 'PRICING',
  purpose: 'MARK',
  as_of: asOf,
  settlement_date: asOf,
  assumptions: { abs: 1.3, cdr: 2, severity: 50, recovery_lag_months: 4 },
  benchmark_curve: {
    as_of: asOf,
    kind: 'PAR',
    points: [
      { years: 0.5, rate: 3.9 },
      { years: 2, rate: 4 },
      { years: 5, rate: 4.2 },
    ],
  },
});
