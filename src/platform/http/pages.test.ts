import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';

test('metrics are not on the address that customers reach', async () => {
  await using gateway = await startGateway();
  for (const method of ['GET', 'HEAD', 'POST']) {
    const { status, body } = await gateway.call(method, '/metrics');
    assert.deepEqual([method, status, method === 'HEAD' ? 'NOT_FOUND' : body.code], [method, 404, 'NOT_FOUND']);
  }
});

test('the root says where everything is, without what is switched off', async () => {
  const places = async (settings: Record<string, string>) => {
    await using gateway = await startGateway({ SLUICE_PUBLIC_URL: 'https://sluice.example', ...settings });
    const { status, text } = await gateway.call('GET', '/');
    assert.equal(status, 200);
    const found = JSON.parse(text) as Record<string, string | null>;
    for (const [name, address] of Object.entries(found)) {
      if (name === 'service' || name === 'api' || name === 'mcp' || address === null) continue;
      const { status: at } = await gateway.call('GET', address.replace('https://sluice.example', ''));
      assert.ok(at < 400, `${name}: ${address} is ${at}`);
    }
    return found;
  };
  assert.deepEqual(await places({}), {
    service: 'Sluice',
    api: 'https://sluice.example/v1',
    description: 'https://sluice.example/openapi.json',
    description_yaml: 'https://sluice.example/openapi.yaml',
    postman: 'https://sluice.example/postman.json',
    llms: 'https://sluice.example/llms.txt',
    changelog: 'https://sluice.example/changelog.json',
    reference: 'https://sluice.example/docs',
    guides: 'https://sluice.example/docs/guide/originator',
    errors: 'https://sluice.example/docs/errors',
    mcp: 'https://sluice.example/mcp',
    console: 'https://sluice.example/console',
    live: 'https://sluice.example/livez',
    ready: 'https://sluice.example/readyz',
  });
  const { reference, guides, errors, console } = await places({ SLUICE_DOCS: 'off', SLUICE_CONSOLE: 'off' });
  assert.deepEqual([reference, guides, errors, console], [null, null, null, null]);
});

test('requests of pages are counted by their path, and those of no path together', async () => {
  await using gateway = await startGateway();
  for (const path of ['/readyz', '/nowhere/1', '/nowhere/2']) await gateway.call('GET', path);
  const text = await gateway.deps.metrics.registry.metrics();
  assert.match(text, /route="\/readyz"/);
  assert.match(text, /route="unknown"/);
  assert.doesNotMatch(text, /nowhere/);
});

test('the reference and the console are served unless they are switched off; the description stays', async () => {
  const DOCS = ['/docs', '/docs/', '/docs/reference/orders', '/docs/guide/webhooks.md'];
  const CONSOLE = ['/console', '/console/', '/console/deals'];
  const statuses = async (settings: Record<string, string>, paths: string[]) => {
    await using gateway = await startGateway(settings);
    return await Promise.all(paths.map(async (path) => (await gateway.call('GET', path)).status));
  };
  const paths = [...DOCS, ...CONSOLE, '/openapi.json', '/llms.txt', '/livez'];
  const served = await statuses({}, paths);
  assert.ok(
    served.every((status) => status < 400),
    served.join(),
  );
  const off = await statuses({ SLUICE_DOCS: 'off', SLUICE_CONSOLE: 'off' }, paths);
  assert.deepEqual(off, [404, 404, 404, 404, 404, 404, 404, 200, 200, 200]);
  assert.deepEqual(await statuses({ SLUICE_DOCS: 'off' }, ['/docs', '/console']), [404, 200]);
  assert.deepEqual(await statuses({ SLUICE_CONSOLE: 'off' }, ['/docs/', '/console']), [200, 404]);
  await assert.rejects(startGateway({ SLUICE_DOCS: 'no' }), /SLUICE_DOCS: expected one of on, off/);
});
