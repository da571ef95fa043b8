import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { PoolMetrics } from './performance.ts';

/** What a calculation projects of a pool from its cut-off date on. */
export type ClosingProjection = {
  calculation_id: Id<'calc'>;
  pool: PoolMetrics[];
  /** When its marks were published first; null before that. */
  published_at: Date | null;
};

/**
 * What the closing of a pool was made on: of its completed calculations that start from the cut-off date the one whose marks were published
 * first, else the first made for marks, else the first. Null without one.
 */
export function findClosingProjection(
  tx: Tx,
  organizationId: Id<'org'>,
  poolId: Id<'pool'>,
  published = false,
): Promise<ClosingProjection | null> {
  return tx.one<ClosingProjection>(
    `select c.calculation_id, c.projection->'pool' as pool, p.at as published_at from calculations c
     left join lateral (
       select min(m.published_at) as at from securitization_deals d join tranches t using (deal_id) join mark_publications m using (tranche_id)
       where d.pool_id = c.pool_id and m.calculation_id = c.calculation_id) p on true
     where c.organization_id = $1 and c.pool_id = $2 and c.status = 'COMPLETED' and json_typeof(c.projection->'pool') = 'array'
       and coalesce(json_typeof(c.inputs->'opening'), 'null') = 'null' and (p.at is not null or not $3)
     order by p.at nulls last, (c.purpose = 'MARK') desc, c.completed_at, c.calculation_id limit 1`,
    [organizationId, poolId, published],
  );
}
