import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import type { Deps } from '../deps.ts';
import { accessOf, admit } from './admit.ts';
import { answer, statusesOf } from './answer.ts';
import { boundRest, declaresBody, paceBody } from './body-pace.ts';
import { ApiError } from './errors.ts';
import { cutSlowBody, prepareInput } from './input.ts';
import { createLoadShedder } from './load-shedder.ts';
import { type Held, heldBy, type ServerOptions } from './options.ts';
import { clientErrorHandler, sendError } from './refuse.ts';
import { replySchema } from './reply-schema.ts';
import type { Route } from './route.ts';
import { FORMATS } from './schemas.ts';
import { parseStrictJson } from './strict-json.ts';
import { checkCharset, checkTarget } from './target.ts';

const JSON_LIMIT_BYTES = 1024 * 1024;
const DRAIN_TIMEOUT_MS = 15_000;
const SWEEP_MS = 25;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The HTTP layer: every route with its role, limits, validation, envelope and errors. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { deps } = options;
  const app = Fastify({
    logger: false,
    bodyLimit: JSON_LIMIT_BYTES,
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    connectionTimeout: 0,
    exposeHeadRoutes: true,
    // What still arrives on an open connection during a stop is answered as ever, and its connection ends with it.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 2_048 },
    http: {
      maxHeaderSize: 16_384,
      headersTimeout: 15_000,
      requestTimeout: 0,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: false,
    },
    clientErrorHandler,
    // A path that cannot be decoded meets no hook.
    frameworkErrors: (error, request, reply) => {
      setHeaders(reply, request.id);
      sendError(options, error, request, reply);
    },
    genReqId: (request) => requestId(request.headers['x-request-id']),
    // The serialiser judges alternatives by schemas of its own, which know the same formats.
    serializerOpts: { ajv: { formats: FORMATS } } as never,
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: true,
        allErrors: true,
        formats: FORMATS,
        strict: false,
      },
    },
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('rate', null);
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('bodyTimer', undefined);
  app.decorateRequest('counted', false);
  const load = createLoadShedder(options.load);
  const countLoad = (request: FastifyRequest): void => {
    if (request.counted || !isShed(request)) return;
    if (!load.enter()) throw overloaded(deps);
    request.counted = true;
  };
  const uncount = (request: FastifyRequest, answered: boolean): void => {
    if (request.counted) load.leave(answered);
    request.counted = false;
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/json\s*(?:;|$)/i, { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, parseStrictJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  requireAccess(app);
  app.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now();
    setHeaders(reply, request.id);
    checkTarget(request);
    countLoad(request);
    await admit(options, request, reply, accessOf(request));
    const held = heldBy(request);
    if (held.allow) throw methodNotAllowed(held.allow);
    if (!held.route && request.is404) throw new ApiError('NOT_FOUND', 'There is no such path.');
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    const { route } = heldBy(request);
    if (route?.bodyKind === 'raw') return paceBody(request.raw, options.bodyPace);
    if (route) checkCharset(route, request);
    if (!declaresBody(request)) return payload;
    request.bodyTimer = cutSlowBody(options, request, reply);
    // How long a body takes to arrive is the client's doing: it says nothing of what the process can answer.
    uncount(request, false);
    return payload;
  });
  app.addHook('preValidation', async (request) => {
    clearTimeout(request.bodyTimer);
    countLoad(request);
    const { route } = heldBy(request);
    if (route) prepareInput(route, request);
  });
  // Work ends when its answer is made, whether the client has left meanwhile, reads it at leisure or never.
  app.addHook('onSend', async (request, _reply, payload) => {
    uncount(request, true);
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    boundRest(request);
    record(deps, request, reply);
  });
  app.addHook('preClose', async () => drain(app, options.drainTimeoutMs ?? DRAIN_TIMEOUT_MS));
  app.setErrorHandler((error, request, reply) => sendError(options, error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendError(options, new ApiError('NOT_FOUND', 'There is no such path.'), request, reply),
  );
  for (const each of options.routes) register(app, options, each);
  registerOtherMethods(app, options.routes);
  return app;
}

function register(app: FastifyInstance, options: ServerOptions, route: Route): void {
  const raw = route.bodyKind === 'raw';
  void app.register(async (scope) => {
    if (raw) {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    }
    scope.route({
      method: route.method,
      url: route.path,
      config: { route } as never,
      bodyLimit: route.bodyLimitBytes ?? JSON_LIMIT_BYTES,
      schema: {
        ...(route.params ? { params: route.params } : {}),
        ...(route.query ? { querystring: route.query } : {}),
        ...(route.body && !raw ? { body: route.bodyOptional ? { anyOf: [route.body, { type: 'null' }] } : route.body } : {}),
        ...(['file', 'stream'].includes(route.replyKind ?? 'data')
          ? {}
          : { response: Object.fromEntries(statusesOf(route).map((status) => [status, replySchema(route)])) }),
      },
      handler: (request, reply) => answer(options, route, request, reply),
    });
  });
}

/** A server with a path whose access is not declared does not start: whoever adds one says who may reach it. */
function requireAccess(app: FastifyInstance): void {
  const registered: RouteOptions[] = [];
  app.addHook('onRoute', (options) => void registered.push(options));
  app.addHook('onReady', async () => {
    const open = registered.find(({ config }: { config?: Held }) => !config?.route && !config?.access);
    if (open) throw new Error(`the route ${open.url} does not say who may reach it`);
  });
}

/** Every known path answers its other methods with 405 and Allow, after the credential and the limit. */
export function registerOtherMethods(app: FastifyInstance, routes: readonly Pick<Route, 'path' | 'method' | 'access'>[]): void {
  const byPath = new Map<string, Set<string>>();
  for (const { path, method } of routes) byPath.set(path, (byPath.get(path) ?? new Set()).add(method));
  for (const [path, known] of byPath) {
    const allow = [...known, ...(known.has('GET') ? ['HEAD'] : [])].sort();
    const others = [...METHODS, 'OPTIONS', ...(known.has('GET') ? [] : ['HEAD'])].filter((method) => !known.has(method));
    const open = routes.some((route) => route.path === path && route.access === 'public');
    const config: Held = { allow, access: open ? 'public' : 'key' };
    app.route({ method: others, url: path, exposeHeadRoute: false, config: config as never, handler: async () => undefined });
  }
}

/** Pages without a key are answered at any load; how long a stream or a body of its own pace takes is the client's doing. */
function isShed(request: FastifyRequest): boolean {
  const { route } = heldBy(request);
  return accessOf(request) !== 'public' && route?.bodyKind !== 'raw' && route?.replyKind !== 'stream';
}

function overloaded(deps: Deps): ApiError {
  deps.metrics.shed.inc();
  return new ApiError('OVERLOADED', undefined, { headers: { 'retry-after': '1' } });
}

function setHeaders(reply: FastifyReply, id: string): void {
  reply
    .header('x-request-id', id)
    .header('cache-control', 'no-store')
    .header('vary', 'Authorization')
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'no-referrer')
    .header('content-security-policy', `default-src 'none'; frame-ancestors 'none'`);
}

function methodNotAllowed(allow: string[]): ApiError {
  return new ApiError('METHOD_NOT_ALLOWED', undefined, { headers: { allow: allow.join(', ') } });
}

/** A stop lets running requests end: a connection goes when its answer is out, the rest when the time is over. */
function drain(app: FastifyInstance, timeoutMs: number): void {
  const { server } = app;
  if (!server.listening) return;
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
  server.once('close', () => {
    clearInterval(sweep);
    clearTimeout(cut);
  });
}

function record(deps: Deps, request: FastifyRequest, reply: FastifyReply): void {
  const held = heldBy(request);
  const route = held.route?.path ?? request.routeOptions.url ?? 'unknown';
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
  if (!deps.log.isLevelEnabled('info')) return;
  deps.log.info({
    request_id: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    ms: Math.round(seconds * 1000),
    ...(request.caller ? { key_id: request.caller.key_id, organization_id: request.caller.organization_id } : {}),
  });
}

function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\x20-\x7e]{1,128}$/.test(given) ? given : randomUUID();
}
