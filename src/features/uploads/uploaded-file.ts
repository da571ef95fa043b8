import type { Deps } from '../../platform/deps.ts';
import { ObjectDamaged } from '../../platform/files/store.ts';
import { ApiError } from '../../platform/http/errors.ts';

/**
 * Local path of the bytes that were uploaded, every one of them compared. Bytes that are gone or are no longer the ones that were sent
 * cannot be completed: their sender is asked for them again.
 */
export async function uploadedFile(
  deps: Deps,
  objectKey: string | null,
  expected: { size: number | null; sha256: string | null },
): Promise<string> {
  const { size, sha256 } = expected;
  if (objectKey === null || size === null || sha256 === null) throw new ApiError('FILE_NOT_UPLOADED');
  try {
    const path = await deps.store.localPath(objectKey, { size, sha256 });
    if (path) return path;
    deps.log.error({ object_key: objectKey }, 'an uploaded file is not in the store');
  } catch (error) {
    if (!(error instanceof ObjectDamaged)) throw error;
    deps.log.error({ object_key: objectKey, err: { message: error.message } }, 'an uploaded file is damaged');
  }
  throw new ApiError('FILE_NOT_UPLOADED', 'The stored file is gone or is not the one that was sent: send it again.');
}
