import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, invalidField, notFound, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { checkFileName, checkSameFileName } from '../uploads/file-name.ts';
import { findUpload, findUploadByKey, type Upload } from '../uploads/queries.ts';
import { completeUpload, uploadedFile } from '../uploads/upload.ts';
import {
  type DocumentPurpose,
  type DocumentRow,
  findNewestVersion,
  insertDocument,
  isListed,
  markAnnounced,
  ownsDeal,
} from './queries.ts';
import { DOCUMENT_TYPES, findTypeMismatch } from './sniff.ts';
import { listStakeholders } from '../securitizations/queries.ts';

export const FOLDER = 'upload/documents/onboarding';
export const MAX_DOCUMENT_BYTES = 25 * 1024 * 1024;
const DEFAULT_DOCUMENT_TYPE = 'W9_FORM';
const FILE_KEY = new RegExp(
  `^${FOLDER}/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\.(${Object.keys(DOCUMENT_TYPES).join('|')})$`,
);

export type CompleteRequest = { fileName: string; fileKey: string; documentType?: string; dealId?: Id<'deal'> };

/** An upload whose content agrees with the extension of its name. */
export type CheckedUpload = { upload: Upload; object_key: string; size: number; sha256: string };

/** Reads an uploaded file before the transaction that registers it: no transaction stays open while a file is read. */
export async function checkDocument(
  deps: Deps,
  { organization_id }: Actor,
  request: CompleteRequest,
  purpose: DocumentPurpose = 'document',
): Promise<CheckedUpload> {
  checkFileName(request.fileName);
  if (!FILE_KEY.test(request.fileKey)) {
    throw invalidField('fileKey', 'INVALID', `expected the file_key of documents/initiate: ${FOLDER}/<uuid>.<ext>`);
  }
  const upload = await deps.db.tx({ organization: organization_id }, async (tx) => {
    const found = orNotFound(await findUploadByKey(tx, organization_id, purpose, request.fileKey), 'upload');
    await checkDeal(tx, organization_id, dealOf(found, request));
    return found;
  });
  checkSameFileName(request.fileName, upload);
  if (upload.status === 'COMPLETED') throw new ApiError('ALREADY_COMPLETED', 'The document is already registered.');
  const { object_key, size, sha256 } = upload;
  if (!object_key || size === null || sha256 === null) throw new ApiError('FILE_NOT_UPLOADED');
  if (size === 0) throw new ApiError('EMPTY_FILE');
  const path = await uploadedFile(deps, object_key, { size, sha256 });
  const mismatch = await findTypeMismatch(path, extensionOf(upload.file_key));
  if (mismatch) throw new ApiError('TYPE_MISMATCH', `The content does not match the extension: ${mismatch}.`);
  return { upload, object_key, size, sha256 };
}

/** Registers the document, with its event and alerts, in one transaction. A name that the deal's room already has gets a new version. */
export async function completeDocument(
  tx: Tx,
  { organization_id }: Actor,
  { checked, ...request }: CompleteRequest & { checked: CheckedUpload },
): Promise<DocumentRow> {
  const upload = orNotFound(await findUpload(tx, organization_id, checked.upload.upload_id, true), 'upload');
  if (upload.status === 'COMPLETED') throw new ApiError('ALREADY_COMPLETED', 'The document is already registered.');
  if (upload.object_key !== checked.object_key) {
    throw new ApiError('CONFLICT', 'Another file was sent to the address in the meantime: complete the upload again.');
  }
  const dealId = dealOf(upload, request);
  const forProfile = upload.purpose === 'profile';
  const newest = await findNewestVersion(tx, {
    organization_id,
    deal_id: dealId,
    file_name: upload.file_name,
    for_profile: forProfile,
  });
  await completeUpload(tx, upload);
  const document = await insertDocument(tx, {
    document_id: tx.newId('doc'),
    organization_id,
    deal_id: dealId,
    file_key: upload.file_key,
    file_name: upload.file_name,
    document_type: request.documentType ?? upload.document_type ?? DEFAULT_DOCUMENT_TYPE,
    content_type: DOCUMENT_TYPES[extensionOf(upload.file_key)] ?? 'application/octet-stream',
    size: checked.size,
    sha256: checked.sha256,
    object_key: checked.object_key,
    version: (newest?.version ?? 0) + 1,
    visibility: newest?.visibility ?? 'PRIVATE',
    for_profile: forProfile,
  });
  await emit(tx, [uploadedEvent(document, organization_id)]);
  await announceDocument(tx, document);
  return document;
}

/** Sends the deal's investors the event of a document that they may read, once. */
export async function announceDocument(tx: Tx, document: DocumentRow): Promise<void> {
  if (document.visibility !== 'INVESTORS' || !document.deal_id || !(await isListed(tx, document.deal_id))) return;
  if (!(await markAnnounced(tx, document.document_id))) return;
  const dealId = document.deal_id;
  await asPlatform(tx, async () => {
    const holders = await listStakeholders(tx, dealId);
    const others = holders.filter((each) => each.organization_id !== document.organization_id);
    await emit(
      tx,
      others.map((each) => uploadedEvent(document, each.organization_id)),
    );
  });
}

/** Refuses a deal that is not the organization's own with 404. */
export async function checkDeal(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'> | null): Promise<void> {
  if (dealId !== null && !(await ownsDeal(tx, organizationId, dealId))) throw notFound('deal');
}

export const extensionOf = (name: string): string => /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

const dealOf = (upload: Upload, request: CompleteRequest): Id<'deal'> | null => request.dealId ?? upload.deal_id;

function uploadedEvent(document: DocumentRow, organizationId: Id<'org'>): Emission {
  const { document_id, deal_id, document_type, file_name, created_at } = document;
  return {
    organization_id: organizationId,
    event: 'document.uploaded',
    data: { document_id, deal_id, document_type, file_name, uploaded_at: created_at.toISOString() },
    alert: {
      category: 'document',
      priority: 'LOW',
      title: `${file_name} is in the ${document.for_profile ? 'compliance profile' : 'deal room'}`,
      message: `Version ${document.version}, ${document.size} bytes, type ${document_type}.`,
      entity_type: 'document',
      entity_id: document_id,
    },
  };
}
