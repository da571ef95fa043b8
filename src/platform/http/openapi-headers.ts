import type { Json } from './openapi-components.ts';
import { takesKey } from './idempotency.ts';
import type { Route } from './route.ts';
import type { ResponseHeader } from './response-headers.ts';

const OF_ALL = ['X-Request-Id', 'Sluice-Version'] as const;
const OF_RATE = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;
/** Statuses of which some errors say when to try again. */
const RETRIED = [409, 429, 503];

export const refer = (names: readonly ResponseHeader[]): Record<string, Json> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export function successHeaders(route: Route, { waits = false } = {}): Record<string, Json> {
  const sendsFiles = route.replyKind === 'file' || route.fileTypes !== undefined;
  return refer([
    // A record that is gone, or of which an act waits for approval, has no version to tell.
    ...(route.record && route.replyKind !== 'message' && !waits ? (['ETag'] as const) : []),
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
