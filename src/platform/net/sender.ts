import { isIP } from 'node:net';
import { Agent, buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { type AddressPolicy, isPortAllowed } from './addresses.ts';
import { AddressBlocked, guardedLookup, type Resolver } from './lookup.ts';

/** Why there is no complete response. Contains nothing else: customers must not learn addresses, names and paths of this network. */
export type SendError =
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'tls'
  | 'blocked'
  | 'reset'
  | 'invalid_response'
  | 'invalid_url';

export type PostResult = {
  /** Status of the response, even if its body then failed; null without a response. */
  http_status: number | null;
  error: SendError | null;
  ms: number;
  /** Beginning of the response's body, at most `MOST_KEPT_BYTES`. */
  body: Buffer;
  retry_after: string | null;
};

export type Sender = {
  /** Posts a body once. Every failure is a result; it never throws and never takes longer than the deadline. */
  post(url: URL, headers: Record<string, string>, body: Buffer): Promise<PostResult>;
  close(): void;
};

export type SenderOptions = { allowed: AddressPolicy; resolve: Resolver; timeoutMs?: number; connectTimeoutMs?: number };

export const TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
export const MOST_KEPT_BYTES = 16 * 1024;
/** Shorter than servers usually keep an idle connection, so that few requests meet a closed one. */
const IDLE_MS = 4_000;

/** The only code that connects to addresses given by customers. No redirects, no proxies, no compression, no cookies. */
export function createSender(options: SenderOptions): Sender {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const connectMs = Math.min(options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, timeoutMs);
  const pooled: Pool.Options = {
    factory: (origin, settings) => new Connection(origin, settings),
    connect: buildConnector({ lookup: guardedLookup(options.resolve, options.allowed), timeout: connectMs, allowH2: false }),
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: MOST_KEPT_BYTES,
    // The deadline of the attempt holds for all parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const connections = (): Agent => new Agent({ factory: (origin) => new Pool(origin, pooled) });
  const kept = connections();
  return {
    async post(url, headers, body) {
      const startedAt = performance.now();
      const host = url.hostname.replace(/^\[|\]$/g, '');
      // An address may have been stored before its port was refused.
      if (!isPortAllowed(url)) return failed('blocked', startedAt);
      // Sockets do not look up literal addresses, so they are checked here.
      if (isIP(host) && !options.allowed(host)) return failed('blocked', startedAt);
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return failed('invalid_url', startedAt);
      const attempt = { url, headers, body, startedAt, deadline: startedAt + timeoutMs, isRetry: false };
      const first = await once(kept, attempt);
      // The receiver closed an idle connection while the request was in flight: a new connection shows whether it is still listening.
      if (!first.stale) return first.result;
      const fresh = connections();
      const { result } = await once(fresh, { ...attempt, isRetry: true });
      void fresh.destroy();
      return result;
    },
    close() {
      void kept.destroy();
    },
  };
}

const failed = (error: SendError | null, startedAt: number, status: number | null = null): PostResult => ({
  http_status: status,
  error,
  ms: Math.round(performance.now() - startedAt),
  body: Buffer.alloc(0),
  retry_after: null,
});

type Attempt = {
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  startedAt: number;
  deadline: number;
  /** On a new connection that is not kept, after one that the receiver had closed. */
  isRetry: boolean;
};

type Ended = { result: PostResult; stale: boolean };

function once(agent: Agent, attempt: Attempt): Promise<Ended> {
  const { url, headers, body, isRetry } = attempt;
  return new Promise((resolve) => {
    const exchange = new Exchange(attempt, resolve);
    const path = `${url.pathname}${url.search}`;
    const post: Post = { origin: url.origin, path, method: 'POST', headers, body, reset: isRetry, exchange };
    agent.dispatch(post, exchange);
  });
}

type Post = Dispatcher.DispatchOptions & { exchange?: Exchange };

/** A connection that tells each exchange whether it was kept from an earlier one. */
class Connection extends Client {
  override dispatch(post: Post, handler: Dispatcher.DispatchHandler): boolean {
    if (post.exchange) post.exchange.isOnKept = this.stats.connected;
    return super.dispatch(post, handler);
  }
}

/** Headers of a response. */
type Received = Record<string, string | string[] | undefined>;

/** One request and its response, up to the deadline or to as much of the response as is kept. */
class Exchange implements Dispatcher.DispatchHandler {
  isOnKept = false;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | null = null;
  #retryAfter: string | null = null;
  #size = 0;
  readonly #kept: Buffer[] = [];
  readonly #attempt: Attempt;
  readonly #timer: NodeJS.Timeout;
  #resolve: ((ended: Ended) => void) | null;

  constructor(attempt: Attempt, resolve: (ended: Ended) => void) {
    this.#attempt = attempt;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#cut('timeout'), Math.max(0, attempt.deadline - performance.now()));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Its time was over while it waited for the connection.
    if (!this.#resolve) controller.abort(new Cut());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Received): void {
    this.#status = status;
    // One that is sent twice is a list.
    this.#retryAfter = [headers['retry-after']].flat()[0] ?? null;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#kept.push(chunk.subarray(0, MOST_KEPT_BYTES - this.#size));
    this.#size += chunk.length;
    if (this.#size >= MOST_KEPT_BYTES) this.#cut(null);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const reason = classify(error);
    this.#end(reason, reason === 'reset' && this.isOnKept && this.#status === null && !this.#attempt.isRetry);
  }

  #cut(error: SendError | null): void {
    this.#end(error);
    this.#controller?.abort(new Cut());
  }

  #end(error: SendError | null, stale = false): void {
    clearTimeout(this.#timer);
    const result = failed(error, this.#attempt.startedAt, this.#status);
    this.#resolve?.({ stale, result: { ...result, body: Buffer.concat(this.#kept), retry_after: this.#retryAfter } });
    this.#resolve = null;
  }
}

/** An exchange is over before its response is. */
class Cut extends Error {}

const BY_CODE: Record<string, SendError> = {
  ADDRESS_BLOCKED: 'blocked',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  EPROTO: 'tls',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
};
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|INVALID_CA|HOSTNAME_MISMATCH|OUT_OF_MEM_CERT)/;

function classify(error: NodeJS.ErrnoException): SendError {
  if (error instanceof AddressBlocked) return 'blocked';
  const code = error.code ?? '';
  const known = BY_CODE[code];
  if (known) return known;
  // 'bad response', 'bad upgrade': 100 or 101, which nobody asked for.
  if (code === 'UND_ERR_SOCKET') return error.message.startsWith('bad ') ? 'invalid_response' : 'reset';
  if (TLS.test(code)) return 'tls';
  if (code.startsWith('EAI_') || code === 'ESERVFAIL') return 'dns';
  if (error.name === 'HTTPParserError') return 'invalid_response';
  return 'unreachable';
}
