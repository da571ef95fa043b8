import { emit } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Pool } from '../pools/queries.ts';
import type { PoolTape, PoolTapeState } from './queries.ts';

const TITLES: Record<PoolTapeState, string> = {
  RUNNING: 'is read',
  DONE: 'was read',
  NEEDS_MAPPING: 'waits for a mapping',
  NEEDS_CONFIRMATION: 'waits for your confirmation',
  FAILED: 'could not be read',
};

/** Tells the owner of a pool that a monthly tape was read, waits for a mapping or a confirmation, or could not be read. `loss`: what is missing. */
export async function tellRead(tx: Tx, pool: Pool, tape: PoolTape, loss: string | null): Promise<void> {
  const { period, version, state, errors, warnings, failure } = tape;
  const { pool_id, deal_id } = pool;
  if (state === 'RUNNING' || !deal_id) return;
  const data = { pool_id, deal_id, period, version, state, errors, warnings, failure };
  const what = {
    DONE: `was read: ${errors} errors and ${warnings} warnings`,
    NEEDS_MAPPING: 'waits for a mapping: no column could be read as the amount',
    NEEDS_CONFIRMATION: `waits for your confirmation: ${loss}. Send the whole tape, or POST …/tapes/${period}/confirm`,
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
        title: `${pool.name}: the tape of period ${period} ${TITLES[state]}`,
        entity_type: 'pool',
        entity_id: pool.pool_id,
        message: `The tape of period ${period} (file ${version}) ${what}.`,
      },
    },
  ]);
}
