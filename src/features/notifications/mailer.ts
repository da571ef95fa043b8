import { randomUUID } from 'node:crypto';
import { ALERTS_RAISED } from '../../events/emit.ts';
import type { Config } from '../../config.ts';
import { createRecorder, type Recorder } from '../../platform/db/recorder.ts';
import type { Deps } from '../../platform/deps.ts';
import { createSmtpClient, SEND_TIMEOUT_MS, type SmtpClient } from '../../platform/net/smtp.ts';
import { attemptEmail, type Attempted } from './attempt.ts';
import { claimEmails, LEASE_SECONDS, measureEmails, recordResult } from './mail-queries.ts';
import { expandAlerts, makeDigests } from './make-emails.ts';

/** The part of a process that sends e-mails. */
export type Mailer = {
  /** Makes and sends what is due until nothing is left; returns the number of attempts. For a mailer that was not started. */
  drain(): Promise<number>;
  /** Lets attempts in flight end, within the deadline of an attempt. */
  [Symbol.asyncDispose](): Promise<void>;
};

export type MailerOptions = { timeoutMs?: number; leaseSeconds?: number };

/** Connections to the mail server at once. */
const MOST_IN_FLIGHT = 4;
const POLL_MS = 1_000;
const DIGESTS_EVERY_MS = 20_000;
const MEASURE_EVERY_MS = 10_000;
/** While the mail server cannot be used, a process tries it this often. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [2_000, 60_000];
const LOOP = 'e-mails';

type State = {
  deps: Deps;
  mail: NonNullable<Config['mail']>;
  client: SmtpClient;
  leaseSeconds: number;
  inFlight: Set<Promise<void>>;
  /** Failures in a row that concern every mail. */
  unreachable: number;
  pausedUntil: number;
  recorder: Recorder;
};

/** Starts sending in this process; null where no mail server is set. */
export function startMailer(deps: Deps, options: MailerOptions = {}): Mailer | null {
  const state = createState(deps, options);
  if (!state) return null;
  const background = new DisposableStack();
  const run = singly(() => work(state).catch(warning(deps, 'e-mails could not be sent')));
  const every = (ms: number, part: () => Promise<unknown>, message: string): void => {
    const timer = setInterval(() => void part().catch(warning(deps, message)), ms);
    background.defer(() => clearInterval(timer));
  };
  every(POLL_MS, run.wake, LOOP);
  every(DIGESTS_EVERY_MS, () => makeDigests(deps.db), 'digests could not be made');
  every(MEASURE_EVERY_MS, () => measure(deps), 'the e-mails that wait could not be counted');
  background.defer(deps.db.signals.on(ALERTS_RAISED, () => void run.wake()));
  void run.wake();
  return {
    drain: () => drain(state),
    [Symbol.asyncDispose]: async () => {
      background.dispose();
      state.recorder.hurry();
      await run.stop();
      await Promise.all(state.inFlight);
    },
  };
}

/** A mailer that sends only when it is drained. */
export function createMailer(deps: Deps, options: MailerOptions = {}): Mailer {
  const state = createState(deps, options);
  if (!state) throw new Error('no mail server is set');
  return { drain: () => drain(state), [Symbol.asyncDispose]: async () => void (await Promise.all(state.inFlight)) };
}

function createState(deps: Deps, { timeoutMs = SEND_TIMEOUT_MS, leaseSeconds = LEASE_SECONDS }: MailerOptions): State | null {
  const { mail } = deps.config;
  if (!mail) return null;
  const client = createSmtpClient(mail.server, timeoutMs);
  return { deps, mail, client, leaseSeconds, inFlight: new Set(), unreachable: 0, pausedUntil: 0, recorder: createRecorder() };
}

const warning =
  ({ log }: Deps, message: string) =>
  (error: Error): void =>
    log.warn({ err: error }, message);

/** One run of the work at a time; a wake during a run starts another one behind it. */
function singly(part: () => Promise<void>): { wake(): Promise<void>; stop(): Promise<void> } {
  let [running, again, stopped]: [Promise<void> | null, boolean, boolean] = [null, false, false];
  const wake = async (): Promise<void> => {
    if (stopped) return;
    again = true;
    if (running) return;
    running = (async () => {
      while (again && !stopped) {
        again = false;
        await part();
      }
    })().finally(() => {
      running = null;
    });
    await running;
  };
  return {
    wake,
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

/** Makes e-mails of what was raised and attempts what is due, as many at a time as may be in flight. */
async function work(state: State): Promise<void> {
  const { deps, inFlight } = state;
  for (;;) {
    deps.heartbeat.beat(LOOP);
    await expandAlerts(deps.db);
    if (performance.now() < state.pausedUntil || (await claim(state)) === 0) return;
    if (inFlight.size > 0) await Promise.race(inFlight);
  }
}

async function drain(state: State): Promise<number> {
  await expandAlerts(state.deps.db);
  await makeDigests(state.deps.db);
  for (let total = 0; ; ) {
    const claimed = await claim(state);
    total += claimed;
    await Promise.all(state.inFlight);
    if (claimed === 0) return total;
  }
}

async function claim(state: State): Promise<number> {
  const { deps, leaseSeconds, inFlight } = state;
  const free = MOST_IN_FLIGHT - inFlight.size;
  if (free <= 0) return 0;
  const claimId = randomUUID();
  const claimed = await deps.db.tx({ platform: true }, (tx) => claimEmails(tx, claimId, free, leaseSeconds));
  for (const each of claimed) {
    const attempt = attemptEmail(deps, state.client, state.mail, each, claimId)
      .then((attempted) => settle(state, attempted))
      .catch(warning(deps, 'an e-mail could not be attempted'))
      .finally(() => inFlight.delete(attempt));
    inFlight.add(attempt);
  }
  return claimed.length;
}

async function settle(state: State, { result, outcome, cause }: Attempted): Promise<void> {
  const { deps } = state;
  deps.metrics.emails.inc({ outcome });
  if (outcome === 'unreachable') {
    state.unreachable += 1;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (state.unreachable - 1));
    state.pausedUntil = performance.now() + pauseMs;
    deps.log.warn({ email_id: result.email_id, reason: cause }, 'the mail server cannot be used');
  } else {
    state.unreachable = 0;
    state.pausedUntil = 0;
  }
  if (result.permanent) deps.log.warn({ email_id: result.email_id, outcome, reason: cause }, 'an e-mail was given up');
  const transaction = () => deps.db.tx({ platform: true }, (tx) => recordResult(tx, result));
  // The loop waits for this, and is not stalled.
  await state.recorder.record(transaction, () => deps.heartbeat.beat(LOOP));
}

async function measure({ db, metrics }: Deps): Promise<void> {
  const { depth, oldest_due_seconds } = await db.tx({ platform: true }, measureEmails);
  metrics.emailDepth.set(depth);
  metrics.emailOldest.set(oldest_due_seconds);
}
