import { emit } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Pool } from '../pools/queries.ts';
import type { PoolTape } from './queries.ts';

/** Tells the owner of a pool that a monthly tape was read, waits for a mapping, or could not be read. */
export async function tellRead(tx: Tx, pool: Pool, tape: PoolTape): Promise<void> {
  const { period, version, state, errors, warnings, failure } = tape;
  const { pool_id, deal_id } = pool;
  if (state === 'RUNNING' || !deal_id) return;
  const data = { pool_id, deal_id, period, version, state, errors, warnings, failure };
  const what = {
    DONE: `was read: ${errors} errors and ${warnings} warnings`,
    NEEDS_MAPPING: 'waits for a mapping: no column could be read as the amount',
    FAILED: `could not be read: ${failure ?? ''}`,
  }[state];
  await emit(tx, [
    {
      organization_id: pool.organization_id,
      event: 'tape.checked',
      data,
      alert: {
        category: 'pool',
        priority: state === 'DONE' ? (errors > 0 ? 'MEDIUM' : 'LOW') : 'HIGH',
        title: `${pool.name}: the tape of period ${period} ${state === 'DONE' ? 'was read' : state === 'FAILED' ? 'could not be read' : 'waits for a mapping'}`,
        entity_type: 'pool',
        entity_id: pool.pool_id,
        message: `The tape of period ${period} (file ${version}) ${what}.`,
      },
    },
  ]);
}
