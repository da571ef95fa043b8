import type { Deps } from '../../platform/deps.ts';
import type { PostResult, Sender } from '../../platform/net/sender.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Breaker } from './breaker.ts';
import { type DeliveryOutcome, judgeResponse, undeliverableReason } from './outcome.ts';
import type { AttemptResult, ClaimedDelivery } from './queue-queries.ts';
import { nextAttemptIn, retryAfterMs } from './retry-plan.ts';
import { type SigningSecrets, signedHeaders } from './signature.ts';

/** Number of decrypted secrets in the cache, so that a burst to one receiver does not decrypt its secret for every attempt. */
const MAX_KEPT_SECRETS = 10_000;

export type AttemptMeans = { deps: Deps; sender: Sender; breaker: Breaker };

/** Makes the function that attempts a claimed delivery once, or finds that it cannot be attempted; the caller records the result. */
export function createAttempt({ deps, sender, breaker }: AttemptMeans) {
  const openSecret = createSecretCache(deps.secrets);

  return async (claimed: ClaimedDelivery, claimId: string): Promise<AttemptResult> => {
    const reason = undeliverableReason(claimed);
    if (reason !== null) return unattempted(claimed, claimId, reason);
    const body = claimed.body as Buffer;
    const message = { eventId: claimed.event_id, deliveryId: claimed.delivery_id, event: claimed.event as string, body };
    const startedAt = performance.now();
    if (claimed.attempts === 0) deps.metrics.deliveryLag.observe(Math.max(0, claimed.waited_seconds));
    const secrets = secretsOf(claimed, openSecret);
    if (secrets === null) return unsigned(deps, claimed, claimId);
    const headers = signedHeaders(message, secrets, Date.now());
    const sent = await sender.post(new URL(claimed.url as string), headers, body);
    const outcome = judgeResponse(sent);
    const end = outcome.status === 'DELIVERED' ? 'delivered' : sent.error === 'timeout' ? 'timeout' : 'failed';
    breaker.record(claimed.subscription_id, end);
    const ms = Math.round(performance.now() - startedAt);
    observe(deps, claimed, outcome, { startedAt, ms });
    return {
      ...keyOf(claimed, claimId),
      ...outcome,
      attempted: true,
      ms,
      retry_in_ms: retryIn(deps.config.webhooks.retriesMs, claimed, outcome, sent),
    };
  };
}

type OpenSecret = (sealed: string, subscriptionId: string) => string;

function createSecretCache(secrets: SecretBox): OpenSecret {
  const opened = new Map<string, string>();
  return (sealed, subscriptionId) => {
    const known = opened.get(sealed);
    if (known) return known;
    if (opened.size >= MAX_KEPT_SECRETS) opened.clear();
    const plain = secrets.open(sealed, subscriptionId);
    opened.set(sealed, plain);
    return plain;
  };
}

/** The secrets of a subscription; null when this process has another encryption key than the one that sealed them. */
function secretsOf(claimed: ClaimedDelivery, openSecret: OpenSecret): SigningSecrets | null {
  const { secret_sealed, previous_secret_sealed, subscription_id } = claimed;
  try {
    return {
      current: openSecret(secret_sealed as string, subscription_id),
      previous: previous_secret_sealed ? openSecret(previous_secret_sealed, subscription_id) : null,
    };
  } catch {
    return null;
  }
}

/**
 * The result of an attempt that could not be signed. Nothing was sent; the delivery is retried as after any failure, since a process with
 * the right key can sign it.
 */
function unsigned(deps: Deps, claimed: ClaimedDelivery, claimId: string): AttemptResult {
  const { subscription_id } = claimed;
  deps.log.error({ subscription_id }, 'a webhook secret could not be decrypted: check SLUICE_ENCRYPTION_KEY');
  deps.metrics.deliveries.inc({ outcome: 'secret_unreadable' });
  return {
    ...keyOf(claimed, claimId),
    attempted: true,
    status: 'FAILED',
    http_status: null,
    error: 'secret_unreadable',
    ms: 0,
    excerpt: null,
    retry_in_ms: nextAttemptIn(deps.config.webhooks.retriesMs, claimed.attempts + 1, null, Math.random()),
  };
}

function observe(
  deps: Deps,
  claimed: ClaimedDelivery,
  outcome: DeliveryOutcome,
  { startedAt, ms }: { startedAt: number; ms: number },
): void {
  const delivered = outcome.status === 'DELIVERED';
  deps.metrics.deliveries.inc({ outcome: delivered ? 'delivered' : (outcome.error ?? 'failed') });
  deps.tracing.record({
    name: 'webhook attempt',
    kind: 'CLIENT',
    startedAt,
    attributes: { 'sluice.delivery_id': claimed.delivery_id, 'http.response.status_code': outcome.http_status ?? undefined },
    failed: !delivered,
  });
  const { http_status, error } = outcome;
  deps.watch?.attempt({ event: claimed.event ?? '', delivery_id: claimed.delivery_id, http_status, error, ms });
}

/** Milliseconds until the retry. A delivered event needs none, and after 410 Gone none is made. */
function retryIn(planMs: readonly number[], claimed: ClaimedDelivery, outcome: DeliveryOutcome, sent: PostResult): number | null {
  if (outcome.status === 'DELIVERED' || outcome.http_status === 410) return null;
  return nextAttemptIn(planMs, claimed.attempts + 1, retryAfterMs(sent.retry_after, Date.now()), Math.random());
}

const keyOf = (claimed: ClaimedDelivery, claimId: string) => ({
  delivery_id: claimed.delivery_id,
  delivery_inserted_at: claimed.delivery_inserted_at,
  claim_id: claimId,
});

const unattempted = (claimed: ClaimedDelivery, claimId: string, error: string): AttemptResult => ({
  ...keyOf(claimed, claimId),
  attempted: false,
  status: 'FAILED',
  http_status: null,
  error,
  ms: 0,
  excerpt: null,
  retry_in_ms: null,
});
