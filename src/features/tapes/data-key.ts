import type { Readable } from 'node:stream';
import type { Deps } from '../../platform/deps.ts';
import { createOpener, createSealer, newDataKey } from '../../platform/files/sealed-stream.ts';
import { isOpened } from '../../platform/db/key-mark.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Tape } from './queries.ts';

type Version = Pick<Tape, 'deal_id' | 'version'>;
type KeyedVersion = Version & Pick<Tape, 'data_key'>;

/** The encrypted objects of a tape version: the uploaded file, and the values of its sealed columns. */
export type SealedPart = 'upload' | 'columns';

const recordOf = ({ deal_id, version }: Version): string => `data key of ${deal_id}/${version}`;
const partOf = ({ deal_id, version }: Version, part: SealedPart): string => `${part} of ${deal_id}/${version}`;

/** A new data key for a version, wrapped for its row. */
export function wrapDataKey(secrets: SecretBox, version: Version): string {
  return secrets.seal(newDataKey().toString('base64'), recordOf(version));
}

/** Whether the encryption key of this process wrapped the data key. */
export function isOwnDataKey(secrets: SecretBox, { data_key, ...version }: Version & { data_key: string }): boolean {
  return isOpened(secrets, data_key, recordOf(version));
}

/** Encrypts a stream under the data key of the version. */
export function sealPart({ secrets }: Pick<Deps, 'secrets'>, tape: KeyedVersion, part: SealedPart, plain: Readable): Readable {
  const sealer = createSealer(dataKey(secrets, tape), partOf(tape, part));
  plain.once('error', (error) => sealer.destroy(error));
  return plain.pipe(sealer);
}

/** The transform that decrypts a part of the version. */
export function partOpener({ secrets }: Pick<Deps, 'secrets'>, tape: KeyedVersion, part: SealedPart) {
  return createOpener(dataKey(secrets, tape), partOf(tape, part));
}

function dataKey(secrets: SecretBox, tape: KeyedVersion): Buffer {
  if (tape.data_key === null) throw new Error(`${tape.deal_id}/${tape.version} has no data key`);
  return Buffer.from(secrets.open(tape.data_key, recordOf(tape)), 'base64');
}

/** The key of an organization's tokens, as hex: the same for all its tapes, so that one obligor has one token in all of them. */
export function tokenKey({ secrets }: Pick<Deps, 'secrets'>, organizationId: string): string {
  return secrets.derive(`obligor tokens\n${organizationId}`).toString('hex');
}
