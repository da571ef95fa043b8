import { MUST_SET, type StructureTemplate } from './template.ts';

const NOTES = ['A', 'B', 'C'];
const POOL = { percent: 100, of: 'POOL_CURRENT' as const };

export const STUDENT: StructureTemplate = {
  template: 'private-student-parity',
  name: 'Private student loans, parity triggers',
  loan_type: 'Student',
  description:
    'Sequential classes paid down to a target overcollateralisation; junior interest waits behind principal while the pool does not cover the senior class; all cash pays the notes while it does not cover them all, and again at a note factor of 10 %.',
  follows: [
    {
      deal: 'Navient Refinance Loan Trust 2025-B',
      source: 'https://asreport.americanbanker.com/news/navient-refinance-to-raise-543-million-in-student-loan-abs',
      scope:
        'sequential principal, turbo to a target and again at a note factor of 10 %; sizes, parity triggers and reserve are as in deals of this kind',
    },
  ],
  must_set: [MUST_SET.sizes, MUST_SET.fees, { path: 'triggers', message: 'the parity levels of the deal' }],
  structure: {
    payment: { payment_day: 15, first_accrual: 'ACTUAL', rounding: 'CENT' },
    tranches: [
      { tranche: 'A', balance: 90, coupon: { type: 'FIXED', rate: 5.5 } },
      { tranche: 'B', balance: 5, coupon: { type: 'FIXED', rate: 6 } },
      { tranche: 'C', balance: 3, coupon: { type: 'FIXED', rate: 6.8 } },
      { tranche: 'R', class: 'RESIDUAL', balance: 0 },
    ],
    accounts: [{ account: 'reserve', initial: 0.25, target: { percent: 0.25, of: 'POOL_ORIGINAL' }, draws: ['FEE', 'INTEREST'] }],
    fees: [
      { fee: 'servicing', percent: 0.5, of: 'POOL_BEGINNING' },
      { fee: 'administration', percent: 0.05, of: 'POOL_BEGINNING' },
    ],
    waterfall: [
      { step: 'fees', pay: 'FEE', to: ['servicing', 'administration'] },
      { step: 'A interest', pay: 'INTEREST', to: ['A'] },
      { step: 'junior interest', pay: 'INTEREST', to: ['B', 'C'], unless: 'senior parity' },
      { step: 'reserve', pay: 'RESERVE', to: ['reserve'] },
      {
        step: 'principal',
        pay: 'PRINCIPAL',
        to: NOTES,
        amount: { target: 'OC', percent: 6, of: 'POOL_CURRENT', floor: { percent: 2, of: 'POOL_ORIGINAL' } },
      },
      { step: 'late junior interest', pay: 'INTEREST', to: ['B', 'C'], when: 'senior parity' },
      { step: 'turbo', pay: 'PRINCIPAL', to: NOTES, amount: 'ALL', when: { any_of: ['total parity', 'note factor'] } },
      { step: 'residual', pay: 'RESIDUAL', to: ['R'] },
    ],
    triggers: [
      {
        trigger: 'senior parity',
        ratio: [POOL, { percent: 100, of: 'NOTES', of_tranches: ['A'] }],
        op: 'lt',
        value: 100,
        after_payment: true,
        curable: true,
      },
      {
        trigger: 'total parity',
        ratio: [POOL, { percent: 100, of: 'NOTES' }],
        op: 'lt',
        value: 100,
        after_payment: true,
        curable: true,
      },
      {
        trigger: 'note factor',
        ratio: [
          { percent: 100, of: 'NOTES' },
          { percent: 100, of: 'NOTES_ORIGINAL' },
        ],
        op: 'lte',
        value: 10,
        after_payment: true,
      },
    ],
    clean_up_call: { percent: 5, exercised: false },
  },
};
