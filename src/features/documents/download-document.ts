import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { createVerifier } from '../../platform/files/integrity.ts';
import { ObjectDamaged } from '../../platform/files/store.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { FileReply } from '../../platform/http/route.ts';
import { type Asker, holderOf, isHolderInForce } from '../sessions/queries.ts';
import { type DocumentRow, findAnyDocument, findVisibleOwner, recordAccess } from './queries.ts';
import { asActorId, asId, type Id } from '../../platform/ids.ts';

const ADDRESS_LIFE_SECONDS = 5 * 60;

/** What an address tells of the document that it is for. */
type ReadableDocument = Pick<DocumentRow, 'document_id' | 'organization_id' | 'file_name' | 'size' | 'sha256'>;

/** Makes a short-lived address for one document and one reader, and records it in the access log. */
export async function issueAddress(tx: Tx, reader: Asker, document: ReadableDocument, deps: Deps) {
  await recordAccess(tx, document, reader, 'ADDRESS_ISSUED');
  return { ...addressOf(deps, reader, document), ...about(document) };
}

/** The address alone; a repeated request gets a new one. */
export function addressOf(
  deps: Deps,
  reader: Asker,
  document: Pick<DocumentRow, 'document_id' | 'organization_id'>,
): { download_url: string; expires_at: string } {
  const expires = Date.now() + ADDRESS_LIFE_SECONDS * 1000;
  const { organization_id, actor_id, session_hash } = holderOf(reader);
  const holder = [organization_id, actor_id, ...(session_hash === null ? [] : [session_hash])];
  const token = deps.addresses.sign({
    act: 'get',
    ids: [document.organization_id, document.document_id, ...holder],
    generation: 1,
    expires,
  });
  return { download_url: `${deps.publicUrl()}/v1/downloads/${token}`, expires_at: new Date(expires).toISOString() };
}

/**
 * Opens the document of a signed address, and records the download, if its bytes are `wanted`: a HEAD request gets none. The reader's key
 * or session must still be in force, and the reader must still see the document: it may have been made private, or its deal withdrawn, in
 * the meantime.
 */
export async function openDownload(deps: Deps, token: string, { wanted }: { wanted: boolean }): Promise<FileReply> {
  const grant = deps.addresses.verify(token, 'get', Date.now());
  const [owner, document_id, reader, key, session = null] = grant?.ids ?? [];
  if (!owner || !document_id || !reader || !key) throw new ApiError('SIGNATURE_INVALID', deps.addresses.refusal(token, 'get'));
  const [ownerId, documentId, organization_id] = [asId('org', owner), asId('doc', document_id), asId('org', reader)];
  const holder = { organization_id, actor_id: asActorId(key), session_hash: session };
  const isInForce = () =>
    deps.db.peek({ organization: organization_id }, (tx) => isHolderInForce(tx, holder, deps.config.environment));
  if (!(await isInForce())) {
    throw new ApiError(
      'SIGNATURE_INVALID',
      'The key or session that requested this address is no longer valid: request a new address with a valid one.',
    );
  }
  const document = await deps.db.tx({ organization: ownerId }, (tx) => findAnyDocument(tx, ownerId, documentId));
  if (!document || !(await mayRead(deps, organization_id, document))) throw new ApiError('SIGNATURE_INVALID');
  const stream = await openFile(deps, document);
  if (wanted) await deps.db.tx({ organization: ownerId }, (tx) => recordAccess(tx, document, holder, 'DOWNLOADED'));
  return { stream, contentType: document.content_type, fileName: document.file_name, isInForce };
}

async function mayRead(
  deps: Deps,
  reader: Id<'org'>,
  { document_id, organization_id, for_profile }: DocumentRow,
): Promise<boolean> {
  // Beside its owner, the operator alone is given addresses of a document of a profile.
  if (reader === organization_id || for_profile) return true;
  const owner = await deps.db.tx({ market: [reader] }, (tx) => findVisibleOwner(tx, reader, document_id));
  return owner === organization_id;
}

/** Opens the uploaded file. Its bytes are compared with the upload before the first one is sent, and again while they are sent. */
async function openFile(deps: Deps, { document_id, object_key, size, sha256 }: DocumentRow): Promise<Readable> {
  const expected = { size, sha256 };
  const logError = (error: Error) => deps.log.error({ document_id, object_key, err: error }, 'a document cannot be read');
  const path = await deps.store.localPath(object_key, expected).catch((error: Error) => {
    if (!(error instanceof ObjectDamaged)) throw error;
    logError(error);
    throw new ApiError('INTERNAL', 'The stored file is damaged and is not sent: its owner can upload it again as a new version.');
  });
  if (!path) throw new ApiError('NOT_FOUND', 'The file no longer exists.');
  // A failure while sending cuts the connection, so that a partial file never looks complete.
  return pipeline(createReadStream(path), createVerifier(object_key, expected), (error) => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') logError(error);
  });
}

const about = ({ document_id, file_name, size, sha256 }: ReadableDocument) => ({ document_id, file_name, size, sha256 });
