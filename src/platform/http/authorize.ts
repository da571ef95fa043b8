import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';
import { routeConfigOf, type HttpOptions } from './options.ts';
import type { Consumed } from './rate-limit.ts';
import type { Access, Caller } from './route.ts';
import { isUnderV1 } from './target.ts';

/** Who may call the matched route. Without a match, only holders of a key learn that a path under `/v1` does not exist. */
export const accessOf = (request: FastifyRequest): Access => {
  const { route, access } = routeConfigOf(request);
  return route?.access ?? access ?? (request.is404 && !isUnderV1(request.url) ? 'public' : 'key');
};

/** Checks the credential, then the limit, then the role, before anything else of the request is read. */
export async function authorize(
  options: HttpOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  access: Access,
): Promise<void> {
  if (access === 'public') return;
  const { deps } = options;
  const caller = await options.authenticate(request.headers.authorization);
  if (typeof caller === 'string') {
    const consumed = await deps.rateLimiter.consume(`address:${request.ip}`, deps.config.rateLimit);
    if (!consumed.allowed) throw rateLimited(consumed, reply);
    throw new ApiError(caller, undefined, { headers: { 'www-authenticate': 'Bearer' } });
  }
  request.caller = caller;
  const consumed = await deps.rateLimiter.consume(caller.key_id, deps.config.rateLimit);
  request.rate = consumed;
  if (!consumed.allowed) {
    deps.metrics.rateLimited.inc();
    throw rateLimited(consumed, reply);
  }
  setLimitHeaders(consumed, reply);
  if (routeConfigOf(request).route && !mayReach(caller.role, access)) throw new ApiError('ROLE_FORBIDDEN');
}

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

export function mayReach(role: Caller['role'], access: Access): boolean {
  if (access === 'key' || access === 'public') return true;
  if (access === 'operator') return role === 'operator';
  if (role === 'operator') return false;
  return access === 'customer' || role === 'both' || role === access;
}
