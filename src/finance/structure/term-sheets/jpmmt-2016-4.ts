import type { Amount, SeniorShare } from '../amount.ts';
import type { Tranche } from '../structure.ts';
import { fee, fixed, interest, repline, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * J.P. Morgan Mortgage Trust 2016-4, prime jumbo with shifting interest.
 *
 * Source: GraamOrg/graam-flows, src/GraamFlows.Api/Samples/jpmt1604.json (commit dd9b498f): a model file, no text of the prospectus. Its
 * figures tie among themselves: the classes make up the pool, and the subordinates the credit supports.
 *
 * Not given, and taken instead: closing 30 December 2016 and the cut-off before it, coupon and term of the loans. The exchange classes
 * and the strip of excess servicing have no balance and are left out. The lock-out of single subordinates is not said (record 30). The
 * losses go up from B-5, which the order of subordination implies.
 */
const SENIORS = ['A-6', 'A-10', 'A-12', 'A-14'];
const capped = (tranche: string, balance: number, more: Partial<Tranche> = {}): Tranche =>
  fixed(tranche, balance, 3, { coupon: { type: 'FIXED', rate: 3, cap: 'NET_WAC' }, final_maturity: '2046-10-25', ...more });
const netWac = (tranche: string, balance: number): Tranche =>
  fixed(tranche, balance, 0, { coupon: { type: 'FIXED', rate: 0, floor: 'NET_WAC' }, final_maturity: '2046-10-25' });

const SENIOR_ORDER = [[['A-6', 'A-10', 'A-12'], 'A-14']];
const SHIFT_SCHEDULE: Amount = [
  { from_date: '2016-01-01', value: 100 },
  { from_date: '2021-12-01', value: 70 },
  { from_date: '2022-12-01', value: 60 },
  { from_date: '2023-12-01', value: 40 },
  { from_date: '2024-12-01', value: 20 },
  { from_date: '2025-12-01', value: 0 },
];
/** Percent of the subordinates' share of prepayments that the seniors get too: all until the support is there, and when a test fails. */
const SHIFT: Amount = { if: 'support was there', then: { if: 'shift in full', then: 100, else: SHIFT_SCHEDULE }, else: 100 };
const senior = (shift: Amount): SeniorShare => ({ share_of: SENIORS, shift });
/** Percent of the subordinates at closing, 21,724,570, in percent of the pool: the losses of the deal are measured so. */
const ofSubordinates = (percent: number): number => (percent * 21_724_570) / 321_836_570;

export const JPMMT_2016_4: TermSheet = {
  structure: {
    payment: { first_payment_date: '2017-01-25', payment_day: 25, dated_date: '2016-12-01' },
    tranches: [
      capped('A-6', 205_180_000),
      capped('A-10', 55_110_000),
      capped('A-12', 13_280_000, { interest: 'ACCRUE_UNTIL', accrue_until: ['A-10'] }),
      capped('A-14', 26_542_000),
      netWac('B-1', 4_506_000),
      netWac('B-2', 6_758_000),
      netWac('B-3', 4_668_000),
      netWac('B-4', 2_414_000),
      netWac('B-5', 3_378_570),
      RESIDUAL,
    ],
    fees: [
      { fee: 'master servicing', amount_per_year: { max_of: [30_000, { percent: 0.0295, of: 'POOL_BEGINNING' }] } },
      { fee: 'Delaware trustee', amount_per_year: { max_of: [9_000, { percent: 0.005, of: 'POOL_BEGINNING' }] } },
      {
        fee: 'reviewer',
        amount_per_year: [
          { from_date: '2016-01-01', value: 22_500 },
          { from_date: '2023-01-01', value: 15_000 },
        ],
      },
    ],
    waterfall: [
      fee('master servicing'),
      fee('Delaware trustee'),
      fee('reviewer'),
      interest([SENIORS], { step: 'senior interest' }),
      interest(['B-1', 'B-2', 'B-3', 'B-4', 'B-5'], { step: 'subordinate interest' }),
      {
        step: 'accretion',
        pay: 'PRINCIPAL',
        to: ['A-10', 'A-12'],
        amount: { percent: 100, of: 'ACCRETED', of_tranches: ['A-12'] },
        clause: "SET_ACCRETION('A10')",
      },
      {
        step: 'senior scheduled',
        pay: 'PRINCIPAL',
        to: SENIOR_ORDER,
        amount: { percent: senior(0), of: 'SCHEDULED' },
        unless: 'subordinates gone',
        clause: 'SET_SCHED_STRUCT',
      },
      {
        step: 'senior prepaid',
        pay: 'PRINCIPAL',
        to: SENIOR_ORDER,
        amount: { percent: senior(SHIFT), of: 'PREPAID' },
        unless: 'subordinates gone',
        clause: 'SET_PREPAY_STRUCT',
      },
      {
        step: 'senior recovered',
        pay: 'PRINCIPAL',
        to: SENIOR_ORDER,
        amount: { percent: senior(SHIFT), of: 'LIQUIDATED' },
        limit: { percent: 100, of: 'RECOVERED' },
        unless: 'subordinates gone',
        clause: 'SET_RECOV_STRUCT, RecovShiftPct',
      },
      { step: 'senior alone', pay: 'PRINCIPAL', to: SENIORS, order: 'PRO_RATA', when: 'subordinates gone' },
      {
        step: 'subordinates',
        pay: 'PRINCIPAL',
        to: [['B-1', 'B-2', 'B-3', 'B-4', 'B-5'], ...SENIORS],
        unless: 'subordinates gone',
      },
      TO_RESIDUAL,
    ],
    triggers: [
      {
        trigger: 'shift in full',
        any_of: [
          {
            metric: 'CUMULATIVE_NET_LOSS',
            op: 'gte',
            schedule: [60, 72, 84, 96, 108].map((months, place) => ({
              from_period: months,
              value: ofSubordinates(20 + 5 * place),
            })),
          },
          {
            ratio: [
              { percent: 100, of: 'NOTES', of_tranches: ['B-*'] },
              { percent: 100, of: 'POOL_ORIGINAL' },
            ],
            op: 'lte',
            value: 2,
          },
        ],
        curable: true,
        clause: 'StepDownTest, MinCeTestA',
      },
      {
        trigger: 'support was there',
        ratio: [
          { percent: 100, of: 'NOTES', of_tranches: ['B-*'] },
          { percent: 100, of: 'POOL_BEGINNING' },
        ],
        op: 'gt',
        value: 6.75,
        clause: 'MinCeTestB_Sticky',
      },
      { trigger: 'subordinates gone', metric: 'NOTE_BALANCE', of_tranches: ['B-*'], op: 'lte', value: 0.01 },
    ],
    losses: { mode: 'REVERSE_SEQUENTIAL' },
    clean_up_call: { percent: 10 },
  },
  facts: { balance: 321_836_570, cut_off_date: '2016-11-30', closing_date: '2016-12-30' },
  loans: [repline(321_836_570, 3.85, 356, 360)],
};
