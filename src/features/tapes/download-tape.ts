import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { pipeline as copied } from 'node:stream/promises';
import type { Deps } from '../../platform/deps.ts';
import { CSV, JSON_TYPE, PARQUET, XLSX } from '../../platform/files/content-types.ts';
import { createVerifier } from '../../platform/files/integrity.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { FileReply } from '../../platform/http/route.ts';
import { partOpener } from './data-key.ts';
import type { Tape } from './queries.ts';

/** Content type of the file of a tape. */
export const TAPE_FILE_TYPES: Record<Tape['format'], string> = { csv: CSV, xlsx: XLSX, parquet: PARQUET, inline: JSON_TYPE };

/** 410 once the key of the file is destroyed. */
export function refuseDestroyed({ version, keys_destroyed_at }: Tape): void {
  if (keys_destroyed_at === null) return;
  throw new ApiError(
    'PERSONAL_DATA_DESTROYED',
    `The key of version ${version} was destroyed on ${keys_destroyed_at.toISOString()}: nobody can open its file any more.`,
    { extra: { destroyed_at: keys_destroyed_at.toISOString() } },
  );
}

/** The file of a version as it was sent, decrypted while it is read and compared with what was sent. */
export async function openTapeFile(deps: Deps, tape: Tape): Promise<FileReply> {
  const stored = await storedBytes(deps, tape);
  if (!stored) throw new ApiError('UNAVAILABLE', 'The file of the tape is not in the object store: tell the operator.');
  return { stream: openedStream(deps, tape, stored), contentType: TAPE_FILE_TYPES[tape.format], fileName: tape.file_name };
}

/** The object as bytes of this machine: a reader that is slow must not hold one of the few connections to a service. */
async function storedBytes(deps: Deps, { object_key, data_key }: Tape): Promise<Readable | null> {
  if (data_key === null && deps.store.kind === 's3') return plainCopy(deps, object_key);
  const path = await deps.store.localPath(object_key);
  return path === null ? null : createReadStream(path);
}

/** A copy without a name, which ends with its reader: in the store's cache a file that is not encrypted would outlive the object. */
async function plainCopy({ store, workDir }: Deps, key: string): Promise<Readable | null> {
  const found = await store.get(key);
  if (!found) return null;
  const folder = await mkdtemp(join(workDir, 'tape-'));
  try {
    const path = join(folder, 'file');
    await copied(found.stream, createWriteStream(path, { mode: 0o600 }));
    return (await open(path)).createReadStream();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function openedStream(deps: Deps, tape: Tape, stored: Readable): Readable {
  const verifier = createVerifier(tape.object_key, tape);
  // An error reaches the reader through the last stream, which ends without its last bytes.
  const ended = () => {};
  return tape.data_key === null
    ? pipeline(stored, verifier, ended)
    : pipeline(stored, partOpener(deps, tape, 'upload'), verifier, ended);
}
