import Type, { type Static } from 'typebox';
import { date, id, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { POOL_DETAIL } from '../pools/pool-view.ts';
import { PoolMetricsSchema, TranchePerformanceSchema } from './performance.ts';
import type { StoredRemittance } from './queries.ts';
import { named } from '../../platform/http/named.ts';

const TriggerStatusSchema = named('TriggerStatus', {
  trigger: Type.String(),
  on: Type.Boolean(),
  newly_on: Type.Boolean(),
  tests: Type.Array(
    named('TriggerTestStatus', {
      metric: Type.String(),
      actual: nullable(Type.Number({ description: 'Percent; null when the report does not have it.' })),
      op: Type.String(),
      threshold: nullable(Type.Number({ description: 'Percent; null where the period has none.' })),
      breached: Type.Boolean(),
      headroom: nullable(Type.Number({ description: 'Distance to the threshold in percent points; negative beyond it.' })),
      trend: nullable(oneOf(['IMPROVING', 'WORSENING', 'FLAT'], 'Change of the headroom since the previous report.')),
      history: Type.Array(nullable(Type.Number()), {
        description: 'The figures of the last reports, oldest first, at most three.',
      }),
    }),
  ),
});

export const RemittanceReplySchema = named('Remittance', {
  remittance_id: id('rem'),
  pool_id: id('pool'),
  deal_id: id('deal'),
  period: Type.Integer({ description: 'Payment period, 1 is the first.' }),
  payment_date: date(),
  basis: oneOf(['ACTUAL']),
  report: Type.Unknown({ description: 'The report, under the field names of servicer reports.' }),
  pool: PoolMetricsSchema,
  tranches: Type.Array(TranchePerformanceSchema),
  triggers: Type.Array(TriggerStatusSchema),
  created_at: timestamp(),
});

export const PoolDetailSchema = named('Pool', { ...POOL_DETAIL, last_remittance: nullable(RemittanceReplySchema) });

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
