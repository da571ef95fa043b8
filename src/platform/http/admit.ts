import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';
import { heldBy, type ServerOptions } from './options.ts';
import { type Taken, takeFromLimit } from './rate-limit.ts';
import type { Access, Caller } from './route.ts';
import { isUnderV1 } from './target.ts';

/** Who may call the route that was matched. Where none was, a path under `/v1` is unknown to holders of a key only. */
export const accessOf = (request: FastifyRequest): Access => {
  const { route, access } = heldBy(request);
  return route?.access ?? access ?? (request.is404 && !isUnderV1(request.url) ? 'public' : 'key');
};

/** Credential, then limit, then role: nothing of the request is looked at before them. */
export async function admit(options: ServerOptions, request: FastifyRequest, reply: FastifyReply, access: Access): Promise<void> {
  if (access === 'public') return;
  const { deps } = options;
  const caller = await options.authenticate(request.headers.authorization);
  if (!caller) {
    const taken = await takeFromLimit(deps.limits, `address:${request.ip}`, deps.config.rateLimit);
    if (!taken.allowed) throw rateLimited(taken, reply);
    throw new ApiError('UNAUTHORIZED', undefined, { headers: { 'www-authenticate': 'Bearer' } });
  }
  request.caller = caller;
  const taken = await takeFromLimit(deps.limits, caller.key_id, deps.config.rateLimit);
  request.rate = taken;
  if (!taken.allowed) {
    deps.metrics.rateLimited.inc();
    throw rateLimited(taken, reply);
  }
  tellLimit(taken, reply);
  if (heldBy(request).route && !mayReach(caller.role, access)) throw new ApiError('ROLE_FORBIDDEN');
}

function tellLimit(taken: Taken, reply: FastifyReply): void {
  reply
    .header('x-ratelimit-limit', taken.limit)
    .header('x-ratelimit-remaining', taken.remaining)
    .header('x-ratelimit-reset', taken.reset);
}

function rateLimited(taken: Taken, reply: FastifyReply): ApiError {
  tellLimit(taken, reply);
  return new ApiError('RATE_LIMITED', undefined, { headers: { 'retry-after': String(Math.max(1, taken.reset)) } });
}

export function mayReach(role: Caller['role'], access: Access): boolean {
  if (access === 'key' || access === 'public') return true;
  if (access === 'operator') return role === 'operator';
  if (role === 'operator') return false;
  return access === 'customer' || role === 'both' || role === access;
}
