import type { TSchema } from 'typebox';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import type { Deps } from '../deps.ts';
import { CURRENT_VERSION } from './api-version.ts';
import { createKnownPaths, ROUTED_METHODS } from './known-paths.ts';
import { compileLazily } from './lazy-compilers.ts';
import { addHooks, createNoSuchPath, setHeaders } from './hooks.ts';
import type { RouteConfig, HttpOptions } from './options.ts';
import { answerClientError, sendError } from './send-error.ts';
import { pendingReply, replySchema } from './reply-schema.ts';
import { requestId } from './request-id.ts';
import { respond, statusesOf } from './respond.ts';
import type { Route } from './route.ts';
import { parseStrictJson } from './strict-json.ts';

const JSON_LIMIT_BYTES = 1024 * 1024;
const DRAIN_TIMEOUT_MS = 15_000;
const SWEEP_MS = 25;

/** The HTTP layer: every route with its role, limits, validation, envelope and errors. */
export async function buildServer(options: HttpOptions): Promise<FastifyInstance> {
  const app = createFastify(options);
  // Node would refuse it by itself, outside everything that a response has here; a server may pass an expectation over.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorate('knownPaths', createKnownPaths());
  app.decorateRequest('caller', null);
  app.decorateRequest('rate', null);
  app.decorateRequest('position', null);
  app.decorateRequest('apiVersion', CURRENT_VERSION);
  app.decorateRequest('pastOnlyPage', false);
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('bodyTimer', undefined);
  app.decorateRequest('counted', false);
  app.decorateRequest('answered', null);
  app.decorateRequest('caused', null);
  compileLazily(app);
  parseStrictly(app);
  requireAccess(app);
  addHooks(app, options);
  app.addHook('preClose', async () => drain(app, options.deps.log, options.drainTimeoutMs ?? DRAIN_TIMEOUT_MS));
  app.setErrorHandler((error, request, reply) => sendError(options, error, request, reply));
  const noSuchPath = createNoSuchPath(options);
  app.setNotFoundHandler((request, reply) => sendError(options, noSuchPath(request), request, reply));
  const ungated = options.approvalGate ? undefined : options.routes.find((each) => each.approval);
  if (ungated) throw new Error(`${ungated.operation} may need several people, and nothing here asks them`);
  for (const each of options.routes) register(app, options, each);
  registerOtherMethods(app, options.routes);
  return app;
}

function createFastify(options: HttpOptions): FastifyInstance {
  return Fastify({
    logger: false,
    // Of other senders X-Forwarded-For says nothing.
    trustProxy: options.deps.config.trustedProxies.length > 0 ? [...options.deps.config.trustedProxies] : false,
    bodyLimit: JSON_LIMIT_BYTES,
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    connectionTimeout: 0,
    exposeHeadRoutes: true,
    // A request that arrives on an open connection during a stop gets its response before the connection closes.
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
    clientErrorHandler: (error, socket) => answerClientError(options.deps, error, socket),
    // A path that cannot be decoded reaches no hook.
    frameworkErrors: (error, request, reply) => {
      setHeaders(reply, request.id);
      sendError(options, error, request, reply);
    },
    genReqId: (request) => requestId(request.headers['x-request-id']),
  });
}

/** JSON is the only content type that is parsed here; a route with a raw body reads any. */
function parseStrictly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(/^application\/json\s*(?:;|$)/i, { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, parseStrictJson(body));
    } catch (error) {
      done(error as Error);
    }
  });
}

function register(app: FastifyInstance, options: HttpOptions, route: Route): void {
  if (route.bodyKind !== 'raw') return addRoute(app, options, route);
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    addRoute(scope, options, route);
  });
}

function addRoute(scope: FastifyInstance, options: HttpOptions, route: Route): void {
  const raw = route.bodyKind === 'raw';
  scope.route({
    method: route.method,
    url: route.path,
    config: { route },
    bodyLimit: route.bodyLimitBytes ?? JSON_LIMIT_BYTES,
    schema: {
      ...(route.params ? { params: route.params } : {}),
      ...(route.query ? { querystring: route.query } : {}),
      ...(route.body && !raw ? { body: route.bodyOptional ? { anyOf: [route.body, { type: 'null' }] } : route.body } : {}),
      ...(['file', 'stream'].includes(route.replyKind ?? 'data') ? {} : { response: responsesOf(route) }),
    },
    handler: (request, reply) => respond(options, route, request, reply),
  });
}

function responsesOf(route: Route): Record<number, TSchema> {
  const own = Object.fromEntries(statusesOf(route).map((status) => [status, replySchema(route)]));
  return route.approval ? { ...own, 202: pendingReply() } : own;
}

/** Refuses to start a server with a path whose access is not declared. */
function requireAccess(app: FastifyInstance): void {
  const registered: RouteOptions[] = [];
  app.addHook('onRoute', (options) => void registered.push(options));
  app.addHook('onReady', async () => {
    const open = registered.find(({ config }) => !config?.route && !config?.access);
    if (open) throw new Error(`the route ${open.url} does not say who may reach it`);
  });
}

/** All other methods of a known path get 405 with Allow, after the credential and the limit. */
export function registerOtherMethods(
  app: FastifyInstance,
  routes: readonly Pick<Route, 'path' | 'method' | 'access'>[],
  more: Pick<RouteConfig, 'errorBody'> = {},
): void {
  const byPath = new Map<string, Set<string>>();
  for (const { path, method } of routes) byPath.set(path, (byPath.get(path) ?? new Set()).add(method));
  for (const [path, known] of byPath) {
    const allow = [...known, ...(known.has('GET') ? ['HEAD'] : [])].sort();
    const others = ROUTED_METHODS.filter((method) => !allow.includes(method));
    app.knownPaths.add(path, allow);
    const open = routes.some((route) => route.path === path && route.access === 'public');
    const config: RouteConfig = { ...more, allow, access: open ? 'public' : 'key' };
    app.route({ method: others, url: path, exposeHeadRoute: false, config, handler: async () => undefined });
  }
}

/** On stop, requests in flight may end: a connection closes after its response, the others when the timeout is over. */
function drain(app: FastifyInstance, log: Deps['log'], timeoutMs: number): void {
  const { server } = app;
  if (!server.listening) return;
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => {
    server.getConnections((_error, connections) => log.warn({ connections }, 'cut: their requests did not end in time'));
    server.closeAllConnections();
  }, timeoutMs);
  server.once('close', () => {
    clearInterval(sweep);
    clearTimeout(cut);
  });
}
