const WINDOW_MS = 2_000;
const BUCKETS = 8;
const BUCKET_MS = WINDOW_MS / BUCKETS;

export type LoadShedderOptions = {
  /** Requests are rejected when those in flight would take longer than this at the present rate. */
  mostWaitMs?: number;
  /** Below this many in flight nothing is rejected, however slow they are. */
  leastInFlight?: number;
  now?: () => number;
};

export type LoadShedder = {
  /** False: reject the request. True: it counts as in flight until `leave`. */
  enter(): boolean;
  /**
   * `responded`: its response was made. Otherwise the request waits for its body, which says nothing about how fast the process responds.
   */
  leave(responded: boolean): void;
};

/**
 * Rejects requests that the process could not serve in time: the next one would wait for requests in flight / responses per second
 * (Little's law). The rate is that of the last two seconds, so that a burst after a quiet period gets a full window before it is judged.
 */
export function createLoadShedder({
  mostWaitMs = 5_000,
  leastInFlight = 64,
  now = () => performance.now(),
}: LoadShedderOptions = {}): LoadShedder {
  const responses = new Uint32Array(BUCKETS);
  let bucket = Math.floor(now() / BUCKET_MS);
  let inFlight = 0;
  let crowdedSince = Number.POSITIVE_INFINITY;

  const turn = (): void => {
    const current = Math.floor(now() / BUCKET_MS);
    for (let stale = Math.max(bucket + 1, current - BUCKETS + 1); stale <= current; stale += 1) responses[stale % BUCKETS] = 0;
    bucket = Math.max(bucket, current);
  };
  const expectedWaitMs = (): number => {
    turn();
    const recent = responses.reduce((sum, each) => sum + each, 0);
    return recent === 0 ? Number.POSITIVE_INFINITY : (inFlight * WINDOW_MS) / recent;
  };
  return {
    enter() {
      const crowded = inFlight >= leastInFlight;
      if (!crowded) crowdedSince = Number.POSITIVE_INFINITY;
      else crowdedSince = Math.min(crowdedSince, now());
      if (crowded && now() - crowdedSince >= WINDOW_MS && expectedWaitMs() > mostWaitMs) return false;
      inFlight += 1;
      return true;
    },
    leave(responded) {
      inFlight -= 1;
      if (!responded) return;
      turn();
      responses[bucket % BUCKETS] = (responses[bucket % BUCKETS] ?? 0) + 1;
    },
  };
}
