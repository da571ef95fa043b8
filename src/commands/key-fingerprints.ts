import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Manifest } from '../platform/backup/manifest.ts';

type Keys = Manifest['keys'];

/** Fingerprints of the gateway's keys; null where there is no key yet. */
export function keyFingerprints(config: Config): Keys {
  return {
    signing: fingerprint(config.signingKey ?? secretFile(config, 'signing-key.pem')),
    encryption: fingerprint(config.encryptionKey ?? secretFile(config, 'encryption-key')),
  };
}

/** The location of this gateway's keys, which must be kept separately from the backup. */
export function keyLocations(config: Config): string {
  const made = join(config.dataDir, 'secrets');
  const signing = config.signingKey ? 'SLUICE_SIGNING_KEY' : join(made, 'signing-key.pem');
  const encryption = config.encryptionKey ? 'SLUICE_ENCRYPTION_KEY' : join(made, 'encryption-key');
  return `${signing} and ${encryption}`;
}

/** The functions that will not work with the present keys, one sentence each. */
export function missingKeys(config: Config, expected: Keys): string[] {
  const here = keyFingerprints(config);
  const problems: string[] = [];
  if (expected.signing !== here.signing) {
    problems.push('the signing key here is not the backup’s: every API key issued with that one will be refused');
  }
  if (expected.encryption !== here.encryption) {
    problems.push(
      'the encryption key here is not the backup’s: sealed columns and files of tapes, reported pledges and signing secrets of webhooks cannot be opened, and no gateway starts',
    );
  }
  return problems;
}

function fingerprint(key: string | null): string | null {
  return key && createHash('sha256').update(`sluice key fingerprint\n${key}`).digest('hex').slice(0, 16);
}

function secretFile(config: Config, name: string): string | null {
  try {
    return readFileSync(join(config.dataDir, 'secrets', name), 'utf8').trim();
  } catch {
    return null;
  }
}
