import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { routeConfigOf } from './options.ts';
import { pathOf } from './request-logger.ts';
import { isUnderV1 } from './target.ts';

/** Records a completed request in the metrics, the trace and the log. */
export function observe(deps: Deps, request: FastifyRequest, reply: FastifyReply): void {
  const route = routeConfigOf(request).route?.path ?? request.routeOptions.url ?? 'unknown';
  const seconds = (performance.now() - request.startedAt) / 1000;
  deps.metrics.requests.observe({ method: request.method, route, status: reply.statusCode }, seconds);
  deps.tracing.record({
    name: `${request.method} ${route}`,
    kind: 'SERVER',
    startedAt: request.startedAt,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': reply.statusCode,
      'sluice.request_id': request.id,
      ...(request.caller ? { 'sluice.organization_id': request.caller.organization_id } : {}),
    },
    failed: reply.statusCode >= 500,
    headers: request.headers,
  });
  const { answered } = request;
  const ms = Math.round(seconds * 1000);
  if (deps.watch && isUnderV1(request.url))
    deps.watch.request({
      method: request.method,
      path: pathOf(request, routeConfigOf(request).route),
      status: reply.statusCode,
      ms,
      code: answered && 'error' in answered ? answered.error.code : null,
      request_id: request.id,
      user_agent: request.headers['user-agent'],
    });
  if (!deps.log.isLevelEnabled('info')) return;
  deps.log.info({
    request_id: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    ms,
    ...(request.caller ? { actor_id: request.caller.actor_id, organization_id: request.caller.organization_id } : {}),
  });
}
