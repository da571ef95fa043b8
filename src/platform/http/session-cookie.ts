import type { FastifyRequest } from 'fastify';
import { parseCookie } from 'cookie';
import type { Deps } from '../deps.ts';

/** Browsers take the first name over https alone, and only from this host. */
const NAMES = { secure: '__Host-sluice_session', plain: 'sluice_session' } as const;

/** Plain http has no secure cookies; Development alone may be served by it. */
export const isSecure = ({ config, publicUrl }: Pick<Deps, 'config' | 'publicUrl'>): boolean =>
  config.environment !== 'development' || publicUrl().startsWith('https:');

export const sessionCookieName = (secure: boolean): string => (secure ? NAMES.secure : NAMES.plain);

/** The value of the session's cookie. */
export function sessionCookieOf(request: Pick<FastifyRequest, 'headers'>, secure: boolean): string | undefined {
  const { cookie } = request.headers;
  return cookie === undefined ? undefined : parseCookie(cookie)[sessionCookieName(secure)];
}
