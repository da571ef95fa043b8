import type { components } from './generated/api.ts';
import { retryAfterMs } from './clock.ts';

type Schemas = components['schemas'];

/** One field that the API refused: `field` is its path in the request, or null where the problem concerns the whole of it. */
export type FieldProblem = Schemas['FieldProblem'];

/**
 * The code of an error: one of the API's, or one of this package. `NETWORK_ERROR`: no response arrived; `TIMEOUT`: none within the
 * timeout; `UNEXPECTED_RESPONSE`: the response is not one of the API, such as a proxy's page; `NOT_MODIFIED`: 304 to an `If-None-Match`;
 * `WAIT_TIMEOUT`: what was waited for did not end in time; `SECRET_OMITTED`: the change was made, and its secret went with a lost response.
 */
export type SluiceErrorCode =
  | Schemas['ErrorCode']
  | 'NETWORK_ERROR'
  | 'TIMEOUT'
  | 'UNEXPECTED_RESPONSE'
  | 'NOT_MODIFIED'
  | 'WAIT_TIMEOUT'
  | 'SECRET_OMITTED';

type Details = {
  status: number;
  code: SluiceErrorCode;
  requestId?: string | null;
  fields?: readonly FieldProblem[];
  docUrl?: string | null;
  retryAfter?: number | null;
  body?: unknown;
  dealId?: string | null;
  cause?: unknown;
};

/** A request that did not succeed. Branch on `code`, which is stable; `message` is for people. An aborted request throws the signal's reason instead. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  /** HTTP status; 0 where no response arrived. */
  readonly status: number;
  readonly code: SluiceErrorCode;
  /** Id of the request, as in the gateway's logs and `GET /v1/api/requests/{requestId}`; null without a response. */
  readonly requestId: string | null;
  /** The problems by field; empty where the error is not about fields. */
  readonly fields: readonly FieldProblem[];
  /** Where the code is explained, and what to do; null where the gateway serves no reference. */
  readonly docUrl: string | null;
  /** Seconds after which the request may be sent again, from `Retry-After`; null where the response does not say. */
  readonly retryAfter: number | null;
  /** The whole body: some errors have more than the fields above, such as the checks of `COMPLIANCE_FAILED`. */
  readonly body: unknown;
  /** The deal that `uploadTape` made before it failed and that may still be there; null where it is gone, and for other calls. */
  readonly dealId: string | null;

  constructor(message: string, details: Details) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId ?? null;
    this.fields = details.fields ?? [];
    this.docUrl = details.docUrl ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.body = details.body;
    this.dealId = details.dealId ?? null;
  }
}

/** The same error about an upload whose deal may still be there. */
export const withDeal = (error: SluiceError, dealId: string): SluiceError =>
  new SluiceError(`${error.message} The deal ${dealId} may still be there: read it before you send the tape again.`, {
    status: error.status,
    code: error.code,
    requestId: error.requestId,
    fields: error.fields,
    docUrl: error.docUrl,
    retryAfter: error.retryAfter,
    body: error.body,
    dealId,
    cause: error.cause,
  });

/** The error that a response is, given its body (parsed, where it is JSON). */
export function errorOf(response: Response, body: unknown, nowMs: number): SluiceError {
  const { status, headers } = response;
  const waitMs = retryAfterMs(headers, nowMs);
  const details = {
    status,
    requestId: headers.get('x-request-id'),
    retryAfter: waitMs === null ? null : waitMs / 1_000,
    body,
  };
  if (status === 304)
    return new SluiceError('The record is in the version that If-None-Match names.', { ...details, code: 'NOT_MODIFIED' });
  // A browser tells no more of a redirect than that it was one.
  if ((status >= 300 && status < 400) || response.type === 'opaqueredirect')
    return new SluiceError(redirected(headers.get('location')), { ...details, code: 'UNEXPECTED_RESPONSE' });
  if (!isErrorBody(body)) return new SluiceError(unexpected(response, body), { ...details, code: 'UNEXPECTED_RESPONSE' });
  return new SluiceError(body.message, {
    ...details,
    code: body.code,
    requestId: body.request_id,
    fields: body.errors ?? [],
    docUrl: body.doc_url ?? null,
  });
}

/** Whether a body, parsed, is an error of the API: so a program tells one of a signed address from that of something in front of the gateway. */
export const isErrorBody = (body: unknown): body is Schemas['Error'] =>
  typeof body === 'object' && body !== null && 'code' in body && 'message' in body && 'request_id' in body;

/** Whether whoever follows something waits and asks again. A connection that ends within a stream throws what the runtime makes of it. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof SluiceError) || [0, 429, 502, 503, 504].includes(error.status);

/** Whether it is a page, as of a proxy: no file of the API is one. */
export const isPage = ({ headers }: Response): boolean => /\bhtml\b/.test(headers.get('content-type') ?? '');

/** Without the query, which may be for nobody else. */
const redirected = (location: string | null): string =>
  `The request was sent on to ${location === null ? 'another address' : withoutTokens(location.replace(/[?#].*$/, ''))}, and was not repeated there: it is no address of the API; check \`url\`.`;

/** A signed address opens what it names to everybody: no message has one. */
export const withoutTokens = (text: string): string =>
  text.replaceAll(/(\/v1\/(?:uploads|downloads)\/|\/delta-sharing\/files\/)[^\s/?#"'<>]+/g, '$1…');

function unexpected({ status, headers }: Response, body: unknown): string {
  const type = headers.get('content-type') ?? 'no type';
  const begin = typeof body === 'string' ? `: ${withoutTokens(body.slice(0, 200))}` : '';
  return `Status ${status} with a body of ${type}, which is not a response of the API: check the address${begin}`;
}
