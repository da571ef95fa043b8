/** Attempts in a row that ended by the clock alone and open it. */
const OPENS_AFTER = 4;
/** Failures in a row after which a receiver has to make do with few places. */
const NARROWS_AFTER = 4;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

type State = { failures: number; misses: number; pauseMs: number; until: number };

/**
 * Keeps receivers that do not answer in time from holding the places of those that do. Open, a receiver is left alone for a while;
 * then one attempt probes it. A pause is no attempt. Whatever ends quickly, even a refused connection, closes it; only success ends
 * the narrowness of one that answers and fails.
 */
export type Breaker = {
  record(subscriptionId: string, end: 'delivered' | 'failed' | 'timeout'): void;
  /** Left alone now. */
  shut(): string[];
  /** Gets one attempt at a time until it has answered. */
  probing(): string[];
  /** Gets few attempts at a time: whoever fails again and again does so at others' cost. */
  narrow(): string[];
};

export function createBreaker(nowMs: () => number): Breaker {
  const states = new Map<string, State>();
  const open = (): [string, State][] => [...states].filter(([, state]) => state.misses >= OPENS_AFTER);
  return {
    record(subscriptionId, end) {
      if (end === 'delivered') return void states.delete(subscriptionId);
      const known = states.get(subscriptionId) ?? { failures: 0, misses: 0, pauseMs: FIRST_PAUSE_MS, until: 0 };
      const state = end === 'timeout' ? known : { ...known, misses: 0, pauseMs: FIRST_PAUSE_MS, until: 0 };
      state.failures += 1;
      if (end === 'timeout') state.misses += 1;
      if (state.misses >= OPENS_AFTER && state.until <= nowMs()) {
        state.until = nowMs() + state.pauseMs;
        state.pauseMs = Math.min(LONGEST_PAUSE_MS, state.pauseMs * 2);
      }
      states.set(subscriptionId, state);
    },
    shut: () => open().flatMap(([id, state]) => (state.until > nowMs() ? [id] : [])),
    narrow: () => [...states].flatMap(([id, state]) => (state.failures >= NARROWS_AFTER ? [id] : [])),
    probing: () => open().flatMap(([id, state]) => (state.until <= nowMs() ? [id] : [])),
  };
}
