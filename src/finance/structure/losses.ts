import { notesNow, type Run } from './run.ts';

/** Below this nothing is written off: rounding of doubles between pool and notes. */
const DUST = 1e-6;

/**
 * Writes off notes above the performing pool and its pending recoveries, the most junior rank first, shared by balance within a rank. With
 * write-up, balance written off before is reinstated when the pool covers it again, the most senior rank first.
 */
export function allocateLosses(run: Run): void {
  const excess = notesNow(run) - (run.poolCurrent + run.pending);
  if (excess > DUST) writeOff(run, excess);
  else if (run.deal.writeUp && excess < -DUST) reinstate(run, -excess);
}

function writeOff(run: Run, excess: number): void {
  let left = excess;
  for (let rank = run.deal.ranks.length - 1; rank >= 0 && left > 0; rank--) {
    const places = run.deal.ranks[rank];
    left -= moveShared(run, places, run.balance, left, -1);
  }
}

function reinstate(run: Run, room: number): void {
  let left = room;
  for (let rank = 0; rank < run.deal.ranks.length && left > 0; rank++) {
    left -= moveShared(run, run.deal.ranks[rank], run.writtenOff, left, 1);
  }
}

/** Moves up to `amount` between balance and written-off balance, shared by `weights`; returns what was moved. */
function moveShared(run: Run, places: readonly number[], weights: Float64Array, amount: number, sign: 1 | -1): number {
  let total = 0;
  for (const place of places) total += weights[place];
  if (total <= 0) return 0;
  const share = Math.min(1, amount / total);
  for (const place of places) {
    const moved = sign * share * weights[place];
    run.balance[place] = run.balance[place] + moved;
    run.writtenOff[place] = run.writtenOff[place] - moved;
    const { writeDown } = run.flows.tranches[place];
    writeDown[run.index] = writeDown[run.index] - moved;
  }
  return Math.min(amount, total);
}
