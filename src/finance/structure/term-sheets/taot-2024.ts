import type { Structure, Tranche } from '../structure.ts';
import { fee, fixed, floater, interest, parity, repline, RESERVE, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * Toyota Auto Receivables 2024-A and 2024-D Owner Trust, prime auto with a yield supplement.
 *
 * Source: servicer's certificates, with their links beside the figures below; order from crmerrill/bma-standard-formulas,
 * docs/architecture/waterfall_ir_design.md (commit 39c64bd7), on 2024-A; call of 5 % and coupons of the floaters' sisters from the pricing
 * of 2024-C (https://capedge.com/filing/2026605/0000929638-24-002567/FWP).
 *
 * The target overcollateralization is the regular payment of every certificate. Not given, and stand-ins here: pool, rate of the yield
 * supplement, coupons other than that of A-1, margin of A-2b, servicing fee 1 %, reserve 0.25 % of the notes, cap of the trustees' fees,
 * closing and cut-off, coupon and term of the loans.
 */
const A_NOTES = ['A-1', ['A-2a', 'A-2b'], 'A-3', 'A-4'];

const taot = (payment: Structure['payment'], tranches: Tranche[], target: number): Structure => ({
  payment: { payment_day: 15, first_accrual: 'ACTUAL', rounding: 'CENT', ...payment },
  pool: { adjustment: { kind: 'PRESENT_VALUE', rate: 8, applies: 'BELOW' } },
  tranches: [...tranches, RESIDUAL],
  accounts: [
    {
      account: 'reserve',
      initial: 4_375_000,
      target: 4_375_000,
      draws: ['FEE', 'INTEREST', 'step:first priority', 'step:second priority'],
    },
  ],
  fees: [
    { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
    { fee: 'trustees', billed: true },
  ],
  waterfall: [
    fee('servicing'),
    fee('trustees', { limit: { amount: 300_000, per: 'YEAR' } }),
    interest([['A-1', 'A-2a', 'A-2b', 'A-3', 'A-4']]),
    parity('first priority', A_NOTES, ['A-*'], 'POOL_ADJUSTED'),
    interest(['B']),
    parity('second priority', [...A_NOTES, 'B'], ['*'], 'POOL_ADJUSTED'),
    RESERVE,
    {
      step: 'regular',
      pay: 'PRINCIPAL',
      to: [...A_NOTES, 'B'],
      amount: { target: 'NOTES', amount: { minus: [{ percent: 100, of: 'POOL_ADJUSTED' }, target] } },
    },
    fee('trustees', { step: 'trustees above the cap' }),
    TO_RESIDUAL,
  ],
  clean_up_call: { percent: 5 },
});

export const TAOT_2024_A: TermSheet = {
  structure: taot(
    { first_payment_date: '2024-02-15', dated_date: '2024-01-30' },
    [
      fixed('A-1', 345_000_000, 5.519, { day_count: 'ACT/360', final_maturity: '2025-01-15' }),
      fixed('A-2a', 157_500_000, 5.2, { final_maturity: '2026-12-15' }),
      floater('A-2b', 472_500_000, 'SOFR30A', 37, { final_maturity: '2026-12-15' }),
      fixed('A-3', 630_000_000, 4.8, { final_maturity: '2028-10-16' }),
      fixed('A-4', 101_250_000, 4.8, { final_maturity: '2029-04-16' }),
      fixed('B', 43_750_000, 0, { final_maturity: '2030-08-15' }),
    ],
    14_875_000.06,
  ),
  facts: { balance: 1_930_000_000, cut_off_date: '2023-12-31', closing_date: '2024-01-30' },
  loans: [repline(1_930_000_000, 4.6, 58, 68)],
};

export const TAOT_2024_D: TermSheet = {
  structure: taot(
    { first_payment_date: '2024-11-15', dated_date: '2024-10-17', first_collection_months: 2 },
    [
      fixed('A-1', 349_000_000, 4.791, { day_count: 'ACT/360', final_maturity: '2025-10-15' }),
      fixed('A-2a', 265_000_000, 4.8, { final_maturity: '2027-08-16' }),
      floater('A-2b', 397_500_000, 'SOFR30A', 37, { final_maturity: '2027-08-16' }),
      fixed('A-3', 597_500_000, 4.5, { final_maturity: '2029-06-15' }),
      fixed('A-4', 97_250_000, 4.5, { final_maturity: '2030-04-15' }),
      fixed('B', 43_750_000, 0, { final_maturity: '2031-04-15' }),
    ],
    14_875_000.01,
  ),
  facts: { balance: 1_930_000_000, cut_off_date: '2024-08-31', closing_date: '2024-10-17' },
  loans: [repline(1_930_000_000, 4.6, 58, 68)],
};

/**
 * Certificates of 2024-A and the first of 2024-D: opening balances of A-1, A-2a, A-2b, A-3, A-4, B; the three payments of principal; and
 * closing balances. The adjusted pool is not printed: it is the notes after the second priority payment.
 */
export const TAOT_CERTIFICATES = [
  {
    // source: https://publicnow.com/view/A86DA157968F2AF36CDE32351FBEAF21856D677B
    sheet: TAOT_2024_A,
    period: 9,
    date: '2024-10-15',
    before: '2024-09-16',
    opening: [0, 128_018_674.12, 384_056_022.38, 630_000_000, 101_250_000, 43_750_000],
    paid: [0, 30_665_939.32, 14_875_000.06],
    closing: [0, 116_633_439.28, 349_900_317.84, 630_000_000, 101_250_000, 43_750_000],
  },
  {
    // source: http://archive.fast-edgar.com/20250729/A522E222Z22262C8222C2C42CDBGFK22Z272/d890129dex991.htm
    sheet: TAOT_2024_A,
    period: 18,
    date: '2025-07-15',
    before: '2025-06-16',
    opening: [0, 29_041_686.3, 87_125_058.9, 630_000_000, 101_250_000, 43_750_000],
    paid: [0, 24_425_382.42, 14_875_000.06],
    closing: [0, 19_216_590.68, 57_649_772.04, 630_000_000, 101_250_000, 43_750_000],
  },
  {
    // source: https://www.pubt.io/view/3FB22DFBF251C83FA2DADFD12350521ECEAB1553
    sheet: TAOT_2024_A,
    period: 21,
    date: '2025-10-15',
    before: '2025-09-15',
    opening: [0, 226_198.51, 678_595.55, 630_000_000, 101_250_000, 43_750_000],
    paid: [0, 22_408_795.3, 14_875_000.06],
    closing: [0, 0, 0, 593_620_998.7, 101_250_000, 43_750_000],
  },
  {
    // source: https://www.toyotafinancial.com/content/dam/tmcc-webcommons/toyotafinancial/documents/investor-relations/ABS/2024/months/november/2024-d/TAOT%202024-D.html
    sheet: TAOT_2024_D,
    period: 1,
    date: '2024-11-15',
    before: null,
    opening: [349_000_000, 265_000_000, 397_500_000, 597_500_000, 97_250_000, 43_750_000],
    paid: [70_441_152.39, 43_750_000, 14_875_000.01],
    closing: [219_933_847.6, 265_000_000, 397_500_000, 597_500_000, 97_250_000, 43_750_000],
  },
];
