import type { PostResult } from '../../platform/net/sender.ts';
import type { ClaimedDelivery } from './queue-queries.ts';

/** A delivery that was claimed this often without a result is assumed to crash its process. */
const MAX_CLAIMS_WITHOUT_RESULT = 20;
/** Characters of a response that the log of attempts keeps. */
const EXCERPT_CHARACTERS = 1_024;

export type UndeliverableReason = 'subscription_deleted' | 'subscription_disabled' | 'event_expired' | 'abandoned';

/** Why a delivery can never be attempted, or null. A replay or a test is sent to a disabled subscription too. */
export function undeliverableReason(
  claimed: Pick<ClaimedDelivery, 'url' | 'active' | 'kind' | 'body' | 'claims' | 'attempts'>,
): UndeliverableReason | null {
  if (claimed.url === null) return 'subscription_deleted';
  if (claimed.active === false && claimed.kind === 'EVENT') return 'subscription_disabled';
  if (claimed.body === null) return 'event_expired';
  if (claimed.claims - claimed.attempts > MAX_CLAIMS_WITHOUT_RESULT) return 'abandoned';
  return null;
}

export type DeliveryOutcome = {
  status: 'DELIVERED' | 'FAILED';
  http_status: number | null;
  error: string | null;
  excerpt: string | null;
};

/** A complete 2xx response is DELIVERED; everything else is FAILED with a code for the reason. */
export function judgeResponse(sent: Pick<PostResult, 'http_status' | 'error' | 'body'>): DeliveryOutcome {
  const { http_status, error } = sent;
  const delivered = error === null && http_status !== null && http_status >= 200 && http_status < 300;
  const redirect = http_status !== null && http_status >= 300 && http_status < 400;
  return {
    status: delivered ? 'DELIVERED' : 'FAILED',
    http_status,
    error: delivered ? null : (error ?? (redirect ? 'redirect' : 'http_status')),
    excerpt: excerptOf(sent.body),
  };
}

/** The beginning of a response as text that every column and terminal can hold. */
function excerptOf(body: Buffer): string | null {
  if (body.length === 0) return null;
  const text = body
    .subarray(0, 4 * EXCERPT_CHARACTERS)
    .toString('utf8')
    .toWellFormed();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced.
  // oxlint-disable-next-line no-control-regex
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
    .slice(0, EXCERPT_CHARACTERS)
    .toWellFormed();
}
