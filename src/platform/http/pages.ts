import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { sendAsset } from './assets.ts';
import { DATA_PATHS, Documentation } from './docs/documentation.ts';
import { VERIFIER_PATH } from './docs/guides.ts';
import { DOCS_POLICY, isForGood } from './docs/shell.ts';
import { addErrorPages, ERROR_PAGES, errorsPage } from './error-pages.ts';
import type { Json } from './openapi-components.ts';
import type { RouteConfig } from './options.ts';
import { readiness } from './readiness.ts';
import { registerOtherMethods } from './server.ts';

const PUBLIC: { config: RouteConfig } = { config: { access: 'public' } };
const OPEN_PAGES = ['/', '/livez', '/readyz', ...DATA_PATHS];
const DOC_PAGES = ['/docs', '/docs/', '/docs/reference/:chapter', '/docs/guide/:guide', '/docs/assets/:file', VERIFIER_PATH];
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** The public pages: health, the API's description and, unless they are switched off, its reference, the guides and the error codes. */
export async function addPages(app: FastifyInstance, deps: Deps, describe: () => Json): Promise<void> {
  const { docs } = deps.config.pages;
  app.get('/', PUBLIC, async (_request, reply) => reply.send(placesOf(deps)));
  app.get('/livez', PUBLIC, async (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', PUBLIC, async (_request, reply) => {
    const { ready, checks } = await readiness(deps);
    if (!ready) reply.header('retry-after', '5');
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable', checks });
  });
  addDocumentation(app, new Documentation({ describe, publicUrl: () => deps.publicUrl(), docs }), docs);
  registerOtherMethods(
    app,
    [...OPEN_PAGES, ...(docs ? [...DOC_PAGES, ...ERROR_PAGES] : [])].map((path) => ({ path, method: 'GET', access: 'public' })),
  );
  if (docs) addErrorPages(app);
}

function addDocumentation(app: FastifyInstance, documentation: Documentation, docs: boolean): void {
  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const path = request.url.replace(/\?.*$/s, '').replace(/^\/docs\/$/, '/docs');
    const asset = documentation.at(path);
    if (!asset) return reply.callNotFound();
    if (path.startsWith('/docs')) reply.header('content-security-policy', DOCS_POLICY);
    return sendAsset(request, reply, asset, isForGood(path) ? FOR_GOOD : 'no-cache');
  };
  for (const path of [...DATA_PATHS, ...(docs ? DOC_PAGES : [])]) app.get(path, PUBLIC, send);
}

/** Where things are; null for what is switched off. */
function placesOf(deps: Deps): Record<string, string | null> {
  const base = deps.publicUrl();
  const { docs, console } = deps.config.pages;
  return {
    service: 'Sluice',
    api: `${base}/v1`,
    description: `${base}/openapi.json`,
    description_yaml: `${base}/openapi.yaml`,
    postman: `${base}/postman.json`,
    llms: `${base}/llms.txt`,
    changelog: `${base}/changelog.json`,
    reference: docs ? `${base}/docs` : null,
    guides: docs ? `${base}/docs/guide/originator` : null,
    errors: errorsPage(deps),
    mcp: `${base}/mcp`,
    console: console ? `${base}/console` : null,
    live: `${base}/livez`,
    ready: `${base}/readyz`,
  };
}
