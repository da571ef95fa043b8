import { randomUUID } from 'node:crypto';
import { DELIVERIES_WAIT } from '../../events/deliveries.ts';
import type { Deps } from '../../platform/deps.ts';
import { addressPolicy } from '../../platform/net/addresses.ts';
import type { Resolver } from '../../platform/net/lookup.ts';
import { createSender, TIMEOUT_MS } from '../../platform/net/sender.ts';
import { createBreaker } from './breaker.ts';
import { createCompletions } from './completions.ts';
import { type Claimed, claimDue, type Completion, queueState, releaseClaims, renewLeases } from './queue.ts';
import { nextAttemptIn, retryAfterMs } from './retry-plan.ts';
import { judge } from './outcome.ts';
import { signedHeaders } from './signature.ts';

/** The part of a process that sends deliveries. */
export type DeliveryEngine = {
  /** Sends what is due, until nothing is; how many attempts that were. For an engine that was not started. */
  drain(): Promise<number>;
  /** Lets what is under way end (within the deadline of an attempt) and gives the rest back. */
  [Symbol.asyncDispose](): Promise<void>;
};

export type EngineOptions = { resolve?: Resolver; timeoutMs?: number; leaseSeconds?: number };

const SLOTS = 1_024;
/** Places that second attempts may take; the others wait for first ones. */
const RETRY_SLOTS = 512;
const PER_SUBSCRIPTION = 8;
/** Of a receiver that fails again and again. */
const PER_NARROW = 2;
/** However many receivers one organization has, others find a place. */
const PER_ORGANIZATION = 768;
/** What a process that died held is sent by another after this; one that lives renews its leases thrice as often. */
const LEASE_SECONDS = 15;
const POLL_MS = 250;
/** Claims under load are at least this far apart, so that each finds a batch. */
const CLAIM_GAP_MS = 12;
const STATE_MS = 10_000;
const LOOP = 'webhook deliveries';
/** A row that was claimed this often without an end takes its process down each time. */
const MOST_CLAIMS = 20;

/** Starts sending in this process: woken by commits of this and other processes, and looking by itself four times a second. */
export function startDeliveries(deps: Deps, options: EngineOptions = {}): DeliveryEngine {
  const engine = createEngine(deps, options);
  engine.start();
  return engine;
}

/** An engine that sends when it is told to. */
export function createEngine(deps: Deps, options: EngineOptions = {}): DeliveryEngine & { start(): void } {
  const { config, db, log, metrics, tracing } = deps;
  const leaseSeconds = options.leaseSeconds ?? LEASE_SECONDS;
  const sender = createSender({
    allowed: addressPolicy(config.webhooks.allowNets, config.environment),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    ...(options.resolve ? { resolve: options.resolve } : {}),
  });
  const breaker = createBreaker(() => performance.now());
  const underWay = new Map<string, { delivery_id: string; claim_id: string; lane: number; sent: Promise<void> }>();
  const timers: NodeJS.Timeout[] = [];
  const stops: (() => void)[] = [];
  let stopping = false;
  let claiming: Promise<number> | null = null;
  let again = false;
  let lastClaim = 0;
  let pause: NodeJS.Timeout | undefined;
  const completions = createCompletions(deps, (ended) => {
    for (const id of ended) underWay.delete(id);
    wake();
  });

  const retriesUnderWay = (): number => [...underWay.values()].filter((each) => each.lane === 1).length;

  async function claim(): Promise<number> {
    const free = SLOTS - underWay.size;
    if (free <= 0) return 0;
    const claimId = randomUUID();
    const rows = await db.tx({ platform: true }, (tx) =>
      claimDue(tx, {
        claimId,
        free,
        freeRetries: Math.max(0, RETRY_SLOTS - retriesUnderWay()),
        perSubscription: PER_SUBSCRIPTION,
        perOrganization: PER_ORGANIZATION,
        shut: breaker.shut(),
        probing: breaker.probing(),
        narrow: breaker.narrow(),
        perNarrow: PER_NARROW,
        leaseSeconds,
      }),
    );
    for (const row of rows) {
      underWay.set(row.delivery_id, {
        delivery_id: row.delivery_id,
        claim_id: claimId,
        lane: row.lane,
        sent: send(row, claimId),
      });
    }
    return rows.length;
  }

  /** One claim at a time; a wake during a claim makes another follow. */
  function wake(): void {
    if (stopping || timers.length === 0) return;
    if (claiming || pause) {
      again = true;
      return;
    }
    const wait = lastClaim + CLAIM_GAP_MS - performance.now();
    if (wait > 0) {
      pause = setTimeout(() => {
        pause = undefined;
        wake();
      }, wait);
      return;
    }
    again = false;
    claiming = claim()
      .catch((error: Error) => {
        log.warn({ err: { name: error.name, message: error.message } }, 'webhook deliveries could not be claimed');
        return 0;
      })
      .finally(() => {
        deps.heartbeat.beat(LOOP);
        claiming = null;
        lastClaim = performance.now();
        if (again) wake();
      });
  }

  async function send(row: Claimed, claimId: string): Promise<void> {
    const hopeless = hopelessness(row);
    const completion = hopeless ? unattempted(row, claimId, hopeless) : await attempt(row, claimId);
    completions.add(row, completion);
  }

  async function attempt(row: Claimed, claimId: string): Promise<Completion> {
    const body = row.body as Buffer;
    const message = { eventId: row.event_id, deliveryId: row.delivery_id, event: row.event as string, body };
    const startedAt = performance.now();
    if (row.attempts === 0) metrics.deliveryLag.observe(Math.max(0, row.waited_seconds));
    const outcome = await sender.post(new URL(row.url as string), signedHeaders(message, secretsOf(row), Date.now()), body);
    const verdict = judge(outcome);
    breaker.record(
      row.subscription_id,
      verdict.status === 'DELIVERED' ? 'delivered' : outcome.error === 'timeout' ? 'timeout' : 'failed',
    );
    metrics.deliveries.inc({ outcome: verdict.status === 'DELIVERED' ? 'delivered' : (verdict.error ?? 'failed') });
    tracing.record({
      name: 'webhook attempt',
      kind: 'CLIENT',
      startedAt,
      attributes: { 'sluice.delivery_id': row.delivery_id, 'http.response.status_code': verdict.http_status ?? undefined },
      failed: verdict.status !== 'DELIVERED',
    });
    const asked =
      outcome.http_status === 429 || outcome.http_status === 503 ? retryAfterMs(outcome.retry_after, Date.now()) : null;
    const ended = verdict.status === 'DELIVERED' || verdict.http_status === 410;
    return {
      ...ids(row, claimId),
      ...verdict,
      attempted: true,
      ms: Math.round(performance.now() - startedAt),
      retry_in_ms: ended ? null : nextAttemptIn(config.webhooks.retriesMs, row.attempts + 1, asked, Math.random()),
    };
  }

  const opened = new Map<string, string>();
  function openSecret(sealed: string, boundTo: string): string {
    const known = opened.get(sealed);
    if (known) return known;
    if (opened.size >= 10_000) opened.clear();
    const plain = deps.secrets.open(sealed, boundTo);
    opened.set(sealed, plain);
    return plain;
  }
  const secretsOf = (row: Claimed) => ({
    current: openSecret(row.secret_sealed as string, row.subscription_id),
    previous: row.previous_secret_sealed ? openSecret(row.previous_secret_sealed, row.subscription_id) : null,
  });

  let renewing = false;
  async function renew(): Promise<void> {
    if (underWay.size === 0 || renewing) return;
    renewing = true;
    try {
      await db.tx({ platform: true }, (tx) => renewLeases(tx, [...underWay.values()], leaseSeconds));
    } finally {
      renewing = false;
    }
  }

  async function measure(): Promise<void> {
    const state = await db.tx({ platform: true }, (tx) => queueState(tx));
    metrics.queueDepth.set(state.depth);
    metrics.queueOldest.set(state.oldest_due_seconds);
    metrics.breakersOpen.set(breaker.shut().length);
  }

  return {
    start() {
      deps.heartbeat.beat(LOOP);
      const logged = (work: () => Promise<void>, failed: string) => () =>
        void work().catch(({ name, message }: Error) => log.warn({ err: { name, message } }, failed));
      timers.push(
        setInterval(wake, POLL_MS),
        setInterval(logged(renew, 'leases of webhook deliveries could not be renewed'), (leaseSeconds * 1_000) / 3),
        setInterval(logged(measure, 'the webhook queue could not be measured'), STATE_MS),
      );
      stops.push(db.signals.on(DELIVERIES_WAIT, wake));
      wake();
    },
    async drain() {
      let total = 0;
      for (;;) {
        const claimed = await claim();
        if (claimed === 0 && underWay.size === 0) return total;
        total += claimed;
        await Promise.all([...underWay.values()].map((each) => each.sent));
        await completions.flushed();
      }
    },
    async [Symbol.asyncDispose]() {
      stopping = true;
      clearTimeout(pause);
      for (const timer of timers) clearInterval(timer);
      for (const stop of stops) stop();
      await claiming;
      await Promise.all([...underWay.values()].map((each) => each.sent));
      await completions.flushed();
      const left = [...underWay.values()];
      if (left.length > 0) await db.tx({ platform: true }, (tx) => releaseClaims(tx, left)).catch(() => {});
      sender.close();
    },
  };
}

/** Why a row can never be sent, or null. */
function hopelessness(row: Claimed): string | null {
  if (row.url === null) return 'subscription_deleted';
  if (row.active === false && row.kind === 'EVENT') return 'subscription_disabled';
  if (row.body === null) return 'event_expired';
  if (row.claims - row.attempts > MOST_CLAIMS) return 'abandoned';
  return null;
}

const ids = (row: Claimed, claimId: string) => ({
  delivery_id: row.delivery_id,
  delivery_inserted_at: row.delivery_inserted_at,
  claim_id: claimId,
});

const unattempted = (row: Claimed, claimId: string, error: string): Completion => ({
  ...ids(row, claimId),
  attempted: false,
  status: 'FAILED',
  http_status: null,
  error,
  ms: 0,
  excerpt: null,
  retry_in_ms: null,
});
