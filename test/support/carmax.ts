import { readFileSync } from 'node:fs';
import type { Step, Structure } from '../../src/finance/structure/structure.ts';
import { sharedPath } from './shared.ts';

/* CarMax Auto Owner Trust 2024-2: 29 monthly certificates as filed with the SEC (EX-99.1), and the payment order of its indenture. */
export const CERTIFICATES = 'data/reference/certificates_2024_2.json';
export const DATES = { cutOff: '2024-03-31', closing: '2024-04-24' };

export type Certificate = {
  distribution_date: string;
  prior_distribution_date: string;
  amounts: Record<string, string>;
  replay_inputs: { floating_note_rate: string | null; note_begin: Record<string, string> };
  expected: { interest: Record<string, string>; principal: Record<string, string>; note_end: Record<string, string> } & Record<
    'priority_principal' | 'secondary_principal' | 'tertiary_principal' | 'quaternary_principal' | 'regular_principal',
    string
  >;
};

/** Names of the structure language, and of the file. */
export const CLASSES = { 'A-1': 'A1', 'A-2a': 'A2a', 'A-2b': 'A2b', 'A-3': 'A3', 'A-4': 'A4', B: 'B', C: 'C', D: 'D' };
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

export const certificates = (): Certificate[] =>
  JSON.parse(readFileSync(sharedPath(CERTIFICATES) as string, 'utf8')).certificates;

/** The balance of the pool at the cut-off. */
export const POOL = 1_612_091_400.06;

/** The figure of each step of principal. */
export const TIER_FIGURES = {
  t1: 'priority_principal',
  t2: 'secondary_principal',
  t3: 'tertiary_principal',
  t4: 'quaternary_principal',
  t5: 'regular_principal',
} as const;

const cents = (amount: number): number => Math.round(amount * 100) / 100;

/** A certificate as the body of a servicer's report, with every figure that it has. */
export function reportOf({ distribution_date, amounts, expected, replay_inputs }: Certificate, period: number) {
  const amount = (name: string) => Number(amounts[name] ?? 0);
  const rate = replay_inputs.floating_note_rate;
  const repurchases = amount('repurchases');
  const charged = cents(amount('pool_begin') - amount('principal_collected') - repurchases - amount('pool_end'));
  return {
    period,
    payment_date: distribution_date,
    collateral: {
      beginning_pool_balance: amount('pool_begin'),
      principal_collected: amount('principal_collected'),
      repurchases,
      gross_losses: charged,
      recoveries: amount('recoveries'),
      ending_pool_balance: amount('pool_end'),
    },
    available: {
      interest: amount('interest_collected'),
      principal: amount('principal_collected'),
      recoveries: amount('recoveries'),
      repurchases,
      income: amount('investment_income'),
      total: amount('available_collections'),
    },
    ...(rate === null ? {} : { fixings: { SOFR30A: Number((Number(rate) * 100 - 0.58).toFixed(6)) } }),
    tranches: Object.entries(CLASSES).map(([tranche, key]) => ({
      tranche,
      beginning_balance: Number(replay_inputs.note_begin[key] ?? 0),
      interest_paid: Number(expected.interest[key] ?? 0),
      principal_paid: Number(expected.principal[key] ?? 0),
      ending_balance: Number(expected.note_end[key] ?? 0),
    })),
    accounts: [
      {
        account: 'reserve',
        opening: amount('reserve_begin'),
        earned: amount('reserve_interest'),
        draw: amount('reserve_draw'),
        deposit: amount('reserve_deposit'),
        release: amount('reserve_release'),
        closing: amount('reserve_end'),
      },
    ],
    fees: [
      { fee: 'servicing', due: amount('servicing_fee'), paid: amount('servicing_fee') },
      { fee: 'reviewer', due: 0, paid: 0 },
    ],
    steps: Object.entries(TIER_FIGURES).map(([step, figure]) => ({ step, amount: Number(expected[figure]) })),
    residual: amount('residual_distribution'),
  };
}
