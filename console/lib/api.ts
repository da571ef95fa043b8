import type * as wire from '../wire/api.ts';
import { readKey, session, signOut } from './session.ts';
import { createStore } from './store.ts';

export type Query = Record<string, string | number | boolean | null | undefined>;
/** A problem of one field; a failed compliance check has its name and result too. */
export type FieldProblem = wire.FieldProblem & { result?: string; check?: string };
export type Page<Row> = { rows: Row[]; total: number; page: number; pages: number };
export type Rate = { limit: number; remaining: number };

/** Rate limit of the key, as the last response stated it. */
export const rate = createStore<Rate | null>(null);

type Envelope = {
  data?: unknown;
  message?: string;
  code?: string;
  request_id?: string;
  errors?: FieldProblem[];
  pagination?: wire.Pagination;
  meta?: wire.Meta;
  [extra: string]: unknown;
};

/** An error response of the API. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly errors: readonly FieldProblem[];
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Envelope, requestId: string | null) {
    super(body.message ?? `The gateway responded with status ${status}.`);
    this.status = status;
    this.code = body.code ?? 'UNKNOWN';
    this.requestId = body.request_id ?? requestId;
    this.errors = body.errors ?? [];
    this.extra = body;
  }
}

export const get = async <Data>(path: string, query: Query = {}): Promise<Data> => (await call('GET', path, query)).data as Data;

/** A record with the tag of the version that was read. */
export type Tagged<Data> = { record: Data; tag: string | null };

export async function getTagged<Data>(path: string): Promise<Tagged<Data>> {
  const response = await request('GET', path);
  return { record: (await envelopeOf(response)).data as Data, tag: response.headers.get('etag') };
}

/** The path of a route that every role has for its own organization. */
export const ownPath = (path: string): string => `${session.get()?.role === 'operator' ? '/v1/operator' : '/v1/api'}${path}`;

const cache = new Map<string, Promise<unknown>>();

/** Requests data that does not change while the page is open (the dictionary, names of organizations) once per key. */
export function getOnce<Data>(path: string, query: Query = {}): Promise<Data> {
  const name = `${session.get()?.key_id} ${withQuery(path, query)}`;
  const known = cache.get(name) as Promise<Data> | undefined;
  if (known) return known;
  const loading = get<Data>(path, query);
  cache.set(name, loading);
  loading.catch(() => cache.delete(name));
  return loading;
}

/** Discards what `getOnce` has stored, because some of it has changed. */
export const clearCache = (): void => cache.clear();

export async function list<Row>(path: string, query: Query = {}): Promise<Page<Row>> {
  const { data, pagination, meta } = await call('GET', path, query);
  const block = pagination ?? meta;
  const rows = data as Row[];
  return { rows, total: block?.total ?? rows.length, page: block?.page ?? 1, pages: block?.totalPages ?? 1 };
}

const STALE = 412;
const ACCEPTED = 202;

/** `tag`: of the version that the caller has seen; the act is refused where the record has another one now. */
export async function send<Data = unknown>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  tag: string | null = null,
): Promise<Data> {
  const response = await request(method, path, body, { tag });
  if (tag !== null && response.status === STALE)
    throw failureOf(response, {
      code: 'STALE',
      message: 'The record has changed since it was shown here: reload the page, and read it again.',
    });
  const { data } = await envelopeOf(response);
  if (response.status === ACCEPTED && isWaiting(data))
    throw new ApiFailure(ACCEPTED, { message: waitingText(data), code: 'PENDING' }, response.headers.get('x-request-id'));
  return data as Data;
}

const isWaiting = (data: unknown): data is wire.PendingApproval =>
  typeof data === 'object' && data !== null && 'approval_id' in data;

/** What was not done must not look as if it were. */
const waitingText = ({ approval_id, needed, given, expires_at }: wire.PendingApproval): string =>
  `Not done yet: it needs ${needed} people and has ${given}. Others approve it by ${new Date(expires_at).toLocaleString('en-US', { timeZone: 'UTC' })} UTC as ${approval_id}; then it is done.`;

const call = async (method: string, path: string, query: Query): Promise<Envelope> =>
  envelopeOf(await request(method, withQuery(path, query)));

async function envelopeOf(response: Response): Promise<Envelope> {
  const envelope = (await response.json().catch(() => ({}))) as Envelope;
  if (response.ok) return envelope;
  throw failureOf(response, envelope);
}

/** Sends a request under the caller's key, and once more if the network fails; its idempotency key keeps it from acting twice. */
export async function request(
  method: string,
  path: string,
  body?: unknown,
  { signal, tag }: { signal?: AbortSignal; tag?: string | null } = {},
): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${readKey() ?? ''}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method === 'POST' || method === 'PATCH') headers['idempotency-key'] = randomKey();
  if (tag) headers['if-match'] = tag;
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

export function failureOf(response: Response, body: Envelope): ApiFailure {
  const failure = new ApiFailure(response.status, body, response.headers.get('x-request-id'));
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
