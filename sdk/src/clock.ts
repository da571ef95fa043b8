/** Time and chance, as the client uses them. Tests pass their own. */
export type Clock = {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal | null): Promise<void>;
  /** A number from 0 up to, and without, 1. */
  random(): number;
};

export const systemClock: Clock = { now: () => Date.now(), sleep, random: () => Math.random() };

function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** An interval that grows by half with each call, from `firstMs` to `longestMs`. */
export function growingInterval(firstMs: number, longestMs: number): { next(): number; reset(): void } {
  let ms = firstMs;
  return {
    next: () => {
      const current = ms;
      ms = Math.min(longestMs, ms * 1.5);
      return current;
    },
    reset: () => {
      ms = firstMs;
    },
  };
}

/** Milliseconds that a `Retry-After` header asks for, in seconds or as an HTTP date; null without a readable one. */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
