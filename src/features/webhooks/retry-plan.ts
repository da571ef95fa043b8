/** The longest `Retry-After` that is honored. */
const MAX_WAIT_MS = 24 * 3_600_000;
export const MAX_JITTER = 0.1;

/**
 * Milliseconds until the next attempt, or null when the plan is used up. `attempts` counts those already made. A `Retry-After` can make
 * the wait longer, never shorter. `random` in [0, 1) spreads deliveries that failed together.
 */
export function nextAttemptIn(
  planMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const planned = planMs[attempts - 1];
  if (planned === undefined) return null;
  const requested = Math.min(retryAfterMs ?? 0, Math.max(MAX_WAIT_MS, planned));
  return Math.round(Math.max(planned * (1 + MAX_JITTER * random), requested));
}

/** `Retry-After` in milliseconds: seconds (some servers send decimals) or a date. Any other value is ignored. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
