import { fee, fixed, floater, interest, parity, repline, RESERVE, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * Ford Credit Auto Owner Trust 2024-C, prime auto with priority payments.
 *
 * Source: monthly investor report (https://pubt.io/view/FCB058E30848FFDFCDA72DED6C7CECA1896AA43E); the order from crmerrill/
 * bma-standard-formulas, docs/architecture/waterfall_ir_design.md (commit 39c64bd7), and the clause of the same family of indentures
 * (https://lawinsider.com/clause/distributions-from-collection-account/_1).
 *
 * Not given, and stand-ins here: servicing fee 1 %, reserve 0.25 % of the notes, target overcollateralization 2 % of the pool, the rate of
 * the yield supplement 5 %, day counts, first payment, closing and cut-off, coupon and term of the loans. The level of the call is not
 * given, so there is none.
 */
const A_NOTES = ['A-1', ['A-2a', 'A-2b'], 'A-3', 'A-4'];
const FORDO_2024_C_TARGET = 33_775_904.82;

export const FORDO_2024_C: TermSheet = {
  structure: {
    payment: {
      first_payment_date: '2024-10-15',
      payment_day: 15,
      dated_date: '2024-09-20',
      first_accrual: 'ACTUAL',
      rounding: 'CENT',
    },
    pool: { adjustment: { kind: 'PRESENT_VALUE', rate: 5, applies: 'BELOW' } },
    tranches: [
      fixed('A-1', 330_000_000, 4.922, { day_count: 'ACT/360', final_maturity: '2025-10-15' }),
      fixed('A-2a', 300_000_000, 4.32, { final_maturity: '2027-08-15' }),
      floater('A-2b', 245_000_000, 'SOFR30A', 40, { final_maturity: '2027-08-15' }),
      fixed('A-3', 545_000_000, 4.07, { final_maturity: '2029-07-15' }),
      fixed('A-4', 80_000_000, 4.11, { final_maturity: '2030-07-15' }),
      fixed('B', 47_370_000, 4.4, { final_maturity: '2030-08-15' }),
      fixed('C', 31_570_000, 0, { final_maturity: '2032-03-15' }),
      RESIDUAL,
    ],
    accounts: [
      {
        account: 'reserve',
        initial: 3_947_350,
        target: 3_947_350,
        draws: ['FEE', 'INTEREST', 'step:first priority', 'step:second priority'],
      },
    ],
    fees: [
      { fee: 'trustees and reviewer', billed: true },
      { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
    ],
    waterfall: [
      fee('trustees and reviewer', { limit: { amount: 375_000, per: 'YEAR' }, clause: '(i)' }),
      fee('servicing', { clause: '(ii)' }),
      interest([['A-1', 'A-2a', 'A-2b', 'A-3', 'A-4']], { clause: '(iii)' }),
      { ...parity('first priority', A_NOTES, ['A-*'], 'POOL_ADJUSTED'), clause: '(iv)' },
      interest(['B'], { clause: '(v)' }),
      { ...parity('second priority', [...A_NOTES, 'B'], ['A-*', 'B'], 'POOL_ADJUSTED'), clause: '(vi)' },
      interest(['C'], { clause: '(vii)' }),
      { ...RESERVE, unless: 'final date of C', clause: '(viii)' },
      {
        step: 'regular',
        pay: 'PRINCIPAL',
        to: [...A_NOTES, 'B', 'C'],
        // The balance of A-1 and those of the notes are what the priority payments left, which deducts them.
        amount: {
          max_of: [
            { percent: 100, of: 'NOTES', of_tranches: ['A-1'] },
            { target: 'OC', amount: FORDO_2024_C_TARGET },
          ],
        },
        clause: '(ix): Regular Principal Payment',
      },
      fee('trustees and reviewer', { step: 'additional fees' }),
      TO_RESIDUAL,
    ],
    triggers: [{ trigger: 'final date of C', metric: 'DATE', op: 'gte', value: '2032-03-15' }],
  },
  facts: { balance: 1_688_795_240.91, cut_off_date: '2024-08-31', closing_date: '2024-09-20' },
  loans: [repline(700_000_000, 2.9, 58, 66), repline(988_795_240.91, 7.1, 60, 68)],
};
