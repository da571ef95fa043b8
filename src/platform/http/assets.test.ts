import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startGateway } from '../../../test/support/gateway.ts';
import { encodingOf } from './assets.ts';

test('the best encoding that the client takes is chosen', () => {
  const cases: [string | undefined, string | null][] = [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['BR', 'br'],
    ['*', 'br'],
    ['*;q=0', null],
    ['gzip;q=0, *;q=0.1', 'br'],
    ['gzip;q=nonsense', null],
  ];
  for (const [accepted, encoding] of cases) assert.equal(encodingOf(accepted), encoding, `${accepted}`);
});

test('a page is the same in every encoding, has a strong tag of its own in each, and is not sent again to who has it', async () => {
  await using gateway = await startGateway();
  const decode = { identity: (body: Buffer) => body, gzip: gunzipSync, br: brotliDecompressSync };
  for (const url of ['/openapi.json', '/openapi.yaml', '/docs', '/docs/reference/operator']) {
    const tags = new Set<string>();
    const bodies = new Set<string>();
    for (const [encoding, decoded] of Object.entries(decode)) {
      const headers = { 'accept-encoding': encoding };
      const response = await gateway.app.inject({ url, headers });
      const tag = String(response.headers.etag);
      assert.match(tag, /^"[\w-]+"$/);
      assert.deepEqual(
        [response.statusCode, response.headers['content-encoding'] ?? 'identity', response.headers.vary],
        [200, encoding, 'Accept-Encoding'],
      );
      const again = await gateway.app.inject({ url, headers: { ...headers, 'if-none-match': `"other", W/${tag}` } });
      assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', tag]);
      const head = await gateway.app.inject({ method: 'HEAD', url, headers });
      assert.deepEqual([head.statusCode, head.body, head.headers.etag], [200, '', tag]);
      tags.add(tag);
      bodies.add(decoded(response.rawPayload).toString());
    }
    assert.deepEqual([url, tags.size, bodies.size], [url, 3, 1]);
  }
});
