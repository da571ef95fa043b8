/** A receiver may ask for patience, but not for more than this. */
const LONGEST_WAIT_MS = 24 * 3_600_000;
const MOST_JITTER = 0.1;

/**
 * Time until the next attempt, in milliseconds; null when the plan is at its end. `attempts` counts those made. A `Retry-After` only
 * ever makes the wait longer. `random` is in [0, 1): it spreads what failed together.
 */
export function nextAttemptIn(
  planMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const planned = planMs[attempts - 1];
  if (planned === undefined) return null;
  const asked = Math.min(retryAfterMs ?? 0, Math.max(LONGEST_WAIT_MS, planned));
  return Math.round(Math.max(planned * (1 + MOST_JITTER * random), asked));
}

/** `Retry-After` in milliseconds: seconds (decimals are met), or a date. Anything else is as if it were not there. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
