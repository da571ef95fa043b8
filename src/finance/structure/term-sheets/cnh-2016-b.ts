import { fee, fixed, floater, interest, repline, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * CNH Equipment Trust 2016-B, equipment, with a spread account and a turbo.
 *
 * Source: the form of its servicer report (https://www.lawinsider.com/clause/available-cash/_1). Its lines are the order: whether the
 * interest of B stands before the principal of A, they alone do not decide; they print it before.
 *
 * Not given, and stand-ins here: the pool of 900,000,000, the servicing fee of 1 % and the administration fee of 500 a quarter, the spread
 * account of 2 % of the pool, the target of the turbo at 4.5 % of the pool, the margin of A-2b, day counts, first payment, closing and
 * cut-off, coupon and term of the loans. The payment to a swap counterparty is left out: the language has no swaps.
 */
const A_NOTES = ['A-1', ['A-2a', 'A-2b'], 'A-3', 'A-4'];

export const CNH_2016_B: TermSheet = {
  structure: {
    payment: {
      first_payment_date: '2016-06-15',
      payment_day: 15,
      dated_date: '2016-05-26',
      first_accrual: 'ACTUAL',
      rounding: 'CENT',
    },
    tranches: [
      fixed('A-1', 190_500_000, 0.64, { day_count: 'ACT/360', final_maturity: '2017-06-15' }),
      fixed('A-2a', 222_600_000, 1.31, { final_maturity: '2019-10-15' }),
      floater('A-2b', 110_000_000, 'LIBOR1M', 40, { final_maturity: '2019-10-15' }),
      fixed('A-3', 246_600_000, 1.63, { final_maturity: '2021-08-16' }),
      fixed('A-4', 72_790_000, 1.97, { final_maturity: '2021-11-15' }),
      fixed('B', 19_390_000, 2.2, { final_maturity: '2023-10-16' }),
      RESIDUAL,
    ],
    accounts: [{ account: 'spread', initial: 18_000_000, target: 18_000_000, draws: ['FEE', 'INTEREST'] }],
    fees: [
      { fee: 'reviewer', billed: true },
      { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
      { fee: 'administration', amount_per_year: 2_000 },
    ],
    waterfall: [
      fee('reviewer', { limit: { amount: 200_000, per: 'YEAR' } }),
      fee('servicing'),
      fee('administration'),
      interest([['A-1', 'A-2a', 'A-2b', 'A-3', 'A-4']]),
      interest(['B']),
      {
        step: 'principal',
        pay: 'PRINCIPAL',
        to: [...A_NOTES, 'B'],
        amount: {
          minus: [
            { percent: 100, of: 'POOL_BEGINNING' },
            { percent: 100, of: 'POOL_CURRENT' },
          ],
        },
      },
      { step: 'spread account', pay: 'RESERVE', to: ['spread'] },
      { step: 'turbo', pay: 'PRINCIPAL', to: [...A_NOTES, 'B'], amount: { target: 'OC', percent: 4.5, of: 'POOL_ORIGINAL' } },
      fee('reviewer', { step: 'reviewer above the cap' }),
      TO_RESIDUAL,
    ],
  },
  facts: { balance: 900_000_000, cut_off_date: '2016-04-30', closing_date: '2016-05-26' },
  loans: [repline(900_000_000, 3.6, 54, 60)],
};
