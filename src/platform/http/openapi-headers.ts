import type { Json } from './openapi-components.ts';
import { takesKey } from './idempotency.ts';
import type { Route } from './route.ts';

const text = (description: string): Json => ({ description, schema: { type: 'string' } });
const count = (description: string): Json => ({ description, schema: { type: 'integer' } });

/** The headers of responses, each once among the components. */
export const RESPONSE_HEADERS = {
  ETag: text('Strong tag of the stored record; figures that are counted from other records do not alter it.'),
  'X-Request-Id': text('The id of the request: yours, or a new one.'),
  'x-ratelimit-limit': count('Requests allowed per window.'),
  'x-ratelimit-remaining': count('Requests left in this window.'),
  'x-ratelimit-reset': count('Seconds until the window ends.'),
  'Sluice-Version': text('The version of the API of this response.'),
  'Idempotency-Replayed': text('`true`: the stored response to the first request with this Idempotency-Key.'),
  'Content-Disposition': text('Names the file.'),
  'Retry-After': count('Seconds to wait before the request is sent again.'),
  'WWW-Authenticate': text('`Bearer`.'),
  'X-Calculation-Id': text('The calculation of the rows.'),
  'X-Engine-Version': text('The engine that calculated them.'),
  'X-As-Of': text('The date as of which they were calculated.'),
  'X-Tape-Versions': text('The tapes that they were calculated from: `deal=version`, with commas between.'),
} as const;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

const OF_ALL = ['X-Request-Id', 'Sluice-Version'] as const;
const OF_RATE = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;
/** Statuses of which some errors say when to try again. */
const RETRIED = [409, 429, 503];

export const refer = (names: readonly ResponseHeader[]): Record<string, Json> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export function successHeaders(route: Route): Record<string, Json> {
  const sendsFiles = route.replyKind === 'file' || route.fileTypes !== undefined;
  return refer([
    ...(route.record ? (['ETag'] as const) : []),
    ...OF_ALL,
    ...(route.access === 'public' ? [] : OF_RATE),
    ...(takesKey(route) ? (['Idempotency-Replayed'] as const) : []),
    ...(sendsFiles ? (['Content-Disposition'] as const) : []),
    ...(route.replyHeaders ?? []),
  ]);
}

export function errorHeaders(route: Route, status: number): Record<string, Json> {
  return refer([
    ...OF_ALL,
    ...(route.access === 'public' || status === 401 ? [] : OF_RATE),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(RETRIED.includes(status) ? (['Retry-After'] as const) : []),
  ]);
}
