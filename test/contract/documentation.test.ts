import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { ROUTES } from '../../src/app.ts';
import { parseChangelog } from '../../src/platform/http/docs/changelog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

/** What a build makes. */
const BUILT = /^(console|sdk)\/dist|^(sdk\/)?src\/generated/;
const ROOT = new URL('../../', import.meta.url);
const files = globSync(['docs/guide/*.md', 'docs/operating*.md', 'docs/scaling.md'], { cwd: ROOT });
const guides = files.map((file) => basename(file, '.md'));

const textOf = async (gateway: Gateway, path: string): Promise<string> => {
  const { status, text } = await gateway.call('GET', path);
  assert.equal(status, 200, path);
  return text;
};

test('the description is the same as JSON and as YAML', async () => {
  await using gateway = await startGateway();
  const [json, yaml] = await Promise.all(['/openapi.json', '/openapi.yaml'].map((path) => textOf(gateway, path)));
  assert.deepEqual(parse(yaml ?? ''), JSON.parse(json ?? ''));
});

test('every link of the pages leads to a page, and to a part that is there', async () => {
  await using gateway = await startGateway({ SLUICE_PUBLIC_URL: 'https://sluice.example' });
  const seen = new Map<string, string>();
  const links: { from: string; to: string }[] = [];
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    const text = await textOf(gateway, path);
    seen.set(path, text);
    if (!text.startsWith('<!doctype html>')) continue;
    for (const [, href = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      if (/^https?:/.test(href)) continue;
      const [to = '', part]: string[] = href.startsWith('#') ? [path, href.slice(1)] : href.split('#');
      assert.ok(to.startsWith('/'), `${path} links to ${href}`);
      waiting.push(to);
      if (part) links.push({ from: path, to: `${to}#${part}` });
    }
  }
  const parts = new Map([...seen].map(([path, text]) => [path, new Set(text.match(/(?<= id=")[^"]+/g))]));
  const broken = links.filter(({ to }) => {
    const [path = '', part = ''] = to.split('#');
    return !parts.get(path)?.has(part);
  });
  assert.deepEqual(broken, []);
  for (const guide of guides) assert.ok(seen.has(`/docs/guide/${guide}`), guide);
  for (const { operation } of ROUTES)
    assert.ok(
      [...parts.values()].some((ids) => ids.has(operation)),
      operation,
    );
});

test('no page of the reference has a script or a style of its own, and its policy permits none', async () => {
  await using gateway = await startGateway();
  for (const path of ['/docs', '/docs/reference/pools', '/docs/reference/webhook-messages', '/docs/guide/webhooks']) {
    const { text, headers } = await gateway.call('GET', path);
    assert.doesNotMatch(text, /<script(?! src="\/docs\/assets\/)|<style|\sstyle=|href="javascript:/, path);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'.*script-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    const assets = text.match(/\/docs\/assets\/[\w.]+/g) ?? [];
    assert.equal(assets.length, 2);
    for (const asset of assets) {
      const served = await gateway.call('GET', asset);
      assert.deepEqual([served.status, served.headers['cache-control']], [200, 'public, max-age=31536000, immutable'], asset);
    }
  }
  for (const path of ['/docs/assets/other.js', '/docs/reference/none', '/docs/guide/..%2f..%2fREADME', '/docs/guide/none.md'])
    assert.equal((await gateway.call('GET', path)).status, 404, path);
});

test('each guide is served as it is written, and as a page', async () => {
  await using gateway = await startGateway();
  for (const file of files) {
    const guide = basename(file, '.md');
    const written = readFileSync(new URL(file, ROOT), 'utf8');
    const { text, headers } = await gateway.call('GET', `/docs/guide/${guide}.md`);
    assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
    assert.equal(text, written);
    const page = await textOf(gateway, `/docs/guide/${guide}`);
    assert.ok(page.includes(`rel="alternate" type="text/markdown" href="/docs/guide/${guide}.md"`));
  }
});

test('llms.txt names the descriptions, each guide and each chapter, at addresses that respond', async () => {
  const settings = { SLUICE_PUBLIC_URL: 'https://sluice.example' };
  await using gateway = await startGateway(settings);
  const text = await textOf(gateway, '/llms.txt');
  assert.match(text, /^# .+\n\n> .+/);
  const addresses = [...text.matchAll(/\]\(https:\/\/sluice\.example([^)]+)\)/g)].map(([, path]) => path ?? '');
  for (const path of addresses) await textOf(gateway, path);
  for (const guide of guides) assert.ok(addresses.includes(`/docs/guide/${guide}.md`), guide);
  for (const tag of new Set(ROUTES.map((route) => route.tag))) assert.ok(text.includes(tag), tag);
  await using bare = await startGateway({ ...settings, SLUICE_DOCS: 'off' });
  assert.doesNotMatch(await textOf(bare, '/llms.txt'), /\/docs/);
});

test('the changelog as data has every release, section and line of the file', async () => {
  await using gateway = await startGateway();
  const { releases } = JSON.parse(await textOf(gateway, '/changelog.json')) as { releases: ReturnType<typeof parseChangelog> };
  const written = readFileSync(new URL('CHANGELOG.md', ROOT), 'utf8');
  const count = (pattern: RegExp): number => written.match(pattern)?.length ?? 0;
  const sections = releases.flatMap((release) => release.sections);
  const lines = sections.flatMap((section) => section.lines);
  assert.deepEqual([releases.length, sections.length, lines.length], [count(/^## /gm), count(/^### /gm), count(/^- /gm)]);
  const words = (text: string): number => text.split(/\s+/).filter((word) => !['', '-', '#', '##', '###'].includes(word)).length;
  const kept = [...releases.map(({ version }) => version), ...sections.map(({ title }) => title), ...lines].join(' ');
  assert.equal(words(kept), words(written.replace('# Changelog', '')));
  assert.throws(() => parseChangelog('## 1\n### The API\nwithout a list'), /belongs to no entry: without a list/);
});

test('the Postman collection has each operation once, under its tag, with the body of its example', async () => {
  await using gateway = await startGateway({ SLUICE_PUBLIC_URL: 'https://sluice.example' });
  type Request = { method: string; url: { path: string[]; variable: { value: string }[] }; body?: { mode: string; raw: string } };
  const collection = JSON.parse(await textOf(gateway, '/postman.json')) as {
    info: { schema: string };
    auth: unknown;
    variable: { key: string; value: string }[];
    item: { name: string; item: { name: string; request: Request }[] }[];
  };
  assert.match(collection.info.schema, /v2\.1\.0/);
  assert.deepEqual(collection.auth, { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] });
  assert.equal(collection.variable.find(({ key }) => key === 'base')?.value, 'https://sluice.example');
  const requests = collection.item.flatMap((folder) => folder.item.map((each) => ({ ...each, folder: folder.name })));
  const found = requests.map(
    ({ name, folder, request }) => `${folder}: ${name} ${request.method} /${request.url.path.join('/')}`,
  );
  const expected = ROUTES.map(({ tag, operation, method, path }) => `${tag}: ${operation} ${method} ${path}`);
  assert.deepEqual(found.toSorted(), expected.toSorted());
  for (const { name, request } of requests) {
    for (const { value } of request.url.variable) assert.ok(value, name);
    const route = ROUTES.find(({ operation }) => operation === name);
    assert.equal(request.body?.mode, route?.body ? (route.bodyKind === 'raw' ? 'file' : 'raw') : undefined, name);
    if (request.body?.mode === 'raw') JSON.parse(request.body.raw);
  }
});

test('every page names only files and migrations that are there, and links to no other', () => {
  const pages = globSync(['*.md', 'sdk/*.md', 'docs/**/*.md'], { cwd: ROOT }).filter((page) => page !== 'CHANGELOG.md');
  const missing = pages.flatMap((page) => {
    const text = readFileSync(new URL(page, ROOT), 'utf8');
    const linked = [...text.matchAll(/\]\((?!https?:|\/)([^)#\s]+)/g)].map(([, path = '']) => new URL(path, new URL(page, ROOT)));
    const named = [...text.matchAll(/`((?:src|test|docs|sdk|bench|db|deploy|console)\/[\w./-]*)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !BUILT.test(path));
    const migrations = [...text.matchAll(/`(0\d{3}_\w+)(?:\.sql)?`/g)].map(([, name = '']) => `db/migrations/${name}.sql`);
    return [...linked, ...[...named, ...migrations].map((path) => new URL(path, ROOT))]
      .filter((url) => !existsSync(url))
      .map((url) => `${page}: ${url.pathname}`);
  });
  assert.deepEqual(missing, []);
});

test('each runtime dependency has its reason', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { dependencies: object };
  const reasons = readFileSync(new URL('docs/decisions/0001-runtime-dependencies.md', ROOT), 'utf8');
  assert.deepEqual(
    Object.keys(dependencies).filter((name) => !reasons.includes(name.replace(/^@opentelemetry\/.*/, '@opentelemetry/*'))),
    [],
  );
});
