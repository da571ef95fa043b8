import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnderV1 } from './target.ts';

test('a path under /v1 is one however it is spelled, and so is one that cannot be decoded', () => {
  for (const url of ['/v1', '/v1/', '/v1/api/me', '//v1/x', '/%76%31/x', '/V1/x', '/v1?x=1', '/v1#x', '/%', '/v1/%zz']) {
    assert.equal(isUnderV1(url), true, url);
  }
});

test('other paths are not', () => {
  for (const url of ['/', '/v10', '/v', '/console/v1', '/?next=/v1/', '/docs#/v1/', '/v1x/y'])
    assert.equal(isUnderV1(url), false, url);
});
