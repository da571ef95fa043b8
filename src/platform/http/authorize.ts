import type { FastifyReply, FastifyRequest } from 'fastify';
import { askedVersion, CURRENT_VERSION } from './api-version.ts';
import { ApiError, type RefusedKey } from './errors.ts';
import { isInNets } from '../net/addresses.ts';
import { mayReach } from './may-reach.ts';
import { routeConfigOf, type HttpOptions } from './options.ts';
import type { Consumed } from './rate-limit.ts';
import { type Access, type Caller, ROLES, type Route } from './route.ts';
import { hasScopes, type NeededScopes } from './scopes.ts';
import { isUnderV1, templateOf } from './target.ts';

/** Who may call the matched route. Without a match, only holders of a key learn that a path under `/v1` does not exist. */
export const accessOf = (request: FastifyRequest): Access => {
  const { route, access } = routeConfigOf(request);
  return route?.access ?? access ?? (request.is404 && !isUnderV1(request.url) ? 'public' : 'key');
};

/** Checks the credential, then the limit, the network, the role and the scopes, before anything else of the request is read. */
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
  const caller = await options.authenticate(request.headers.authorization, request.apiVersion);
  request.apiVersion = asked ?? caller.api_version ?? CURRENT_VERSION;
  if ('refused' in caller) {
    const consumed = await deps.rateLimiter.consume(`address:${request.ip}`, deps.config.rateLimit);
    if (!consumed.allowed) throw rateLimited(consumed, reply);
    throw new ApiError(caller.refused, caller.message ?? missingKey(request, caller), {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  request.caller = caller;
  const consumed = await deps.rateLimiter.consume(caller.actor_id, deps.config.rateLimit);
  request.rate = consumed;
  if (!consumed.allowed) {
    deps.metrics.rateLimited.inc();
    throw rateLimited(consumed, reply);
  }
  setLimitHeaders(consumed, reply);
  const { route } = routeConfigOf(request);
  if (caller.networks !== null && !isInNets(request.ip, caller.networks)) throw networkForbidden(request.ip, caller.networks);
  if (!route) return;
  if (!mayReach(caller.role, access)) throw roleForbidden(route, caller.role);
  if (caller.scopes === null) return;
  const needed = options.neededScopes?.(route) ?? null;
  if (!hasScopes(caller.scopes, needed)) throw scopeForbidden(route, caller.scopes, needed);
}

/** Other places in which newcomers send a key. */
const OTHER_HEADERS = ['X-API-Key', 'Api-Key', 'X-Auth-Token', 'X-Access-Token', 'Token', 'Proxy-Authorization'];
const OTHER_PARAMETERS = /[?&](api_?key|key|token|access_token|authorization)=/i;

function missingKey({ headers, raw }: FastifyRequest, { refused }: RefusedKey): string | undefined {
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

function setLimitHeaders(consumed: Consumed, reply: FastifyReply): void {
  reply
    .header('x-ratelimit-limit', consumed.limit)
    .header('x-ratelimit-remaining', consumed.remaining)
    .header('x-ratelimit-reset', consumed.reset);
}

function rateLimited(consumed: Consumed, reply: FastifyReply): ApiError {
  setLimitHeaders(consumed, reply);
  return new ApiError('RATE_LIMITED', undefined, { headers: { 'retry-after': String(Math.max(1, consumed.reset)) } });
}
