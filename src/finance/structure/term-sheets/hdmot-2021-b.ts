import { fee, fixed, interest, repline, RESERVE, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * Harley-Davidson Motorcycle Trust 2021-B, one class level.
 *
 * Source: cover of the prospectus (https://www.sec.gov/Archives/edgar/data/1872446/000110465921103388/tm2123553-7_424b5.htm), its order of
 * payment (https://capedge.com/filing/1114926/0001104659-21-103388/424B5); clauses (1), (2) and the start of (3) are before the excerpt.
 *
 * Not given, and stand-ins here: the pool of 635,500,000, the servicing fee of 1 %, the reserve of 0.25 % of the pool, day counts,
 * closing and cut-off, coupon and term of the loans. The principal distributable amount is the fall of the pool, as the report of the
 * sister deal 2021-A has it (https://publicnow.com/view/B7AF1F0DD0931012E2E666F107A960683F69D692: both are 5,718,982.45 in its month).
 * The level of the call is not given, so there is none.
 */
const NOTES = ['A-1', 'A-2', 'A-3', 'A-4'];

export const HDMOT_2021_B: TermSheet = {
  structure: {
    payment: {
      first_payment_date: '2021-09-15',
      payment_day: 15,
      dated_date: '2021-08-25',
      first_accrual: 'ACTUAL',
      rounding: 'CENT',
    },
    tranches: [
      fixed('A-1', 75_000_000, 0.10771, { day_count: 'ACT/360', final_maturity: '2022-08-15' }),
      fixed('A-2', 225_000_000, 0.24, { final_maturity: '2024-12-15' }),
      fixed('A-3', 225_000_000, 0.56, { final_maturity: '2026-11-15' }),
      fixed('A-4', 80_300_000, 0.82, { final_maturity: '2029-05-15' }),
      RESIDUAL,
    ],
    accounts: [{ account: 'reserve', initial: 1_588_750, target: 1_588_750 }],
    fees: [
      { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
      { fee: 'trustee', billed: true },
      { fee: 'reviewer', billed: true },
    ],
    waterfall: [
      fee('servicing'),
      fee('trustee', { limit: { amount: 150_000, per: 'YEAR' }, clause: '(3)' }),
      fee('reviewer', { limit: { amount: 200_000, per: 'YEAR' }, clause: '(4)' }),
      interest([NOTES], { clause: '(5)' }),
      {
        step: 'principal',
        pay: 'PRINCIPAL',
        to: NOTES,
        amount: {
          minus: [
            { percent: 100, of: 'POOL_BEGINNING' },
            { percent: 100, of: 'POOL_CURRENT' },
          ],
        },
        clause: '(6)',
      },
      { ...RESERVE, clause: '(7)' },
      fee('trustee', { step: 'trustee above the cap', clause: '(8)' }),
      fee('reviewer', { step: 'reviewer above the cap', clause: '(9)' }),
      { ...TO_RESIDUAL, clause: '(10)' },
    ],
  },
  facts: { balance: 635_500_000, cut_off_date: '2021-07-31', closing_date: '2021-08-25' },
  loans: [repline(635_500_000, 6.8, 62, 74)],
};
