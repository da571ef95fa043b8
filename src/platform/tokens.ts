import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** The claims of an API key. They only identify the key: its rights are read from the key table. */
export type Claims = { iss: string; aud: string; sub: string; jti: string; role: string; iat: number; exp: number };

export const ISSUER = 'sluice';

const HEADER = encode({ alg: 'EdDSA', typ: 'JWT' });
const PART = /^[A-Za-z0-9_-]+$/;

export type TokenKeys = { privateKey: KeyObject; publicKey: KeyObject };

/** Keys from an Ed25519 private key in PKCS#8 PEM. */
export function readTokenKeys(pem: string): TokenKeys {
  const privateKey = privateKeyIn(pem.replaceAll('\\n', '\n'));
  if (privateKey?.asymmetricKeyType !== 'ed25519') throw new Error('the signing key is not an Ed25519 key in PEM (PKCS#8)');
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

function privateKeyIn(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

export function signToken(keys: TokenKeys, claims: Claims): string {
  const payload = `${HEADER}.${encode(claims)}`;
  return `${payload}.${sign(null, Buffer.from(payload), keys.privateKey).toString('base64url')}`;
}

/** Whether a text has the form of a token, whoever signed it: three parts, of which the first two are JSON. */
export function isToken(text: string): boolean {
  const [header = '', payload = '', signature = '', ...rest] = text.split('.');
  return rest.length === 0 && PART.test(signature) && isJsonPart(header) && isJsonPart(payload);
}

function isJsonPart(part: string): boolean {
  try {
    return PART.test(part) && isObject(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')));
  } catch {
    return false;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The claims of a token with the right algorithm, type, signature and claim shapes, otherwise null. Expiry is not checked here. */
export function verifyToken(keys: TokenKeys, token: string): Claims | null {
  if (token.length > 4_096) return null;
  const [header, payload, signature, ...rest] = token.split('.');
  if (!header || !payload || !signature || rest.length > 0) return null;
  // The header is compared as a whole: another algorithm, type, key or critical extension is another token.
  if (header !== HEADER || !PART.test(payload) || !PART.test(signature)) return null;
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.length !== 64 || bytes.toString('base64url') !== signature) return null;
  if (!verify(null, Buffer.from(`${header}.${payload}`), keys.publicKey, bytes)) return null;
  return readClaims(payload);
}

function readClaims(payload: string): Claims | null {
  let claims: Record<string, unknown>;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return null;
  }
  const { iss, aud, sub, jti, role, iat, exp } = claims;
  const texts = [iss, aud, sub, jti, role].every((claim) => typeof claim === 'string');
  const times = [iat, exp].every((claim) => typeof claim === 'number' && Number.isFinite(claim));
  if (!texts || !times || iss !== ISSUER || 'nbf' in claims) return null;
  return claims as Claims;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
