import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Caller, FileReply } from '../../platform/http/route.ts';
import { type DocumentRow, findDocument, recordAccess } from './queries.ts';

const ADDRESS_LIFE_SECONDS = 5 * 60;

/** Makes a short-lived address for one document and one reader, and writes that down. */
export async function issueAddress(tx: Tx, deps: Deps, reader: Caller, document: DocumentRow) {
  await recordAccess(tx, document, reader, 'ADDRESS_ISSUED');
  return { ...addressOf(deps, reader, document), ...about(document) };
}

/** The address alone, made anew for a repeated request. */
export function addressOf(
  deps: Deps,
  reader: Pick<Caller, 'organization_id' | 'key_id'>,
  document: Pick<DocumentRow, 'document_id' | 'organization_id'>,
): { download_url: string; expires_at: string } {
  const expires = Date.now() + ADDRESS_LIFE_SECONDS * 1000;
  const token = deps.addresses.sign({
    act: 'get',
    upload: [document.organization_id, document.document_id, reader.organization_id, reader.key_id].join('/'),
    generation: 1,
    expires,
  });
  return { download_url: `${deps.publicUrl()}/v1/downloads/${token}`, expires_at: new Date(expires).toISOString() };
}

/**
 * Opens what a signed address points to, and writes down that it was read. A document that was made private again since is refused
 * to other organizations.
 */
export async function openDownload(deps: Deps, token: string): Promise<FileReply> {
  const grant = deps.addresses.verify(token, 'get', Date.now());
  const [ownerId, documentId, readerId, keyId] = grant?.upload.split('/') ?? [];
  if (!ownerId || !documentId || !readerId || !keyId) throw new ApiError('SIGNATURE_INVALID');
  const document = await deps.db.tx({ organization: ownerId }, async (tx) => {
    const found = await findDocument(tx, ownerId, documentId);
    if (!found || (readerId !== ownerId && found.visibility !== 'INVESTORS')) throw new ApiError('SIGNATURE_INVALID');
    await recordAccess(tx, found, { organization_id: readerId, key_id: keyId }, 'DOWNLOADED');
    return found;
  });
  const object = await deps.store.get(document.object_key);
  if (!object) throw new ApiError('NOT_FOUND', 'The file is no longer there.');
  return { stream: object.stream, contentType: document.content_type, fileName: document.file_name };
}

const about = ({ document_id, file_name, size, sha256 }: DocumentRow) => ({ document_id, file_name, size, sha256 });
