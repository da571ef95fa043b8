import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './generated/api.ts';
import type { CallOptions, Envelope, Method, PathOf } from './calls.ts';
import { errorOf, isPage, SluiceError, withoutTokens } from './errors.ts';
import { FILE_PATHS } from './generated/paths.ts';
import type { Settings } from './settings.ts';
import { send } from './transport.ts';

/** A call by path, typed by whoever makes it. */
export type Init = {
  params?: { path?: object; query?: object; header?: object };
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | null;
  parseAs?: 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream';
};

export type Received = { body: unknown; headers: Headers };

/** The connection of a client: openapi-fetch over the transport that retries. */
export type Connection = {
  settings: Settings;
  client: Client<paths>;
  /** A JSON body with its envelope, or a stream of the bytes of anything else. Throws `SluiceError`. */
  request(method: Method, path: string, init?: Init): Promise<Received>;
  /** The JSON body of a GET, with its envelope. */
  read<P extends PathOf<'get'>>(
    path: P,
    options: CallOptions<P, 'get'>,
  ): Promise<{ envelope: Envelope<P, 'get'>; headers: Headers }>;
};

export function connect(settings: Settings): Connection {
  const client = createClient<paths>({
    baseUrl: settings.url,
    headers: settings.key === null ? {} : { Authorization: `Bearer ${settings.key}` },
    bodySerializer: (body: unknown) => (isRaw(body) ? body : JSON.stringify(body)),
    fetch: (request) => sendCall(settings, request, false),
  });
  const request = async (method: Method, path: string, init: Init = {}): Promise<Received> => {
    // Any path, by a function that is typed for each: the callers have checked path and options against each other.
    const call = client.request as unknown as (method: string, path: string, init: object) => Promise<Result>;
    // A stream is read by whoever asked for it.
    const isWhole = init.parseAs !== undefined && init.parseAs !== 'stream';
    const fetch = (sent: Request): Promise<Response> => sendCall(settings, sent, isWhole);
    const result = await call(method, path, { ...init, ...rawInit(init), parseAs: 'stream', fetch });
    return { body: await bodyOf(settings, path, result, init.parseAs), headers: result.response.headers };
  };
  return {
    settings,
    client,
    request,
    read: async <P extends PathOf<'get'>>(path: P, options: CallOptions<P, 'get'>) => {
      const { body, headers } = await request('get', path, { ...options, parseAs: 'json' });
      // The description says what the gateway sends; its tests hold it to that.
      return { envelope: body as Envelope<P, 'get'>, headers };
    },
  };
}

type Result = { data?: ReadableStream<Uint8Array> | null; error?: unknown; response: Response };

/** Bytes are sent as they are; anything else is JSON. */
const isRaw = (body: unknown): body is Blob | ArrayBuffer | ArrayBufferView | FormData | ReadableStream =>
  body instanceof ReadableStream ||
  body instanceof Blob ||
  body instanceof ArrayBuffer ||
  ArrayBuffer.isView(body) ||
  body instanceof FormData;

/** A type for bytes without one, and the mode in which a stream can be sent. */
function rawInit({ body, headers = {} }: Init): { headers?: Record<string, string>; duplex?: 'half' } {
  if (!isRaw(body) || body instanceof FormData) return {};
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const type = body instanceof Blob && body.type !== '' ? body.type : 'application/octet-stream';
  return {
    headers: named ? headers : { ...headers, 'content-type': type },
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  };
}

const SAFE = ['GET', 'HEAD', 'OPTIONS'];

function sendCall(settings: Settings, request: Request, isWhole: boolean): Promise<Response> {
  const replayable = request.body === null || request.headers.get('content-type') === 'application/json';
  if (replayable && takesKey(request) && !request.headers.has('idempotency-key'))
    request.headers.set('idempotency-key', crypto.randomUUID());
  const keyed = request.headers.has('idempotency-key');
  return send(settings, {
    make: (signal) => new Request(replayable ? request.clone() : request, { signal, ...redirectOf(request) }),
    signal: request.signal,
    replayable,
    repeatable: SAFE.includes(request.method) || keyed,
    keyed,
    isWhole,
    timeoutMs: settings.timeoutMs,
  });
}

/** A change that is sent elsewhere would be repeated there as a GET. */
const redirectOf = ({ method }: Request): { redirect?: 'manual' } =>
  ['GET', 'HEAD'].includes(method) ? {} : { redirect: 'manual' };

/** The gateway keeps the response to a key for these; see `Idempotency-Key` in the description. */
const takesKey = ({ method, url }: Request): boolean => ['POST', 'PATCH'].includes(method) && /\/v1\/(api|operator)\//.test(url);

async function bodyOf(
  { clock }: Settings,
  path: string,
  { data, error, response }: Result,
  parseAs: Init['parseAs'],
): Promise<unknown> {
  if (!response.ok) throw errorOf(response, error, clock.now());
  const read = new Response(data ?? null, { headers: response.headers });
  const type = response.headers.get('content-type') ?? '';
  if (isPage(response)) throw errorOf(response, await read.text(), clock.now());
  if (parseAs === 'stream') return read.body;
  if (parseAs !== undefined && parseAs !== 'json') return read[parseAs]();
  if (!/\bjson\b/.test(type) && parseAs === undefined && FILE_PATHS.includes(path)) return read.body;
  const body = parsed(response, await read.text());
  if (isWithoutSecret(body)) throw secretOmitted(response, body);
  return body;
}

function parsed(response: Response, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(response, text, cause);
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A repeated request whose first response had a secret: the gateway keeps none, and repeats the rest. */
const isWithoutSecret = (body: unknown): boolean =>
  isObject(body) && 'data' in body && isObject(body.data) && 'secret_omitted' in body.data && body.data.secret_omitted === true;

const secretOmitted = ({ status, headers }: Response, body: unknown): SluiceError =>
  new SluiceError(
    'The change was made by an earlier request under the same Idempotency-Key, whose response had the secret that is told once. If you do not have it, rotate the secret or the key of the record in `body`, or revoke it and make another.',
    { status, code: 'SECRET_OMITTED', requestId: headers.get('x-request-id'), body },
  );

const unreadable = ({ status }: Response, text: string, cause: unknown): SluiceError =>
  new SluiceError(`Status ${status} with a body that is not JSON: check the address: ${withoutTokens(text.slice(0, 200))}`, {
    status,
    code: 'UNEXPECTED_RESPONSE',
    body: text,
    cause,
  });
