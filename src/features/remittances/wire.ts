import Type, { type Static } from 'typebox';
import { date, id, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { LINES, VERIFICATION_STATUSES } from '../../finance/structure/verify-report.ts';
import { POOL_DETAIL } from '../pools/pool-view.ts';
import { PoolMetricsSchema, TranchePerformanceSchema } from './performance.ts';
import { type OperatorRemittance, REMITTANCE_STATUSES, type RemittanceVersion, type StoredRemittance } from './queries.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';

const TriggerStatusSchema = named('TriggerStatus', {
  trigger: Type.String(),
  on: Type.Boolean(),
  newly_on: Type.Boolean(),
  tests: Type.Array(
    named('TriggerTestStatus', {
      metric: Type.String(),
      actual: nullable(
        Type.Number({
          description:
            'Percent; currency units of an amount; of DATE the day since 1970-01-01. Null when the report does not have it.',
        }),
      ),
      op: Type.String(),
      threshold: nullable(Type.Number({ description: 'As `actual`; null where the period has none.' })),
      breached: Type.Boolean(),
      date: Type.Optional(date('Of DATE: `actual` as a date.')),
      threshold_date: Type.Optional(date('Of DATE: `threshold` as a date.')),
      headroom: nullable(
        Type.Number({ description: 'Distance to the threshold in percent points, an amount or days; negative beyond it.' }),
      ),
      trend: nullable(oneOf(['IMPROVING', 'WORSENING', 'FLAT'], 'Change of the headroom since the previous report.')),
      history: Type.Array(nullable(Type.Number()), {
        description: 'The figures of the last reports, oldest first, at most three.',
      }),
    }),
  ),
});

/** Every figure of a report beside the one that follows from its cash. */
export const VerificationSchema = named('Verification', {
  status: namedOneOf(
    'VerificationStatus',
    VERIFICATION_STATUSES,
    'DIFFERS: a figure differs by a cent or more. PARTIAL: a figure could not be computed, or no available funds were reported.',
  ),
  lines: Type.Array(
    named('VerificationLine', {
      what: namedOneOf('VerificationFigure', LINES),
      tranche: Type.Optional(Type.String({ description: 'Name of the tranche.' })),
      path: Type.String({ description: 'Path of the figure in the report.' }),
      reported: Type.Union([Type.Number(), Type.String()], { description: 'Money; 1 or 0 of a trigger; a date.' }),
      expected: Type.Union([Type.Number(), Type.String(), Type.Null()], {
        description: 'What follows from the structure and the cash reported; null where an input is missing.',
      }),
      difference: nullable(Type.Number({ description: 'Reported less expected: money, or days of a date.' })),
      step: nullable(Type.String({ description: 'Step of the waterfall that pays it.' })),
      clause: nullable(Type.String({ description: 'Where the documents say it.' })),
    }),
  ),
  missing: Type.Array(Type.String(), { description: 'Paths of the inputs without which nothing could be computed.' }),
  recorded_fixings: Type.Optional(
    Type.Array(
      named('RecordedFixing', {
        index: Type.String({ description: 'Name of the index.' }),
        date: date('Day of the fixing.'),
        rate: Type.Number({ description: 'Percent a year.' }),
      }),
      {
        description:
          'Fixings on the platform’s record that stand in for those of the report, which gives none of the index; absent where there are none.',
      },
    ),
  ),
});

export const RemittanceReplySchema = named('Remittance', {
  remittance_id: id('rem'),
  pool_id: id('pool'),
  deal_id: id('deal'),
  period: Type.Integer({ description: 'Payment period, 1 is the first.' }),
  payment_date: date(),
  status: namedOneOf(
    'RemittanceStatus',
    REMITTANCE_STATUSES,
    'SCHEDULED until the payment date, HELD there while it waits to be accepted, then APPLIED: balances, factors, payments and triggers follow it.',
  ),
  version: Type.Integer({ description: 'Versions of the report so far; each restatement adds one.' }),
  basis: oneOf(['ACTUAL']),
  report: Type.Unknown({ description: 'The report, under the field names of servicer reports.' }),
  pool: PoolMetricsSchema,
  tranches: Type.Array(TranchePerformanceSchema),
  triggers: Type.Array(TriggerStatusSchema),
  verification: VerificationSchema,
  accepted_at: nullable(timestamp('When the operator signed off its differences; null where it has not.')),
  accepted_reason: nullable(Type.String({ description: 'Why.' })),
  applied_at: nullable(timestamp('When balances, factors and payments followed it; null until then.')),
  restated_at: nullable(timestamp('When its figures were last replaced; null where they never were.')),
  created_at: timestamp(),
  updated_at: timestamp(),
});

export const OperatorRemittanceSchema = named('OperatorRemittance', {
  ...RemittanceReplySchema.properties,
  organization_id: id('org', 'The owner of the deal.'),
  pool_name: Type.String(),
});

/** A report with the versions that restatements replaced. */
export const RemittanceDetailSchema = named('RemittanceDetail', {
  ...RemittanceReplySchema.properties,
  versions: Type.Array(
    named('RemittanceVersion', {
      version: Type.Integer(),
      report: Type.Unknown({ description: 'The report as it was.' }),
      pool: PoolMetricsSchema,
      tranches: Type.Array(TranchePerformanceSchema),
      triggers: Type.Array(TriggerStatusSchema),
      reported_at: timestamp(),
      replaced_at: timestamp(),
    }),
    { description: 'The versions that restatements replaced, the latest first.' },
  ),
});

export const PoolDetailSchema = named('Pool', { ...POOL_DETAIL, last_remittance: nullable(RemittanceReplySchema) });

export function wireRemittance(stored: StoredRemittance): Static<typeof RemittanceReplySchema> {
  const { remittance_id, pool_id, deal_id, period, payment_date, status, version, report, triggers } = stored;
  const { verification, accepted_at, accepted_reason, applied_at, restated_at, created_at, updated_at } = stored;
  const { pool, tranches } = stored.performance;
  return {
    remittance_id,
    pool_id,
    deal_id,
    period,
    payment_date,
    status,
    version,
    basis: 'ACTUAL',
    report,
    pool,
    tranches,
    triggers,
    verification,
    accepted_at,
    accepted_reason,
    applied_at,
    restated_at,
    created_at,
    updated_at,
  };
}

export function wireOperatorRemittance(stored: OperatorRemittance): Static<typeof OperatorRemittanceSchema> {
  const { organization_id, pool_name } = stored;
  return { ...wireRemittance(stored), organization_id, pool_name };
}

export function wireDetail(
  stored: StoredRemittance,
  versions: readonly RemittanceVersion[],
): Static<typeof RemittanceDetailSchema> {
  return {
    ...wireRemittance(stored),
    versions: versions.map(({ performance, ...version }) => ({ ...version, ...performance })),
  };
}
