import Type, { type Static } from 'typebox';
import type { LoanRule } from '../../loans/criteria/language.ts';
import { date, id, money, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { OFFERINGS, POOL_STATUSES } from './pool.ts';
import type { Pool } from './queries.ts';
import type { StoredRemittance } from '../remittances/queries.ts';
import { LoanTypeSchema } from '../deals/fields.ts';

export const LoanRuleSchema = Type.Unsafe<LoanRule>({
  type: 'object',
  required: ['rule'],
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 64 },
    description: { type: 'string', maxLength: 500 },
    rule: { type: 'object', description: 'A condition of the rule language of selection criteria.' },
  },
});

const fields = {
  pool_id: id('pool'),
  name: Type.String(),
  status: oneOf(POOL_STATUSES),
  deal_ids: Type.Array(id('deal')),
  loan_type: LoanTypeSchema,
  loan_count: Type.Integer(),
  balance: money('Current balance of the loans.'),
  wac: nullable(Type.Number({ description: 'Balance-weighted rate, percent a year; loans without a rate are left out.' })),
  wam: nullable(Type.Number({ description: 'Balance-weighted remaining term, months; null for cards.' })),
  cut_off_date: date(),
  closing_date: date(),
  offering: oneOf(OFFERINGS),
  issue_requested_at: nullable(timestamp('When the originator asked for the issue.')),
  deal_id: nullable(Type.String({ description: 'The securitization deal, once issued.' })),
  created_at: timestamp(),
  updated_at: timestamp(),
};

export const PoolSchema = Type.Object(fields);
export const OperatorPoolSchema = Type.Object({ ...fields, organization_id: id('org') });

const Metrics = Type.Object({
  period: Type.Integer(),
  date: date('Payment date.'),
  pool_balance: money('Pool after the period.'),
  loan_count: nullable(Type.Integer()),
  wac: nullable(Type.Number({ description: 'Percent.' })),
  wam: nullable(Type.Number({ description: 'Months.' })),
  cpr: nullable(Type.Number({ description: 'Percent a year.' })),
  cdr: nullable(Type.Number({ description: 'Percent a year.' })),
  cumulative_net_loss: Type.Number({ description: 'Percent of the original pool.' }),
  delinquent_30: nullable(Type.Number({ description: 'Percent.' })),
  delinquent_60: nullable(Type.Number({ description: 'Percent.' })),
  delinquent_90: nullable(Type.Number({ description: 'Percent.' })),
  severity: nullable(Type.Number({ description: 'Percent of what was charged off.' })),
});

const TrancheMetrics = Type.Object({
  tranche: Type.String(),
  class: Type.String(),
  period: Type.Integer(),
  date: date('Payment date.'),
  balance: money('After the payment.'),
  factor: Type.Number({ description: 'Balance over original balance, 8 decimals.' }),
  interest_paid: money('Interest paid.'),
  principal_paid: money('Principal paid.'),
  shortfall: money('Interest due and not paid.'),
  credit_enhancement: nullable(Type.Number({ description: 'Percent of the pool.' })),
  oc: nullable(Type.Number({ description: 'Percent of the pool.' })),
});

const TriggerSchema = Type.Object({
  trigger: Type.String(),
  on: Type.Boolean(),
  newly_on: Type.Boolean(),
  tests: Type.Array(
    Type.Object({
      metric: Type.String(),
      actual: nullable(Type.Number({ description: 'Percent; null when the report does not tell it.' })),
      op: Type.String(),
      threshold: nullable(Type.Number({ description: 'Percent; null where the period has none.' })),
      breached: Type.Boolean(),
      headroom: nullable(Type.Number({ description: 'Distance to the threshold in percent points; negative beyond it.' })),
      trend: nullable(oneOf(['IMPROVING', 'WORSENING', 'FLAT'], 'Headroom against the report before.')),
      history: Type.Array(nullable(Type.Number()), { description: 'The last figures, oldest first.' }),
    }),
  ),
});

export const RemittanceReplySchema = Type.Object({
  remittance_id: id('rem'),
  pool_id: id('pool'),
  deal_id: id('deal'),
  period: Type.Integer({ description: 'Payment period, 1 is the first.' }),
  payment_date: date(),
  basis: oneOf(['ACTUAL']),
  report: Type.Unknown({ description: 'The report, under the names of servicer reports.' }),
  pool: Metrics,
  tranches: Type.Array(TrancheMetrics),
  triggers: Type.Array(TriggerSchema),
  created_at: timestamp(),
});

export const PoolDetailSchema = Type.Object({
  ...fields,
  filter: Type.Unknown({ description: 'Loan rules that the loans keep, or null.' }),
  sc_job_ids: Type.Array(id('scj')),
  tape_versions: Type.Record(Type.String(), Type.Integer(), { description: 'Deal → version of its tape.' }),
  warnings: Type.Array(Type.String(), { description: 'What the loans do not tell, and what is done about it.' }),
  structure: Type.Unknown({ description: 'As it was put, or null.' }),
  structure_version: Type.Integer({ description: 'Rises with every structure that is put; 0 before the first.' }),
  last_remittance: nullable(RemittanceReplySchema),
});

export function wirePool(pool: Pool): Static<typeof PoolSchema> {
  const { pool_id, name, status, deal_ids, loan_type, loan_count, cut_off_date, closing_date, offering, deal_id } = pool;
  return {
    pool_id,
    name,
    status,
    deal_ids,
    loan_type,
    loan_count,
    balance: Number(pool.balance),
    wac: pool.wac === null ? null : Number(pool.wac),
    wam: pool.wam === null ? null : Number(pool.wam),
    cut_off_date,
    closing_date,
    offering,
    issue_requested_at: pool.issue_requested_at?.toISOString() ?? null,
    deal_id,
    created_at: pool.created_at.toISOString(),
    updated_at: pool.updated_at.toISOString(),
  };
}

export function wireDetail(pool: Pool, last: StoredRemittance | null): Static<typeof PoolDetailSchema> {
  const { filter, sc_job_ids, tape_versions, warnings, structure, structure_version } = pool;
  return {
    ...wirePool(pool),
    filter,
    sc_job_ids,
    tape_versions,
    warnings,
    structure,
    structure_version,
    last_remittance: last && wireRemittance(last),
  };
}

export function wireRemittance(stored: StoredRemittance): Static<typeof RemittanceReplySchema> {
  const { remittance_id, pool_id, deal_id, period, payment_date, report, performance, triggers, created_at } = stored;
  const { pool, tranches } = performance;
  return {
    remittance_id,
    pool_id,
    deal_id,
    period,
    payment_date,
    basis: 'ACTUAL',
    report,
    pool,
    tranches,
    triggers,
    created_at: created_at.toISOString(),
  };
}
