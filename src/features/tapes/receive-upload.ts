import type { Readable } from 'node:stream';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { findUpload, type Upload } from './uploads.ts';

export type Received = { file_key: string; size: number; sha256: string };

/**
 * Takes the bytes behind a signed address. They stream into a new object; only a whole body is made the upload's content, and only
 * while the address is still the newest one and the upload is not completed.
 */
export async function receiveUpload(
  deps: Deps,
  token: string,
  headers: { type: string | undefined; length: string | undefined },
  bytes: Readable,
): Promise<Received> {
  const grant = deps.addresses.verify(token, 'put', Date.now());
  const [organizationId, uploadId] = grant?.upload.split('/') ?? [];
  if (!grant || !organizationId || !uploadId) throw new ApiError('SIGNATURE_INVALID');
  const upload = await deps.db.tx({ organization: organizationId }, (tx) => findUpload(tx, organizationId, uploadId));
  checkGrant(upload, grant.generation);
  checkBound(upload, headers);
  const objectKey = `uploads/${upload.organization_id}/${upload.upload_id}/${grant.generation}-${Date.now().toString(36)}`;
  const stored = await deps.store.put(objectKey, bytes, mostBytes(upload));
  const previous = await deps.db
    .tx({ organization: organizationId }, async (tx) => {
      // A body without a length is known to be short only at its end.
      checkSize(upload, stored.size);
      const now = await findUpload(tx, organizationId, uploadId, true);
      checkGrant(now, grant.generation);
      await tx.exec(
        `update uploads set status = 'UPLOADED', object_key = $3, size = $4, sha256 = $5 where organization_id = $1 and upload_id = $2`,
        [organizationId, uploadId, objectKey, stored.size, stored.sha256],
      );
      return now.object_key;
    })
    .catch(async (error: unknown) => {
      await deps.store.delete(objectKey);
      throw error;
    });
  if (previous) await deps.store.delete(previous);
  return { file_key: upload.file_key, ...stored };
}

function checkGrant(upload: Upload | null, generation: number): asserts upload is Upload {
  if (upload?.status === 'COMPLETED') throw new ApiError('ALREADY_COMPLETED');
  if (!upload || upload.generation !== generation) throw new ApiError('SIGNATURE_INVALID');
}

function checkBound(upload: Upload, headers: { type: string | undefined; length: string | undefined }): void {
  const type = headers.type?.split(';')[0]?.trim().toLowerCase();
  if (upload.content_type && type && type !== upload.content_type) {
    throw new ApiError(
      'SIGNATURE_INVALID',
      `The address is bound to content-type ${upload.content_type}: send the headers of upload_headers.`,
    );
  }
  if (headers.length === undefined) return;
  const length = Number(headers.length);
  if (length > mostBytes(upload))
    throw new ApiError('PAYLOAD_TOO_LARGE', `The file may have at most ${mostBytes(upload)} bytes.`);
  checkSize(upload, length);
}

const mostBytes = (upload: Upload): number => upload.declared_size ?? upload.max_bytes;

function checkSize(upload: Upload, size: number): void {
  if (upload.declared_size !== null && size !== upload.declared_size)
    throw new ApiError('SIGNATURE_INVALID', `The address is bound to a file of ${upload.declared_size} bytes.`);
}
