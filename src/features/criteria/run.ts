import { invalidTransition } from '../../platform/http/errors.ts';
import type { RunStatus } from './run-queries.ts';

/** The moves of a selection criteria run. */
export const RUN_MOVES: Record<RunStatus, readonly RunStatus[]> = {
  PENDING: ['RUNNING', 'CANCELLED'],
  RUNNING: ['COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

export function checkMove(from: RunStatus, to: RunStatus): void {
  if (!RUN_MOVES[from].includes(to)) throw invalidTransition('run', from, RUN_MOVES[from]);
}
