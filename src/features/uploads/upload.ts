import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Type from 'typebox';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { CSV, PARQUET, XLSX } from '../../platform/files/content-types.ts';
import { createVerifier } from '../../platform/files/integrity.ts';
import { ObjectDamaged, type StoredObject } from '../../platform/files/store.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { timestamp } from '../../platform/http/schemas.ts';
import { Mover } from '../../platform/moves.ts';
import type { Id } from '../../platform/ids.ts';
import { type Asker, holderOf } from '../sessions/queries.ts';
import { countPendingUploads, insertUpload, lockUploadByKey, type NewUpload, renewAddress, type Upload } from './queries.ts';
import { keptName } from './file-name.ts';
import { noteUnclaimed } from './sweep-queries.ts';

const ADDRESS_LIFE_SECONDS = 15 * 60;

export const TAPE_FORMATS = [CSV, XLSX, PARQUET] as const;
const MIB = 1024 * 1024;
/** Largest tape by its format. */
export const MAX_BYTES: Record<string, number> = { [CSV]: 512 * MIB, [XLSX]: 100 * MIB, [PARQUET]: 512 * MIB };

/** The states of an upload. Until it is completed, bytes may be sent again, and a new address drops them. */
export const UPLOAD_MOVES = new Mover<Upload, 'status', Upload['status']>({
  noun: 'upload',
  table: 'uploads',
  key: ['organization_id', 'upload_id'],
  fence: ['object_key'],
  column: 'status',
  moves: { PENDING: ['PENDING', 'UPLOADED'], UPLOADED: ['PENDING', 'UPLOADED', 'COMPLETED'], COMPLETED: [] },
});

export const UploadFields = {
  file_name: Type.String(),
  file_key: Type.String({ description: 'Storage key of the file.' }),
  upload_url: Type.String({ description: 'Send the bytes here with PUT, without a key, before it expires.' }),
  upload_headers: Type.Record(Type.String(), Type.String(), { description: 'Headers that the PUT must carry.' }),
  expires_at: timestamp('When the address stops working: 15 minutes after it was made.'),
  max_bytes: Type.Integer({ description: 'Largest file, in bytes.' }),
};

/** Most unfinished uploads of one organization: those whose address still works or whose bytes wait for completion. */
const MOST_PENDING = 100;

/** Refuses a declared size above the limit before any byte is sent. */
export function checkDeclaredSize(size: number | undefined, maxBytes: number): void {
  if (size !== undefined && size > maxBytes)
    throw new ApiError('PAYLOAD_TOO_LARGE', `The file may have at most ${maxBytes} bytes.`);
}

/** Registers an upload; `uploadReply` makes its signed address from the row. */
export async function createUpload(tx: Tx, upload: NewUpload): Promise<Upload> {
  await checkPending(tx, upload.organization_id, null);
  return insertUpload(tx, { ...upload, file_name: keptName(upload.file_name) }, ADDRESS_LIFE_SECONDS);
}

/** Refuses an upload beyond the limit of pending ones. */
async function checkPending(tx: Tx, organizationId: Id<'org'>, except: Id<'upl'> | null): Promise<void> {
  const pending = await countPendingUploads(tx, organizationId, except);
  if (pending >= MOST_PENDING) throw new ApiError('UPLOADS_PENDING', undefined, { extra: { pending, limit: MOST_PENDING } });
}

/** Makes a new address for an upload; every older one stops working, and bytes that were sent to it are dropped. */
export async function refreshUpload(
  tx: Tx,
  upload: Upload,
  changes: { file_name?: string; content_type?: string },
): Promise<Upload> {
  await checkPending(tx, upload.organization_id, upload.upload_id);
  const contentType = changes.content_type ?? upload.content_type;
  await UPLOAD_MOVES.move(tx, upload, 'PENDING', {
    generation: upload.generation + 1,
    file_name: keptName(changes.file_name ?? upload.file_name),
    content_type: contentType,
    max_bytes: MAX_BYTES[contentType ?? ''] ?? upload.max_bytes,
    declared_size: null,
    object_key: null,
    size: null,
    sha256: null,
    receiver: null,
    receiver_until: null,
    receiving_key: null,
  });
  return orNotFound(await renewAddress(tx, upload, ADDRESS_LIFE_SECONDS), 'upload');
}

/**
 * The part of a response that tells the customer where and how to send the bytes. The address stops working with the key, or the
 * session, of who asked for it.
 */
export function uploadReply(deps: Deps, asker: Asker, upload: Upload) {
  const { actor_id, session_hash } = holderOf(asker);
  const token = deps.addresses.sign({
    act: 'put',
    ids: [upload.organization_id, upload.upload_id, actor_id, ...(session_hash === null ? [] : [session_hash])],
    generation: upload.generation,
    expires: upload.expires_at.getTime(),
  });
  return {
    file_name: upload.file_name,
    file_key: upload.file_key,
    upload_url: `${deps.publicUrl()}/v1/uploads/${token}`,
    upload_headers: (upload.content_type ? { 'content-type': upload.content_type } : {}) as Record<string, string>,
    expires_at: upload.expires_at.toISOString(),
    max_bytes: upload.max_bytes,
  };
}

/** Completes an upload as it was read; false when it was completed or replaced in the meantime. */
export async function completeUpload(tx: Tx, upload: Upload): Promise<boolean> {
  if (upload.status !== 'UPLOADED') return false;
  return (await UPLOAD_MOVES.tryMove(tx, upload, 'COMPLETED')) !== null;
}

/** Stores an object that is deleted after an hour unless a transaction claims it by then; `open` gives its bytes. */
export async function storeUnclaimed(
  deps: Pick<Deps, 'db' | 'store'>,
  organizationId: Id<'org'>,
  key: string,
  open: () => Readable,
  maxBytes = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await deps.db.tx({ organization: organizationId }, (tx) => noteUnclaimed(tx, organizationId, key));
  await deps.store.put(key, open(), maxBytes);
}

/** For a repeated request: the stored response with an address that works for 15 minutes from now. */
export async function freshAddress(deps: Deps, caller: Caller, data: Record<string, unknown>): Promise<Record<string, unknown>> {
  const organization = caller.organization_id;
  const upload = await deps.db.tx({ organization }, async (tx) => {
    const found = await lockUploadByKey(tx, organization, data.file_key);
    if (!found || found.status === 'COMPLETED') return null;
    await checkPending(tx, organization, found.upload_id);
    return renewAddress(tx, found, ADDRESS_LIFE_SECONDS);
  });
  return upload ? { ...data, ...uploadReply(deps, caller, upload) } : data;
}

type Expected = { size: number | null; sha256: string | null };

/**
 * The local path of an uploaded file, compared byte by byte with the upload. A file that is missing or damaged cannot be
 * completed: the customer has to send it again.
 */
export async function uploadedFile(deps: Deps, objectKey: string | null, expected: Expected): Promise<string> {
  return await checkedFile(deps, objectKey, expected, (key, stored) => deps.store.localPath(key, stored));
}

/**
 * Gives `use` the path of an uploaded file that is not encrypted yet, compared byte by byte. Of an object of a service it is a copy that
 * is removed at once: in the cache it would outlive the object.
 */
export async function withUploadedFile<Result>(
  deps: Deps,
  objectKey: string | null,
  expected: Expected,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  if (deps.store.kind === 'file') {
    const path = await uploadedFile(deps, objectKey, expected);
    return await use(path).catch((error: unknown) => {
      // Another request may have withdrawn the upload, or sent it again, since it was compared.
      throw isMissing(error, path) ? notUploaded() : error;
    });
  }
  const workDir = await mkdtemp(join(deps.workDir, 'upload-'));
  try {
    const copy = async (key: string, stored: StoredObject): Promise<string | null> => {
      const found = await deps.store.get(key);
      if (!found) return null;
      const path = join(workDir, 'file');
      await pipeline(found.stream, createVerifier(key, stored), createWriteStream(path, { mode: 0o600 }));
      return path;
    };
    return await use(await checkedFile(deps, objectKey, expected, copy));
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function checkedFile(
  deps: Deps,
  objectKey: string | null,
  { size, sha256 }: Expected,
  locate: (key: string, stored: StoredObject) => Promise<string | null>,
): Promise<string> {
  if (objectKey === null || size === null || sha256 === null) throw new ApiError('FILE_NOT_UPLOADED');
  try {
    const path = await locate(objectKey, { size, sha256 });
    if (path) return path;
    deps.log.error({ object_key: objectKey }, 'an uploaded file is not in the store');
  } catch (error) {
    if (!(error instanceof ObjectDamaged)) throw error;
    deps.log.error({ object_key: objectKey, err: error }, 'an uploaded file is damaged');
  }
  throw notUploaded();
}

const isMissing = (error: unknown, path: string): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error && error.path === path;

const notUploaded = (): ApiError =>
  new ApiError('FILE_NOT_UPLOADED', 'The stored file is missing or differs from the one that was sent: send it again.');
