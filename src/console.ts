import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RouteConfig } from './platform/http/options.ts';

const FOLDER = fileURLToPath(new URL('../console/', import.meta.url));
const PAGE = '/console';
const PUBLIC: { config: RouteConfig } = { config: { access: 'public' } };
const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ');
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
};
/** Files that hold only types. */
const TYPES_ALONE = ['wire/api.ts', 'wire/contents.ts'];
/** Packages for the browser, by the names under which the sources import them. */
const VENDOR: Record<string, string> = {
  htm: `${PAGE}/vendor/htm.mjs`,
  preact: `${PAGE}/vendor/preact.mjs`,
  'preact/hooks': `${PAGE}/vendor/hooks.mjs`,
};

export type Asset = { body: string; type: string; etag: string };

/** The web console: a page without a key at `/console`. Its scripts call the public API with the key of the user. */
export function addConsole(app: FastifyInstance): void {
  let assets: Map<string, Asset> | undefined;
  const send = (request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply | void => {
    // Built at the first visit, so that a process whose console is not used does not pay for it.
    assets ??= readAssets();
    const asset = assets.get(path);
    if (!asset) return reply.callNotFound();
    reply
      .header('content-security-policy', POLICY)
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cache-control', 'no-cache')
      .header('etag', asset.etag);
    if (request.headers['if-none-match'] === asset.etag) return reply.status(304).send();
    return reply.header('content-type', asset.type).send(asset.body);
  };
  app.get(PAGE, PUBLIC, async (request, reply) => send(request, reply, PAGE));
  app.get(`${PAGE}/*`, PUBLIC, async (request, reply) => send(request, reply, request.url.replace(/\?.*$/s, '')));
}

/** Everything that the browser may request, by path. Only paths in this table exist, so no path reaches the disk. */
export function readAssets(): Map<string, Asset> {
  const files = globSync('**/*.{css,svg,ts}', { cwd: FOLDER, exclude: TYPES_ALONE }).sort();
  const scripts = files.filter((file) => file.endsWith('.ts')).map((file) => `${PAGE}/${file}`);
  const page = withPreloads(readFileSync(`${FOLDER}index.html`, 'utf8'), [...scripts, ...Object.values(VENDOR)]);
  const own = files.map((file) => [`${PAGE}/${file}`, toAsset(file, readFileSync(`${FOLDER}${file}`, 'utf8'))] as const);
  const vendor = Object.entries(VENDOR).map(([name, path]) => {
    const source = readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8');
    return [path, toAsset(path, source.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))] as const;
  });
  return new Map([[PAGE, toAsset('index.html', page)], [`${PAGE}/`, toAsset('index.html', page)], ...own, ...vendor]);
}

function toAsset(path: string, source: string): Asset {
  const extension = extname(path);
  const script = extension === '.ts' ? stripTypeScriptTypes(source) : source;
  const body = ['.ts', '.mjs'].includes(extension) ? withPaths(script) : script;
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  return { body, type: TYPES[extension] ?? 'application/octet-stream', etag };
}

/**
 * Browsers do not resolve package names, so the imports are rewritten to paths. An import map would be an inline script, which the policy
 * forbids.
 */
function withPaths(script: string): string {
  return script.replace(/\b(from|import)(\s*)(['"])([\w/]+)\3/g, (whole, word, blank, quote, name) =>
    VENDOR[name] ? `${word}${blank}${quote}${VENDOR[name]}${quote}` : whole,
  );
}

function withPreloads(page: string, scripts: readonly string[]): string {
  return page.replace('</head>', `${scripts.map((path) => `  <link rel="modulepreload" href="${path}">\n`).join('')}</head>`);
}
