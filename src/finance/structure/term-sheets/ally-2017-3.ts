import { fee, fixed, interest, parity, repline, RESERVE, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * Ally Auto Receivables Trust 2017-3, prime auto with a turbo to a fixed overcollateralization.
 *
 * Source: 31 monthly reports (data/reference/remittance/ally_10d_dev_deals.csv, each row with its link, the first
 * https://www.sec.gov/Archives/edgar/data/1477336/000170500217000008/aart2017-3_exx99xmayx2017.htm); fees, call and order of the classes
 * from bizarc/cfdl, benchmarks/credit/auto_abs_tranches (commits 255fc876, 9937088a).
 *
 * The clauses are not stored. The target of 13,753,975.14 is what the pool has above the notes in every report from September 2017 on; the
 * priority payments between the classes are those of the issuer's other deals and pay nothing in these months. Not given, and stand-ins
 * here: the pool at the cut-off, the reserve of 0.5 % of it, its coupon and term. Closing: the first A-1 interest is of 22 days.
 */
const A_NOTES = ['A-1', 'A-2', 'A-3', 'A-4'];
export const ALLY_2017_3_TARGET = 13_753_975.14;

export const ALLY_2017_3: TermSheet = {
  structure: {
    payment: {
      first_payment_date: '2017-06-15',
      payment_day: 15,
      dated_date: '2017-05-24',
      first_accrual: 'ACTUAL',
      rounding: 'CENT',
    },
    tranches: [
      fixed('A-1', 270_000_000, 1.1, { day_count: 'ACT/360' }),
      fixed('A-2', 371_370_000, 1.53),
      fixed('A-3', 271_370_000, 1.74),
      fixed('A-4', 86_010_000, 2.01),
      fixed('B', 22_220_000, 2.24),
      fixed('C', 18_510_000, 2.37),
      fixed('D', 13_750_000, 2.91),
      RESIDUAL,
    ],
    accounts: [
      {
        account: 'reserve',
        initial: 5_300_000,
        target: 5_300_000,
        draws: ['FEE', 'INTEREST', 'step:first', 'step:second', 'step:third', 'step:fourth'],
      },
    ],
    fees: [
      { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
      { fee: 'administration', amount_per_year: 18_000 },
    ],
    waterfall: [
      fee('servicing'),
      fee('administration'),
      interest([A_NOTES]),
      parity('first', A_NOTES, ['A-*']),
      interest(['B']),
      parity('second', [...A_NOTES, 'B'], ['A-*', 'B']),
      interest(['C']),
      parity('third', [...A_NOTES, 'B', 'C'], ['A-*', 'B', 'C']),
      interest(['D']),
      parity('fourth', [...A_NOTES, 'B', 'C', 'D'], ['*']),
      RESERVE,
      {
        step: 'regular',
        pay: 'PRINCIPAL',
        to: [...A_NOTES, 'B', 'C', 'D'],
        amount: { target: 'OC', amount: ALLY_2017_3_TARGET },
      },
      TO_RESIDUAL,
    ],
    clean_up_call: { percent: 10 },
  },
  facts: { balance: 1_060_000_000, cut_off_date: '2017-04-30', closing_date: '2017-05-24' },
  loans: [repline(1_060_000_000, 4.6, 58, 66)],
};
