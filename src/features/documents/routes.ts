import { actorFields } from '../../platform/http/actor-fields.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { ownList } from '../../platform/http/list-route.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, oneOf, pageQuery, pathId, timestamp } from '../../platform/http/schemas.ts';
import { freshAddress, UploadFields, uploadReply } from '../uploads/upload.ts';
import { changeVisibility } from './change-visibility.ts';
import { checkDocument, completeDocument } from './complete-document.ts';
import { addressOf, issueAddress } from './download-document.ts';
import { initiateDocument } from './initiate-document.ts';
import { findDocument, listAccesses, listDocuments, listVersions, VISIBILITIES, DOCUMENT_RECORD } from './queries.ts';
import { Address, DocumentSchema, DocumentWithVersions, fileKey, fileName, InitiateContentType, TAG } from './wire.ts';
import { asId } from '../../platform/ids.ts';

const documentType = Type.Optional(
  Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$', description: 'Such as W9_FORM (the default) or OFFERING_MEMORANDUM.' }),
);
const dealId = Type.Optional(id('deal', 'Loan deal or securitization deal of your own.'));

export const documentRoutes: Route[] = [
  route({
    operation: 'openDocumentUpload',
    method: 'POST',
    path: '/v1/api/deals/documents/initiate',
    access: 'originator',
    tag: TAG,
    summary: 'Open the upload of a document',
    description: 'pdf, png, jpg, jpeg, docx, xlsx or csv, at most 25 MiB.',
    body: named('InitiateDocument', {
      fileName,
      documentType,
      dealId,
      contentType: InitiateContentType,
    }),
    reply: named('Upload', UploadFields),
    secretFields: ['upload_url'],
    status: 201,
    errors: ['NOT_FOUND', 'UPLOADS_PENDING'],
    onReplay: freshAddress,
    handler: ({ deps, write, caller, body }) =>
      write(async (tx) => uploadReply(deps, caller, await initiateDocument(tx, caller, body))),
  }),
  route({
    operation: 'completeDocumentUpload',
    method: 'POST',
    path: '/v1/api/deals/documents/complete',
    access: 'originator',
    audit: {
      action: 'document.registered',
      entity_type: 'document',
      id: 'document_id',
      after: ['deal_id', 'file_name', 'version', 'sha256'],
    },
    tag: TAG,
    summary: 'Register an uploaded document',
    description: 'The content must match the extension. The same name for the same deal is a new version.',
    body: named('CompleteDocument', {
      fileName,
      fileKey,
      documentType,
      dealId,
    }),
    reply: DocumentSchema,
    status: 201,
    errors: ['NOT_FOUND', 'FILE_NAME_MISMATCH', 'ALREADY_COMPLETED', 'FILE_NOT_UPLOADED', 'EMPTY_FILE', 'TYPE_MISMATCH'],
    handler: async ({ deps, write, caller, body }) => {
      const checked = await checkDocument(deps, caller, body);
      return write((tx) => completeDocument(tx, caller, { ...body, checked }));
    },
  }),
  ownList({
    operation: 'listDocuments',
    path: '/v1/api/deals/documents',
    access: 'originator',
    tag: TAG,
    summary: 'List your documents in their newest versions',
    filters: {
      dealId,
      versionsOf: Type.Optional(
        id('doc', 'Every version of this document, the newest first, in place of the newest version of every document.'),
      ),
      ...CreatedBetween,
    },
    reply: DocumentSchema,
    list: listDocuments,
  }),
  route({
    operation: 'getDocument',
    method: 'GET',
    path: '/v1/api/deals/documents/:documentId',
    record: recordOfPath('documentId', DOCUMENT_RECORD),
    access: 'originator',
    tag: TAG,
    summary: 'Read one of your documents with its versions',
    params: pathId('documentId', 'doc'),
    reply: DocumentWithVersions,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => {
        const document = orNotFound(await findDocument(tx, caller.organization_id, params.documentId), 'document');
        return { ...document, versions: await listVersions(tx, document) };
      }),
  }),
  route({
    operation: 'setDocumentVisibility',
    method: 'PUT',
    path: '/v1/api/deals/documents/:documentId/visibility',
    record: recordOfPath('documentId', DOCUMENT_RECORD),
    access: 'originator',
    audit: { action: 'document.visibility_set', entity_type: 'document', id: 'document_id', after: ['deal_id', 'visibility'] },
    tag: TAG,
    summary: 'Show a document to the investors of its deal, or hide it',
    params: pathId('documentId', 'doc'),
    body: named('ChangeDocument', { visibility: oneOf(VISIBILITIES) }),
    reply: DocumentSchema,
    errors: ['NOT_FOUND'],
    handler: ({ write, caller, params, body }) => write((tx) => changeVisibility(tx, caller, { ...params, ...body })),
  }),
  route({
    operation: 'requestDocumentDownload',
    right: 'VIEW',
    method: 'POST',
    path: '/v1/api/deals/documents/:documentId/download',
    access: 'originator',
    tag: TAG,
    summary: 'Get a short-lived address of one of your documents',
    params: pathId('documentId', 'doc'),
    body: Type.Object({}),
    bodyOptional: true,
    reply: Address,
    secretFields: ['download_url'],
    errors: ['NOT_FOUND'],
    onReplay: async (deps, caller, data) => ({
      ...data,
      ...addressOf(deps, caller, { document_id: asId('doc', String(data.document_id)), organization_id: caller.organization_id }),
    }),
    handler: ({ deps, write, caller, params }) =>
      write(async (tx) => {
        const document = orNotFound(await findDocument(tx, caller.organization_id, params.documentId), 'document');
        return issueAddress(tx, caller, document, deps);
      }),
  }),
  route({
    operation: 'listDocumentAccesses',
    method: 'GET',
    path: '/v1/api/deals/documents/:documentId/access-log',
    access: 'originator',
    tag: TAG,
    summary: 'List who requested an address of one of your documents and who downloaded it',
    description: 'Kept for seven years.',
    params: pathId('documentId', 'doc'),
    query: pageQuery(CreatedBetween),
    reply: named('DocumentAccess', {
      reader_id: id('org'),
      reader: Type.String({ description: 'Name of the organization.' }),
      ...actorFields,
      act: oneOf(['ADDRESS_ISSUED', 'DOWNLOADED']),
      at: timestamp(),
    }),
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params, query }) =>
      read(async (tx) => {
        const document = orNotFound(await findDocument(tx, caller.organization_id, params.documentId), 'document');
        return asPlatform(tx, () => listAccesses(tx, caller.organization_id, document.document_id, query));
      }),
  }),
];
