import { createHash, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { createWhole } from './platform/db/file-lock.ts';
import type { Deps } from './platform/deps.ts';
import { createAddressSigner } from './platform/files/signed-address.ts';
import { createCursorSigner } from './platform/http/cursor-signer.ts';
import { createSecretBox } from './platform/secret-box.ts';
import { readTokenKeys } from './platform/tokens.ts';

/**
 * The signers of addresses and cursors, secret box and token keys of the gateway, made from its keys, which are set or generated once into the data
 * directory.
 */
export function readKeys({
  dataDir,
  signingKey,
  encryptionKey,
  fingerprintKey,
}: Config): Pick<Deps, 'addresses' | 'cursors' | 'secrets' | 'fingerprints' | 'tokens'> {
  const signing = signingKey ?? madeOnce(dataDir, 'signing-key.pem', newSigningKey);
  const encryption = encryptionKey ?? madeOnce(dataDir, 'encryption-key', () => randomBytes(32).toString('base64url'));
  return {
    addresses: createAddressSigner(signing),
    cursors: createCursorSigner(signing),
    secrets: createSecretBox(encryption),
    fingerprints: fingerprintsOf(fingerprintKey, encryption),
    tokens: readTokenKeys(signing),
  };
}

/** A key that was not set follows from the key of encryption, so that all processes have the same. */
function fingerprintsOf(given: string | null, encryption: string): Deps['fingerprints'] {
  const derived = (secret: string, info: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', info, 32));
  const key = derived(
    given ?? encryption,
    given === null ? 'sluice fingerprints from the encryption key' : 'sluice fingerprints',
  );
  return { key: key.toString('hex'), keyId: createHash('sha256').update(key).digest('hex').slice(0, 16) };
}

function madeOnce(dataDir: string, name: string, make: () => string): string {
  const path = join(dataDir, 'secrets', name);
  if (!existsSync(path)) {
    mkdirSync(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
    createWhole(path, make());
  }
  return readFileSync(path, 'utf8').trim();
}

function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
