import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { ERROR_GUIDE } from './error-guide.ts';
import { ERRORS } from './errors.ts';

test('the address in an error leads to the entry of its code, on a page that is served', async () => {
  await using gateway = await startGateway({ SLUICE_PUBLIC_URL: 'https://gateway.example' });
  for (const path of ['/v1/api/me', '/nowhere', '/v1/uploads/x']) {
    const { body } = await gateway.call(path.startsWith('/v1/uploads') ? 'PUT' : 'GET', path);
    assert.equal(body.doc_url, `https://gateway.example/docs/errors#${body.code}`);
    const { pathname, hash } = new URL(String(body.doc_url));
    const page = await gateway.call('GET', pathname);
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(`id="${hash.slice(1)}"`), hash);
  }
});

test('without a public address, the address in an error is that on which the gateway listens', async () => {
  await using gateway = await startGateway();
  const { body } = await gateway.call('GET', '/v1/api/me');
  assert.equal(body.doc_url, `${gateway.deps.publicUrl()}/docs/errors#KEY_MISSING`);
});

test('where the reference is switched off, errors point to no page, and there is none', async () => {
  await using gateway = await startGateway({ SLUICE_DOCS: 'off' });
  const { body } = await gateway.call('GET', '/v1/api/me');
  assert.equal(body.code, 'KEY_MISSING');
  assert.ok(!('doc_url' in body));
  for (const path of ['/docs/errors', '/docs/errors.md', '/docs/errors.css'])
    assert.equal((await gateway.call('GET', path)).status, 404, path);
});

test('both forms of the page have every code with its status, when it occurs and what to do', async () => {
  await using gateway = await startGateway();
  const page = await gateway.call('GET', '/docs/errors');
  const markdown = await gateway.call('GET', '/docs/errors.md');
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(String(markdown.headers['content-type']), /^text\/markdown/);
  const text = page.text
    .replace(/<code>|<\/code>/g, '`')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"');
  let status = '';
  const statusOf = new Map<string, string>();
  for (const line of markdown.text.split('\n')) {
    status = /^## (\d{3})/.exec(line)?.[1] ?? status;
    const code = /^### (\w+)/.exec(line)?.[1];
    if (code) statusOf.set(code, status);
  }
  for (const [code, [expected, sentence]] of Object.entries(ERRORS)) {
    const { when, remedy } = ERROR_GUIDE[code as keyof typeof ERRORS];
    assert.equal(statusOf.get(code), String(expected), code);
    for (const words of [sentence, when, remedy]) {
      assert.ok(words.length > 10 && /[.]$/.test(words), `${code}: ${words}`);
      assert.ok(markdown.text.includes(words), `${code}: ${words}`);
      assert.ok(text.includes(words), `${code}: ${words}`);
    }
  }
});

test('the page has neither a script nor a style of its own, and its policy permits none', async () => {
  await using gateway = await startGateway();
  const page = await gateway.call('GET', '/docs/errors');
  assert.doesNotMatch(page.text, /<script|<style|style=|javascript:|\son\w+=/);
  const policy = String(page.headers['content-security-policy']);
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  const [style = ''] = /\/docs\/errors\.css/.exec(page.text) ?? [];
  const served = await gateway.call('GET', style);
  assert.deepEqual([served.status, served.headers['content-type']], [200, 'text/css; charset=utf-8']);
  const posted = await gateway.call('POST', '/docs/errors');
  assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET, HEAD']);
});
