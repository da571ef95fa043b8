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

/** A plain sequential structure over a pool of this balance: two senior classes, a mezzanine, a reserve and a loss trigger. */
export function structureFor(balance: number, dates: OfferingDates): Record<string, unknown> {
  const share = (fraction: number): number => Math.floor((balance * fraction) / 1_000) * 1_000;
  const note = (tranche: string, fraction: number, rate: number, seniority: number, rating: string) => ({
    tranche,
    class: tranche.slice(0, 1),
    balance: share(fraction),
    coupon: { type: 'FIXED', rate },
    day_count: '30/360',
    seniority,
    rating,
    denomination: 1_000,
    increment: 1_000,
    erisa_eligible: seniority < 3,
    offered_yield: rate,
    final_maturity: dates.finalMaturity,
  });
  return {
    payment: {
      first_payment_date: dates.firstPayment,
      payment_day: 15,
      frequency: 'MONTHLY',
      business_day: 'FOLLOWING',
      calendar: 'US_FED',
      dated_date: dates.closing,
      first_accrual: 'ACTUAL',
    },
    tranches: [
      note('A-1', 0.4, 4.6, 1, 'AAA'),
      note('A-2', 0.38, 4.9, 2, 'AAA'),
      note('B', 0.12, 5.8, 3, 'A'),
      { tranche: 'R', class: 'RESIDUAL', balance: 0, seniority: 9 },
    ],
    accounts: [
      {
        account: 'reserve',
        initial: share(0.005),
        target: { percent: 0.5, of: 'POOL_ORIGINAL', floor: 1_000 },
        draws: ['FEE', 'INTEREST'],
      },
    ],
    fees: [{ fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' }],
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['A-1', 'A-2'], order: 'PRO_RATA' },
      { pay: 'INTEREST', to: ['B'], unless: 'cnl' },
      {
        pay: 'PRINCIPAL',
        to: ['A-1', 'A-2', 'B'],
        order: 'SEQUENTIAL',
        amount: { target: 'OC', percent: 12.5, of: 'POOL_CURRENT', floor: { percent: 1, of: 'POOL_ORIGINAL' } },
      },
      { pay: 'RESERVE', to: ['reserve'] },
      { pay: 'INTEREST', to: ['B'], when: 'cnl' },
      { pay: 'PRINCIPAL', to: ['A-1', 'A-2', 'B'], order: 'SEQUENTIAL', amount: 'ALL', when: 'cnl' },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
    triggers: [
      {
        trigger: 'cnl',
        metric: 'CUMULATIVE_NET_LOSS',
        op: 'gt',
        schedule: [
          { from_period: 1, value: 3 },
          { from_period: 13, value: 6 },
        ],
        interpolate: 'NONE',
        consecutive: 1,
        curable: false,
      },
    ],
    losses: { mode: 'NONE' },
    clean_up_call: { percent: 10, exercised: true },
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
