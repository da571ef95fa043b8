import type { Amount } from '../../../finance/structure/amount.ts';
import type { Coupon } from '../../../finance/structure/structure.ts';
import { MUST_SET, type StructureTemplate } from './template.ts';

const CAPPED = ['A-1', 'A-2', 'A-3', 'M-1', 'M-2', 'B-1'];
const MEZZANINE = ['M-1', 'M-2', 'B-1', 'B-2', 'B-3'];
const capped = (rate: Amount): Coupon => ({ type: 'FIXED', rate, cap: 'NET_WAC', carry_over: true });
const stepUp = (rate: number): Coupon =>
  capped([
    { from_period: 1, value: rate },
    { from_period: 49, value: rate + 1 },
  ]);
/** A coupon that is the net weighted average coupon. */
const NET_WAC: Coupon = { type: 'FIXED', rate: 0, floor: 'NET_WAC' };

export const NON_QM: StructureTemplate = {
  template: 'non-qm-net-wac',
  name: 'Non-QM mortgages, net WAC cap, carry-over and step-up',
  loan_type: 'Mortgage',
  description:
    'Coupons at most the net weighted average coupon; excess cash pays what the cap has cut; senior coupons step up by 1 % after four years; senior classes share principal until a trigger makes it sequential.',
  follows: [
    {
      deal: 'COLT 2018-4',
      source:
        'https://github.com/GraamOrg/graam-flows/blob/dd9b498f8f84a260dd54c66b91320a4b208065e2/src/GraamFlows.Api/Samples/colt1804_structured.json (quotes the offering document, pp. 25 and 105-106)',
      scope:
        'classes in percent of the pool, coupons and caps, order of principal, triggers, servicing fees, losses and call; the interest clause and the payment of carry-over are as in deals of this kind',
    },
    {
      deal: 'Verus Securitization Trust 2024-9',
      source:
        'https://github.com/crmerrill/bma-standard-formulas/blob/39c64bd7ccd78dc19f2d9027bc04b02bc3a4033a/docs/architecture/waterfall_ir_design.md',
      scope: 'the step-up of senior coupons by 1 % alone: the first deal has none',
    },
  ],
  must_set: [
    MUST_SET.sizes,
    MUST_SET.fees,
    { path: 'triggers', message: 'levels by period; delinquency is an assumption of every calculation' },
    { path: 'calls[0].exercised', message: 'whether calculations run to the call' },
  ],
  structure: {
    payment: { payment_day: 25, rounding: 'CENT' },
    tranches: [
      { tranche: 'A-1', class: 'A', balance: 68.55, coupon: stepUp(4.006), seniority: 1 },
      { tranche: 'A-2', class: 'A', balance: 9.7, coupon: stepUp(4.108), seniority: 2 },
      { tranche: 'A-3', class: 'A', balance: 7.35, coupon: stepUp(4.21), seniority: 3 },
      { tranche: 'M-1', class: 'M', balance: 5.1, coupon: capped(4.716), seniority: 4 },
      { tranche: 'M-2', class: 'M', balance: 0.85, coupon: capped(4.916), seniority: 5 },
      { tranche: 'B-1', class: 'B', balance: 2.9, coupon: capped(5.415), seniority: 6 },
      { tranche: 'B-2', class: 'B', balance: 1.41, coupon: NET_WAC, seniority: 7 },
      { tranche: 'B-3', class: 'B', balance: 4.14, coupon: NET_WAC, seniority: 8 },
      { tranche: 'R', class: 'RESIDUAL', balance: 0, seniority: 9 },
    ],
    fees: [
      { fee: 'servicing', percent: 0.25, of: 'POOL_BEGINNING' },
      { fee: 'master servicing', percent: 0.029, of: 'POOL_BEGINNING' },
    ],
    waterfall: [
      { step: 'fees', pay: 'FEE', to: ['servicing', 'master servicing'] },
      { step: 'interest', pay: 'INTEREST', to: ['A-1', 'A-2', 'A-3', ...MEZZANINE] },
      {
        step: 'shared principal',
        pay: 'PRINCIPAL',
        to: [['A-1', 'A-2', 'A-3'], ...MEZZANINE],
        unless: 'sequential',
        clause: 'Offering document, pp. 105-106',
      },
      {
        step: 'sequential principal',
        pay: 'PRINCIPAL',
        to: ['A-1', 'A-2', 'A-3', ...MEZZANINE],
        when: 'sequential',
        clause: 'Offering document, pp. 105-106',
      },
      { step: 'carry-over', pay: 'CARRY_OVER', to: CAPPED },
      { step: 'residual', pay: 'RESIDUAL', to: ['R'] },
    ],
    triggers: [
      {
        trigger: 'sequential',
        any_of: [
          // Half of the credit enhancement that Class A-1 has at closing.
          { metric: 'OC', op: 'lt', value: 15.72, of_tranches: ['A-1'] },
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
      },
    ],
    losses: { mode: 'REVERSE_SEQUENTIAL' },
    calls: [
      {
        call: 'optional redemption',
        any_of: [
          { metric: 'PERIOD', op: 'gte', value: 24 },
          { metric: 'POOL_FACTOR', op: 'lte', value: 30 },
        ],
        exercised: false,
      },
    ],
  },
};

const SENIOR = ['A-1', 'A-2', 'A-3'];
const JUNIOR = ['B-1', 'B-2', 'B-3', 'B-4', 'B-5'];
/** The senior share of prepaid principal falls to that of the scheduled one over nine years, unless losses are above their schedule. */
const SHIFT: Amount = {
  if: 'no step-down',
  then: 100,
  else: [
    { from_period: 1, value: 100 },
    { from_period: 60, value: 70 },
    { from_period: 72, value: 60 },
    { from_period: 84, value: 40 },
    { from_period: 96, value: 20 },
    { from_period: 108, value: 0 },
  ],
};
const SENIOR_COUPON: Coupon = { type: 'FIXED', rate: 3, cap: 'NET_WAC' };

export const JUMBO: StructureTemplate = {
  template: 'jumbo-shifting-interest',
  name: 'Prime jumbo mortgages, shifting interest',
  loan_type: 'Mortgage',
  description:
    'Senior classes get their share of scheduled principal and, for five years, all prepaid principal; the share then steps down, unless losses are above their schedule. Losses go to the most junior class first.',
  follows: [
    {
      deal: 'J.P. Morgan Mortgage Trust 2016-4',
      source:
        'https://github.com/GraamOrg/graam-flows/blob/dd9b498f8f84a260dd54c66b91320a4b208065e2/src/GraamFlows.Api/Samples/jpmt1604.json',
      scope:
        'classes in percent of the pool (its accretion class is a part of A-2 here), coupons, shift and loss levels, order of principal, call, as a public model writes them; lock-outs of junior classes are left out',
    },
  ],
  must_set: [
    MUST_SET.sizes,
    MUST_SET.fees,
    {
      path: 'triggers[0].schedule',
      message: 'loss levels in percent of the pool: a share of the subordinate balance at closing',
    },
    { path: 'waterfall[2].amount', message: 'the shift percentages by period' },
  ],
  structure: {
    payment: { payment_day: 25, rounding: 'CENT' },
    tranches: [
      { tranche: 'A-1', class: 'A', balance: 63.75, coupon: SENIOR_COUPON, seniority: 1 },
      { tranche: 'A-2', class: 'A', balance: 21.25, coupon: SENIOR_COUPON, seniority: 1 },
      { tranche: 'A-3', class: 'A', balance: 8.25, coupon: SENIOR_COUPON, seniority: 2 },
      { tranche: 'B-1', class: 'B', balance: 1.4, coupon: NET_WAC, seniority: 3 },
      { tranche: 'B-2', class: 'B', balance: 2.1, coupon: NET_WAC, seniority: 4 },
      { tranche: 'B-3', class: 'B', balance: 1.45, coupon: NET_WAC, seniority: 5 },
      { tranche: 'B-4', class: 'B', balance: 0.75, coupon: NET_WAC, seniority: 6 },
      { tranche: 'B-5', class: 'B', balance: 1.05, coupon: NET_WAC, seniority: 7 },
      { tranche: 'R', class: 'RESIDUAL', balance: 0, seniority: 9 },
    ],
    fees: [
      { fee: 'master servicing', percent: 0.0295, of: 'POOL_BEGINNING' },
      { fee: 'trustee', percent: 0.005, of: 'POOL_BEGINNING' },
    ],
    waterfall: [
      { step: 'fees', pay: 'FEE', to: ['master servicing', 'trustee'] },
      { step: 'senior interest', pay: 'INTEREST', to: [SENIOR] },
      {
        step: 'senior principal',
        pay: 'PRINCIPAL',
        to: [[['A-1', 'A-2'], 'A-3']],
        amount: {
          sum_of: [
            { percent: { share_of: ['A-*'], shift: 0 }, of: 'SCHEDULED' },
            { percent: { share_of: ['A-*'], shift: SHIFT }, of: 'PREPAID' },
            { percent: { share_of: ['A-*'], shift: SHIFT }, of: 'RECOVERED' },
          ],
        },
      },
      { step: 'junior interest', pay: 'INTEREST', to: JUNIOR },
      { step: 'junior principal', pay: 'PRINCIPAL', to: JUNIOR, order: 'PRO_RATA' },
      { step: 'remaining principal', pay: 'PRINCIPAL', to: [[['A-1', 'A-2'], 'A-3']] },
      { step: 'residual', pay: 'RESIDUAL', to: ['R'] },
    ],
    triggers: [
      {
        trigger: 'no step-down',
        metric: 'CUMULATIVE_NET_LOSS',
        op: 'gte',
        // 20, 25, 30, 35 and 40 % of the subordinate balance at closing.
        schedule: [
          { from_period: 1, value: 1.35 },
          { from_period: 72, value: 1.6875 },
          { from_period: 84, value: 2.025 },
          { from_period: 96, value: 2.3625 },
          { from_period: 108, value: 2.7 },
        ],
        curable: true,
      },
    ],
    losses: { mode: 'REVERSE_SEQUENTIAL' },
    clean_up_call: { percent: 10, exercised: true },
  },
};
