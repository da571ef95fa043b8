import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import type { IoiRow, IoiStatus } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** The moves of an indication of interest; a subscription converts it, and the close of the books expires it. */
export const IOI_MOVES = new Mover<IoiRow, 'status', IoiStatus>({
  noun: 'indication of interest',
  table: 'iois',
  key: ['ioi_id'],
  column: 'status',
  touches: 'updated_at',
  moves: { submitted: ['withdrawn', 'converted', 'expired'], withdrawn: [], converted: [], expired: [] },
});

/** Expires the open indications of a deal whose books have closed. */
export async function expireIois(tx: Tx, dealId: Id<'deal'>): Promise<void> {
  await IOI_MOVES.moveWhere(tx, { deal_id: dealId }, 'submitted', 'expired');
}
