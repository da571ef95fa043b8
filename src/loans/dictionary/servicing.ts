import type { LoanType } from '../types.ts';
import { defineFields, type Field } from './field.ts';

const RECOVERED = defineFields([
  {
    field: 'recovered_amount',
    type: 'money',
    unit: 'currency',
    range: { min: 0, text: '>= 0' },
    aliases: ['recoveredAmount', 'Recovered Amount', 'Recovery Amount', 'Recoveries in Period', 'Period Recoveries'],
    description: 'recovered in the reporting period on a loan that was charged off',
    source: 'SEC Schedule AL recoveredAmount',
  },
]);

const DEFAULTED = defineFields([
  {
    field: 'defaulted_amount',
    type: 'money',
    unit: 'currency',
    range: { min: 0, text: '>= 0' },
    aliases: [
      'Defaulted Amount',
      'Default Amount',
      'RREL71',
      'Defaulted Balance',
      'Charge-Off Amount',
      'Charged Off Amount',
      'Charged-Off Principal',
    ],
    description: 'principal charged off',
  },
]);

const reporting = (annex: readonly string[]) =>
  defineFields([
    {
      field: 'reporting_date',
      type: 'date',
      range: { min: '1990-01-01', max: 'AS_OF', text: '<= today' },
      aliases: [
        'Reporting Date',
        'As Of Date',
        'AsOfDate',
        'Cutoff Date',
        'Cut-off Date',
        'Data Cut-Off Date',
        'Pool Cut-off Date',
        ...annex,
      ],
      description: 'cut-off or period end, which is the date of the tape',
    },
  ]);

/** What the servicer of a pool reports of a loan after closing, beyond the fields that its type has on every tape. */
export const SERVICING_FIELDS: Record<LoanType, readonly Field[]> = {
  Auto: RECOVERED,
  Personal: [...DEFAULTED, ...RECOVERED],
  Mortgage: [...DEFAULTED, ...RECOVERED],
  Student: [...DEFAULTED, ...RECOVERED, ...reporting([])],
  Business: [...RECOVERED, ...reporting(['CRPL6'])],
  'Credit Card': [...RECOVERED, ...reporting(['CCDL6'])],
};
