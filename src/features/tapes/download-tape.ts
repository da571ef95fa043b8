import { pipeline, type Readable } from 'node:stream';
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
  const found = await deps.store.get(tape.object_key);
  if (!found) throw new ApiError('UNAVAILABLE', 'The file of the tape is not in the object store: tell the operator.');
  return { stream: openedStream(deps, tape, found.stream), contentType: TAPE_FILE_TYPES[tape.format], fileName: tape.file_name };
}

function openedStream(deps: Deps, tape: Tape, stored: Readable): Readable {
  const verifier = createVerifier(tape.object_key, tape);
  // An error reaches the reader through the last stream, which ends without its last bytes.
  const ended = () => {};
  return tape.data_key === null
    ? pipeline(stored, verifier, ended)
    : pipeline(stored, partOpener(deps, tape, 'upload'), verifier, ended);
}
