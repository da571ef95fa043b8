/** Timeouts in a row that open a breaker. */
const OPENS_AFTER = 4;
/** Failures in a row that throttle a receiver. */
const THROTTLES_AFTER = 4;
/** Between an attempt of a throttled receiver that failed and its next ones: it is not asked as fast as it can refuse. */
const REST_MS = 100;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

type BreakerState = {
  /** In a row; a delivery sets them to zero. */
  failures: number;
  /** In a row; any other outcome, even a refused connection, resets them to zero. */
  timeouts: number;
  /** Length of the next pause. */
  pauseMs: number;
  /** End of the pause in which nothing is sent. */
  openUntilMs: number;
  /** End of the pause after the latest failure of a throttled receiver. */
  restsUntilMs: number;
};

export type AttemptEnd = 'delivered' | 'failed' | 'timeout';

/**
 * One circuit breaker per webhook subscription, so that receivers that time out do not use up the attempts in flight of those that
 * respond. Closed: the normal number of attempts at a time. Open: no attempts until the pause is over. Half-open: one attempt at a time
 * until one ends before its deadline. Throttled: a few at a time until one is delivered, and none just after one has failed.
 */
export type Breaker = {
  record(subscriptionId: string, end: AttemptEnd): void;
  open(): string[];
  halfOpen(): string[];
  throttled(): string[];
  /** Those of the throttled that get no attempt at this moment. */
  resting(): string[];
};

export function createBreaker(nowMs: () => number): Breaker {
  const states = new Map<string, BreakerState>();
  const idsWhere = (matches: (state: BreakerState) => boolean): string[] =>
    [...states].flatMap(([id, state]) => (matches(state) ? [id] : []));
  const hasTripped = (state: BreakerState): boolean => state.timeouts >= OPENS_AFTER;
  const isThrottled = (state: BreakerState): boolean => state.failures >= THROTTLES_AFTER;
  return {
    record(subscriptionId, end) {
      if (end === 'delivered') return void states.delete(subscriptionId);
      const known = states.get(subscriptionId) ?? {
        failures: 0,
        timeouts: 0,
        pauseMs: FIRST_PAUSE_MS,
        openUntilMs: 0,
        restsUntilMs: 0,
      };
      const state = end === 'timeout' ? known : { ...known, timeouts: 0, pauseMs: FIRST_PAUSE_MS, openUntilMs: 0 };
      state.failures += 1;
      if (end === 'timeout') state.timeouts += 1;
      if (hasTripped(state) && state.openUntilMs <= nowMs()) {
        state.openUntilMs = nowMs() + state.pauseMs;
        state.pauseMs = Math.min(LONGEST_PAUSE_MS, state.pauseMs * 2);
      }
      if (isThrottled(state)) state.restsUntilMs = nowMs() + REST_MS;
      states.set(subscriptionId, state);
    },
    open: () => idsWhere((state) => hasTripped(state) && state.openUntilMs > nowMs()),
    halfOpen: () => idsWhere((state) => hasTripped(state) && state.openUntilMs <= nowMs()),
    throttled: () => idsWhere(isThrottled),
    resting: () => idsWhere((state) => state.restsUntilMs > nowMs()),
  };
}
