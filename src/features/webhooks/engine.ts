import { DELIVERIES_QUEUED } from '../../events/deliveries.ts';
import { LONGEST_RETRY_MS } from '../../platform/db/recorder.ts';
import type { Deps } from '../../platform/deps.ts';
import { addressPolicy } from '../../platform/net/addresses.ts';
import type { Resolver } from '../../platform/net/lookup.ts';
import { createSender, type Sender, TIMEOUT_MS } from '../../platform/net/sender.ts';
import { createAttempt } from './attempt.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { claimBatch, type ClaimLoop, createClaimLoop, type InFlight, MAX_PER_CLAIM } from './claim-loop.ts';
import { createResultBuffer, type ResultBuffer } from './flush.ts';
import { LEASE_SECONDS, measureQueue, releaseClaims, renewLeases } from './queue-queries.ts';

/** The part of a process that sends deliveries. */
export type DeliveryEngine = {
  /** Attempts due deliveries until none is left that may be attempted now; returns the number of attempts. For an engine that was not started. */
  drain(): Promise<number>;
  /** Lets attempts in flight end (within the deadline of an attempt) and releases the other claims. */
  [Symbol.asyncDispose](): Promise<void>;
};

export type DeliveryOptions = { resolve?: Resolver; timeoutMs?: number; leaseSeconds?: number };

const POLL_MS = 250;
/** After a database was away for so long that leases may have run out, processes that live get this time to record their results. */
const REST_MS = LONGEST_RETRY_MS + 1_000;
const MEASURE_MS = 10_000;
const LOOP = 'webhook deliveries';

type EngineState = {
  deps: Deps;
  leaseSeconds: number;
  sender: Sender;
  breaker: Breaker;
  inFlight: InFlight;
  results: ResultBuffer;
  /** Claims once and starts the attempts; returns how many. */
  claim(): Promise<number>;
  /** Since when claims have failed, and until when none is made after that. */
  failingSince: number | null;
  restsUntil: number;
  loop: ClaimLoop;
  /** Timers and the listener of an engine that was started, which claim and measure. */
  background: DisposableStack;
  /** The timer that renews its leases: the last to go, since an attempt may last longer than a lease. */
  renewing: DisposableStack;
  isRenewing: boolean;
};

/** Starts sending in this process: commits of this and other processes wake it, and it polls four times a second. */
export function startDeliveries(deps: Deps, options: DeliveryOptions = {}): DeliveryEngine {
  const engine = createEngine(deps, options);
  engine.start();
  return engine;
}

/** An engine that sends nothing until it is started or drained. */
export function createEngine(deps: Deps, options: DeliveryOptions = {}): DeliveryEngine & { start(): void } {
  const state = createState(deps, options);
  return {
    start: () => start(state),
    drain: () => drain(state),
    [Symbol.asyncDispose]: () => stop(state),
  };
}

function createState(deps: Deps, options: DeliveryOptions): EngineState {
  const leaseSeconds = options.leaseSeconds ?? LEASE_SECONDS;
  const sender = createSender({
    allowed: addressPolicy(deps.config.webhooks.allowNets, deps.config.environment),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    resolve: options.resolve ?? deps.resolveName,
  });
  const breaker = createBreaker(() => performance.now());
  const inFlight: InFlight = new Map();
  const results = createResultBuffer(deps, (flushed) => {
    for (const id of flushed) inFlight.delete(id);
    loop.wake();
  });
  const attempt = createAttempt({ deps, sender, breaker });
  const claim = () =>
    claimBatch({
      db: deps.db,
      breaker,
      inFlight,
      leaseSeconds,
      // What a claim that was under way brings to an engine that stops stays in flight without an attempt, and is released with the rest.
      attempt: async (claimed, claimId) =>
        loop.isStopped() ? undefined : results.add({ claimed, result: await attempt(claimed, claimId) }),
      ended: () => loop.wake(),
    });
  const loop = createClaimLoop(async () => {
    const failed = warning(deps, 'webhook deliveries could not be claimed');
    let claimed: number | void;
    do {
      claimed = await claimUnlessAway(state).catch(failed);
      deps.heartbeat.beat(LOOP);
    } while (claimed === MAX_PER_CLAIM && !loop.isStopped());
  });
  const [background, renewing] = [new DisposableStack(), new DisposableStack()];
  const state: EngineState = {
    deps,
    leaseSeconds,
    sender,
    breaker,
    inFlight,
    results,
    claim,
    failingSince: null,
    restsUntil: 0,
    loop,
    background,
    renewing,
    isRenewing: false,
  };
  return state;
}

/**
 * Claims; returns how many. While the database is away leases run out whose attempts have ended and wait to be recorded: a claim would send
 * them again. They are renewed before the next claim, and other processes get time for theirs.
 */
async function claimUnlessAway(state: EngineState): Promise<number> {
  if (performance.now() < state.restsUntil) return 0;
  try {
    if (state.failingSince !== null) {
      await renewAll(state);
      const isShort = performance.now() - state.failingSince < (state.leaseSeconds * 1_000) / 3;
      state.failingSince = null;
      if (!isShort) {
        state.restsUntil = performance.now() + REST_MS;
        return 0;
      }
    }
    return await state.claim();
  } catch (error) {
    state.failingSince ??= performance.now();
    throw error;
  }
}

const renewAll = ({ deps, inFlight, leaseSeconds }: EngineState): Promise<number> =>
  deps.db.tx({ platform: true }, (tx) => renewLeases(tx, [...inFlight.values()], leaseSeconds));

function start(state: EngineState): void {
  const { deps, loop, background, renewing } = state;
  const every = (ms: number, work: () => void, until = background): void => {
    const timer = setInterval(work, ms);
    until.defer(() => clearInterval(timer));
  };
  const renewLater = (): void => void renew(state).catch(warning(deps, 'webhook leases could not be renewed'));
  deps.heartbeat.beat(LOOP);
  every(POLL_MS, loop.wake);
  every((state.leaseSeconds * 1_000) / 3, renewLater, renewing);
  every(MEASURE_MS, () => void measure(state).catch(warning(deps, 'the webhook queue could not be measured')));
  background.defer(deps.db.signals.on(DELIVERIES_QUEUED, loop.wake));
  loop.start();
}

const warning =
  ({ log }: Deps, message: string) =>
  (error: Error): void =>
    log.warn({ err: error }, message);

async function renew(state: EngineState): Promise<void> {
  if (state.inFlight.size === 0 || state.isRenewing) return;
  state.isRenewing = true;
  try {
    await renewAll(state);
  } finally {
    state.isRenewing = false;
  }
}

async function measure({ deps: { db, metrics }, breaker }: EngineState): Promise<void> {
  const { depth, oldest_due_seconds } = await db.tx({ platform: true }, (tx) => measureQueue(tx));
  metrics.queueDepth.set(depth);
  metrics.queueOldest.set(oldest_due_seconds);
  metrics.breakersOpen.set(breaker.open().length);
}

async function drain(state: EngineState): Promise<number> {
  let total = 0;
  for (;;) {
    const claimed = await state.claim();
    if (claimed === 0 && state.inFlight.size === 0) return total;
    total += claimed;
    await finishAttempts(state);
  }
}

async function finishAttempts({ inFlight, results }: EngineState): Promise<void> {
  await Promise.all([...inFlight.values()].map((each) => each.attempt));
  await results.flush();
}

async function stop(state: EngineState): Promise<void> {
  const { deps, inFlight, results, background, renewing, loop, sender } = state;
  background.dispose();
  await loop.stop();
  results.hurry();
  await finishAttempts(state).finally(() => renewing.dispose());
  const unrecorded = [...inFlight.values()];
  if (unrecorded.length > 0) await deps.db.tx({ platform: true }, (tx) => releaseClaims(tx, unrecorded)).catch(() => {});
  sender.close();
}
