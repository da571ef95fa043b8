import { randomBytes } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { signInPage } from './features/sessions/pages.ts';
import type { Deps } from './platform/deps.ts';
import { Asset, sendAsset } from './platform/http/assets.ts';
import type { RouteConfig } from './platform/http/options.ts';
import { registerOtherMethods } from './platform/http/server.ts';
import { isSecure, sessionCookieOf } from './platform/http/session-cookie.ts';

const BUILT = fileURLToPath(new URL('../console/dist/', import.meta.url));
const PAGE = '/console';
const INDEX = 'index.html';
const SCREENS = 'screens.json';
const HEAD_END = '</head>';
/** A part of an address that can stand in a page as it is. */
const PLAIN = /^[\w-]*$/;
const PUBLIC: { config: RouteConfig } = { config: { access: 'public' } };
/** Names of built files have a digest of what is in them. */
const FOR_GOOD = 'public, max-age=31536000, immutable';
const NONCE_BYTES = 18;
const NONCE = /%NONCE%/g;
const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};
const NOT_BUILT =
  'The console is not built here. Where the development packages are installed, `npm run build --workspace console` builds it; the API works without it.\n';

/** What the page of a screen fetches besides what every page does; a part of its address that begins with `$` takes any value. */
type Screen = { address: string; files: string[]; reads: string[] };
type Built = { page: string | null; assets: ReadonlyMap<string, Asset>; screens: readonly Screen[] };

/**
 * The console for people: one page whose scripts call the public API in the session of who is signed in. An address below it is a page of the
 * console's own router, unless it names a file.
 */
export function addConsole(app: FastifyInstance, deps: Deps): void {
  const { environment, identityProvider } = deps.config;
  const possible = identityProvider !== null || environment === 'development';
  let built: Built | undefined;
  const send = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    // Read at the first visit, so that a process whose console is not used does not pay for it.
    built ??= readBuilt(BUILT);
    const path = request.url.replace(/\?.*$/s, '');
    const asset = built.assets.get(path);
    if (asset) return await sendAsset(request, reply, asset, FOR_GOOD);
    if (extname(path) !== '') return reply.callNotFound();
    if (sessionCookieOf(request, isSecure(deps)) === undefined)
      return signInPage(reply, { environment, returnTo: request.url, possible });
    return built.page === null
      ? reply.status(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
      : sendPage(reply, built.page.replace(HEAD_END, `${linksOf(built.screens, path)}${HEAD_END}`));
  };
  for (const path of [PAGE, `${PAGE}/*`]) app.get(path, PUBLIC, send);
  registerOtherMethods(
    app,
    [PAGE, `${PAGE}/*`].map((path) => ({ path, method: 'GET', access: 'public' })),
  );
}

/** A nonce per response lets in the styles that the page's own scripts make, and no others. */
function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  return reply
    .header('content-security-policy', policyOf(nonce))
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page.replace(NONCE, nonce));
}

const policyOf = (nonce: string): string =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data: blob:`,
    `connect-src 'self'`,
    `form-action 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');

/** Everything that the build made, by path. Only paths in this table exist, so no path reaches the disk. */
export function readBuilt(folder: string): Built {
  if (!existsSync(`${folder}${INDEX}`)) return { page: null, assets: new Map(), screens: [] };
  const files = globSync('**/*.{css,js,svg}', { cwd: folder });
  const assets = files.map((file) => {
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    return [`${PAGE}/${file}`, new Asset(type, readFileSync(`${folder}${file}`, 'utf8'))] as const;
  });
  const screens: Screen[] = JSON.parse(readFileSync(`${folder}${SCREENS}`, 'utf8'));
  return { page: readFileSync(`${folder}${INDEX}`, 'utf8'), assets: new Map(assets), screens };
}

/** Asks the browser for the files and the first reads of a page's screen at once, which it would find out about when the scripts of every page have run. */
function linksOf(screens: readonly Screen[], path: string): string {
  const parts = path.slice(PAGE.length).replace(/\/$/, '').split('/');
  if (!parts.every((part) => PLAIN.test(part))) return '';
  const fitting = screens.filter(({ address }) => {
    const names = address.replace(/\/$/, '').split('/');
    return names.length === parts.length && names.every((name, place) => name.startsWith('$') || name === parts[place]);
  });
  const screen = fitting.find(({ address }) => !address.includes('$')) ?? fitting[0];
  if (!screen) return '';
  const values = new Map(screen.address.split('/').map((name, place) => [name, parts[place] ?? '']));
  const reads = screen.reads.map((read) => read.replace(/\$\w+/g, (name) => values.get(name) ?? ''));
  return [
    ...reads.map((read) => `<link rel="preload" as="fetch" crossorigin href="${read}">`),
    ...screen.files.map((file) => `<link rel="modulepreload" crossorigin href="${PAGE}/${file}">`),
  ].join('');
}
