import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { describeMalformed, describeUnknown } from './refused-header.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = encode({ alg: 'EdDSA', typ: 'JWT' });
const CLAIMS = encode({ iss: 'sluice', aud: 'staging', sub: 'org_1', jti: 'key_1' });
const SIGNATURE = 'A'.repeat(86);
const TOKEN = `${HEADER}.${CLAIMS}.${SIGNATURE}`;

test('what is wrong with a header is told by its form', () => {
  const cases: [string, RegExp][] = [
    ['', /does not begin with Bearer/],
    [TOKEN, /without the word Bearer/],
    [`Basic ${Buffer.from('a:b').toString('base64')}`, /is Basic/],
    [`Token ${TOKEN}`, /begins with Token, not with Bearer/],
    [`Bearer: ${TOKEN}`, /with one blank between them/],
    ['Bearer', /nothing behind Bearer/],
    [`Bearer "${TOKEN}"`, /quotation marks/],
    [`Bearer '${TOKEN}`, /quotation marks/],
    [`Bearer Bearer ${TOKEN}`, /Bearer twice/],
    ['Bearer <API_KEY>', /placeholder or a variable/],
    ['Bearer ${KEY}', /placeholder or a variable/],
    ['Bearer YOUR_API_KEY', /placeholder or a variable/],
    [`Bearer ${TOKEN}%0A`, /line break at the end/],
    ['Bearer key_01m7xj4nfq000wh40xa84xpckd', /id of a key/],
    [`Bearer ${HEADER} ${CLAIMS}`, /blank or a line break inside/],
    [`Bearer ${HEADER}.${CLAIMS}`, /2 parts/],
    ['Bearer abc', /one part/],
  ];
  for (const [header, expected] of cases) assert.match(describeMalformed(header), expected, header);
});

test('what is wrong with a token that was not signed here is told by what it says of itself', () => {
  const other = encode({ iss: 'auth0', aud: 'x' });
  assert.match(describeUnknown(`${HEADER}.${other}.${SIGNATURE}`), /of another issuer/);
  assert.match(describeUnknown(TOKEN), /is of staging: is this the address/);
  assert.match(describeUnknown(TOKEN.slice(0, -9)), /77 characters, expected 86/);
  const strange = encode({ iss: 'sluice', aud: '<script>alert(1)</script>' });
  assert.doesNotMatch(describeUnknown(`${HEADER}.${strange}.${SIGNATURE}`), /script/);
});

test('no part of a refused header stands in the message about it', () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9]{12,40}$/);
  const forms = ['', 'Bearer ', 'Bearer "', 'Basic ', 'Token ', 'bearer  ', 'ApiKey: ', 'Bearer a.', 'Bearer <'];
  fc.assert(
    fc.property(secret, fc.constantFrom(...forms), fc.constantFrom('', '"', '.b', '.b.c', ' x', '\\n'), (text, before, after) => {
      assert.ok(!describeMalformed(`${before}${text}${after}`).includes(text));
      assert.ok(!describeUnknown(`${HEADER}.${CLAIMS}.${text}`).includes(text));
    }),
  );
});
