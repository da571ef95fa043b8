import { fee, fixed, interest, parity, repline, RESERVE, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * Santander Drive Auto Receivables Trust 2024-1, subprime auto.
 *
 * Source: classes, pool and dates from its servicer's certificate (pkutty265/abs-monitor, tests/fixtures/d121531dex991.htm, commit
 * aa691b3a); the order is that of the sister deal 2024-2 (crmerrill/bma-standard-formulas, docs/architecture/waterfall_ir_design.md,
 * commit 39c64bd7). The certificate has a line for a fifth allocation too, which only a class E would need.
 *
 * Not given, and stand-ins here: servicing fee 3 %, reserve 1 % of the pool, target overcollateralization 16.5 % of the pool and at least
 * 1.5 % of the original one, day counts, first payment, coupon and term of the loans. The level of the call is not given, so there is none.
 */
const A_NOTES = ['A-1', 'A-2', 'A-3'];
const TARGET_OC = { percent: 16.5, of: 'POOL_CURRENT', floor: { percent: 1.5, of: 'POOL_ORIGINAL' } } as const;

export const SDART_2024_1: TermSheet = {
  structure: {
    payment: {
      first_payment_date: '2024-02-15',
      payment_day: 15,
      dated_date: '2024-01-18',
      first_accrual: 'ACTUAL',
      rounding: 'CENT',
    },
    tranches: [
      fixed('A-1', 122_320_000, 5.63, { day_count: 'ACT/360' }),
      fixed('A-2', 567_000_000, 5.71),
      fixed('A-3', 253_120_000, 5.25),
      fixed('B', 174_650_000, 5.23),
      fixed('C', 129_570_000, 5.45),
      fixed('D', 210_060_000, 5.6),
      RESIDUAL,
    ],
    accounts: [
      {
        account: 'reserve',
        initial: 16_096_435.28,
        target: 16_096_435.28,
        draws: ['FEE', 'INTEREST', 'step:first', 'step:second', 'step:third', 'step:fourth'],
      },
    ],
    fees: [
      { fee: 'trustees and reviewer', billed: true },
      { fee: 'servicing', percent: 3, of: 'POOL_BEGINNING' },
    ],
    waterfall: [
      fee('trustees and reviewer', { limit: { amount: 300_000, per: 'YEAR' }, clause: 'first' }),
      fee('servicing', { clause: 'second' }),
      interest([A_NOTES], { clause: 'third' }),
      { ...parity('first', A_NOTES, ['A-*']), clause: 'First Allocation of Principal' },
      interest(['B']),
      { ...parity('second', [...A_NOTES, 'B'], ['A-*', 'B']), clause: 'Second Allocation of Principal' },
      interest(['C']),
      { ...parity('third', [...A_NOTES, 'B', 'C'], ['A-*', 'B', 'C']), clause: 'Third Allocation of Principal' },
      interest(['D']),
      { ...parity('fourth', [...A_NOTES, 'B', 'C', 'D'], ['*']), clause: 'Fourth Allocation of Principal' },
      RESERVE,
      {
        step: 'regular',
        pay: 'PRINCIPAL',
        to: [...A_NOTES, 'B', 'C', 'D'],
        amount: { target: 'OC', ...TARGET_OC },
        clause: 'Regular Allocation of Principal',
      },
      fee('trustees and reviewer', { step: 'fees above the cap' }),
      TO_RESIDUAL,
    ],
  },
  facts: { balance: 1_609_643_527.83, cut_off_date: '2023-12-31', closing_date: '2024-01-18' },
  loans: [repline(1_609_643_527.83, 15.6, 66, 72)],
};
