import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { type Gateway, startGateway } from '../test/support/gateway.ts';

const FOLDER = fileURLToPath(new URL('../console/', import.meta.url));

let gateway: Gateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway[Symbol.asyncDispose]());

const look = (path: string, headers: Record<string, string> = {}) => gateway.app.inject({ method: 'GET', url: path, headers });

test('the console is a page without a key, under a policy that lets nothing in from outside', async () => {
  for (const path of ['/console', '/console/']) {
    const page = await look(path);
    assert.equal(page.statusCode, 200);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    const policy = String(page.headers['content-security-policy']).split('; ');
    for (const part of [
      `default-src 'none'`,
      `script-src 'self'`,
      `style-src 'self'`,
      `connect-src 'self'`,
      `form-action 'none'`,
      `base-uri 'none'`,
      `frame-ancestors 'none'`,
    ])
      assert.ok(policy.includes(part), part);
    assert.equal(page.headers['x-content-type-options'], 'nosniff');
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
    assert.doesNotMatch(page.payload, /<script(?![^>]*\bsrc=)|\son\w+=|<style|\sstyle=|https?:\/\//);
  }
});

test('every source is served as a script without types, every import leads to something that is served', async () => {
  const typesAlone = ['wire/api.ts', 'wire/contents.ts'];
  for (const source of typesAlone) assert.equal((await look(`/console/${source}`)).statusCode, 404, source);
  const sources = globSync('**/*.ts', { cwd: FOLDER, exclude: typesAlone });
  assert.ok(sources.length > 40);
  const wanted = new Set<string>();
  for (const source of sources) {
    const script = await look(`/console/${source}`);
    assert.equal(script.statusCode, 200, source);
    assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.doesNotMatch(script.payload, /^(export )?(type|interface) \w+|import type/m, `${source} still has types`);
    for (const [, to] of script.payload.matchAll(/\bfrom '([^']+)'/g)) {
      wanted.add(new URL(to ?? '', `http://gateway/console/${source}`).pathname);
    }
  }
  for (const path of ['/console/vendor/preact.mjs', '/console/vendor/hooks.mjs', '/console/vendor/htm.mjs']) {
    assert.ok(wanted.has(path), `${path} is used`);
  }
  for (const path of wanted) assert.equal((await look(path)).statusCode, 200, path);
});

test('styles and pictures have their types; what the page names is served', async () => {
  const { payload } = await look('/console');
  const named = [...payload.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map((match) => match[1] ?? '');
  assert.ok(named.some((path) => path.endsWith('.css')) && named.some((path) => path.endsWith('.svg')));
  for (const path of named) assert.equal((await look(path)).statusCode, 200, path);
  assert.equal((await look('/console/style/base.css')).headers['content-type'], 'text/css; charset=utf-8');
  assert.equal((await look('/console/icon.svg')).headers['content-type'], 'image/svg+xml');
});

test('a browser asks again each time and gets 304 while nothing has changed', async () => {
  const first = await look('/console/main.ts');
  assert.equal(first.headers['cache-control'], 'no-cache');
  const again = await look('/console/main.ts?x=1', { 'if-none-match': String(first.headers.etag) });
  assert.deepEqual([again.statusCode, again.payload], [304, '']);
  assert.equal((await look('/console/main.ts', { 'if-none-match': '"other"' })).statusCode, 200);
  assert.equal((await gateway.app.inject({ method: 'HEAD', url: '/console' })).statusCode, 200);
});

test('nothing but the console is reached, whatever the path says', async () => {
  for (const path of [
    '/console/none.ts',
    '/console/tsconfig.json',
    '/console/index.html',
    '/console/../package.json',
    '/console/%2e%2e/package.json',
    '/console/..%2fpackage.json',
    '/console/..%5cpackage.json',
    '/console/vendor/../../package.json',
    '/console/vendor/preact',
    '/console//etc/passwd',
    '/console/lib',
    '/console/__proto__',
    '/console2',
  ]) {
    const refused = await gateway.call('GET', path);
    assert.equal(refused.status, 404, path);
    assert.equal(refused.body.code, 'NOT_FOUND');
    assert.equal(refused.headers['content-type'], 'application/json; charset=utf-8');
    assert.ok(refused.body.request_id);
  }
});
