import { ALERT_ONLY_TYPES, type AlertType, EVENT_NAMES, type Priority } from '../../events/events.ts';

/** Every type of alert, in the order of the reference. */
export const ALERT_TYPES: readonly AlertType[] = [...EVENT_NAMES, ...ALERT_ONLY_TYPES];

export const DIGESTS = ['DAILY', 'NONE'] as const;
export type Digest = (typeof DIGESTS)[number];

/** What an organization that has set nothing prefers: no address, so that nothing is sent. */
export const DEFAULTS = { digest: 'NONE', immediate: ['HIGH', 'CRITICAL'] } as const satisfies {
  digest: Digest;
  immediate: readonly Priority[];
};

const EMAIL_KINDS = ['ALERT', 'DIGEST'] as const;
export type EmailKind = (typeof EMAIL_KINDS)[number];

/** What an address can unsubscribe from beside the types of alerts. */
export const DIGEST_TOPIC = 'digest';

/** An e-mail that could not be delivered is given up after this. */
export const GIVEN_UP_AFTER_MS = 24 * 3_600_000;
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 2 * 3_600_000;
const MAX_JITTER = 0.2;

/** Milliseconds until the next attempt of an e-mail of this age, or null when it is given up. `attempts` counts those already made. */
export function retryIn(attempts: number, ageMs: number, random: number): number | null {
  const waitMs = Math.round(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1)) * (1 + MAX_JITTER * random));
  return ageMs + waitMs > GIVEN_UP_AFTER_MS ? null : waitMs;
}
