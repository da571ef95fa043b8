import { randomUUID } from 'node:crypto';
import type { Database } from '../../platform/db/database.ts';
import type { Breaker } from './breaker.ts';
import { type ClaimedDelivery, claimDue } from './queue-queries.ts';

/** Claims under load are at least this far apart, so that each finds a batch. */
const CLAIM_GAP_MS = 4;

type LoopState = {
  phase: 'idle' | 'running' | 'stopped';
  /** The claim that is running. */
  claim: Promise<void> | null;
  /** The pause until the next claim may start. */
  pause: NodeJS.Timeout | undefined;
  /** A wake came during a claim or a pause: another claim follows. */
  wokenMeanwhile: boolean;
  lastClaimAt: number;
};

/** Runs one claim at a time, each after a wake; wakes before `start` and after `stop` do nothing. */
export type ClaimLoop = {
  start(): void;
  wake(): void;
  /** Resolves when no claim is running. */
  stop(): Promise<void>;
  isStopped(): boolean;
};

/** `claim` handles its own failures. */
export function createClaimLoop(claim: () => Promise<void>, nowMs = (): number => performance.now()): ClaimLoop {
  const state: LoopState = { phase: 'idle', claim: null, pause: undefined, wokenMeanwhile: false, lastClaimAt: -Infinity };

  function wake(): void {
    if (state.phase !== 'running') return;
    if (state.claim || state.pause) {
      state.wokenMeanwhile = true;
      return;
    }
    const pauseMs = state.lastClaimAt + CLAIM_GAP_MS - nowMs();
    if (pauseMs > 0) state.pause = setTimeout(endPause, pauseMs);
    else startClaim();
  }

  function endPause(): void {
    state.pause = undefined;
    wake();
  }

  function startClaim(): void {
    state.wokenMeanwhile = false;
    state.claim = claim().finally(() => {
      state.claim = null;
      state.lastClaimAt = nowMs();
      if (state.wokenMeanwhile) wake();
    });
  }

  return {
    start() {
      state.phase = 'running';
      wake();
    },
    wake,
    async stop() {
      state.phase = 'stopped';
      clearTimeout(state.pause);
      await state.claim;
    },
    isStopped: () => state.phase === 'stopped',
  };
}

const MAX_IN_FLIGHT = 1_024;
/** More at once would stand still together: all attempts would end before the next claim brings others. */
export const MAX_PER_CLAIM = 200;
/** With those whose attempts have ended: where results cannot be recorded, nothing more is claimed. */
const MAX_UNRECORDED = 2 * MAX_IN_FLIGHT;
/** Retries leave the rest to first attempts. */
const MAX_RETRIES_IN_FLIGHT = 512;
const MAX_PER_SUBSCRIPTION = 8;
const MAX_PER_THROTTLED_SUBSCRIPTION = 2;
/** Leaves room for other organizations, no matter how many receivers one organization has. */
const MAX_PER_ORGANIZATION = 768;

/** A claimed delivery whose result is not recorded yet. */
export type InFlightDelivery = { delivery_id: string; claim_id: string; lane: 0 | 1; attempt: Promise<void>; isEnded: boolean };

/** By delivery id. */
export type InFlight = Map<string, InFlightDelivery>;

export type ClaimMeans = {
  db: Database;
  breaker: Breaker;
  inFlight: InFlight;
  leaseSeconds: number;
  attempt(claimed: ClaimedDelivery, claimId: string): Promise<void>;
  /** An attempt has ended, and another may take its place. */
  ended(): void;
};

/** Claims as many due deliveries as may be in flight and starts their attempts; returns how many. */
export async function claimBatch({ db, breaker, inFlight, leaseSeconds, attempt, ended: onEnded }: ClaimMeans): Promise<number> {
  const [ended, attempted] = [[], []] as [InFlightDelivery[], InFlightDelivery[]];
  for (const each of inFlight.values()) (each.isEnded ? ended : attempted).push(each);
  const free = Math.min(MAX_IN_FLIGHT - attempted.length, MAX_UNRECORDED - inFlight.size, MAX_PER_CLAIM);
  if (free <= 0) return 0;
  const retries = attempted.filter((each) => each.lane === 1).length;
  const claim_id = randomUUID();
  const claimed = await db.tx({ platform: true }, (tx) =>
    claimDue(tx, {
      claimId: claim_id,
      free,
      freeRetries: Math.max(0, MAX_RETRIES_IN_FLIGHT - retries),
      perSubscription: MAX_PER_SUBSCRIPTION,
      perOrganization: MAX_PER_ORGANIZATION,
      ended: ended.map(({ delivery_id: id }) => id),
      open: [...breaker.open(), ...breaker.resting()],
      halfOpen: breaker.halfOpen(),
      throttled: breaker.throttled(),
      perThrottled: MAX_PER_THROTTLED_SUBSCRIPTION,
      leaseSeconds,
    }),
  );
  for (const each of claimed) {
    const { delivery_id, lane } = each;
    const started = attempt(each, claim_id).finally(() => {
      delivery.isEnded = true;
      onEnded();
    });
    const delivery: InFlightDelivery = { delivery_id, claim_id, lane, attempt: started, isEnded: false };
    inFlight.set(delivery_id, delivery);
  }
  return claimed.length;
}
