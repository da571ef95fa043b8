import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { createSecretBox } from './secret-box.ts';
import { type Claims, ISSUER, readTokenKeys, signToken, verifyToken } from './tokens.ts';

const newKeys = () =>
  readTokenKeys(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
const KEYS = newKeys();
const CLAIMS: Claims = { iss: ISSUER, aud: 'production', sub: 'org_1', jti: 'key_1', role: 'investor', iat: 1, exp: 2 };

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a token gives its claims back', () => {
  const claims = fc.record({
    aud: fc.string(),
    sub: fc.string(),
    jti: fc.string(),
    role: fc.string(),
    iat: fc.nat(),
    exp: fc.nat(),
  });
  fc.assert(
    fc.property(claims, (each) =>
      assert.deepEqual(verifyToken(KEYS, signToken(KEYS, { iss: ISSUER, ...each })), { iss: ISSUER, ...each }),
    ),
    { numRuns: 30 },
  );
});

test('a token with any character changed, added or cut is refused', () => {
  const token = signToken(KEYS, CLAIMS);
  fc.assert(
    fc.property(fc.nat({ max: token.length - 1 }), fc.constantFrom('A', 'b', '7', '_', '.', '=', ' '), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      if (changed !== token) assert.equal(verifyToken(KEYS, changed), null, changed);
      assert.equal(verifyToken(KEYS, token.slice(0, at)), null);
      assert.equal(verifyToken(KEYS, `${token}${character}`), null);
    }),
  );
});

test('a token of another key is refused', () => {
  assert.equal(verifyToken(newKeys(), signToken(KEYS, CLAIMS)), null);
});

test('a header with another algorithm, type or extension is refused, whoever signed it', () => {
  const [, payload, signature] = signToken(KEYS, CLAIMS).split('.');
  for (const header of [
    { alg: 'none', typ: 'JWT' },
    { alg: 'HS256', typ: 'JWT' },
    { alg: 'EdDSA' },
    { alg: 'EdDSA', typ: 'JWT', crit: ['x'] },
  ]) {
    assert.equal(verifyToken(KEYS, `${encoded(header)}.${payload}.${signature}`), null);
  }
});

test('claims of another shape or issuer are refused though they are signed', () => {
  const wrong: Record<string, unknown>[] = [
    { iss: 'another' },
    { exp: '2' },
    { iat: null },
    { sub: 5 },
    { jti: undefined },
    { nbf: 1 },
  ];
  for (const change of wrong) {
    assert.equal(verifyToken(KEYS, signToken(KEYS, { ...CLAIMS, ...change })), null, JSON.stringify(change));
  }
});

test('a token longer than any is refused unread', () => {
  assert.equal(verifyToken(KEYS, signToken(KEYS, { ...CLAIMS, sub: 'x'.repeat(5_000) })), null);
});

test('only an Ed25519 key signs, also where its lines are joined by \\n as in an environment variable', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  assert.throws(() => readTokenKeys(rsa), /not an Ed25519 key/);
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const keys = readTokenKeys(pem.replaceAll('\n', '\\n'));
  assert.deepEqual(verifyToken(keys, signToken(keys, CLAIMS)), CLAIMS);
});

test('a sealed secret opens with its key and its record alone', () => {
  const box = createSecretBox('a key of some length');
  fc.assert(
    fc.property(fc.string(), fc.string(), (secret, record) => {
      const sealed = box.seal(secret, record);
      assert.equal(box.open(sealed, record), secret);
      assert.throws(() => box.open(sealed, `${record}x`));
      assert.throws(() => createSecretBox('another key').open(sealed, record));
      assert.notEqual(box.seal(secret, record), sealed, 'a nonce is used twice');
    }),
    { numRuns: 30 },
  );
});

test('a sealed secret with any byte changed does not open', () => {
  const box = createSecretBox('a key of some length');
  const bytes = Buffer.from(box.seal('whsec_secret', 'record').slice(3), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => box.open(`v1.${changed.toString('base64url')}`, 'record'), `byte ${at}`);
  }
});
