import { fee, fixed, interest, parity, repline, RESERVE, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * Exeter Automobile Receivables Trust 2023-1, subprime auto.
 *
 * Source: GraamOrg/graam-flows, tests/GraamFlows.Tests/Integration/EART231WaterfallValidationTests.cs (commit 52f6afab): classes, coupons,
 * final dates and the order as steps of a model; the clauses of the prospectus are not stored. The model pays the turbo before the
 * deposit into the reserve, writes losses down from the certificates upward, and has a waterfall of about 20 clauses with parity payments.
 *
 * Not given, and stand-ins here: servicing fee 3.5 %, reserve 1 % of the pool, target overcollateralization 15 % of the pool and at least
 * 1.5 % of the original one, closing and cut-off, coupon and term of the loans. The pool is that of the first observation, 603,330,000.
 */
const A_NOTES = ['A-1', 'A-2', 'A-3'];

export const EART_2023_1: TermSheet = {
  structure: {
    payment: { first_payment_date: '2023-03-15', payment_day: 15, dated_date: '2023-02-15', rounding: 'CENT' },
    tranches: [
      fixed('A-1', 63_000_000, 4.94, { final_maturity: '2024-03-15' }),
      fixed('A-2', 135_000_000, 5.61, { final_maturity: '2025-06-16' }),
      fixed('A-3', 52_020_000, 5.58, { final_maturity: '2026-04-15' }),
      fixed('B', 75_720_000, 5.72, { final_maturity: '2027-04-15' }),
      fixed('C', 78_760_000, 5.82, { final_maturity: '2028-02-15' }),
      fixed('D', 80_300_000, 6.69, { final_maturity: '2029-06-15' }),
      fixed('E', 66_850_000, 12.07, { final_maturity: '2030-09-16' }),
      RESIDUAL,
    ],
    accounts: [
      {
        account: 'reserve',
        initial: 6_033_300,
        target: { percent: 1, of: 'POOL_ORIGINAL' },
        draws: [
          'FEE',
          'INTEREST',
          'step:first parity',
          'step:second parity',
          'step:third parity',
          'step:fourth parity',
          'step:fifth parity',
        ],
      },
    ],
    fees: [{ fee: 'servicing', percent: 3.5, of: 'POOL_BEGINNING' }],
    waterfall: [
      fee('servicing'),
      interest([A_NOTES]),
      parity('first parity', A_NOTES, ['A-*']),
      interest(['B']),
      parity('second parity', [...A_NOTES, 'B'], ['A-*', 'B']),
      interest(['C']),
      parity('third parity', [...A_NOTES, 'B', 'C'], ['A-*', 'B', 'C']),
      interest(['D']),
      parity('fourth parity', [...A_NOTES, 'B', 'C', 'D'], ['A-*', 'B', 'C', 'D']),
      interest(['E']),
      parity('fifth parity', [...A_NOTES, 'B', 'C', 'D', 'E'], ['*']),
      {
        step: 'turbo',
        pay: 'PRINCIPAL',
        to: [...A_NOTES, 'B', 'C', 'D', 'E'],
        amount: { target: 'OC', percent: 15, of: 'POOL_CURRENT', floor: { percent: 1.5, of: 'POOL_ORIGINAL' } },
      },
      { ...RESERVE, clause: 'Priority 18' },
      TO_RESIDUAL,
    ],
    losses: { mode: 'REVERSE_SEQUENTIAL' },
  },
  facts: { balance: 603_330_000, cut_off_date: '2023-01-31', closing_date: '2023-02-15' },
  loans: [repline(603_330_000, 21, 62, 70)],
};
