import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { shown, shownPath } from './shown.ts';

test('a text is repeated in quotes, shortened, and with its invisible characters as numbers', () => {
  assert.equal(shown('credit_card'), '"credit_card"');
  assert.equal(shown('a\nb\u202e\u0000'), '"a\\u000ab\\u202e\\u0000"');
  assert.equal(shown('two words '.repeat(20)), `"${'two words '.repeat(6)}…"`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      const repeated = shown(text);
      assert.ok(repeated.length < 700);
      assert.doesNotMatch(repeated, /[\p{Cc}\p{Cf}\p{Cs}]/u);
    }),
  );
});

test('a text that may be a credential is never repeated', () => {
  const credentials = [
    'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJzbHVpY2UifQ.c2lnbmF0dXJl',
    'Bearer abc',
    'Basic dXNlcjpwYXNz',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    '5b0e2c1e00004000800000000000000000000000ffff',
  ];
  for (const text of credentials) {
    assert.equal(shown(text), `a text of ${text.length} characters`);
    assert.equal(shownPath(`/v1/uploads/${encodeURIComponent(text)}/more?key=${text}`).includes(text.slice(0, 20)), false);
  }
});
