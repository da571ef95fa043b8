import type { Tx } from '../../platform/db/database.ts';
import { invalidField } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { checkFileName } from '../uploads/file-name.ts';
import type { Upload } from '../uploads/queries.ts';
import { createUpload } from '../uploads/upload.ts';
import { checkDeal, extensionOf, FOLDER, MAX_DOCUMENT_BYTES } from './complete-document.ts';
import type { DocumentPurpose } from './queries.ts';
import { DOCUMENT_TYPES } from './sniff.ts';
import type { Id } from '../../platform/ids.ts';

export type InitiateRequest = { fileName: string; documentType?: string; dealId?: Id<'deal'>; contentType?: string };

/** Opens the upload of a document; its bytes come to the signed address. */
export async function initiateDocument(
  tx: Tx,
  { organization_id }: Actor,
  request: InitiateRequest,
  purpose: DocumentPurpose = 'document',
): Promise<Upload> {
  checkFileName(request.fileName);
  const type = DOCUMENT_TYPES[extensionOf(request.fileName)];
  if (!type) {
    throw invalidField('fileName', 'INVALID_EXTENSION', `expected one of ${Object.keys(DOCUMENT_TYPES).join(', ')}`);
  }
  const contentType = request.contentType?.split(';')[0]?.trim().toLowerCase();
  if (contentType !== undefined && contentType !== type) {
    throw invalidField('contentType', 'INVALID', `expected ${type} for this extension, or none`);
  }
  await checkDeal(tx, organization_id, request.dealId ?? null);
  return createUpload(tx, {
    organization_id,
    purpose,
    folder: FOLDER,
    file_name: request.fileName,
    max_bytes: MAX_DOCUMENT_BYTES,
    content_type: contentType ?? null,
    deal_id: request.dealId ?? null,
    document_type: request.documentType ?? null,
  });
}
