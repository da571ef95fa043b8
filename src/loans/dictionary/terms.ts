import { defineFields, type Field } from './field.ts';

/**
 * Terms beyond level pay, of every loan type that has a term. Tapes rarely have them: a projection uses them where they are given and
 * assumes level pay, with a warning, where they are not.
 */
const TERM_FIELDS = defineFields([
  {
    field: 'interest_only_months',
    type: 'integer',
    unit: 'months',
    range: { min: 0, max: 480, text: '0 .. 480' },
    aliases: ['Remaining Interest Only Term', 'Interest Only Months'],
    description: 'months from the cut-off in which interest alone is paid',
  },
  {
    field: 'balloon_date',
    type: 'date',
    range: { min: '1990-01-01', text: 'not after maturity' },
    aliases: ['Balloon Date', 'Balloon Payment Date'],
    description: 'date on which what is left falls due; the remaining term is then the one that the payment amortizes over',
  },
  {
    field: 'deferment_months',
    type: 'integer',
    unit: 'months',
    range: { min: 0, max: 240, text: '0 .. 240' },
    aliases: ['Remaining Deferment Term', 'Deferment Months'],
    description: 'months from the cut-off in which nothing is paid',
  },
  {
    field: 'index',
    type: 'enum',
    enum: ['SOFR', 'LIBOR_1M', 'TBILL_91D', 'CP', 'PRIME', 'NONE'],
    codes: { '30-DAY AVERAGE SOFR': 'SOFR', '1M LIBOR': 'LIBOR_1M', 'T-BILL': 'TBILL_91D', 'COMMERCIAL PAPER': 'CP' },
    aliases: ['Rate Index', 'Index'],
    description: 'index of the rate, as `index_curves` of a calculation names it',
  },
  {
    field: 'margin',
    type: 'percent',
    unit: '% p.a.',
    range: { min: -2, max: 15, text: '-2 .. 15' },
    aliases: [
      'Margin',
      'Gross Margin',
      'AUTL43',
      'CRPL56',
      'Current Interest Rate Margin',
      'armMarginNumber',
      'Interest Margin',
      'Loan Gross Margin',
    ],
    description: 'margin over the index',
  },
  {
    field: 'rate_cap',
    type: 'percent',
    unit: '% p.a.',
    range: { min: 0, max: 40, text: '0 .. 40' },
    aliases: [
      'Lifetime Rate Cap',
      'Maximum Rate',
      'Interest Rate Cap',
      'LIFETIME_INTEREST_RATE_CAP',
      'lifetimeRateCapPercentage',
      'Lifetime Cap',
      'Life Cap',
    ],
    description: 'highest rate of the loan’s life',
  },
  {
    field: 'rate_floor',
    type: 'percent',
    unit: '% p.a.',
    range: { min: 0, max: 40, text: '0 .. 40' },
    aliases: ['Lifetime Rate Floor', 'Minimum Rate', 'Interest Rate Floor', 'lifetimeRateFloorPercentage'],
    description: 'lowest rate of the loan’s life',
  },
  {
    field: 'periodic_rate_cap',
    type: 'percent',
    unit: '% p.a.',
    range: { min: 0, max: 15, text: '0 .. 15' },
    aliases: ['Periodic Rate Cap', 'PERIODIC_INTEREST_RATE_CAP'],
    description: 'most that the rate moves at a reset',
  },
  {
    field: 'rate_reset_months',
    type: 'integer',
    unit: 'months',
    range: { min: 1, max: 120, text: '1 .. 120' },
    aliases: ['Rate Reset Frequency', 'Rate Reset Months', 'Interest Rate Reset Interval'],
    description: 'months between resets; 1 where it is missing',
  },
  {
    field: 'next_rate_reset_date',
    type: 'date',
    range: { min: '1990-01-01', text: 'after the reporting date' },
    aliases: ['Next Rate Reset Date', 'nextInterestRateChangeAdjustmentDate'],
    description: 'date of the next reset',
  },
]);

/** A type's own fields, then the terms that it does not define itself. */
export function withTerms(fields: readonly Field[]): readonly Field[] {
  const own = new Set(fields.map(({ field }) => field));
  return [...fields, ...TERM_FIELDS.filter(({ field }) => !own.has(field))];
}
