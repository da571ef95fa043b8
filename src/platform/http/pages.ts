import type { FastifyInstance } from 'fastify';
import scalar from '@scalar/fastify-api-reference';
import type { Deps } from '../deps.ts';
import { addErrorPages, ERROR_PAGES, errorsPage } from './error-pages.ts';
import type { Json } from './openapi-components.ts';
import type { RouteConfig } from './options.ts';
import { readiness } from './readiness.ts';
import { registerOtherMethods } from './server.ts';

const PUBLIC: { config: RouteConfig } = { config: { access: 'public' } };
const OPEN_PAGES = ['/', '/livez', '/readyz', '/openapi.json'];

/** The public pages: health, the API's description and, unless it is switched off, its reference with the page of the error codes. */
export async function addPages(app: FastifyInstance, deps: Deps, describe: () => Json): Promise<void> {
  // Built at the first request, because it takes longer than the rest of a start.
  let description: string | undefined;
  app.get('/', PUBLIC, async (_request, reply) => reply.send(placesOf(deps)));
  app.get('/livez', PUBLIC, async (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', PUBLIC, async (_request, reply) => {
    const { ready, checks } = await readiness(deps);
    if (!ready) reply.header('retry-after', '5');
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable', checks });
  });
  app.get('/openapi.json', PUBLIC, async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send((description ??= JSON.stringify(describe()))),
  );
  registerOtherMethods(
    app,
    [...OPEN_PAGES, ...(deps.config.pages.docs ? ['/docs', ...ERROR_PAGES] : [])].map((path) => ({
      path,
      method: 'GET',
      access: 'public',
    })),
  );
  if (!deps.config.pages.docs) return;
  addErrorPages(app);
  await addReference(app);
}

/** Where things are; null for what is switched off. */
function placesOf(deps: Deps): Record<string, string | null> {
  const base = deps.publicUrl();
  const { docs, console } = deps.config.pages;
  return {
    service: 'Sluice',
    api: `${base}/v1`,
    description: `${base}/openapi.json`,
    reference: docs ? `${base}/docs` : null,
    errors: errorsPage(deps),
    mcp: `${base}/mcp`,
    console: console ? `${base}/console` : null,
    live: `${base}/livez`,
    ready: `${base}/readyz`,
  };
}

async function addReference(app: FastifyInstance): Promise<void> {
  await app.register(async (scope) => {
    // The reference package adds its own routes.
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' };
    });
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
      },
    });
  });
}
