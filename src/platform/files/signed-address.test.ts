import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressSigner, type Grant } from './signed-address.ts';

const signer = createAddressSigner('k'.repeat(43));
const grant: Grant = { act: 'put', ids: ['org_1', 'upl_1'], generation: 2, expires: 1_000_000 };
const token = signer.sign(grant);

test('a signed address permits its own act until its moment', () => {
  assert.deepEqual(signer.verify(token, 'put', 999_999), grant);
  assert.equal(signer.verify(token, 'put', 1_000_000), null);
  assert.equal(signer.verify(token, 'get', 0), null);
});

test('a signed address that was changed, cut, lengthened or signed with another key permits nothing', () => {
  const [payload = '', signature = ''] = token.split('.');
  const other = Buffer.from(JSON.stringify(['put', 'org_2/upl_1', 2, 1_000_000])).toString('base64url');
  const wrong = [
    '',
    '.',
    payload,
    `${payload}.`,
    `.${signature}`,
    `${other}.${signature}`,
    `${payload}.${signature.slice(0, -2)}`,
    `${token}.x`,
    `${payload}.${signature}AA`,
    createAddressSigner('l'.repeat(43)).sign(grant),
  ];
  for (const each of wrong) assert.equal(signer.verify(each, 'put', 0), null, each);
});

test('every character of a signed address counts', () => {
  for (let index = 0; index < token.length; index += 1) {
    const turned = token[index] === 'A' ? 'B' : 'A';
    const changed = token.slice(0, index) + turned + token.slice(index + 1);
    const seen = signer.verify(changed, 'put', 0);
    // The last character of base64 text may hold bits that stand for nothing.
    if (index !== token.length - 1) assert.equal(seen, null, `character ${index}`);
  }
});
