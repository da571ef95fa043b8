import Type from 'typebox';
import { notFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import {
  CreatedBetween,
  createdBetween,
  id,
  nullable,
  oneOf,
  pageQuery,
  pathId,
  text,
  timestamp,
} from '../../platform/http/schemas.ts';
import { isVisible } from '../market/queries.ts';
import { freshAddress, UploadFields, uploadAnswer } from '../tapes/uploads.ts';
import { announceDocument, checkDocument, completeDocument } from './complete-document.ts';
import { addressOf, issueAddress, openDownload } from './download-document.ts';
import { initiateDocument } from './initiate-document.ts';
import {
  findDocument,
  findInvestorDocument,
  listAccesses,
  listDocuments,
  listInvestorDocuments,
  listVersions,
  updateVisibility,
  VISIBILITIES,
} from './queries.ts';

const Document = {
  document_id: id('doc'),
  status: oneOf(['uploaded']),
  document_type: Type.String(),
  deal_id: nullable(id('deal')),
  file_name: Type.String(),
  content_type: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  sha256: Type.String({ description: 'Of the content, lower-case hexadecimal.' }),
  version: Type.Integer({ description: 'Raised when the same name is uploaded for the same deal again.' }),
  visibility: oneOf(VISIBILITIES),
  created_at: timestamp(),
};
const DocumentSchema = Type.Object({ ...Document, file_key: Type.String() });
const InvestorDocument = Type.Object(Document);
const DocumentWithVersions = Type.Object({ ...Document, file_key: Type.String(), versions: Type.Array(InvestorDocument) });

const Address = Type.Object({
  document_id: id('doc'),
  file_name: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  download_url: Type.String({ description: 'GET it without a key before it expires.' }),
  expires_at: timestamp('When the address stops working: five minutes after it was made.'),
});

const fileName = text(1_000, 'A plain file name of at most 255 characters.');
const documentType = Type.Optional(
  Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$', description: 'Such as W9_FORM (the default) or OFFERING_MEMORANDUM.' }),
);
const dealId = Type.Optional(Type.String({ maxLength: 128, description: 'Loan deal or securitization deal of your own.' }));
const tag = 'Deal room';
const PLATFORM = { platform: true } as const;

export const documentRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/api/deals/documents/initiate',
    access: 'originator',
    tag,
    summary: 'Open the upload of a document',
    description: 'pdf, png, jpg, jpeg, docx, xlsx or csv, at most 25 MiB.',
    body: Type.Object({
      fileName,
      documentType,
      dealId,
      contentType: Type.Optional(
        Type.String({ maxLength: 200, description: 'Content type that the PUT will carry; left out, any.' }),
      ),
    }),
    reply: Type.Object(UploadFields),
    status: 201,
    errors: ['NOT_FOUND'],
    onReplay: freshAddress,
    handler: ({ deps, write, caller, body }) =>
      write(async (tx) => uploadAnswer(deps, await initiateDocument(tx, caller.organization_id, body))),
  }),
  route({
    method: 'POST',
    path: '/v1/api/deals/documents/complete',
    access: 'originator',
    tag,
    summary: 'Register an uploaded document',
    description:
      'The content is looked at: it has to be what the extension says. The same name for the same deal is a new version.',
    body: Type.Object({
      fileName,
      fileKey: Type.String({ minLength: 1, maxLength: 300, description: 'file_key of the initiate step.' }),
      documentType,
      dealId,
    }),
    reply: DocumentSchema,
    status: 201,
    errors: ['NOT_FOUND', 'FILE_NAME_MISMATCH', 'ALREADY_COMPLETED', 'FILE_NOT_UPLOADED', 'EMPTY_FILE', 'TYPE_MISMATCH'],
    handler: async ({ deps, write, caller, body }) => {
      const checked = await checkDocument(deps, caller.organization_id, body);
      return write((tx) => completeDocument(tx, caller.organization_id, checked, body), PLATFORM) as never;
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/deals/documents',
    access: 'originator',
    tag,
    summary: 'List your documents in their newest versions',
    query: pageQuery({ dealId, ...CreatedBetween }),
    reply: DocumentSchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: ({ read, caller, query }) => {
      const bounds = createdBetween(query);
      return read((tx) => listDocuments(tx, caller.organization_id, { ...query, ...bounds })) as never;
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/deals/documents/:documentId',
    access: 'originator',
    tag,
    summary: 'Read one of your documents with its versions',
    params: pathId('documentId', 'doc'),
    reply: DocumentWithVersions,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => {
        const document = await findDocument(tx, caller.organization_id, params.documentId as string);
        if (!document) throw notFound('document');
        return { ...document, versions: await listVersions(tx, document) };
      }) as never,
  }),
  route({
    method: 'PUT',
    path: '/v1/api/deals/documents/:documentId/visibility',
    access: 'originator',
    tag,
    summary: 'Show a document to the investors of its deal, or hide it',
    params: pathId('documentId', 'doc'),
    body: Type.Object({ visibility: oneOf(VISIBILITIES) }),
    reply: DocumentSchema,
    errors: ['NOT_FOUND'],
    handler: ({ write, caller, params, body }) =>
      write(async (tx) => {
        const found = await findDocument(tx, caller.organization_id, params.documentId as string, true);
        if (!found) throw notFound('document');
        const document = await updateVisibility(tx, found, body.visibility);
        await announceDocument(tx, document);
        return document;
      }, PLATFORM) as never,
  }),
  route({
    method: 'POST',
    path: '/v1/api/deals/documents/:documentId/download',
    access: 'originator',
    tag,
    summary: 'Get a short-lived address of one of your documents',
    params: pathId('documentId', 'doc'),
    body: Type.Object({}),
    bodyOptional: true,
    reply: Address,
    errors: ['NOT_FOUND'],
    onReplay: async (deps, caller, data) => ({
      ...data,
      ...addressOf(deps, caller, { document_id: data.document_id as string, organization_id: caller.organization_id }),
    }),
    handler: ({ deps, write, caller, params }) =>
      write(async (tx) => {
        const document = await findDocument(tx, caller.organization_id, params.documentId as string);
        if (!document) throw notFound('document');
        return issueAddress(tx, deps, caller, document);
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/api/deals/documents/:documentId/access-log',
    access: 'originator',
    tag,
    summary: 'See who asked for and read one of your documents',
    params: pathId('documentId', 'doc'),
    query: pageQuery({}),
    reply: Type.Object({
      reader_id: id('org'),
      reader: Type.String({ description: 'Name of the organization.' }),
      key_id: id('key'),
      act: oneOf(['ADDRESS_ISSUED', 'DOWNLOADED']),
      at: timestamp(),
    }),
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params, query }) =>
      read(async (tx) => {
        const document = await findDocument(tx, caller.organization_id, params.documentId as string);
        if (!document) throw notFound('document');
        return listAccesses(tx, caller.organization_id, document.document_id, query);
      }, PLATFORM) as never,
  }),
  route({
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId/documents',
    access: 'investor',
    tag,
    summary: 'List the documents of a deal that investors may read',
    params: pathId('dealId', 'deal'),
    query: pageQuery({}),
    reply: InvestorDocument,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params, query }) =>
      read(async (tx) => {
        if (!(await isVisible(tx, caller.organization_id, params.dealId as string))) throw notFound('deal');
        return listInvestorDocuments(tx, params.dealId as string, query);
      }, PLATFORM) as never,
  }),
  route({
    method: 'POST',
    path: '/v1/api/investor/deals/:dealId/documents/:documentId/download',
    access: 'investor',
    tag,
    summary: 'Get a short-lived address of a document of a deal',
    params: Type.Object({ dealId: id('deal'), documentId: id('doc') }),
    body: Type.Object({}),
    bodyOptional: true,
    reply: Address,
    errors: ['NOT_FOUND'],
    onReplay: async (deps, caller, data) => {
      const owner = await deps.db.tx({ platform: true }, (tx) =>
        tx.one<{ organization_id: string }>(
          `select organization_id from documents where document_id = $1 and visibility = 'INVESTORS'`,
          [data.document_id],
        ),
      );
      if (!owner) throw notFound('document');
      return { ...data, ...addressOf(deps, caller, { document_id: data.document_id as string, ...owner }) };
    },
    handler: ({ deps, write, caller, params }) =>
      write(async (tx) => {
        const visible = await isVisible(tx, caller.organization_id, params.dealId as string);
        const document = visible && (await findInvestorDocument(tx, params.dealId as string, params.documentId as string));
        if (!document) throw notFound('document');
        return issueAddress(tx, deps, caller, document);
      }, PLATFORM),
  }),
  route({
    method: 'GET',
    path: '/v1/downloads/:token',
    access: 'public',
    tag,
    summary: 'Read a document at its signed address',
    params: Type.Object({ token: Type.String({ maxLength: 2_048 }) }),
    reply: Type.String(),
    replyKind: 'file',
    errors: ['SIGNATURE_INVALID'],
    handler: ({ deps, params }) => openDownload(deps, params.token as string),
  }),
];
