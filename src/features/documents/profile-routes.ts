import { alertOperators } from '../../events/emit.ts';
import { ORGANIZATION_RECORD } from '../keys/queries.ts';
import { recordOfCaller, recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { operatorList, operatorRecord } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pathId, timestamp } from '../../platform/http/schemas.ts';
import { asId } from '../../platform/ids.ts';
import { CheckResultSchema, ComplianceCheck, ProfileSchema } from '../compliance/fields.ts';
import { OFFERINGS } from '../pools/queries.ts';
import { freshAddress, UploadFields, uploadReply } from '../uploads/upload.ts';
import { checkDocument, completeDocument } from './complete-document.ts';
import { addressOf, issueAddress } from './download-document.ts';
import { initiateDocument } from './initiate-document.ts';
import { findProfileDocument, listProfileDocuments } from './profile-queries.ts';
import { PROFILE_DOCUMENT_STATUSES, DOCUMENT_RECORD } from './queries.ts';
import { readProfile } from './read-profile.ts';
import { AddressFields, fileKey, fileName, InitiateContentType } from './wire.ts';

const documentType = Type.Optional(namedOneOf('TaxForm', ['W9_FORM', 'W8_FORM'], 'W9_FORM by default.'));

const Filed = {
  document_id: id('doc'),
  status: namedOneOf(
    'ProfileDocumentStatus',
    PROFILE_DOCUMENT_STATUSES,
    'PENDING until the operator sets the compliance profile after it was filed.',
  ),
  document_type: Type.String(),
  file_name: Type.String(),
  file_key: Type.String(),
  content_type: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  sha256: Type.String({ description: 'Of the content, lower-case hexadecimal.' }),
  version: Type.Integer({ description: 'Incremented when the same name is filed again.' }),
  created_at: timestamp(),
};

const ProfileDocument = named('ProfileDocument', Filed);

const OperatorProfileDocument = named('OperatorProfileDocument', {
  ...Filed,
  organization_id: id('org'),
  organization: Type.String(),
});

const tag = 'Compliance profile';

/** What investors may know and file of their compliance profile, and what the operator reads of it. */
export const profileRoutes: Route[] = [
  route({
    operation: 'getInvestorProfile',
    method: 'GET',
    path: '/v1/api/investor/profile',
    record: recordOfCaller(ORGANIZATION_RECORD),
    access: 'investor',
    tag,
    summary: 'Read your compliance facts, and what each kind of offering lacks in them',
    description:
      'The checks are those of a subscription that do not depend on the deal: profile, sanctions, eligibility and tax form. ERISA, minimum, concentration and capacity depend on the tranche: see subscribe/check.',
    reply: named('InvestorProfile', {
      organization_id: id('org'),
      organization: Type.String(),
      profile: nullable(ProfileSchema),
      offerings: Type.Array(
        named('OfferingEligibility', {
          offering: oneOf(OFFERINGS),
          result: CheckResultSchema,
          lacks: Type.Array(ComplianceCheck, { description: 'The checks that do not pass, with their reasons.' }),
        }),
      ),
      filing: nullable(ProfileDocument),
    }),
    handler: ({ read, caller }) => read((tx) => readProfile(tx, caller)),
  }),
  route({
    operation: 'openProfileDocumentUpload',
    method: 'POST',
    path: '/v1/api/investor/profile/documents/initiate',
    access: 'investor',
    tag,
    summary: 'Open the upload of a tax form',
    description: 'pdf, png, jpg, jpeg, docx, xlsx or csv, at most 25 MiB.',
    body: named('InitiateProfileDocument', { fileName, documentType, contentType: InitiateContentType }),
    reply: named('Upload', UploadFields),
    secretFields: ['upload_url'],
    status: 201,
    errors: ['UPLOADS_PENDING'],
    example: { body: { fileName: 'w9.pdf', documentType: 'W9_FORM' } },
    onReplay: freshAddress,
    handler: ({ deps, write, caller, body: { fileName: file_name, documentType: type, contentType } }) => {
      const request = {
        fileName: file_name,
        ...(type === undefined ? {} : { documentType: type }),
        ...(contentType === undefined ? {} : { contentType }),
      };
      return write(async (tx) => uploadReply(deps, caller, await initiateDocument(tx, caller, request, 'profile')));
    },
  }),
  route({
    operation: 'completeProfileDocumentUpload',
    method: 'POST',
    path: '/v1/api/investor/profile/documents/complete',
    access: 'investor',
    audit: {
      action: 'profile.document_filed',
      entity_type: 'document',
      id: 'document_id',
      after: ['document_type', 'file_name', 'version', 'sha256'],
    },
    tag,
    summary: 'File an uploaded tax form',
    description:
      'The content must match the extension. A filed form changes no check by itself: it is PENDING until the operator has set your profile.',
    body: named('CompleteProfileDocument', { fileName, fileKey, documentType }),
    reply: ProfileDocument,
    status: 201,
    errors: ['NOT_FOUND', 'FILE_NAME_MISMATCH', 'ALREADY_COMPLETED', 'FILE_NOT_UPLOADED', 'EMPTY_FILE', 'TYPE_MISMATCH'],
    handler: async ({ deps, write, caller, body: { fileName: file_name, fileKey: file_key, documentType: type } }) => {
      const request = { fileName: file_name, fileKey: file_key, ...(type === undefined ? {} : { documentType: type }) };
      const checked = await checkDocument(deps, caller, request, 'profile');
      return write(async (tx) => {
        const { document_id } = await completeDocument(tx, caller, { ...request, checked });
        await alertOperators(tx, 'compliance.review_required', {
          category: 'compliance',
          priority: 'MEDIUM',
          title: `${caller.organization} has filed a tax form`,
          message: `${file_name} changes no check until you have read it and set the compliance profile.`,
          entity_type: 'document',
          entity_id: document_id,
        });
        return orNotFound(await findProfileDocument(tx, caller.organization_id, document_id), 'document');
      });
    },
  }),
  operatorList({
    operation: 'listOperatorProfileDocuments',
    path: '/v1/operator/profile-documents',
    summary: 'List the tax forms that investors have filed',
    filters: {
      organization_id: Type.Optional(id('org')),
      status: Type.Optional(oneOf(PROFILE_DOCUMENT_STATUSES)),
      ...CreatedBetween,
    },
    reply: OperatorProfileDocument,
    list: listProfileDocuments,
  }),
  operatorRecord({
    operation: 'getOperatorProfileDocument',
    path: '/v1/operator/profile-documents/:documentId',
    summary: 'Read a tax form that an investor has filed',
    params: pathId('documentId', 'doc'),
    reply: OperatorProfileDocument,
    record: recordOfPath('documentId', DOCUMENT_RECORD),
    what: 'document',
    find: (tx, { documentId }) => findProfileDocument(tx, null, documentId),
  }),
  route({
    operation: 'requestOperatorProfileDocumentDownload',
    right: 'VIEW',
    method: 'POST',
    path: '/v1/operator/profile-documents/:documentId/download',
    access: 'operator',
    tag: 'Operator',
    summary: 'Get a short-lived address of a filed tax form',
    description: 'The address and its use are in the access log of the document.',
    params: pathId('documentId', 'doc'),
    body: Type.Object({}),
    bodyOptional: true,
    reply: named('ProfileDocumentAddress', { ...AddressFields, organization_id: id('org') }),
    secretFields: ['download_url'],
    errors: ['NOT_FOUND'],
    onReplay: async (deps, caller, data) => {
      const document = {
        document_id: asId('doc', String(data.document_id)),
        organization_id: asId('org', String(data.organization_id)),
      };
      return { ...data, ...addressOf(deps, caller, document) };
    },
    handler: ({ deps, write, caller, params }) =>
      write(async (tx) => {
        const document = orNotFound(await findProfileDocument(tx, null, params.documentId), 'document');
        return { ...(await issueAddress(tx, caller, document, deps)), organization_id: document.organization_id };
      }),
  }),
];
