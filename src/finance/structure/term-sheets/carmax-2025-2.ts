import {
  CAN_RETIRE,
  fee,
  fixed,
  floater,
  interest,
  parity,
  repline,
  RESERVE,
  RESIDUAL,
  retire,
  type TermSheet,
  TO_RESIDUAL,
} from './term-sheet.ts';

/*
 * CarMax Auto Owner Trust 2025-2, prime auto.
 *
 * Source: pricing term sheet (https://www.sec.gov/Archives/edgar/data/2063979/000119312525093845/d926049dfwp.htm); the order, targets and
 * account of the sale and servicing agreement and the indenture (accession 0001193125-25-111714) as kunalsingh-finance/
 * structured-credit-research transcribes them (credit_research/waterfall.py, commit 6e4a6b02); its data/actual_certificates.json for the
 * certificates below, each with its own link.
 *
 * Taken instead of what the source does not settle: the target is the one that the certificates report and pay, 10,579,421.74; 0.75 % of
 * the pool would be 10,579,345.66. The two yearly caps are those printed on the lines of the certificates. The pool is one repline with
 * the average coupon and terms of the first certificate. Excess of the reserve that no principal needs goes to the depositor; the expenses
 * that come before are left out (record 30). The level of the call and the sweep of notes by reserve and collections are the agreement's.
 */
const A_NOTES = ['A-1', ['A-2a', 'A-2b'], 'A-3', 'A-4'];

export const CARMAX_2025_2: TermSheet = {
  structure: {
    payment: {
      first_payment_date: '2025-05-15',
      payment_day: 15,
      dated_date: '2025-05-02',
      first_accrual: 'ACTUAL',
      rounding: 'CENT',
    },
    tranches: [
      fixed('A-1', 283_200_000, 4.468, { day_count: 'ACT/360', final_maturity: '2026-05-15' }),
      fixed('A-2a', 350_000_000, 4.59, { final_maturity: '2028-07-17' }),
      floater('A-2b', 161_510_000, 'SOFR30A', 69, { final_maturity: '2028-07-17' }),
      fixed('A-3', 452_100_000, 4.48, { final_maturity: '2030-03-15' }),
      fixed('A-4', 89_000_000, 4.65, { final_maturity: '2030-11-15' }),
      fixed('B', 28_920_000, 4.96, { final_maturity: '2030-11-15' }),
      fixed('C', 21_160_000, 5.16, { final_maturity: '2031-01-15' }),
      fixed('D', 14_110_000, 5.74, { final_maturity: '2031-10-15' }),
      RESIDUAL,
    ],
    accounts: [
      {
        account: 'reserve',
        initial: 3_526_448.55,
        target: 3_526_448.55,
        // Not the fee of a servicer that is an affiliate.
        draws: [
          'step:successor servicer',
          'step:reviewer',
          'INTEREST',
          'step:priority',
          'step:secondary',
          'step:tertiary',
          'step:quaternary',
        ],
        release_to: 'RESIDUAL',
        clause: 'SSA § 4.6, § 4.7',
      },
    ],
    fees: [
      { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
      { fee: 'successor servicer', billed: true },
      { fee: 'reviewer', billed: true },
    ],
    waterfall: [
      fee('servicing'),
      fee('successor servicer', { limit: { amount: 175_000, per: 'YEAR' } }),
      fee('reviewer', { limit: { amount: 175_000, per: 'YEAR' } }),
      interest([['A-1', 'A-2a', 'A-2b', 'A-3', 'A-4']]),
      parity('priority', A_NOTES, ['A-*']),
      interest(['B']),
      parity('secondary', [...A_NOTES, 'B'], ['A-*', 'B']),
      interest(['C']),
      parity('tertiary', [...A_NOTES, 'B', 'C'], ['A-*', 'B', 'C']),
      interest(['D']),
      parity('quaternary', [...A_NOTES, 'B', 'C', 'D'], ['*']),
      retire([...A_NOTES, 'B', 'C', 'D'], 'SSA § 4.1(d)'),
      RESERVE,
      {
        step: 'regular',
        pay: 'PRINCIPAL',
        to: [...A_NOTES, 'B', 'C', 'D'],
        amount: { target: 'OC', amount: 10_579_421.74 },
        clause: 'SSA Appendix A, Overcollateralization Target Amount',
      },
      fee('reviewer', { step: 'reviewer above the cap' }),
      fee('successor servicer', { step: 'successor servicer above the cap' }),
      TO_RESIDUAL,
    ],
    triggers: [CAN_RETIRE],
    clean_up_call: { percent: 10 },
  },
  facts: { balance: 1_410_579_421.74, cut_off_date: '2025-03-31', closing_date: '2025-05-02' },
  loans: [repline(1_410_579_421.74, 9.32, 58, 66)],
};

/** Three monthly certificates, to the cent. Balances and payments are in the order A-1, A-2a, A-2b, A-3, A-4, B, C, D. */
export const CARMAX_2025_2_CERTIFICATES = [
  {
    // source: https://www.sec.gov/Archives/edgar/data/2063979/000206397925000005/a2025-2ex991051525.htm
    period: 1,
    date: '2025-05-15',
    before: null,
    pool: [1_410_579_421.74, 1_360_662_923.91],
    interest: 10_684_948.18,
    principal: 49_916_497.83,
    recovered: 0,
    loss: 0,
    reserveIncome: 0,
    rate: 5.04068,
    opening: [283_200_000, 350_000_000, 161_510_000, 452_100_000, 89_000_000, 28_920_000, 21_160_000, 14_110_000],
    paidInterest: [456_927.47, 580_125, 293_987.86, 731_397.33, 149_445.83, 51_798.93, 39_428.13, 29_246.89],
    paidPrincipal: [49_916_497.83, 0, 0, 0, 0, 0, 0, 0],
    steps: { servicing: 1_175_482.85, priority: 0, secondary: 4_067_076.09, tertiary: 21_160_000, quaternary: 14_110_000 },
    regular: 10_579_421.74,
    residual: 7_177_107.89,
  },
  {
    // source: https://www.sec.gov/Archives/edgar/data/2063979/000206397925000010/a2025-2ex991061625.htm
    period: 2,
    date: '2025-06-16',
    before: '2025-05-15',
    pool: [1_360_662_923.91, 1_314_235_191.47],
    interest: 10_506_541.29 + 174_351.7,
    principal: 46_404_008.83,
    recovered: 0,
    loss: 23_723.61,
    reserveIncome: 12_211.26,
    rate: 5.02228,
    opening: [233_283_502.17, 350_000_000, 161_510_000, 452_100_000, 89_000_000, 28_920_000, 21_160_000, 14_110_000],
    paidInterest: [926_498.39, 1_338_750, 721_020.84, 1_687_840, 344_875, 119_536, 90_988, 67_492.83],
    paidPrincipal: [46_427_732.44, 0, 0, 0, 0, 0, 0, 0],
    steps: { servicing: 1_133_885.77, priority: 0, secondary: 578_310.7, tertiary: 21_160_000, quaternary: 14_110_000 },
    regular: 10_579_421.74,
    residual: 4_226_282.55,
  },
  {
    // source: https://www.sec.gov/Archives/edgar/data/2063979/000206397925000040/a2025-2ex991121525.htm
    period: 8,
    date: '2025-12-15',
    before: '2025-11-17',
    pool: [1_094_001_264.6, 1_056_172_777.56],
    interest: 8_667_364.1 + 132_357.67,
    principal: 36_764_876.33 + 573_351.62,
    recovered: 573_351.62,
    loss: 490_259.09,
    reserveIncome: 11_292.88,
    rate: 4.83202,
    opening: [0, 327_161_042.8, 150_970_800.06, 452_100_000, 89_000_000, 28_920_000, 21_160_000, 14_110_000],
    paidInterest: [0, 1_251_390.99, 567_384.16, 1_687_840, 344_875, 119_536, 90_988, 67_492.83],
    paidPrincipal: [0, 25_884_089.19, 11_944_397.85, 0, 0, 0, 0, 0],
    steps: { servicing: 911_667.72, priority: 0, secondary: 0, tertiary: 13_139_065.3, quaternary: 14_110_000 },
    regular: 10_579_421.74,
    residual: 3_268_287.98,
  },
] as const;
