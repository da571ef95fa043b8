import { readKey, session, signOut } from './session.ts';
import { createStore } from './store.ts';

export type Query = Record<string, string | number | boolean | null | undefined>;
export type FieldProblem = { field: string | null; code: string; message: string; result?: string; check?: string };
export type Page<Row> = { rows: Row[]; total: number; page: number; pages: number };
export type Rate = { limit: number; remaining: number };

/** What is left of the key's requests, as the last answer said. */
export const rate = createStore<Rate | null>(null);

type Envelope = {
  data?: unknown;
  message?: string;
  code?: string;
  request_id?: string;
  errors?: FieldProblem[];
  pagination?: { total: number; page: number; totalPages: number };
  meta?: { total: number; page: number; totalPages: number };
  [extra: string]: unknown;
};

/** A refusal in the API's own words. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly errors: readonly FieldProblem[];
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(status: number, answer: Envelope, requestId: string | null) {
    super(answer.message ?? `The gateway answered ${status}.`);
    this.status = status;
    this.code = answer.code ?? 'UNKNOWN';
    this.requestId = answer.request_id ?? requestId;
    this.errors = answer.errors ?? [];
    this.extra = answer;
  }
}

export const get = async <Data>(path: string, query: Query = {}): Promise<Data> => (await call('GET', path, query)).data as Data;

const kept = new Map<string, Promise<unknown>>();

/** What does not change while the page is open (the dictionary, names of organizations) is asked for once per key. */
export function getOnce<Data>(path: string, query: Query = {}): Promise<Data> {
  const name = `${session.get()?.key_id} ${withQuery(path, query)}`;
  const known = kept.get(name) as Promise<Data> | undefined;
  if (known) return known;
  const asked = get<Data>(path, query);
  kept.set(name, asked);
  asked.catch(() => kept.delete(name));
  return asked;
}

/** Something that was kept has changed: it is asked for again. */
export const forgetKept = (): void => kept.clear();

export async function list<Row>(path: string, query: Query = {}): Promise<Page<Row>> {
  const answer = await call('GET', path, query);
  const block = answer.pagination ?? answer.meta;
  const rows = answer.data as Row[];
  return { rows, total: block?.total ?? rows.length, page: block?.page ?? 1, pages: block?.totalPages ?? 1 };
}

export const send = async <Data = unknown>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Data> => (await call(method, path, {}, body)).data as Data;

async function call(method: string, path: string, query: Query, body?: unknown): Promise<Envelope> {
  const response = await ask(method, withQuery(path, query), body);
  const answer = (await response.json().catch(() => ({}))) as Envelope;
  if (response.ok) return answer;
  throw refused(response, answer);
}

/** One request under the caller's key; an answer that was lost on the way is asked for once more, and nothing happens twice. */
export async function ask(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${readKey() ?? ''}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method === 'POST' || method === 'PATCH') headers['idempotency-key'] = randomKey();
  const init: RequestInit = {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
  const response = await fetch(path, init)
    .catch(() => fetch(path, init))
    .catch(() => {
      throw new ApiFailure(0, { message: 'The gateway cannot be reached.', code: 'UNREACHABLE' }, null);
    });
  const remaining = response.headers.get('x-ratelimit-remaining');
  if (remaining !== null) rate.set({ limit: Number(response.headers.get('x-ratelimit-limit')), remaining: Number(remaining) });
  return response;
}

export function refused(response: Response, answer: Envelope): ApiFailure {
  const failure = new ApiFailure(response.status, answer, response.headers.get('x-request-id'));
  if (response.status === 401) signOut(`You were signed out: ${failure.message}`);
  return failure;
}

export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
