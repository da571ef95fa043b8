import { type AllocationOutcome, allocateByTurns, type Bid, type Offer } from '../allocate.ts';

/** Runs an allocation to its end. */
export function allocate(bids: readonly Bid[], offer: Offer): AllocationOutcome {
  const turns = allocateByTurns(bids, offer);
  for (;;) {
    const { done, value } = turns.next();
    if (done) return value;
  }
}
