import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, KEY_REFUSALS } from './errors.ts';
import { visible } from './shown.ts';

/** Every version of the API, the oldest first, with what it changed. */
export const API_VERSIONS = {
  '2026-11-22':
    'The first edition: every 401 has the code `UNAUTHORIZED`, and query parameters that a path does not take are ignored.',
  '2026-12-01':
    'A 401 has the code of its cause, such as `KEY_EXPIRED`, and a query parameter that a path does not take is 400 `UNKNOWN_PARAMETER`.',
} as const;
export type ApiVersion = keyof typeof API_VERSIONS;

/** That of new keys, and of requests without a key. */
export const CURRENT_VERSION: ApiVersion = '2026-12-01';

const HEADER = 'sluice-version';
const isVersion = (text: string): text is ApiVersion => Object.hasOwn(API_VERSIONS, text);

/** The version that a request names: undefined where it names none, null for one that there is not. */
export function askedVersion({ headers }: FastifyRequest): ApiVersion | null | undefined {
  const asked = headers[HEADER]?.toString();
  return asked === undefined || isVersion(asked) ? asked : null;
}

/** 400 for a version that there is not. */
export function checkVersion(request: FastifyRequest): void {
  if (askedVersion(request) !== null) return;
  const asked = String(request.headers[HEADER]);
  const versions = Object.keys(API_VERSIONS);
  throw new ApiError(
    'UNKNOWN_VERSION',
    `Sluice-Version: ${visible(asked.slice(0, 100).toWellFormed())} is not a version of the API. There are ${versions.join(' and ')}; without the header a key gets the version of its first call.`,
    { extra: { versions } },
  );
}

/** A version as a key remembers it. A version that only a later release knows is answered as the current one. */
export const rememberedVersion = (stored: string | null): ApiVersion | null =>
  stored === null ? null : isVersion(stored) ? stored : CURRENT_VERSION;

export const showVersion = (request: FastifyRequest, reply: FastifyReply): void => void reply.header(HEADER, request.apiVersion);

/** An error as a version of the API tells it. */
export function inVersion(error: ApiError, version: ApiVersion): ApiError {
  if (version !== '2026-11-22' || !KEY_REFUSALS.some((code) => code === error.code)) return error;
  return new ApiError('UNAUTHORIZED', error.message, { extra: error.extra, headers: error.headers });
}

/** Whether a version ignores query parameters that a path does not take. */
export const ignoresParameters = (version: ApiVersion): boolean => version === '2026-11-22';
