import { fee, fixed, interest, parity, repline, RESERVE, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * AmeriCredit Automobile Receivables Trust 2017-1, subprime auto, as the tables of its prospectus assume it.
 *
 * Source: prospectus under Rule 424(b)(5) of 21 February 2017 (accession 0001193125-17-045288, d269131d424b5.htm, pp. 57-62 and 77-78), as
 * bizarc/cfdl transcribes it in benchmarks/credit/americredit_2017_1: SOURCE.md, reference_gen.py (commit 6f631eff), published_grid.csv
 * (f78b4950), published_wal.csv (6f631eff).
 *
 * The sizes and coupons are the tables' own, which were made before pricing (A-2-A and A-2-B of 152,500,000 each); every month has 30
 * days in them, so every note is on 30/360 here. The caps of the trustees' fees are not given: the tables' 625 a month stands for them,
 * without a cap, so clauses 2 and 21 are one step. Final dates are the source's months after 18 March 2017.
 */
/** Pools of the tables with their first cut-off; those of January pay twice before the first date, those of February once. */
export const AMCAR_2017_1_POOLS = {
  january: [
    repline(2_076_350.36, 15.54, 8, 61),
    repline(37_654_758.33, 13.736, 19, 72),
    repline(9_848_795.79, 13.873, 27, 67),
    repline(4_675_311.33, 12.759, 46, 49),
    repline(43_859_779.2, 13.173, 58, 61),
    repline(582_028_732.7, 12.569, 70, 72),
  ],
  february: [
    repline(999_357.6, 15.789, 8, 61),
    repline(18_401_017.06, 13.368, 19, 72),
    repline(3_063_342.92, 13.878, 27, 65),
    repline(2_629_247.98, 12.251, 46, 48),
    repline(21_301_021.93, 12.953, 58, 61),
    repline(285_432_214.08, 12.643, 70, 72),
  ],
};

const A_NOTES = ['A-1', ['A-2-A', 'A-2-B'], 'A-3'];
const ALL = [...A_NOTES, 'B', 'C', 'D', 'E'];

/** The required pro forma note balance is the pool less this. */
const REQUIRED_OC = {
  minus: [
    { percent: 14.75, of: 'POOL_CURRENT' as const },
    { percent: 100, of: 'ACCOUNT:reserve' as const },
  ],
};

export const AMCAR_2017_1: TermSheet = {
  structure: {
    payment: { first_payment_date: '2017-03-18', payment_day: 18, dated_date: '2017-02-23', first_accrual: 'FULL' },
    tranches: [
      fixed('A-1', 182_000_000, 0.95, { final_maturity: '2018-03-18' }),
      fixed('A-2-A', 152_500_000, 1.55, { final_maturity: '2020-06-18' }),
      fixed('A-2-B', 152_500_000, 1.16944, { final_maturity: '2020-06-18' }),
      fixed('A-3', 189_000_000, 1.91, { final_maturity: '2021-09-18' }),
      fixed('B', 73_370_000, 2.35, { final_maturity: '2022-03-18' }),
      fixed('C', 91_080_000, 2.88, { final_maturity: '2022-09-18' }),
      fixed('D', 89_550_000, 3.23, { final_maturity: '2023-02-18' }),
      fixed('E', 23_780_000, 0, { final_maturity: '2024-09-18' }),
      RESIDUAL,
    ],
    accounts: [{ account: 'reserve', initial: 20_239_398.59, target: { percent: 2, of: 'POOL_ORIGINAL' }, clause: 'Clause 19' }],
    fees: [
      { fee: 'servicing', percent: 2.25, of: 'POOL_BEGINNING', clause: 'Clause 1' },
      // The pools of January pay it for two months on the first date: 680,143,727.66 x 2.25 % / 12.
      { fee: 'servicing of January', one_off: { period: 1, amount: 1_275_269.49 }, clause: 'Clause 1' },
      { fee: 'trustees', amount_per_year: 7_500, clause: 'Clauses 2 and 21' },
    ],
    waterfall: [
      fee('servicing'),
      fee('servicing of January'),
      fee('trustees'),
      interest([['A-1', 'A-2-A', 'A-2-B', 'A-3']]),
      { ...parity('A parity', A_NOTES, ['A-*']), clause: 'Clauses 4 and 5' },
      interest(['B']),
      { ...parity('B parity', [...A_NOTES, 'B'], ['A-*', 'B']), clause: 'Clauses 7 and 8' },
      interest(['C']),
      { ...parity('C parity', [...A_NOTES, 'B', 'C'], ['A-*', 'B', 'C']), clause: 'Clauses 10 and 11' },
      interest(['D']),
      { ...parity('D parity', [...A_NOTES, 'B', 'C', 'D'], ['A-*', 'B', 'C', 'D']), clause: 'Clauses 13 and 14' },
      interest(['E']),
      { ...parity('E parity', ALL, ['*']), clause: 'Clauses 16 and 17' },
      {
        step: 'distributable',
        pay: 'PRINCIPAL',
        to: ALL,
        // Principal collected less the step-down amount, which is what would take the notes below the larger of the two.
        amount: {
          min_of: [
            'PRINCIPAL_COLLECTIONS',
            { target: 'OC', amount: { max_of: [REQUIRED_OC, { percent: 0.5, of: 'POOL_ORIGINAL' }] } },
          ],
        },
        clause: 'Clause 18',
      },
      RESERVE,
      {
        step: 'accelerated',
        pay: 'PRINCIPAL',
        to: ALL,
        amount: { target: 'OC', amount: REQUIRED_OC },
        clause: 'Clause 20',
      },
      TO_RESIDUAL,
    ],
    clean_up_call: { percent: 10 },
  },
  facts: { balance: 1_011_969_929.28, cut_off_date: '2017-01-31', closing_date: '2017-02-23' },
  loans: [...AMCAR_2017_1_POOLS.january, ...AMCAR_2017_1_POOLS.february],
};

/** ABS speeds of the tables. */
export const AMCAR_2017_1_SPEEDS = [0.5, 1, 1.5, 2] as const;

/** Percent of a class that is outstanding, from the given period on, by speed; 100 before, 0 after. source: prospectus, pp. 59-62. */
export const AMCAR_2017_1_GRID: Record<string, { from: number; percent: number[] }[]> = {
  'A-1': [
    { from: 1, percent: [76, 62, 48, 35, 21, 8] },
    { from: 1, percent: [71, 54, 37, 21, 5] },
    { from: 1, percent: [64, 43, 23, 3] },
    { from: 1, percent: [32, 13] },
  ],
  'A-2': [
    { from: 7, percent: [98, 93, 88, 83, 78, 73, 68, 64, 59, 54, 49, 44, 40, 36, 32, 28, 24, 20, 15, 11, 7, 4] },
    { from: 6, percent: [94, 87, 81, 75, 69, 63, 57, 51, 46, 40, 35, 29, 24, 19, 14, 9, 5] },
    { from: 5, percent: [90, 81, 73, 66, 58, 51, 44, 38, 31, 25, 20, 14, 8, 2] },
    { from: 3, percent: [96, 84, 73, 65, 57, 50, 42, 35, 28, 21, 14, 7] },
  ],
  'A-3': [
    { from: 29, percent: [99, 93, 87, 81, 74, 68, 62, 56, 49, 43, 37, 31, 25, 18, 12, 6] },
    { from: 24, percent: [92, 85, 78, 71, 64, 57, 50, 44, 37, 30, 24, 17, 11, 5] },
    { from: 19, percent: [95, 86, 78, 69, 61, 53, 44, 37, 29, 21, 14, 6] },
    { from: 16, percent: [90, 80, 70, 59, 50, 40, 30, 21, 12, 3] },
  ],
  B: [
    { from: 46, percent: [84, 69, 53, 38, 23, 7] },
    { from: 38, percent: [97, 81, 66, 51, 36, 21, 7] },
    { from: 31, percent: [98, 80, 62, 45, 28, 11] },
    { from: 26, percent: [85, 63, 42, 21, 1] },
  ],
  C: [
    { from: 52, percent: [93, 81, 69, 56, 42, 28, 14, 1] },
    { from: 45, percent: [94, 83, 72, 61, 50, 38, 26, 15, 3] },
    { from: 37, percent: [96, 84, 71, 60, 46, 33, 20, 8] },
    { from: 31, percent: [85, 70, 54, 37, 21, 5] },
  ],
  D: [
    { from: 60, percent: [88] },
    { from: 54, percent: [92, 82] },
    { from: 45, percent: [96, 85] },
    { from: 37, percent: [90] },
  ],
};

/** Average lives in years by speed, to the 10 % call and to maturity. source: prospectus, pp. 59-62. */
export const AMCAR_2017_1_LIVES: Record<string, { toCall: number[]; toMaturity: number[] }> = {
  'A-1': { toCall: [0.28, 0.23, 0.18, 0.11], toMaturity: [0.28, 0.23, 0.18, 0.11] },
  'A-2': { toCall: [1.46, 1.15, 0.9, 0.71], toMaturity: [1.46, 1.15, 0.9, 0.71] },
  'A-3': { toCall: [3.1, 2.54, 2.06, 1.7], toMaturity: [3.1, 2.54, 2.06, 1.7] },
  B: { toCall: [4.05, 3.45, 2.84, 2.33], toMaturity: [4.05, 3.45, 2.84, 2.33] },
  C: { toCall: [4.64, 4.1, 3.42, 2.8], toMaturity: [4.64, 4.1, 3.42, 2.8] },
  D: { toCall: [5.06, 4.63, 3.89, 3.14], toMaturity: [5.27, 4.89, 4.16, 3.35] },
};
