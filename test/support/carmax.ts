import type { Step, Structure } from '../../src/finance/structure/structure.ts';

/* CarMax Auto Owner Trust 2024-2: the payment order of its indenture. */
const A_NOTES = ['A-1', ['A-2a', 'A-2b'], 'A-3', 'A-4'];
const tier = (step: string, more: string[], ofTranches: string[]): Step => ({
  step,
  pay: 'PRINCIPAL',
  to: [...A_NOTES, ...more],
  weights: 'ORIGINAL',
  amount: { target: 'NOTES', of_tranches: ofTranches, percent: 100, of: 'POOL_CURRENT' },
});

export const CARMAX: Structure = {
  payment: {
    first_payment_date: '2024-05-15',
    payment_day: 15,
    dated_date: '2024-04-24',
    first_accrual: 'ACTUAL',
    rounding: 'CENT',
  },
  tranches: [
    { tranche: 'A-1', balance: 309_000_000, coupon: { type: 'FIXED', rate: 5.532 }, day_count: 'ACT/360' },
    { tranche: 'A-2a', balance: 410_000_000, coupon: { type: 'FIXED', rate: 5.65 } },
    {
      tranche: 'A-2b',
      balance: 125_000_000,
      coupon: { type: 'FLOATING', index: 'SOFR30A', margin_bp: 58, floor: 0 },
      day_count: 'ACT/360',
    },
    { tranche: 'A-3', balance: 535_000_000, coupon: { type: 'FIXED', rate: 5.5 } },
    { tranche: 'A-4', balance: 88_790_000, coupon: { type: 'FIXED', rate: 5.51 } },
    { tranche: 'B', balance: 50_790_000, coupon: { type: 'FIXED', rate: 5.69 } },
    { tranche: 'C', balance: 48_370_000, coupon: { type: 'FIXED', rate: 5.84 } },
    { tranche: 'D', balance: 33_050_000, coupon: { type: 'FIXED', rate: 6.42 } },
    { tranche: 'R', class: 'RESIDUAL', balance: 0 },
  ],
  accounts: [
    {
      account: 'reserve',
      initial: 4_030_228.5,
      target: 4_030_228.5,
      draws: ['FEE', 'INTEREST', 'step:t1', 'step:t2', 'step:t3', 'step:t4'],
      income_to: 'ACCOUNT',
      release_to: 'RESIDUAL',
    },
  ],
  fees: [
    { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
    { fee: 'reviewer', billed: true },
  ],
  waterfall: [
    { step: 'servicing', pay: 'FEE', to: ['servicing'] },
    { step: 'capped', pay: 'FEE', to: ['reviewer'], limit: { amount: 175_000, per: 'YEAR' } },
    { step: 'A interest', pay: 'INTEREST', to: [['A-1', 'A-2a', 'A-2b', 'A-3', 'A-4']] },
    tier('t1', [], ['A-*']),
    { step: 'B interest', pay: 'INTEREST', to: ['B'] },
    tier('t2', ['B'], ['A-*', 'B']),
    { step: 'C interest', pay: 'INTEREST', to: ['C'] },
    tier('t3', ['B', 'C'], ['A-*', 'B', 'C']),
    { step: 'D interest', pay: 'INTEREST', to: ['D'] },
    tier('t4', ['B', 'C', 'D'], ['*']),
    { step: 'reserve', pay: 'RESERVE', to: ['reserve'] },
    { ...tier('t5', ['B', 'C', 'D'], ['*']), amount: { target: 'OC', amount: 12_090_685.5, of_tranches: ['*'] } },
    { step: 'uncapped', pay: 'FEE', to: ['reviewer'] },
    { step: 'residual', pay: 'RESIDUAL', to: ['R'] },
  ],
};
