import { emit } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { listHolders } from '../securitizations/queries.ts';
import { FACTOR_MARGIN, type FactorDeparture, NEAR_SHARE, newDeparture, newlyNear } from './departures.ts';
import { findClosingProjection } from './projection-queries.ts';
import type { RemittanceWithState } from './queries.ts';
import type { ServicedPool } from './serviced-pool.ts';
import { describeTrigger, type TriggerStatus } from './trigger-status.ts';

/**
 * Tells of a pool that departs from what its published marks projected, and of triggers that come near, where none of the earlier reports
 * did already. In the platform's scope: holders are other organizations.
 */
export async function tellDepartures(
  tx: Tx,
  pool: ServicedPool,
  report: RemittanceWithState,
  earlier: readonly RemittanceWithState[],
): Promise<void> {
  const projection = await findClosingProjection(tx, pool.organization_id, pool.pool_id, true);
  const departure = newDeparture(report, earlier, projection, Number(pool.balance));
  if (projection && departure) await tellFactor(tx, pool, report, { ...departure, calculation_id: projection.calculation_id });
  const near = newlyNear(
    report.triggers,
    earlier.map(({ triggers }) => triggers),
  );
  await tellNear(tx, pool, report, near);
}

const percent = (fraction: number): string => `${(100 * fraction).toFixed(2)} %`;

/** The holders see the same factors in the performance of the deal. */
async function tellFactor(
  tx: Tx,
  { organization_id, pool_id, deal_id, name }: ServicedPool,
  { period, payment_date }: RemittanceWithState,
  departure: FactorDeparture & { calculation_id: string },
): Promise<void> {
  const holders = await listHolders(tx, deal_id);
  const told = new Set([organization_id, ...holders.map((each) => each.organization_id)]);
  const { reported, projected } = departure;
  await emit(
    tx,
    [...told].map((recipient) => ({
      organization_id: recipient,
      event: 'pool.factor_off',
      data: { pool_id, deal_id, period, payment_date, ...departure },
      alert: {
        category: 'pool',
        priority: 'MEDIUM',
        title: `${name}: the pool is smaller than its marks projected`,
        message: `After period ${period} its factor is ${percent(reported)}, projected ${percent(projected)}: more than ${percent(FACTOR_MARGIN)} of the original pool below.`,
        entity_type: 'deal',
        entity_id: deal_id,
      },
    })),
  );
}

/** The tests of triggers are shown to the owner alone. */
async function tellNear(
  tx: Tx,
  { organization_id, pool_id, deal_id, name }: ServicedPool,
  { period, payment_date }: RemittanceWithState,
  triggers: readonly TriggerStatus[],
): Promise<void> {
  await emit(
    tx,
    triggers.map((trigger) => ({
      organization_id,
      event: 'trigger.near',
      data: {
        pool_id,
        deal_id,
        period,
        payment_date,
        trigger: trigger.trigger,
        tests: trigger.tests.map(({ metric, op, actual, threshold, headroom }) => ({ metric, op, actual, threshold, headroom })),
      },
      alert: {
        category: 'pool',
        priority: 'MEDIUM',
        title: `${name}: trigger ${trigger.trigger} is within ${percent(NEAR_SHARE)} of its threshold`,
        message: describeTrigger(trigger),
        entity_type: 'pool',
        entity_id: pool_id,
      },
    })),
  );
}
