import type { Step } from '../../../finance/structure/structure.ts';
import { MUST_SET, type StructureTemplate } from './template.ts';

const CARMAX_NOTES = ['A-1', ['A-2a', 'A-2b'], 'A-3', 'A-4'];

/** Principal that keeps the named classes, and those before them, covered by the pool. */
const carmaxTier = (step: string, more: string[], ofTranches: string[], clause: string): Step => ({
  step,
  pay: 'PRINCIPAL',
  to: [...CARMAX_NOTES, ...more],
  weights: 'ORIGINAL',
  amount: { target: 'NOTES', of_tranches: ofTranches, percent: 100, of: 'POOL_CURRENT' },
  clause,
});

export const PRIME_AUTO: StructureTemplate = {
  template: 'prime-auto-four-tiers',
  name: 'Prime auto, four parity tiers',
  loan_type: 'Auto',
  description:
    'Sequential classes with a floating one beside a fixed one; before the interest of each junior class, principal keeps the classes above it covered by the pool; overcollateralisation of a fixed size.',
  follows: [
    {
      deal: 'CarMax Auto Owner Trust 2024-2',
      source: 'https://www.sec.gov/Archives/edgar/data/2016948/000201694824000005/a2024-2ex991051524.htm',
      scope: 'order of payments, tiers, groups, reserve, overcollateralisation, and classes in percent of the pool',
    },
  ],
  must_set: [
    MUST_SET.sizes,
    MUST_SET.curve,
    MUST_SET.fees,
    { path: 'waterfall[1].limit', message: 'the cap of the expenses a year, in currency units' },
    { path: 'clean_up_call', message: 'the level of the call' },
  ],
  structure: {
    payment: { payment_day: 15, first_accrual: 'ACTUAL', rounding: 'CENT' },
    tranches: [
      { tranche: 'A-1', class: 'A', balance: 19.17, coupon: { type: 'FIXED', rate: 5.532 }, day_count: 'ACT/360' },
      { tranche: 'A-2a', class: 'A', balance: 25.43, coupon: { type: 'FIXED', rate: 5.65 } },
      {
        tranche: 'A-2b',
        class: 'A',
        balance: 7.75,
        coupon: { type: 'FLOATING', index: 'SOFR30A', margin_bp: 58, floor: 0 },
        day_count: 'ACT/360',
      },
      { tranche: 'A-3', class: 'A', balance: 33.19, coupon: { type: 'FIXED', rate: 5.5 } },
      { tranche: 'A-4', class: 'A', balance: 5.51, coupon: { type: 'FIXED', rate: 5.51 } },
      { tranche: 'B', balance: 3.15, coupon: { type: 'FIXED', rate: 5.69 } },
      { tranche: 'C', balance: 3, coupon: { type: 'FIXED', rate: 5.84 } },
      { tranche: 'D', balance: 2.05, coupon: { type: 'FIXED', rate: 6.42 } },
      { tranche: 'R', class: 'RESIDUAL', balance: 0 },
    ],
    accounts: [
      {
        account: 'reserve',
        initial: 0.25,
        target: { percent: 0.25, of: 'POOL_ORIGINAL' },
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
      { step: 'servicing', pay: 'FEE', to: ['servicing'], clause: 'Order of payments, 1' },
      {
        step: 'capped',
        pay: 'FEE',
        to: ['reviewer'],
        limit: { amount: 175_000, per: 'YEAR' },
        clause: 'Order of payments, 2',
      },
      {
        step: 'A interest',
        pay: 'INTEREST',
        to: [['A-1', 'A-2a', 'A-2b', 'A-3', 'A-4']],
        clause: 'Order of payments, 3',
      },
      carmaxTier('t1', [], ['A-*'], 'Order of payments, 4'),
      { step: 'B interest', pay: 'INTEREST', to: ['B'], clause: 'Order of payments, 5' },
      carmaxTier('t2', ['B'], ['A-*', 'B'], 'Order of payments, 6'),
      { step: 'C interest', pay: 'INTEREST', to: ['C'], clause: 'Order of payments, 7' },
      carmaxTier('t3', ['B', 'C'], ['A-*', 'B', 'C'], 'Order of payments, 8'),
      { step: 'D interest', pay: 'INTEREST', to: ['D'], clause: 'Order of payments, 9' },
      carmaxTier('t4', ['B', 'C', 'D'], ['*'], 'Order of payments, 10'),
      { step: 'reserve', pay: 'RESERVE', to: ['reserve'], clause: 'Order of payments, 11' },
      {
        ...carmaxTier('t5', ['B', 'C', 'D'], ['*'], 'Order of payments, 12'),
        amount: { target: 'OC', amount: { percent: 0.75, of: 'POOL_ORIGINAL' }, of_tranches: ['*'] },
      },
      { step: 'uncapped', pay: 'FEE', to: ['reviewer'], clause: 'Order of payments, 13' },
      { step: 'residual', pay: 'RESIDUAL', to: ['R'], clause: 'Order of payments, 14' },
    ],
    clean_up_call: { percent: 10, exercised: true },
  },
};

const SFAST_NOTES = ['A1', ['A2A', 'A2B'], 'A3', 'A4'];
const sfastTier = (step: string, more: string[], ofTranches: string[], clause: string): Step => ({
  step,
  pay: 'PRINCIPAL',
  to: [...SFAST_NOTES, ...more],
  amount: { target: 'NOTES', of_tranches: ofTranches, percent: 100, of: 'POOL_ADJUSTED' },
  clause,
});

export const PRIME_AUTO_YSOC: StructureTemplate = {
  template: 'prime-auto-ysoc',
  name: 'Prime auto, yield supplement overcollateralisation',
  loan_type: 'Auto',
  description:
    'Allocations of principal against the adjusted pool: loans with a rate below the strike count for less than their balance, so that low rates are covered by collateral.',
  follows: [
    {
      deal: 'SFS Auto Receivables Securitization Trust 2026-1',
      source:
        'https://github.com/richardzxiong-crypto/ABS-Structure-Tool/tree/511b77e583a5e85a4b35f77ac07021eb29367256/backend/tests/golden/cases/sfast-2026-1',
      scope:
        'order of allocations, classes in percent of the pool, strike, reserve and overcollateralisation, as a public model transcribes them; its second strike, once A2B is paid, is left out',
    },
  ],
  must_set: [
    MUST_SET.sizes,
    MUST_SET.curve,
    MUST_SET.fees,
    { path: 'pool.adjustment.rate', message: 'the strike of the yield supplement' },
    {
      path: 'accounts[0].initial',
      message: 'its share of the adjusted pool: here 0.239 % of the pool, 0.25 % of the adjusted pool',
    },
  ],
  structure: {
    payment: { payment_day: 20, first_accrual: 'ACTUAL', rounding: 'CENT' },
    pool: { adjustment: { kind: 'PRESENT_VALUE', rate: 6.3, applies: 'BELOW' } },
    tranches: [
      { tranche: 'A1', class: 'A', balance: 15.3, coupon: { type: 'FIXED', rate: 3.827 }, day_count: 'ACT/360' },
      { tranche: 'A2A', class: 'A', balance: 15.3, coupon: { type: 'FIXED', rate: 3.91 } },
      {
        tranche: 'A2B',
        class: 'A',
        balance: 15.3,
        coupon: { type: 'FLOATING', index: 'SOFR30A', margin_bp: 46, floor: 0 },
        day_count: 'ACT/360',
      },
      { tranche: 'A3', class: 'A', balance: 30.6, coupon: { type: 'FIXED', rate: 3.96 } },
      { tranche: 'A4', class: 'A', balance: 7.31, coupon: { type: 'FIXED', rate: 4.07 } },
      { tranche: 'B', balance: 4.4, coupon: { type: 'FIXED', rate: 4.27 } },
      { tranche: 'C', balance: 3.58, coupon: { type: 'FIXED', rate: 4.46 } },
      { tranche: 'R', class: 'RESIDUAL', balance: 0 },
    ],
    accounts: [
      {
        account: 'reserve',
        initial: 0.239,
        target: { percent: 0.25, of: 'POOL_ADJUSTED_ORIGINAL' },
        non_declining: true,
        draws: ['FEE', 'INTEREST', 'step:first allocation', 'step:second allocation', 'step:third allocation'],
      },
    ],
    fees: [
      { fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' },
      { fee: 'trustee', percent: 0.001, of: 'POOL_ORIGINAL' },
    ],
    waterfall: [
      { step: 'servicing', pay: 'FEE', to: ['servicing'], clause: 'Second' },
      { step: 'trustee', pay: 'FEE', to: ['trustee'], clause: 'Third' },
      { step: 'A interest', pay: 'INTEREST', to: [['A1', 'A2A', 'A2B', 'A3', 'A4']], clause: 'Fourth' },
      sfastTier('first allocation', [], ['A*'], 'Fifth'),
      { step: 'B interest', pay: 'INTEREST', to: ['B'], clause: 'Sixth' },
      sfastTier('second allocation', ['B'], ['A*', 'B'], 'Seventh'),
      { step: 'C interest', pay: 'INTEREST', to: ['C'], clause: 'Eighth' },
      sfastTier('third allocation', ['B', 'C'], ['*'], 'Ninth'),
      { step: 'reserve', pay: 'RESERVE', to: ['reserve'], clause: 'Tenth' },
      {
        ...sfastTier('regular allocation', ['B', 'C'], ['*'], 'Eleventh'),
        amount: {
          target: 'NOTES',
          amount: {
            minus: [
              { percent: 100, of: 'POOL_ADJUSTED' },
              {
                max_of: [
                  { percent: 6.75, of: 'POOL_ADJUSTED' },
                  { percent: 1, of: 'POOL_ADJUSTED_ORIGINAL' },
                ],
              },
            ],
          },
          of_tranches: ['*'],
        },
      },
      { step: 'residual', pay: 'RESIDUAL', to: ['R'], clause: 'Thirteenth' },
    ],
  },
};

const AMCAR_NOTES = ['A-1', ['A-2-A', 'A-2-B'], 'A-3'];
const amcarParity = (step: string, more: string[], ofTranches: string[], clause: string): Step => ({
  step,
  pay: 'PRINCIPAL',
  to: [...AMCAR_NOTES, ...more],
  amount: { target: 'NOTES', of_tranches: ofTranches, percent: 100, of: 'POOL_CURRENT' },
  clause,
});
/** The size of the overcollateralisation: a share of the pool less the reserve, at least a share of the original pool. */
const AMCAR_TARGET = {
  target: 'OC' as const,
  amount: {
    max_of: [
      {
        minus: [
          { percent: 14.75, of: 'POOL_CURRENT' as const },
          { percent: 100, of: 'ACCOUNT:reserve' as const },
        ],
      },
      { percent: 0.5, of: 'POOL_ORIGINAL' as const },
    ],
  },
};
const AMCAR_ALL = [...AMCAR_NOTES, 'B', 'C', 'D', 'E'];
const AMCAR_PAGES = '424(b)(5) of 2017-02-21, pp. 77-78, clause';

export const SUBPRIME_AUTO: StructureTemplate = {
  template: 'subprime-auto-turbo',
  name: 'Subprime auto, overcollateralisation built by turbo',
  loan_type: 'Auto',
  description:
    'Parity principal between the interest of the classes; principal collected, then what is left, pays the notes until overcollateralisation and reserve are a target share of the pool, and is released beyond it.',
  follows: [
    {
      deal: 'AmeriCredit Automobile Receivables Trust 2017-1',
      source:
        'https://github.com/bizarc/cfdl/blob/6f631eff8487a15f721de1cc01fedc7f66bab5c9/benchmarks/credit/americredit_2017_1/SOURCE.md (transcribes 424(b)(5), accession 0001193125-17-045288)',
      scope:
        'clauses 1 to 22 without those of final maturity, which a `final_maturity` gives; classes in percent of the pool; reserve, target and call',
    },
  ],
  must_set: [
    MUST_SET.sizes,
    MUST_SET.curve,
    MUST_SET.fees,
    { path: 'waterfall[1].limit', message: 'the cap of the expenses a year, in currency units' },
  ],
  structure: {
    payment: { payment_day: 18, first_accrual: 'ACTUAL', rounding: 'CENT' },
    tranches: [
      { tranche: 'A-1', class: 'A', balance: 17.98, coupon: { type: 'FIXED', rate: 0.95 }, day_count: 'ACT/360' },
      { tranche: 'A-2-A', class: 'A', balance: 22.73, coupon: { type: 'FIXED', rate: 1.55 } },
      {
        tranche: 'A-2-B',
        class: 'A',
        balance: 7.41,
        coupon: { type: 'FLOATING', index: 'SOFR30A', margin_bp: 40, floor: 0 },
        day_count: 'ACT/360',
      },
      { tranche: 'A-3', class: 'A', balance: 18.68, coupon: { type: 'FIXED', rate: 1.87 } },
      { tranche: 'B', balance: 7.25, coupon: { type: 'FIXED', rate: 2.3 } },
      { tranche: 'C', balance: 9, coupon: { type: 'FIXED', rate: 2.71 } },
      { tranche: 'D', balance: 8.85, coupon: { type: 'FIXED', rate: 3.13 } },
      { tranche: 'E', balance: 2.35, coupon: { type: 'FIXED', rate: 5 } },
      { tranche: 'R', class: 'RESIDUAL', balance: 0 },
    ],
    accounts: [
      {
        account: 'reserve',
        initial: 2,
        target: { percent: 2, of: 'POOL_ORIGINAL' },
        draws: ['FEE', 'INTEREST', 'step:A parity', 'step:B parity', 'step:C parity', 'step:D parity', 'step:E parity'],
      },
    ],
    fees: [
      { fee: 'servicing', percent: 2.25, of: 'POOL_BEGINNING' },
      { fee: 'trustee', billed: true },
    ],
    waterfall: [
      { step: 'servicing', pay: 'FEE', to: ['servicing'], clause: `${AMCAR_PAGES} 1` },
      { step: 'capped', pay: 'FEE', to: ['trustee'], limit: { amount: 200_000, per: 'YEAR' }, clause: `${AMCAR_PAGES} 2` },
      { step: 'A interest', pay: 'INTEREST', to: [['A-1', 'A-2-A', 'A-2-B', 'A-3']], clause: `${AMCAR_PAGES} 3` },
      amcarParity('A parity', [], ['A-*'], `${AMCAR_PAGES} 4`),
      { step: 'B interest', pay: 'INTEREST', to: ['B'], clause: `${AMCAR_PAGES} 6` },
      amcarParity('B parity', ['B'], ['A-*', 'B'], `${AMCAR_PAGES} 7`),
      { step: 'C interest', pay: 'INTEREST', to: ['C'], clause: `${AMCAR_PAGES} 9` },
      amcarParity('C parity', ['B', 'C'], ['A-*', 'B', 'C'], `${AMCAR_PAGES} 10`),
      { step: 'D interest', pay: 'INTEREST', to: ['D'], clause: `${AMCAR_PAGES} 12` },
      amcarParity('D parity', ['B', 'C', 'D'], ['A-*', 'B', 'C', 'D'], `${AMCAR_PAGES} 13`),
      { step: 'E interest', pay: 'INTEREST', to: ['E'], clause: `${AMCAR_PAGES} 15` },
      amcarParity('E parity', ['B', 'C', 'D', 'E'], ['*'], `${AMCAR_PAGES} 16`),
      {
        step: 'principal',
        pay: 'PRINCIPAL',
        to: AMCAR_ALL,
        amount: { min_of: ['PRINCIPAL_COLLECTIONS', AMCAR_TARGET] },
        clause: `${AMCAR_PAGES} 18`,
      },
      { step: 'reserve', pay: 'RESERVE', to: ['reserve'], clause: `${AMCAR_PAGES} 19` },
      { step: 'turbo', pay: 'PRINCIPAL', to: AMCAR_ALL, amount: AMCAR_TARGET, clause: `${AMCAR_PAGES} 20` },
      { step: 'uncapped', pay: 'FEE', to: ['trustee'], clause: `${AMCAR_PAGES} 21` },
      { step: 'residual', pay: 'RESIDUAL', to: ['R'], clause: `${AMCAR_PAGES} 22` },
    ],
    clean_up_call: { percent: 10, exercised: true },
  },
};

const SEQUENTIAL_NOTES = ['A-1', 'A-2', 'B'];

export const SEQUENTIAL_AUTO: StructureTemplate = {
  template: 'auto-sequential',
  name: 'Auto, plain sequential',
  loan_type: 'Auto',
  description:
    'Two senior classes with fixed coupons and one junior, paid in order down to a target overcollateralisation; a loss trigger puts junior interest behind principal and turns all cash to the notes. As in deals of this kind.',
  follows: [],
  must_set: [MUST_SET.sizes, MUST_SET.fees, { path: 'triggers[0].schedule', message: 'the loss levels of the deal, by period' }],
  structure: {
    payment: { payment_day: 15, first_accrual: 'ACTUAL' },
    tranches: [
      { tranche: 'A-1', class: 'A', balance: 40, coupon: { type: 'FIXED', rate: 4.6 } },
      { tranche: 'A-2', class: 'A', balance: 38, coupon: { type: 'FIXED', rate: 4.9 } },
      { tranche: 'B', class: 'B', balance: 12, coupon: { type: 'FIXED', rate: 5.8 } },
      { tranche: 'R', class: 'RESIDUAL', balance: 0 },
    ],
    accounts: [{ account: 'reserve', initial: 0.5, target: { percent: 0.5, of: 'POOL_ORIGINAL' }, draws: ['FEE', 'INTEREST'] }],
    fees: [{ fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' }],
    waterfall: [
      { step: 'servicing', pay: 'FEE', to: ['servicing'] },
      { step: 'A interest', pay: 'INTEREST', to: ['A-1', 'A-2'], order: 'PRO_RATA' },
      { step: 'B interest', pay: 'INTEREST', to: ['B'], unless: 'cnl' },
      {
        step: 'principal',
        pay: 'PRINCIPAL',
        to: SEQUENTIAL_NOTES,
        amount: { target: 'OC', percent: 12.5, of: 'POOL_CURRENT', floor: { percent: 1, of: 'POOL_ORIGINAL' } },
      },
      { step: 'reserve', pay: 'RESERVE', to: ['reserve'] },
      { step: 'late B interest', pay: 'INTEREST', to: ['B'], when: 'cnl' },
      { step: 'turbo', pay: 'PRINCIPAL', to: SEQUENTIAL_NOTES, amount: 'ALL', when: 'cnl' },
      { step: 'residual', pay: 'RESIDUAL', to: ['R'] },
    ],
    triggers: [
      {
        trigger: 'cnl',
        metric: 'CUMULATIVE_NET_LOSS',
        op: 'gt',
        schedule: [
          { from_period: 1, value: 3 },
          { from_period: 13, value: 6 },
        ],
        curable: false,
      },
    ],
    clean_up_call: { percent: 10, exercised: true },
  },
};
