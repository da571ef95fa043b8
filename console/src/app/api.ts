import createClient, { type Middleware } from 'openapi-fetch';
import type { Paths, Schemas } from 'sluice-sdk';
import { Unanswered } from './unanswered.ts';

export type Records = Schemas;
export type FieldProblem = { field: string; code: string; message: string };

/** A refusal of the API, or that it could not be reached (status 0). */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];
  /** Seconds after which to try again, where the gateway says so. */
  readonly retryAfter: number | null;

  constructor(status: number, body: Body, headers: Headers = new Headers()) {
    super(body.message ?? `The gateway responded with status ${status}.`);
    this.status = status;
    this.code = body.code ?? 'UNKNOWN';
    this.requestId = body.request_id ?? headers.get('x-request-id');
    this.fields = body.errors ?? [];
    const seconds = Number(headers.get('retry-after'));
    this.retryAfter = seconds > 0 ? seconds : null;
  }
}

type Body = { message?: string; code?: string; request_id?: string; errors?: FieldProblem[] };

/** The word of the session that every change carries; `/auth/me` says it. */
let csrf = '';
export const setCsrf = (word: string): void => {
  csrf = word;
};

/** The record is in another version than the one that a change names. */
export const STALE = 412;

const SAFE = ['GET', 'HEAD'];
const KEYED = ['POST', 'PATCH'];
const KEY = 'idempotency-key';

export const unanswered = new Unanswered();
export const SECRET_OMITTED = 'SECRET_OMITTED';

const session: Middleware = {
  async onRequest({ request }) {
    if (SAFE.includes(request.method)) return;
    request.headers.set('x-sluice-csrf', csrf);
    if (!KEYED.includes(request.method) || request.headers.has(KEY)) return;
    // Only before it waits is it known who asks.
    const { open } = unanswered;
    const body = await request.text();
    // What was read is sent as it was read.
    const keyed = body === '' ? request : new Request(request, { method: request.method, body });
    keyed.headers.set(KEY, unanswered.begin(open, keyed, body));
    return keyed;
  },
  async onResponse({ request, response }) {
    if (!response.ok) {
      unanswered.failed(request);
      throw await failureOf(response);
    }
    if (!request.headers.has(KEY)) return;
    // An answer that breaks off after its status is lost as well.
    const text = await response
      .clone()
      .text()
      .catch(() => null);
    if (text === null) {
      unanswered.failed(request);
      throw unreachable();
    }
    if (response.headers.has('idempotency-replayed') && text.includes('"secret_omitted":true')) {
      // The same again gets the same answer, and makes no second one.
      unanswered.failed(request);
      throw secretOmitted(response);
    }
  },
  onError({ request }) {
    unanswered.failed(request);
    return unreachable();
  },
};

export const unreachable = (): ApiFailure =>
  new ApiFailure(0, {
    message: 'The gateway cannot be reached. Check the network, then try again.',
    code: 'UNREACHABLE',
  });

const secretOmitted = ({ status, headers }: Response): ApiFailure =>
  new ApiFailure(
    status,
    {
      message:
        'The first attempt succeeded, but the response was lost, and with it the secret, which is shown only once. Revoke what was made, or rotate its secret.',
      code: SECRET_OMITTED,
    },
    headers,
  );

export async function failureOf(response: Response): Promise<ApiFailure> {
  const body = (await response.json().catch(() => ({}))) as Body;
  return new ApiFailure(response.status, body, response.headers);
}

/** Typed calls of the public API with the cookie of the session; a refusal is thrown as an `ApiFailure`. */
export const api = createClient<Paths>({ baseUrl: '' });
api.use(session);

/** The envelope of a call that was not refused. */
export async function sent<Envelope>(call: Promise<{ data?: Envelope }>): Promise<Envelope> {
  const { data } = await call;
  if (data === undefined) throw new ApiFailure(0, { message: 'The gateway responded without a body.' });
  return data;
}

/** A record with the tag of the version that was read, for a change of that version alone. */
export async function sentTagged<Envelope>(
  call: Promise<{ data?: Envelope; response: Response }>,
): Promise<{ envelope: Envelope; tag: string | null }> {
  const envelope = await sent(call);
  return { envelope, tag: (await call).response.headers.get('etag') };
}

/** The parameters that a list of the API takes in its address. */
export type QueryOf<Path extends keyof Paths> = Paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;
