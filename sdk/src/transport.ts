import { retryAfterMs } from './clock.ts';
import { SluiceError, withoutTokens } from './errors.ts';
import type { Settings } from './settings.ts';

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 10_000;
/** A longer `Retry-After` is the caller's to decide: it is in the error. */
const LONGEST_RETRY_AFTER_MS = 120_000;
const PASSING_STATUSES = [502, 503, 504];

export type Exchange = {
  /** Makes the request of an attempt, which ends by this signal; it is aborted after a failed attempt, too. */
  make: (signal: AbortSignal) => Request;
  /** The caller's signal. */
  signal: AbortSignal | null;
  /** Whether `make` can be called again. */
  replayable: boolean;
  /** Whether a request that may have been carried out can be sent again. */
  repeatable: boolean;
  /** Whether the gateway knows it by a key: another request with that is the same one. */
  keyed: boolean;
  /** Whether the attempt ends with the body, whatever its type; that of JSON always does. */
  isWhole: boolean;
  /** Milliseconds for an attempt; null for no limit. */
  timeoutMs: number | null;
};

type Outcome = { response: Response; inProgress: boolean } | { error: SluiceError };

/** Sends a request, and sends it again where that is safe and may help. */
export async function send(settings: Settings, exchange: Exchange): Promise<Response> {
  const { clock, retries } = settings;
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOnce(settings, exchange);
    const waitMs = attempt < retries ? delayBefore(settings, exchange, outcome, attempt) : null;
    if (waitMs === null) {
      if ('error' in outcome) throw outcome.error;
      return outcome.response;
    }
    if ('response' in outcome) await outcome.response.body?.cancel();
    await clock.sleep(waitMs, exchange.signal);
  }
}

/** Milliseconds before the next attempt; null where the outcome stands. */
function delayBefore({ clock }: Settings, exchange: Exchange, outcome: Outcome, attempt: number): number | null {
  if (!mayRepeat(exchange, outcome, attempt)) return null;
  const backoffMs = clock.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
  const askedMs = 'response' in outcome ? retryAfterMs(outcome.response.headers, clock.now()) : null;
  if (askedMs === null) return backoffMs;
  return askedMs > LONGEST_RETRY_AFTER_MS ? null : askedMs + backoffMs;
}

function mayRepeat({ replayable, repeatable, keyed }: Exchange, outcome: Outcome, attempt: number): boolean {
  if (!replayable) return false;
  if ('error' in outcome) return repeatable;
  const { status } = outcome.response;
  // A request over the rate limit has not been carried out, whatever its method.
  if (status === 429) return true;
  // The same request is still being carried out under the key, or, after a lost connection, to the same address.
  if (status === 409) return outcome.inProgress && (keyed || attempt > 0);
  return repeatable && PASSING_STATUSES.includes(status);
}

async function attemptOnce(settings: Settings, { make, signal, timeoutMs, isWhole }: Exchange): Promise<Outcome> {
  const attempt = new AbortController();
  let isLate = false;
  const late = (): void => {
    isLate = true;
    attempt.abort();
  };
  const timer = timeoutMs === null ? undefined : setTimeout(late, timeoutMs);
  const request = make(AbortSignal.any(signal ? [signal, attempt.signal] : [attempt.signal]));
  try {
    const response = await settings.fetch(request);
    if (isJson(response)) return await whole(response);
    // A file may take longer than a response.
    clearTimeout(timer);
    return isWhole ? await whole(response) : { response, inProgress: false };
  } catch (error) {
    attempt.abort();
    if (signal?.aborted) throw signal.reason;
    return { error: isLate ? timedOut(request, timeoutMs) : unreachable(request, error) };
  } finally {
    clearTimeout(timer);
  }
}

const isJson = ({ headers }: Response): boolean => /\bjson\b/.test(headers.get('content-type') ?? '');

/** The response with its whole body: a connection that is lost within the body is a lost attempt, too. */
async function whole(received: Response): Promise<Outcome> {
  const bytes = await received.arrayBuffer();
  const { status, statusText, headers } = received;
  const body = [204, 205, 304].includes(status) ? null : bytes;
  return {
    response: new Response(body, { status, statusText, headers }),
    inProgress: status === 409 && /"(IDEMPOTENCY|UPLOAD)_IN_PROGRESS"/.test(new TextDecoder().decode(bytes)),
  };
}

const timedOut = ({ method, url }: Request, timeoutMs: number | null): SluiceError =>
  new SluiceError(`${method} ${withoutTokens(url)}: no response within ${timeoutMs} ms.`, { status: 0, code: 'TIMEOUT' });

function unreachable({ method, url }: Request, cause: unknown): SluiceError {
  const why = cause instanceof Error ? describe(cause) : String(cause);
  return new SluiceError(`${method} ${withoutTokens(url)}: no response: ${why}`, { status: 0, code: 'NETWORK_ERROR', cause });
}

const describe = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message;
