import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { checkVersion, showVersion } from './api-version.ts';
import { accessOf, authorize, permit } from './authorize.ts';
import { boundRest, declaresBody, paceBody } from './body-pace.ts';
import { ApiError } from './errors.ts';
import { cutSlowBody, prepareInput } from './input.ts';
import { createLoadShedder, type LoadShedder } from './load-shedder.ts';
import { observe } from './observe.ts';
import { routeConfigOf, type HttpOptions } from './options.ts';
import { createPathGuide, outsideMessage } from './path-guide.ts';
import { checkEncoding, checkTarget } from './target.ts';
import { templateOf } from './path-template.ts';

/** Everything that happens to a request around its handler, in the order of its life. */
export function addHooks(app: FastifyInstance, options: HttpOptions): void {
  const { deps } = options;
  const load = createLoadShedder(options.load);
  const noSuchPath = createNoSuchPath(options);
  app.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now();
    setHeaders(reply, request.id);
    checkTarget(request);
    count(load, deps, request);
    await authorize(options, request, reply, accessOf(request));
    const { route, allow } = routeConfigOf(request);
    const template = templateOf(request.routeOptions.url ?? '');
    if (hasEmptyPart(request)) throw noSuchPath(request);
    const known = allow ? { template, allow } : request.is404 ? app.knownPaths.find(request) : null;
    if (known) throw methodNotAllowed(request.method, known);
    if (!route && request.is404) throw noSuchPath(request);
    permit(options, request);
    checkVersion(request);
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    const { route } = routeConfigOf(request);
    if (route?.bodyKind === 'raw') return paceBody(request.raw, options.bodyPace);
    if (route) checkEncoding(route, request);
    if (!declaresBody(request)) return payload;
    request.bodyTimer = cutSlowBody(options, request, reply);
    // How long a body takes to arrive depends on the client and says nothing about how fast the process responds.
    uncount(load, request, false);
    return payload;
  });
  app.addHook('preValidation', async (request) => {
    clearTimeout(request.bodyTimer);
    count(load, deps, request);
    const { route } = routeConfigOf(request);
    if (route) prepareInput(route, request, options.spellings);
  });
  // The work is done when the response is made, whether the client has disconnected, reads it slowly or never reads it.
  app.addHook('onSend', async (request, reply, payload) => {
    uncount(load, request, true);
    showVersion(request, reply);
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    boundRest(request);
    observe(deps, request, reply);
    deps.requestLog?.note(request, reply);
  });
}

export function setHeaders(reply: FastifyReply, id: string): void {
  reply
    .header('x-request-id', id)
    .header('cache-control', 'no-store')
    .header('vary', 'Authorization, Sluice-Version')
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'no-referrer')
    .header('content-security-policy', `default-src 'none'; frame-ancestors 'none'`);
}

function count(load: LoadShedder, deps: Deps, request: FastifyRequest): void {
  if (request.counted || !isShed(request)) return;
  if (!load.enter()) throw overloaded(deps);
  request.counted = true;
}

function uncount(load: LoadShedder, request: FastifyRequest, responded: boolean): void {
  if (request.counted) load.leave(responded);
  request.counted = false;
}

/** Public pages are never shed; how long a stream or a paced body takes depends on the client. */
function isShed(request: FastifyRequest): boolean {
  const { route } = routeConfigOf(request);
  return accessOf(request) !== 'public' && route?.bodyKind !== 'raw' && route?.replyKind !== 'stream';
}

function overloaded(deps: Deps): ApiError {
  deps.metrics.shed.inc();
  return new ApiError('OVERLOADED', undefined, { headers: { 'retry-after': '1' } });
}

/** The router takes `/requests/` for `/requests/{requestId}` with an empty id: no record has one, so it is no path. */
const hasEmptyPart = ({ params }: FastifyRequest): boolean =>
  Object.entries((params ?? {}) as Record<string, string>).some(([name, value]) => name !== '*' && value === '');

/** 404 with the nearest path for holders of a key; to others it says what every path of the API begins with. */
export function createNoSuchPath({ routes }: Pick<HttpOptions, 'routes'>): (request: FastifyRequest) => ApiError {
  const guide = createPathGuide(routes);
  return ({ method, url, caller }) => {
    if (!caller) return new ApiError('NOT_FOUND', outsideMessage(url));
    const { message, nearest } = guide(method, url, caller.role);
    return new ApiError('NOT_FOUND', message, { extra: { nearest } });
  };
}

function methodNotAllowed(method: string, { template, allow }: { template: string; allow: readonly string[] }): ApiError {
  const usable = allow.filter((each) => each !== 'HEAD').join(', ');
  const message = `${method} is not a method of ${template}: it takes ${usable}.`;
  return new ApiError('METHOD_NOT_ALLOWED', message, { headers: { allow: allow.join(', ') } });
}
