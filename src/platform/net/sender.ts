import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
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
  post(url: URL, headers: Record<string, string | number>, body: Buffer): Promise<PostResult>;
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
  const lookup = guardedLookup(options.resolve, options.allowed);
  const agentOptions = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 1_024, scheduling: 'lifo', lookup } as const;
  const agents = { 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) };
  const limits = {
    totalMs: options.timeoutMs ?? TIMEOUT_MS,
    connectMs: Math.min(options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, options.timeoutMs ?? TIMEOUT_MS),
  };
  return {
    async post(url, headers, body) {
      const startedAt = performance.now();
      const host = url.hostname.replace(/^\[|\]$/g, '');
      // An address may have been stored before its port was refused.
      if (!isPortAllowed(url)) return failed('blocked', startedAt);
      // Sockets do not look up literal addresses, so they are checked here.
      if (isIP(host) && !options.allowed(host)) return failed('blocked', startedAt);
      const agent = agents[url.protocol as 'http:'];
      if (!agent) return failed('invalid_url', startedAt);
      const deadline = startedAt + limits.totalMs;
      const attempt = { agent, headers, body, deadline, connectMs: limits.connectMs, startedAt, isRetry: false };
      const first = await once(url, attempt);
      // The receiver closed an idle connection while the request was in flight: a new connection shows whether it is still listening.
      if (!first.stale) return first.result;
      const fresh = url.protocol === 'https:' ? new https.Agent({ lookup }) : new http.Agent({ lookup });
      return (await once(url, { ...attempt, agent: fresh, isRetry: true })).result;
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
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
  agent: http.Agent;
  headers: Record<string, string | number>;
  body: Buffer;
  deadline: number;
  connectMs: number;
  startedAt: number;
  /** On a new connection, after one that the receiver had closed. */
  isRetry: boolean;
};

function once(url: URL, attempt: Attempt): Promise<{ result: PostResult; stale: boolean }> {
  return new Promise((resolve) => {
    let ended = false;
    let connectTimer: NodeJS.Timeout | undefined;
    let response: IncomingMessage | undefined;
    const kept: Buffer[] = [];
    const end = (error: SendError | null, stale = false): void => {
      if (ended) return;
      ended = true;
      clearTimeout(deadlineTimer);
      clearTimeout(connectTimer);
      const status = response?.statusCode ?? null;
      const result = failed(error, attempt.startedAt, status);
      resolve({ stale, result: { ...result, body: Buffer.concat(kept), retry_after: response?.headers['retry-after'] ?? null } });
    };
    const client = url.protocol === 'https:' ? https : http;
    const request: ClientRequest = client.request(url, {
      method: 'POST',
      headers: { ...attempt.headers, ...(attempt.isRetry ? { connection: 'close' } : {}) },
      agent: attempt.agent,
      maxHeaderSize: MOST_KEPT_BYTES,
    });
    const cut = (error: SendError): void => {
      end(error);
      request.destroy();
    };
    const deadlineTimer = setTimeout(() => cut('timeout'), Math.max(0, attempt.deadline - performance.now()));
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      connectTimer = setTimeout(() => cut('timeout'), attempt.connectMs);
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connectTimer));
    });
    request.on('response', (message) => {
      response = message;
      keep(message, kept, (error) => (error === 'enough' ? (end(null), request.destroy()) : end(error)));
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      end('invalid_response');
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const reason = classify(error);
      end(reason, reason === 'reset' && request.reusedSocket && !response && !attempt.isRetry);
    });
    request.on('close', () => end('reset'));
    request.end(attempt.body);
  });
}

/** Reads a response's body to its end or until enough has arrived. */
function keep(response: IncomingMessage, kept: Buffer[], done: (reason: SendError | 'enough' | null) => void): void {
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    kept.push(chunk.subarray(0, MOST_KEPT_BYTES - size));
    size += chunk.length;
    if (size >= MOST_KEPT_BYTES) done('enough');
  });
  response.on('end', () => done(response.complete ? null : 'reset'));
  response.on('error', () => done('reset'));
}

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
};
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|INVALID_CA|HOSTNAME_MISMATCH|OUT_OF_MEM_CERT)/;

function classify(error: NodeJS.ErrnoException): SendError {
  if (error instanceof AddressBlocked) return 'blocked';
  const code = error.code ?? '';
  const known = BY_CODE[code];
  if (known) return known;
  if (TLS.test(code)) return 'tls';
  if (code.startsWith('EAI_') || code === 'ESERVFAIL') return 'dns';
  if (code.startsWith('HPE_')) return 'invalid_response';
  return 'unreachable';
}
