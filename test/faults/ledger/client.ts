import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Reply } from '../processes.ts';

const ATTEMPT_MS = 5_000;
const PAUSE_MS = 150;
/** Refusals that say "not now": the same request is made again. */
const NOT_NOW = new Set(['IDEMPOTENCY_IN_PROGRESS', 'UPLOAD_IN_PROGRESS', 'RATE_LIMITED', 'QUEUE_FULL', 'UPLOADS_PENDING']);

/** What all clients count together. */
export type Tally = { attempts: number; unanswered: number; refused: string[] };

export type Fleet = {
  /** Addresses at which an API process serves now, as far as its starter knows. */
  addresses(): string[];
  /** After this moment (of the machine's clock) nobody tries again. */
  deadline(): number;
};

// biome-ignore lint/suspicious/noExplicitAny: a client reads any field of any response.
// oxlint-disable-next-line typescript/no-explicit-any
export type Data = any;

export type Client = {
  organization: string;
  /** One write, made again under its key until it has a response; null when it was refused (which the tally keeps). */
  write(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Data | null>;
  /** Bytes to a signed address, again until they are taken. */
  put(url: string, headers: Record<string, string>, bytes: string): Promise<Data | null>;
  read(path: string): Promise<Reply['body']>;
};

/** A customer's program that never gives up: what has no response yet is sent again, under the same key, to any process that serves. */
export function createClient(fleet: Fleet, tally: Tally, token: string, organization: string): Client {
  let turn = 0;
  const attempt = async (method: string, path: string, options: Parameters<typeof ask>[3]): Promise<Reply | null> => {
    const addresses = fleet.addresses();
    const address = addresses[turn++ % Math.max(1, addresses.length)];
    tally.attempts += 1;
    const reply = address === undefined ? null : await timely(ask({ address }, method, path, options));
    const settled = reply && reply.status < 500 && reply.status !== 429 && !NOT_NOW.has(reply.body.code);
    if (!settled) tally.unanswered += 1;
    return settled ? reply : null;
  };
  const untilSettled = async (method: string, path: string, options: Parameters<typeof ask>[3]) => {
    for (let attempts = 1; ; attempts += 1) {
      const reply = await attempt(method, path, options);
      if (reply) return { reply, attempts };
      if (Date.now() > fleet.deadline()) throw new Error(`${method} ${path} of ${organization} had no response to the end`);
      await sleep(PAUSE_MS);
    }
  };
  const acknowledged = (method: string, path: string, reply: Reply): Data | null => {
    if (reply.status < 300) return reply.body.data ?? {};
    tally.refused.push(`${method} ${path} of ${organization}: ${reply.status} ${reply.body.code}: ${reply.body.message}`);
    return null;
  };
  return {
    organization,
    async write(method, path, body) {
      const headers: Record<string, string> = method === 'DELETE' ? {} : { 'idempotency-key': randomUUID() };
      const { reply, attempts } = await untilSettled(method, path, { token, headers, ...(body === undefined ? {} : { body }) });
      // A DELETE has no key: that an earlier attempt has done it is what its repetition is told.
      if (method === 'DELETE' && attempts > 1 && [404, 409].includes(reply.status)) return {};
      return acknowledged(method, path, reply);
    },
    async put(url, headers, bytes) {
      const { pathname } = new URL(url);
      return acknowledged('PUT', pathname, (await untilSettled('PUT', pathname, { headers, bytes })).reply);
    },
    async read(path) {
      const { reply } = await untilSettled('GET', path, { token });
      if (reply.status !== 200) throw new Error(`GET ${path} of ${organization}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
  };
}

/** The response, or null when there is none in time, for whatever reason. */
async function timely(reply: Promise<Reply>): Promise<Reply | null> {
  const late = new AbortController();
  try {
    return await Promise.race([reply.catch(() => null), sleep(ATTEMPT_MS, null, { signal: late.signal }).catch(() => null)]);
  } finally {
    late.abort();
  }
}
