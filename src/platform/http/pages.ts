import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import scalar from '@scalar/fastify-api-reference';
import type { Deps } from '../deps.ts';
import { openApi } from './openapi.ts';
import { readiness } from './readiness.ts';
import type { Route } from './route.ts';
import { registerOtherMethods } from './server.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
const OPEN_PAGES = ['/livez', '/readyz', '/openapi.json', '/docs'];

export const API_VERSION = version;

/** The pages without a key: health, metrics for this machine, the API's description and its reference. */
export async function addPages(app: FastifyInstance, deps: Deps, routes: readonly Route[]): Promise<void> {
  const description = JSON.stringify(openApi(routes, version));
  app.get('/livez', async (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const { ready, checks } = await readiness(deps);
    if (!ready) reply.header('retry-after', '5');
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable', checks });
  });
  app.get('/metrics', async (request, reply) => {
    if (!isOfThisMachine(request)) return reply.callNotFound();
    return reply.header('content-type', deps.metrics.registry.contentType).send(await deps.metrics.registry.metrics());
  });
  app.get('/openapi.json', async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(description),
  );
  registerOtherMethods(
    app,
    OPEN_PAGES.map((path) => ({ path, method: 'GET', access: 'public' })),
  );
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      reply.header(
        'content-security-policy',
        `default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'`,
      );
    });
    await scope.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        showDeveloperTools: 'never',
        pageTitle: 'Sluice API',
      } as never,
    });
  });
}

/** Asked on this machine, and not by way of a proxy that stands here for others. */
function isOfThisMachine(request: FastifyRequest): boolean {
  const passedOn = request.headers['x-forwarded-for'] ?? request.headers.forwarded ?? request.headers.via;
  return passedOn === undefined && ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.ip);
}
