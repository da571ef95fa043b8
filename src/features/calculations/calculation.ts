import { emit } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import { type CalculationStatus, lockCalculation, releaseForeignKey, type StartedCalculation } from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** The moves of a calculation. One whose worker stopped is started again under the next run number. */
export const CALCULATION_MOVES = new Mover<StartedCalculation, 'status', CalculationStatus>({
  noun: 'calculation',
  table: 'calculations',
  key: ['organization_id', 'calculation_id'],
  fence: ['run'],
  column: 'status',
  moves: {
    PENDING: ['RUNNING'],
    RUNNING: ['RUNNING', 'COMPLETED', 'FAILED'],
    COMPLETED: [],
    FAILED: [],
  },
});

/** Starts a run under the next number, so that an earlier run can no longer end; null when there is nothing to run. */
export async function startCalculation(
  tx: Tx,
  organizationId: Id<'org'>,
  calculationId: Id<'calc'>,
): Promise<StartedCalculation | null> {
  const calculation = await lockCalculation(tx, organizationId, calculationId);
  if (!calculation || !CALCULATION_MOVES.allowed(calculation.status).includes('RUNNING')) return null;
  return CALCULATION_MOVES.move(tx, calculation, 'RUNNING', {
    run: calculation.run + 1,
    attempts: calculation.attempts + 1,
    started_at: tx.now,
  });
}

/** The JSON texts of a finished run, and where its files are stored. */
export type CalculationOutput = { result: string; projection: string; details_key: string };

/** Ends a run with its result; null when another worker has taken the calculation over. */
export async function completeCalculation(
  tx: Tx,
  started: StartedCalculation,
  output: CalculationOutput,
): Promise<StartedCalculation | null> {
  const ended = await CALCULATION_MOVES.tryMove(tx, started, 'COMPLETED', { ...output, completed_at: tx.now, error: null });
  if (ended) {
    await releaseForeignKey(tx, ended);
    await tellEnd(tx, ended);
  }
  return ended;
}

export type CalculationFailure = { code: string; message: string };

/** Ends a run without a result; null when another worker has taken the calculation over. */
export async function failCalculation(
  tx: Tx,
  started: StartedCalculation,
  { code, message }: CalculationFailure,
): Promise<StartedCalculation | null> {
  const failure = { error: message, error_code: code, completed_at: tx.now };
  const ended = await CALCULATION_MOVES.tryMove(tx, started, 'FAILED', failure);
  if (ended) await tellEnd(tx, ended);
  return ended;
}

/** Tells who asked for the calculation that it has ended. */
async function tellEnd(tx: Tx, calculation: StartedCalculation): Promise<void> {
  const { organization_id, calculation_id, pool_id, status, error, inputs } = calculation;
  const { type } = inputs.request;
  const { deal_id } = inputs;
  await emit(tx, [
    {
      organization_id,
      event: 'calculation.completed',
      data: { calculation_id, ...(deal_id ? { deal_id } : { pool_id }), type, status },
      alert: {
        category: 'pool',
        priority: status === 'COMPLETED' ? 'LOW' : 'MEDIUM',
        title: `The ${type} calculation ${status === 'COMPLETED' ? 'is complete' : 'failed'}`,
        message: error ?? 'Its results can be read.',
        entity_type: 'calculation',
        entity_id: calculation_id,
      },
    },
  ]);
}
