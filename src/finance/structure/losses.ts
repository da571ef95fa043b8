import { shareOut } from './payees.ts';
import { notesNow, type WaterfallRun } from './waterfall-run.ts';

/** Differences between pool and notes below this are rounding of doubles and are not written off. */
const DUST = 1e-6;

/**
 * Writes off notes above the performing pool and its pending recoveries, the most junior rank first, shared by balance within a rank. With
 * write-up, balance written off before is reinstated when the pool covers it again, the most senior rank first.
 */
export function allocateLosses(run: WaterfallRun): void {
  const excess = notesNow(run) - (run.poolCurrent + run.pending);
  if (excess > DUST) writeOff(run, excess);
  else if (run.structure.writeUp && excess < -DUST) reinstate(run, -excess);
}

function writeOff(run: WaterfallRun, excess: number): void {
  let remaining = excess;
  for (let rank = run.structure.ranks.length - 1; rank >= 0 && remaining > 0; rank--) {
    const indices = run.structure.ranks[rank];
    remaining -= moveShared(run, indices, run.balance, remaining, -1);
  }
}

function reinstate(run: WaterfallRun, room: number): void {
  let remaining = room;
  for (let rank = 0; rank < run.structure.ranks.length && remaining > 0; rank++) {
    remaining -= moveShared(run, run.structure.ranks[rank], run.writtenOff, remaining, 1);
  }
}

/** Moves up to `amount` between balance and written-off balance, shared by `weights`; returns the amount moved. */
function moveShared(run: WaterfallRun, indices: readonly number[], weights: Float64Array, amount: number, sign: 1 | -1): number {
  let total = 0;
  for (const index of indices) total += weights[index];
  if (total <= 0) return 0;
  const shares = run.structure.unit === 1 ? null : shareOut(run, amount, ...weightsAndCaps(indices, weights));
  const share = Math.min(1, amount / total);
  for (const [place, index] of indices.entries()) {
    const moved = sign * (shares ? shares[place] : share * weights[index]);
    run.balance[index] += moved;
    run.writtenOff[index] = run.writtenOff[index] - moved;
    const { writeDown } = run.flows.tranches[index];
    writeDown[run.periodIndex] = writeDown[run.periodIndex] - moved;
  }
  return Math.min(amount, total);
}

/** Balances are the weights and the most that each can give. */
function weightsAndCaps(indices: readonly number[], balances: Float64Array): [number[], number[]] {
  const each = indices.map((index) => balances[index]);
  return [each, each];
}
