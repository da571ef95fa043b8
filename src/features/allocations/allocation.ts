import { Mover } from '../../platform/moves.ts';
import type { AllocationRow, AllocationStatus } from './queries.ts';

/** The moves of an allocation: the investor accepts or declines it by the response deadline, or it expires. */
export const ALLOCATION_MOVES = new Mover<AllocationRow, 'status', AllocationStatus>({
  noun: 'allocation',
  table: 'allocations',
  key: ['allocation_id'],
  column: 'status',
  touches: 'decided_at',
  moves: { ISSUED: ['ACCEPTED', 'DECLINED', 'EXPIRED'], ACCEPTED: [], DECLINED: [], EXPIRED: [] },
});
