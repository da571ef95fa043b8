import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, gunzipSync } from 'node:zlib';
import { after, before, test } from 'node:test';
import { type Gateway, startGateway } from '../test/support/gateway.ts';
import { readBuilt } from './console.ts';

let gateway: Gateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway[Symbol.asyncDispose]());

/** A browser with the cookie of a session, whether or not the session has ended. */
const COOKIE = { cookie: 'sluice_session=some' };
const look = (path: string, headers: Record<string, string> = COOKIE) =>
  gateway.app.inject({ method: 'GET', url: path, headers });
const named = (page: string): string[] => [...page.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path]) => path ?? '');

test('every address of the console is its page, whose policy lets in its own files and the styles of one response', async () => {
  const nonces = new Set<string>();
  for (const path of ['/console', '/console/', '/console/deals/deal_x/loans?sort=-state']) {
    const page = await look(path);
    assert.equal(page.statusCode, 200, path);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(page.headers['cache-control'], 'no-store');
    const policy = String(page.headers['content-security-policy']);
    const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    nonces.add(nonce);
    assert.ok(page.payload.includes(`nonce="${nonce}"`));
    for (const part of [
      `default-src 'none'`,
      `script-src 'self'`,
      `connect-src 'self'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
    ])
      assert.ok(policy.split('; ').includes(part), part);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(page.payload, /<script(?![^>]*\bsrc=)|\son\w+=|<style(?! nonce=)|\sstyle=|https?:\/\//);
  }
  assert.equal(nonces.size, 3);
});

test('who has no session gets the door in its place, without a script, which leads back to the address that was asked for', async () => {
  const door = await look('/console/deals?status=DRAFT&q=<b>', {});
  assert.equal(door.statusCode, 200);
  assert.equal(door.headers['cache-control'], 'no-store');
  assert.match(door.payload, /href="\/auth\/login\?return_to=%2Fconsole%2Fdeals%3Fstatus%3DDRAFT%26q%3D%253Cb%253E"/);
  assert.match(door.payload, /<p class="badge development">Development<\/p>/);
  assert.doesNotMatch(door.payload, /<script|\son\w+=|\sstyle=|\ssrc=/);
  const style = /<style>([^]*)<\/style>/.exec(door.payload)?.[1] ?? '';
  const digest = createHash('sha256').update(style).digest('base64');
  assert.ok(String(door.headers['content-security-policy']).includes(`style-src 'sha256-${digest}'`));
});

test('where nobody can sign in the door says who can change that', async () => {
  await using staging = await startGateway({
    SLUICE_ENVIRONMENT: 'staging',
    SLUICE_PUBLIC_URL: 'https://sluice.example',
  });
  const { payload } = await staging.app.inject({ method: 'GET', url: '/console' });
  assert.match(payload, /Staging/);
  assert.match(payload, /SLUICE_OIDC_ISSUER/);
  assert.doesNotMatch(payload, /auth\/login/);
});

test('files are kept for good under the digest in their name, and sent compressed', async () => {
  const files = named((await look('/console')).payload);
  assert.ok(files.length > 2);
  for (const file of files) {
    const plain = await look(file);
    assert.equal(plain.statusCode, 200, file);
    assert.match(file, /-[\w-]{8}\.(js|css|svg)$/);
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    const small = await look(file, { 'accept-encoding': 'gzip' });
    assert.equal(gunzipSync(small.rawPayload).toString(), plain.payload);
    assert.equal((await look(file, { 'if-none-match': String(plain.headers.etag) })).statusCode, 304);
  }
});

test('the first load is at most 200 KB of script', async () => {
  const scripts = named((await look('/console')).payload).filter((file) => file.endsWith('.js'));
  const sizes = await Promise.all(
    scripts.map(async (file) => {
      const { rawPayload } = await look(file);
      return brotliCompressSync(rawPayload, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length;
    }),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes > 50_000 && bytes <= 200_000, `${bytes} bytes`);
});

test('every component of the library that is used has its styles', () => {
  const built = (kind: string): string =>
    globSync(`console/dist/assets/*.${kind}`)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
  const classes = (text: string): Set<string> => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));
  const console = createRequire(join(process.cwd(), 'console/package.json'));
  const whole = classes(readFileSync(console.resolve('@mantine/core/styles.css'), 'utf8'));
  const here = classes(built('css'));
  const used = [...classes(built('js'))].filter((name) => whole.has(name));
  assert.ok(used.length > 100);
  assert.deepEqual(
    used.filter((name) => !here.has(name)),
    [],
  );
});

test('the page of a screen asks for its files and its first reads at once', async () => {
  const addresses = async (path: string): Promise<string[]> =>
    [...(await look(path)).payload.matchAll(/<link rel="(?:modulepreload|preload)"[^>]*href="([^"]+)"/g)].map(
      ([, to]) => to ?? '',
    );
  const everyPage = await addresses('/console/there-is-no-such-page');
  const ofDeal = (await addresses('/console/market/deal_x')).filter((address) => !everyPage.includes(address));
  assert.ok(ofDeal.includes('/v1/api/investor/deals/deal_x'), ofDeal.join());
  const files = ofDeal.filter((address) => address.startsWith('/console/assets/'));
  assert.ok(
    files.some((file) => file.includes('/market-deal-')),
    files.join(),
  );
  for (const file of files) assert.equal((await look(file)).statusCode, 200, file);
  // A page of its own stands before the one that takes any value.
  assert.ok((await addresses('/console/criteria/new')).some((file) => file.includes('/new-criteria-')));
  // What cannot stand in a page as it is does not come into it.
  assert.deepEqual(await addresses('/console/market/%22%3E%3Cb%3E?q="><b>'), everyPage);
});

test('a file that is not there is not found, other methods are refused', async () => {
  for (const path of [
    '/console/assets/none.js',
    '/console/index.html',
    '/console/../package.json',
    '/console/%2e%2e/package.json',
  ])
    assert.equal((await look(path)).statusCode, 404, path);
  const refused = await gateway.app.inject({ method: 'POST', url: '/console/deals' });
  assert.equal(refused.statusCode, 405);
  assert.equal(refused.headers.allow, 'GET, HEAD');
});

test('where nothing is built there is no page and no file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-web-'));
  assert.deepEqual(readBuilt(`${folder}/`), { page: null, assets: new Map(), screens: [] });
  writeFileSync(join(folder, 'index.html'), '<p>x</p>');
  writeFileSync(join(folder, 'screens.json'), '[]');
  assert.equal(readBuilt(`${folder}/`).page, '<p>x</p>');
  rmSync(folder, { recursive: true });
});
