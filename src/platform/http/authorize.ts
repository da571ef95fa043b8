import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiVersion, askedVersion, CURRENT_VERSION } from './api-version.ts';
import { ApiError } from './errors.ts';
import { isInNets } from '../net/addresses.ts';
import { mayReach } from './may-reach.ts';
import { routeConfigOf, type HttpOptions } from './options.ts';
import { type Consumed, refusedFrom } from './rate-limit.ts';
import type { Route } from './route.ts';
import { type Access, type Caller, type RefusedKey, type RefusedSession, ROLES } from './caller.ts';
import { hasRight, neededRights, personRequired } from './rights.ts';
import type { Right } from './member-rights.ts';
import { isSecure, sessionCookieOf } from './session-cookie.ts';
import { hasScopes, type NeededScopes } from './scopes.ts';
import { isUnderV1 } from './target.ts';
import { templateOf } from './path-template.ts';

/** Who may call the matched route. Without a match, only holders of a key learn that a path under `/v1` does not exist. */
export const accessOf = (request: FastifyRequest): Access => {
  const { route, access } = routeConfigOf(request);
  return route?.access ?? access ?? (request.is404 && !isUnderV1(request.url) ? 'public' : 'key');
};

/** Checks the credential, then the limit, before anything else of the request is read. */
export async function authorize(
  options: HttpOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  access: Access,
): Promise<void> {
  const asked = askedVersion(request);
  request.apiVersion = asked ?? CURRENT_VERSION;
  if (access === 'public') return;
  const { deps } = options;
  const caller = await callerOf(options, request, asked === null ? null : request.apiVersion);
  if ('api_version' in caller) request.apiVersion = asked ?? caller.api_version ?? CURRENT_VERSION;
  if ('refused' in caller) {
    const consumed = await deps.rateLimiter.consume(refusedFrom(request.ip), deps.config.rateLimit);
    if (!consumed.allowed) throw rateLimited(consumed, reply);
    throw new ApiError(caller.refused, caller.message ?? missingKey(request, caller));
  }
  request.caller = caller;
  const { person } = caller;
  const consumed = person
    ? await deps.rateLimiter.consume(`person:${person.identity}`, PERSON_LIMIT)
    : await deps.rateLimiter.consume(caller.actor_id, deps.config.rateLimit);
  request.rate = consumed;
  request.position = consumed.position;
  if (!consumed.allowed) {
    deps.metrics.rateLimited.inc();
    throw rateLimited(consumed, reply);
  }
  setLimitHeaders(consumed, reply);
}

/** Checks what the caller of a path that there is may do: the role, the right and the scopes, then the network that the request comes from. */
export function permit(options: HttpOptions, request: FastifyRequest): void {
  const { caller } = request;
  if (!caller) return;
  const { route } = routeConfigOf(request);
  if (route) checkReach(options, request, route, caller);
  if (caller.networks !== null && !isInNets(request.ip, caller.networks)) throw networkForbidden(request.ip, caller.networks);
}

function checkReach(options: HttpOptions, request: FastifyRequest, route: Route, { role, person, scopes }: Caller): void {
  if (person) checkCsrf(request, person.csrf);
  if (!mayReach(role, route.access)) throw roleForbidden(route, role);
  const rights = neededRights(route);
  if (route.people && !person) throw personRequired(rights);
  if (person && !hasRight(person.rights, rights)) throw rightRequired(route, person.rights, rights);
  if (scopes === null) return;
  const needed = options.neededScopes?.(route) ?? null;
  if (!hasScopes(scopes, needed)) throw scopeForbidden(route, scopes, needed);
}

/** Requests of one person in 60 seconds. */
const PERSON_LIMIT = 600;

/** The person of the cookie, or else the holder of the key: an Authorization header wins over a cookie. */
async function callerOf(
  options: HttpOptions,
  request: FastifyRequest,
  version: ApiVersion | null,
): Promise<Caller | RefusedKey | RefusedSession> {
  const { authorization } = request.headers;
  if (authorization === undefined && options.authenticatePerson && isUnderV1(request.url)) {
    const cookie = sessionCookieOf(request, isSecure(options.deps));
    if (cookie !== undefined) return await options.authenticatePerson(cookie);
  }
  return await options.authenticate(authorization, version);
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Other sites can make a browser send its cookie; the word of the session only its own pages know. */
export function checkCsrf(request: Pick<FastifyRequest, 'method' | 'headers'>, expected: string): void {
  if (SAFE.has(request.method)) return;
  const sent = request.headers['x-sluice-csrf'];
  if (typeof sent !== 'string') throw new ApiError('CSRF_FAILED');
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  if (!timingSafeEqual(digest(sent), digest(expected)))
    throw new ApiError('CSRF_FAILED', 'X-Sluice-CSRF is not that of this session: read it again with GET /auth/me.');
}

function rightRequired(
  { method, path }: Pick<Route, 'method' | 'path'>,
  rights: readonly Right[],
  needed: readonly Right[],
): ApiError {
  return new ApiError(
    'RIGHT_REQUIRED',
    `${method} ${templateOf(path)} needs the right ${alternatives(needed)}, and you have ${rights.join(', ')}: ask an ADMIN of your organization for it.`,
    { extra: { rights, needed } },
  );
}

/** Other places in which newcomers send a key. */
const OTHER_HEADERS = ['X-API-Key', 'Api-Key', 'X-Auth-Token', 'X-Access-Token', 'Token', 'Proxy-Authorization'];
const OTHER_PARAMETERS = /[?&](api_?key|key|token|access_token|authorization)=/i;

function missingKey({ headers, raw }: FastifyRequest, { refused }: RefusedKey | RefusedSession): string | undefined {
  if (refused !== 'KEY_MISSING') return undefined;
  const remedy = 'Send it as Authorization: Bearer <API_KEY>.';
  const header = OTHER_HEADERS.find((name) => headers[name.toLowerCase()] !== undefined);
  if (header) return `The request has no Authorization header; the header ${header} is not read. ${remedy}`;
  const parameter = OTHER_PARAMETERS.exec(raw.url ?? '')?.[1];
  if (parameter)
    return `The request has no Authorization header; a key in the query (${parameter}) is not read, and stands in logs on its way: have it revoked. ${remedy}`;
  return 'The request has no Authorization header. Send your API key as Authorization: Bearer <API_KEY>.';
}

function roleForbidden({ method, path, access }: Route, role: Caller['role']): ApiError {
  const needed = ROLES.filter((each) => mayReach(each, access));
  return new ApiError(
    'ROLE_FORBIDDEN',
    `${method} ${templateOf(path)} needs a key with the role ${alternatives(needed)}, and this key has the role ${role}: use another key, or ask the operator for one.`,
    { extra: { role, needed } },
  );
}

function scopeForbidden({ method, path }: Route, scopes: readonly string[], needed: NeededScopes): ApiError {
  const what = needed === null ? 'a key that is not narrowed to scopes' : `a key with the scope ${needed.join(' and ')}`;
  return new ApiError(
    'SCOPE_FORBIDDEN',
    `${method} ${templateOf(path)} needs ${what}, and this key has ${scopes.join(', ')}: use another key, or ask the operator for one.`,
    { extra: { scopes, needed } },
  );
}

const networkForbidden = (address: string, networks: readonly string[]): ApiError =>
  new ApiError(
    'NETWORK_FORBIDDEN',
    `This key works from ${networks.join(', ')}, and the request comes from ${address}: send it from there, or ask the operator for a key without that bound.`,
    { extra: { address, networks } },
  );

const alternatives = (names: readonly string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** What is left of a limit, in the response. */
export function setLimitHeaders(consumed: Consumed, reply: FastifyReply): void {
  reply
    .header('x-ratelimit-limit', consumed.limit)
    .header('x-ratelimit-remaining', consumed.remaining)
    .header('x-ratelimit-reset', consumed.reset);
}

export function rateLimited(consumed: Consumed, reply: FastifyReply): ApiError {
  setLimitHeaders(consumed, reply);
  return new ApiError('RATE_LIMITED', undefined, { headers: { 'retry-after': String(Math.max(1, consumed.reset)) } });
}
