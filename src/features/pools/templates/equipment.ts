import type { TargetAmount } from '../../../finance/structure/amount.ts';
import { MUST_SET, type StructureTemplate } from './template.ts';

const NOTES = ['A-1', ['A-2a', 'A-2b'], 'A-3', 'A-4', 'B'];
const TARGET: TargetAmount = { target: 'OC', percent: 6, of: 'POOL_CURRENT', floor: { percent: 3, of: 'POOL_ORIGINAL' } };
const REPORT = 'Servicer report, order of lines';

export const EQUIPMENT: StructureTemplate = {
  template: 'equipment-turbo',
  name: 'Equipment and small business loans, spread account and turbo',
  loan_type: 'Business',
  description:
    'Principal collected pays the classes in order; behind the spread account, what is left pays them further until overcollateralisation has its target size.',
  follows: [
    {
      deal: 'CNH Equipment Trust 2016-B',
      source: 'https://www.lawinsider.com/clause/available-cash/_1',
      scope:
        'order of the lines of its servicer report and classes in proportion to each other; sizes of pool, spread account and target are as in deals of this kind',
    },
  ],
  must_set: [
    MUST_SET.sizes,
    MUST_SET.curve,
    MUST_SET.fees,
    { path: 'accounts[0]', message: 'the size of the spread account' },
    { path: 'waterfall[7].amount', message: 'the size of the target that turbo principal builds, as in waterfall[5]' },
  ],
  structure: {
    payment: { payment_day: 15, first_accrual: 'ACTUAL', rounding: 'CENT' },
    tranches: [
      { tranche: 'A-1', class: 'A', balance: 21, coupon: { type: 'FIXED', rate: 4.5 }, day_count: 'ACT/360' },
      { tranche: 'A-2a', class: 'A', balance: 24.5, coupon: { type: 'FIXED', rate: 4.6 } },
      {
        tranche: 'A-2b',
        class: 'A',
        balance: 12.1,
        coupon: { type: 'FLOATING', index: 'SOFR30A', margin_bp: 45, floor: 0 },
        day_count: 'ACT/360',
      },
      { tranche: 'A-3', class: 'A', balance: 27.2, coupon: { type: 'FIXED', rate: 4.7 } },
      { tranche: 'A-4', class: 'A', balance: 8, coupon: { type: 'FIXED', rate: 4.8 } },
      { tranche: 'B', balance: 2.2, coupon: { type: 'FIXED', rate: 5.2 } },
      { tranche: 'R', class: 'RESIDUAL', balance: 0 },
    ],
    accounts: [{ account: 'spread', initial: 1.5, target: { percent: 1.5, of: 'POOL_ORIGINAL' }, draws: ['FEE', 'INTEREST'] }],
    fees: [
      { fee: 'reviewer', billed: true },
      { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
      { fee: 'administration', percent: 0.01, of: 'POOL_BEGINNING' },
    ],
    waterfall: [
      { step: 'reviewer', pay: 'FEE', to: ['reviewer'], limit: { amount: 200_000, per: 'YEAR' }, clause: REPORT },
      { step: 'servicing', pay: 'FEE', to: ['servicing'], clause: REPORT },
      { step: 'administration', pay: 'FEE', to: ['administration'], clause: REPORT },
      { step: 'A interest', pay: 'INTEREST', to: [['A-1', 'A-2a', 'A-2b', 'A-3', 'A-4']], clause: REPORT },
      { step: 'B interest', pay: 'INTEREST', to: ['B'], clause: REPORT },
      {
        step: 'principal',
        pay: 'PRINCIPAL',
        to: NOTES,
        weights: 'ORIGINAL',
        amount: { min_of: ['PRINCIPAL_COLLECTIONS', TARGET] },
        clause: REPORT,
      },
      { step: 'spread account', pay: 'RESERVE', to: ['spread'], clause: REPORT },
      { step: 'turbo', pay: 'PRINCIPAL', to: NOTES, weights: 'ORIGINAL', amount: TARGET, clause: REPORT },
      { step: 'residual', pay: 'RESIDUAL', to: ['R'], clause: REPORT },
    ],
    clean_up_call: { percent: 10, exercised: true },
  },
};
