import type { Static } from 'typebox';
import { id } from '../../platform/http/schemas.ts';
import { PoolMetricsSchema, TranchePerformanceSchema } from '../remittances/performance.ts';
import { namedOneOf, named } from '../../platform/http/named.ts';

const source = {
  deal_id: id('deal'),
  basis: namedOneOf('PerformanceBasis', ['ACTUAL', 'PROJECTED'], 'Reported by the servicer, or projected by the calculation.'),
  calculation_id: id('calc', 'The calculation that projects the deal.'),
};

/** A tranche of a deal in one period, for investors. */
export const TranchePeriodSchema = named('TranchePeriod', {
  ...TranchePerformanceSchema.properties,
  ...source,
  tranche_id: id('trn'),
});
export type TranchePeriod = Static<typeof TranchePeriodSchema>;

/** The pool of a deal in one period, for investors. */
export const PoolPeriodSchema = named('PoolPeriod', { ...PoolMetricsSchema.properties, ...source });
export type PoolPeriod = Static<typeof PoolPeriodSchema>;
