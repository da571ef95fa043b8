const WINDOW_MS = 2_000;
const BUCKETS = 8;
const BUCKET_MS = WINDOW_MS / BUCKETS;

export type LoadShedderOptions = {
  /** Requests are refused when those in flight would take longer than this at the present rate. */
  mostWaitMs?: number;
  /** Below this many in flight nothing is refused, however slow they are. */
  leastInFlight?: number;
  now?: () => number;
};

export type LoadShedder = {
  /** False: refuse the request. True: it counts as in flight until `leave`. */
  enter(): boolean;
  /** `answered`: its answer is made. Else it is put aside, which is no sign of how fast the process answers. */
  leave(answered: boolean): void;
};

/**
 * Refuses requests that the process could not answer in time: requests in flight / answers per second is what the next one would wait
 * (Little's law). The rate is that of the last two seconds, so that a burst after a quiet time is given a window before it is judged.
 */
export function createLoadShedder({
  mostWaitMs = 5_000,
  leastInFlight = 64,
  now = () => performance.now(),
}: LoadShedderOptions = {}): LoadShedder {
  const answers = new Uint32Array(BUCKETS);
  let bucket = Math.floor(now() / BUCKET_MS);
  let inFlight = 0;
  let crowdedSince = Number.POSITIVE_INFINITY;

  const turn = (): void => {
    const current = Math.floor(now() / BUCKET_MS);
    for (let stale = Math.max(bucket + 1, current - BUCKETS + 1); stale <= current; stale += 1) answers[stale % BUCKETS] = 0;
    bucket = Math.max(bucket, current);
  };
  const expectedWaitMs = (): number => {
    turn();
    const answered = answers.reduce((sum, each) => sum + each, 0);
    return answered === 0 ? Number.POSITIVE_INFINITY : (inFlight * WINDOW_MS) / answered;
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
    leave(answered) {
      inFlight -= 1;
      if (!answered) return;
      turn();
      answers[bucket % BUCKETS] = (answers[bucket % BUCKETS] ?? 0) + 1;
    },
  };
}
