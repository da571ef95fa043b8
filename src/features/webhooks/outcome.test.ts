import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { judgeResponse, undeliverableReason } from './outcome.ts';

const judge = (http_status: number | null, error: Parameters<typeof judgeResponse>[0]['error'] = null, body = '') =>
  judgeResponse({ http_status, error, body: Buffer.from(body) });

test('a complete 2xx response is delivered; everything else is failed with a code for the reason', () => {
  const cases: [number | null, Parameters<typeof judge>[1], 'DELIVERED' | 'FAILED', string | null][] = [
    [200, null, 'DELIVERED', null],
    [204, null, 'DELIVERED', null],
    [299, null, 'DELIVERED', null],
    [199, null, 'FAILED', 'http_status'],
    [300, null, 'FAILED', 'redirect'],
    [308, null, 'FAILED', 'redirect'],
    [400, null, 'FAILED', 'http_status'],
    [410, null, 'FAILED', 'http_status'],
    [503, null, 'FAILED', 'http_status'],
    [200, 'reset', 'FAILED', 'reset'],
    [200, 'timeout', 'FAILED', 'timeout'],
    [302, 'timeout', 'FAILED', 'timeout'],
    [null, 'dns', 'FAILED', 'dns'],
    [null, 'refused', 'FAILED', 'refused'],
    [null, null, 'FAILED', 'http_status'],
  ];
  for (const [http_status, sendError, status, error] of cases) {
    const outcome = judge(http_status, sendError);
    assert.deepEqual(
      [outcome.status, outcome.error, outcome.http_status],
      [status, error, http_status],
      `${http_status} ${sendError}`,
    );
  }
});

test('every status from 200 to 299 is delivered, and no other', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
      assert.equal(judge(status).status === 'DELIVERED', status >= 200 && status < 300);
    }),
  );
});

test('the excerpt is the beginning of the body, without what a column or a terminal cannot hold', () => {
  assert.equal(judge(500, null, '').excerpt, null);
  assert.equal(judge(500, null, 'no thanks\n\tat all\r\n').excerpt, 'no thanks\n\tat all\r\n');
  assert.equal(judge(500, null, 'a\u0000b\u001b[31m\u007f').excerpt, 'a\ufffdb\ufffd[31m\ufffd');
  assert.equal(judge(500, null, 'x'.repeat(5_000)).excerpt?.length, 1_024);
});

test('whatever bytes a receiver sends, the excerpt is well-formed text of at most 1,024 characters without control characters', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 9_000 }), (bytes) => {
      const { excerpt } = judgeResponse({ http_status: 500, error: null, body: Buffer.from(bytes) });
      if (bytes.length === 0) return assert.equal(excerpt, null);
      assert.ok(excerpt !== null && excerpt.isWellFormed() && excerpt.length <= 1_024);
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(excerpt, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/);
      assert.ok(Buffer.from(excerpt).toString() === excerpt);
    }),
  );
});

test('an excerpt that ends within a character ends before it', () => {
  const excerpt = judge(500, null, `${'x'.repeat(1_023)}🏦`).excerpt ?? '';
  assert.ok(excerpt.isWellFormed());
  assert.equal(excerpt.slice(0, 1_023), 'x'.repeat(1_023));
});

const claimed = {
  url: 'https://example.com/hook',
  active: true,
  kind: 'EVENT',
  body: Buffer.from('{}'),
  claims: 1,
  attempts: 0,
} as const;

test('a delivery is undeliverable for the first reason that holds', () => {
  const cases: [Partial<Parameters<typeof undeliverableReason>[0]>, string | null][] = [
    [{}, null],
    [{ url: null }, 'subscription_deleted'],
    [{ url: null, body: null }, 'subscription_deleted'],
    [{ active: false }, 'subscription_disabled'],
    [{ active: false, body: null }, 'subscription_disabled'],
    [{ body: null }, 'event_expired'],
    [{ claims: 20 }, null],
    [{ claims: 21 }, 'abandoned'],
    [{ claims: 27, attempts: 7 }, null],
    [{ claims: 28, attempts: 7 }, 'abandoned'],
  ];
  for (const [change, expected] of cases)
    assert.equal(undeliverableReason({ ...claimed, ...change }), expected, JSON.stringify(change));
});

test('a replay and a test reach a disabled subscription', () => {
  for (const kind of ['REPLAY', 'TEST'] as const)
    assert.equal(undeliverableReason({ ...claimed, kind, active: false }), null, kind);
});
