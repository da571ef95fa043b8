import type { Tranche } from '../structure.ts';
import { fee, fixed, interest, repline, type TermSheet } from './term-sheet.ts';

/*
 * COLT 2018-4 Mortgage Pass-Through Certificates, non-QM.
 *
 * Source: GraamOrg/graam-flows, src/GraamFlows.Api/Samples/colt1804_structured.json (commit dd9b498f), with quotations of the offering
 * document (pp. 25, 105-106).
 *
 * Not given, and taken instead: the first payment date is 26 December 2018, in which the triggers' schedules begin (the source's own
 * field says 25 October 2018, before them), and the closing date 1 November 2018, two years before the source's date of the call. The
 * clause of interest is inferred from the order of a second writing; the coupon of the loans and their term are stand-ins. What a net WAC
 * cap cuts is lost here; a clause for it is not quoted.
 */
const capped = (tranche: string, balance: number, rate: number): Tranche =>
  fixed(tranche, balance, rate, { coupon: { type: 'FIXED', rate, cap: 'NET_WAC' }, final_maturity: '2048-12-28' });
const netWac = (tranche: string, balance: number): Tranche =>
  fixed(tranche, balance, 0, { coupon: { type: 'FIXED', rate: 0, floor: 'NET_WAC' }, final_maturity: '2048-12-28' });

const SUBORDINATES = ['M-1', 'M-2', 'B-1', 'B-2', 'B-3'];

export const COLT_2018_4: TermSheet = {
  structure: {
    payment: { first_payment_date: '2018-12-25', payment_day: 25, dated_date: '2018-11-01' },
    tranches: [
      capped('A-1', 243_005_000, 4.006),
      capped('A-2', 34_385_000, 4.108),
      capped('A-3', 26_056_000, 4.21),
      capped('M-1', 18_079_000, 4.716),
      capped('M-2', 3_013_000, 4.916),
      capped('B-1', 10_280_000, 5.415),
      netWac('B-2', 5_000_000),
      netWac('B-3', 14_675_121),
      { tranche: 'X', class: 'RESIDUAL', balance: 0 },
    ],
    fees: [
      { fee: 'trustee', amount_per_year: 15_000 },
      {
        fee: 'master servicing',
        amount_per_year: { max_of: [42_000, { percent: 0.029, of: 'POOL_BEGINNING' }] },
        clause: 'The greater of $3,500 and 0.029% per annum',
      },
      { fee: 'servicing', percent: 0.25, of: 'POOL_BEGINNING' },
    ],
    waterfall: [
      fee('servicing'),
      fee('master servicing'),
      fee('trustee'),
      interest(['A-1', 'A-2', 'A-3', ...SUBORDINATES], { step: 'interest' }),
      { step: 'pro rata', pay: 'PRINCIPAL', to: [['A-1', 'A-2', 'A-3'], ...SUBORDINATES], unless: 'any event' },
      { step: 'sequential', pay: 'PRINCIPAL', to: ['A-1', 'A-2', 'A-3', ...SUBORDINATES], when: 'any event' },
      { step: 'excess', pay: 'RESIDUAL', to: ['X'] },
    ],
    triggers: [
      {
        trigger: 'any event',
        any_of: [
          {
            // Half of (354,493,121 - 243,005,000) / 354,493,121.
            ratio: [
              {
                minus: [
                  { percent: 100, of: 'POOL_CURRENT' },
                  { percent: 100, of: 'NOTES', of_tranches: ['A-1'] },
                ],
              },
              { percent: 100, of: 'POOL_CURRENT' },
            ],
            op: 'lt',
            value: (50 * (354_493_121 - 243_005_000)) / 354_493_121,
          },
          {
            metric: 'CUMULATIVE_NET_LOSS',
            op: 'gt',
            schedule: [
              { from_period: 1, value: 2 },
              { from_period: 13, value: 3 },
              { from_period: 25, value: 5.5 },
              { from_period: 49, value: 10 },
            ],
          },
          {
            metric: 'DELINQUENT_60',
            op: 'gt',
            schedule: [
              { from_period: 1, value: 20 },
              { from_period: 37, value: 25 },
              { from_period: 61, value: 30 },
            ],
          },
        ],
        curable: true,
        clause: 'pp. 105-106: a Credit Enhancement, Cumulative Loss or Delinquency Trigger Event',
      },
    ],
    losses: { mode: 'REVERSE_SEQUENTIAL' },
    calls: [
      {
        call: 'optional redemption',
        any_of: [
          { metric: 'DATE', op: 'gte', value: '2020-11-01' },
          { metric: 'POOL_FACTOR', op: 'lte', value: 30 },
        ],
      },
    ],
  },
  facts: { balance: 354_493_121, cut_off_date: '2018-10-31', closing_date: '2018-11-01' },
  loans: [repline(354_493_121, 6.25, 356, 360)],
};
