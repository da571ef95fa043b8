import type { Amount } from '../../../finance/structure/amount.ts';
import { MUST_SET, type StructureTemplate } from './template.ts';

const NOTES = ['A', 'B', 'C', 'D'];
const TARGET: Amount = { target: 'OC', percent: 10, of: 'POOL_CURRENT', floor: { percent: 2, of: 'POOL_ORIGINAL' } };

export const CONSUMER: StructureTemplate = {
  template: 'consumer-switch',
  name: 'Consumer loans, pro rata until a loss trigger',
  loan_type: 'Personal',
  description:
    'The classes share principal pro rata; from the period in which cumulative net losses pass their schedule, principal is sequential and junior interest waits behind it. As in deals of this kind.',
  follows: [],
  must_set: [MUST_SET.sizes, MUST_SET.fees, { path: 'triggers[0].schedule', message: 'the loss levels of the deal, by period' }],
  structure: {
    payment: { payment_day: 15, first_accrual: 'ACTUAL', rounding: 'CENT' },
    tranches: [
      { tranche: 'A', balance: 58, coupon: { type: 'FIXED', rate: 5.2 } },
      { tranche: 'B', balance: 16, coupon: { type: 'FIXED', rate: 5.9 } },
      { tranche: 'C', balance: 12, coupon: { type: 'FIXED', rate: 6.8 } },
      { tranche: 'D', balance: 6, coupon: { type: 'FIXED', rate: 9 } },
      { tranche: 'R', class: 'RESIDUAL', balance: 0 },
    ],
    accounts: [{ account: 'reserve', initial: 0.5, target: { percent: 0.5, of: 'POOL_ORIGINAL' }, draws: ['FEE', 'INTEREST'] }],
    fees: [
      { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
      { fee: 'backup servicing', percent: 0.05, of: 'POOL_BEGINNING' },
    ],
    waterfall: [
      { step: 'fees', pay: 'FEE', to: ['servicing', 'backup servicing'] },
      { step: 'A interest', pay: 'INTEREST', to: ['A'] },
      { step: 'junior interest', pay: 'INTEREST', to: ['B', 'C', 'D'], unless: 'losses' },
      { step: 'shared principal', pay: 'PRINCIPAL', to: NOTES, order: 'PRO_RATA', amount: TARGET, unless: 'losses' },
      { step: 'sequential principal', pay: 'PRINCIPAL', to: NOTES, amount: TARGET, when: 'losses' },
      { step: 'late junior interest', pay: 'INTEREST', to: ['B', 'C', 'D'], when: 'losses' },
      { step: 'reserve', pay: 'RESERVE', to: ['reserve'] },
      { step: 'turbo', pay: 'PRINCIPAL', to: NOTES, amount: 'ALL', when: 'losses' },
      { step: 'residual', pay: 'RESIDUAL', to: ['R'] },
    ],
    triggers: [
      {
        trigger: 'losses',
        metric: 'CUMULATIVE_NET_LOSS',
        op: 'gt',
        schedule: [
          { from_period: 1, value: 3 },
          { from_period: 13, value: 6 },
          { from_period: 25, value: 9 },
        ],
        curable: false,
      },
    ],
    clean_up_call: { percent: 10, exercised: true },
  },
};
