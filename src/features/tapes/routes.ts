import type { Tx } from '../../platform/db/database.ts';
import { DEAL_ROW } from '../deals/deal-fields.ts';
import { DEAL_RECORD } from '../deals/queries.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import type { Deps } from '../../platform/deps.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { named, recordOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { id, nullable, oneOf, pathId, text, timestamp } from '../../platform/http/schemas.ts';
import { BULK_STATUSES, findBulkJob, BULK_JOB_RECORD } from './bulk-queries.ts';
import { checkUploadedTape, completeTape } from './complete-tape.ts';
import { correctTape, storeCorrection } from './correct-tape.ts';
import { deleteDraft, initiateTape, initiateVersion, refreshTape } from './initiate-tape.ts';
import { fileFormat, fileName, fileSize } from './file-fields.ts';
import { recheckTape } from './recheck-tape.ts';
import { prepareBulk, submitBulk } from './submit-bulk.ts';
import { checkFileName } from '../uploads/file-name.ts';
import { checkDeclaredSize, createUpload, freshAddress, MAX_BYTES, UploadFields, uploadReply } from '../uploads/upload.ts';
import { TAG, withDeal } from './wire.ts';
import { LoanTypeSchema } from '../deals/fields.ts';
import type { Deal } from '../deals/queries.ts';
import type { Upload } from '../uploads/queries.ts';

const MIB = 1024 * 1024;
const Initiated = named('InitiatedTape', {
  ...DEAL_ROW,
  ...UploadFields,
});
const Completed = named('CompletedTape', { ...DEAL_ROW, job_id: id('job') });

const InlineLoan = recordOf(Type.String({ maxLength: 200 }), Type.Unknown());

export const tapeRoutes: Route[] = [
  route({
    operation: 'openLoanDeal',
    method: 'POST',
    path: '/v1/api/originator/loans/initiate',
    access: 'originator',
    tag: TAG,
    summary: 'Open a DRAFT deal and the upload of its loan tape',
    description:
      'One DRAFT per organization and loan type. Send the bytes to `upload_url` with PUT and `upload_headers`, then call complete.',
    body: named('InitiateTape', {
      loanType: LoanTypeSchema,
      fileFormat,
      fileName,
      fileSize,
      name: Type.Optional(text(200, 'Name of the deal; the file name by default.')),
    }),
    reply: Initiated,
    secretFields: ['upload_url'],
    status: 201,
    errors: ['DRAFT_EXISTS', 'UPLOADS_PENDING', 'PAYLOAD_TOO_LARGE'],
    example: { body: { loanType: 'Auto', fileFormat: 'text/csv', fileName: 'auto-2026-10.csv' } },
    onReplay: freshAddress,
    handler: ({ write, caller, body, deps }) =>
      write(async (tx) => initiatedReply(tx, deps, caller, await initiateTape(tx, caller, body))),
  }),
  route({
    operation: 'completeTapeUpload',
    method: 'POST',
    path: '/v1/api/originator/loans/complete',
    access: 'originator',
    audit: { action: 'tape.completed', entity_type: 'deal', id: 'deal_id', after: ['status', 'job_id'] },
    tag: TAG,
    summary: 'Complete an upload: the file becomes a tape version and its checks start',
    body: named('CompleteTape', { dealId: id('deal'), fileName }),
    reply: Completed,
    status: 202,
    errors: [
      'FILE_NAME_MISMATCH',
      'NOT_FOUND',
      'INVALID_TRANSITION',
      'FILE_NOT_UPLOADED',
      'EMPTY_FILE',
      'UNREADABLE_FILE',
      'NO_LOAN_ROWS',
      'COMPUTE_BUSY',
      'QUEUE_FULL',
    ],
    handler: async ({ deps, caller, write, body }) => {
      const checked = await checkUploadedTape(deps, caller, body);
      return write(async (tx) => withDeal(tx, caller, await completeTape(tx, caller, { ...body, checked }, deps)));
    },
  }),
  route({
    operation: 'recheckTape',
    method: 'POST',
    path: '/v1/api/originator/loans/:dealId/recheck',
    access: 'originator',
    tag: TAG,
    summary: 'Start the checks of the newest tape again after they FAILED',
    description:
      'For checks that the platform could not finish (`qc.state` FAILED): runs them again with the same file and mapping.',
    params: pathId('dealId', 'deal'),
    reply: Completed,
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'QUEUE_FULL'],
    handler: ({ deps, caller, write, params }) =>
      write(async (tx) => withDeal(tx, caller, await recheckTape(tx, caller, params.dealId, deps))),
  }),
  route({
    operation: 'renewTapeUpload',
    method: 'PATCH',
    path: '/v1/api/originator/loans/:dealId',
    record: recordOfPath('dealId', DEAL_RECORD),
    access: 'originator',
    tag: TAG,
    summary: 'Make a new upload address for a DRAFT deal; the old one stops working',
    params: pathId('dealId', 'deal'),
    body: named('RefreshTape', { fileName: Type.Optional(fileName), fileFormat: Type.Optional(fileFormat) }),
    bodyOptional: true,
    reply: Initiated,
    secretFields: ['upload_url'],
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'UPLOADS_PENDING'],
    onReplay: freshAddress,
    handler: ({ write, caller, params, body, deps }) =>
      write(async (tx) => initiatedReply(tx, deps, caller, await refreshTape(tx, caller, { ...body, ...params }))),
  }),
  route({
    operation: 'deleteLoanDeal',
    method: 'DELETE',
    path: '/v1/api/originator/loans/:dealId',
    record: recordOfPath('dealId', DEAL_RECORD),
    access: 'originator',
    tag: TAG,
    summary: 'Delete a DRAFT deal',
    params: pathId('dealId', 'deal'),
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: async ({ write, caller, params }) => {
      await write((tx) => deleteDraft(tx, caller, params.dealId));
      return 'The draft is deleted.';
    },
  }),
  route({
    operation: 'openTapeUpload',
    method: 'POST',
    path: '/v1/api/originator/loans/:dealId/tapes',
    access: 'originator',
    tag: TAG,
    summary: 'Open the upload of a new tape version',
    description:
      'Complete it like the first one. `MERGE` merges by loan id into the version in force; the default replaces it. A corrected issues file (columns `_row`, `_rule`, `_reason`) is merged by `_row` into the version that it came from, whatever the mode. A version that would lose more than half of the loans or of the balance waits for a confirmation (`qc.state` NEEDS_CONFIRMATION); a further version takes its place.',
    params: pathId('dealId', 'deal'),
    body: named('InitiateVersion', { fileName, fileFormat, fileSize, mode: Type.Optional(oneOf(['REPLACE', 'MERGE'])) }),
    reply: Initiated,
    secretFields: ['upload_url'],
    status: 201,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'UPLOADS_PENDING', 'PAYLOAD_TOO_LARGE'],
    onReplay: freshAddress,
    handler: ({ write, caller, params, body, deps }) =>
      write(async (tx) => initiatedReply(tx, deps, caller, await initiateVersion(tx, caller, { ...body, ...params }))),
  }),
  route({
    operation: 'submitTapeCorrection',
    method: 'POST',
    path: '/v1/api/originator/loans/:dealId/corrections',
    access: 'originator',
    audit: { action: 'tape.corrected', entity_type: 'deal', id: 'deal_id', after: ['version', 'corrected_cells', 'job_id'] },
    tag: TAG,
    summary: 'Correct single cells of the tape: the corrected rows become a new version',
    description:
      'For the cells that findings name. The rows of the cells are merged into `tape_version`, as a corrected issues file is, and the checks run; every other cell stays. An empty `value` empties a cell. Corrections of more cells are sent as an issues file.',
    params: pathId('dealId', 'deal'),
    body: named('TapeCorrection', {
      tape_version: Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'The version in force, whose cells these are; 409 once it is another one.',
      }),
      cells: Type.Array(
        named('CellCorrection', {
          row_number: Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: '1 is the first data row.' }),
          column: Type.String({
            maxLength: 1_000,
            description:
              'Column of the tape as `column` of a finding names it: its header, or the name in the mapping where the header is empty or repeated.',
          }),
          value: Type.String({ maxLength: 4_000, description: 'What the cell should read.' }),
        }),
        { minItems: 1, maxItems: 1_000 },
      ),
    }),
    bodyLimitBytes: 8 * MIB,
    reply: named('SubmittedCorrection', {
      ...DEAL_ROW,
      job_id: id('job'),
      version: Type.Integer({ description: 'The version that the correction makes.' }),
      corrected_cells: Type.Integer(),
      corrected_rows: Type.Integer(),
    }),
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'CONFLICT', 'QUEUE_FULL'],
    handler: async ({ deps, caller, write, params, body }) => {
      const request = { ...params, ...body };
      const stored = await storeCorrection(deps, caller, request);
      return write(async (tx) => withDeal(tx, caller, await correctTape(tx, caller, { ...request, stored }, deps)));
    },
  }),
  route({
    operation: 'openBulkUpload',
    method: 'POST',
    path: '/v1/api/originator/loans/bulk/uploads',
    access: 'originator',
    tag: TAG,
    summary: 'Open the upload of a file for a bulk submission',
    body: named('InitiateBulkUpload', { fileName, fileFormat, fileSize }),
    reply: named('Upload', UploadFields),
    secretFields: ['upload_url'],
    status: 201,
    errors: ['UPLOADS_PENDING', 'PAYLOAD_TOO_LARGE'],
    onReplay: freshAddress,
    handler: ({ write, caller, body, deps }) =>
      write(async (tx) => {
        checkFileName(body.fileName);
        const max_bytes = MAX_BYTES[body.fileFormat] ?? 0;
        checkDeclaredSize(body.fileSize, max_bytes);
        const upload = await createUpload(tx, {
          organization_id: caller.organization_id,
          purpose: 'bulk',
          folder: 'upload/bulk',
          file_name: body.fileName,
          content_type: body.fileFormat,
          max_bytes,
          ...(body.fileSize === undefined ? {} : { declared_size: body.fileSize }),
        });
        return uploadReply(deps, caller, upload);
      }),
  }),
  route({
    operation: 'submitLoanDeals',
    method: 'POST',
    path: '/v1/api/originator/loans/bulk',
    access: 'originator',
    audit: { action: 'bulk.submitted', entity_type: 'bulk_job', id: 'job_id', after: ['status', 'deals'] },
    tag: TAG,
    summary: 'Submit many deals at once',
    description:
      '1 to 50 deals, each with an uploaded `fileKey` or up to 10,000 inline `loans` keyed by canonical names. Bulk deals skip DRAFT.',
    body: named('NewBulkJob', {
      deals: Type.Array(
        named('NewBulkDeal', {
          loanType: LoanTypeSchema,
          name: Type.Optional(text(200)),
          fileFormat: Type.Optional(fileFormat),
          fileKey: Type.Optional(text(300, 'Storage key from bulk/uploads.')),
          loans: Type.Optional(Type.Array(InlineLoan, { maxItems: 10_000 })),
        }),
        { maxItems: 50 },
      ),
    }),
    bodyLimitBytes: 16 * MIB,
    reply: named('QueuedBulkJob', {
      job_id: id('job'),
      status: Type.String(),
      deals: Type.Array(named('BulkDeal', { id: id('deal'), deal_id: id('deal'), status: Type.String() })),
    }),
    status: 202,
    errors: ['BULK_EMPTY', 'NOT_FOUND', 'FILE_NOT_UPLOADED', 'ALREADY_COMPLETED', 'QUEUE_FULL'],
    handler: async ({ deps, caller, write, body }) => {
      const prepared = await prepareBulk(deps, caller, body.deals);
      return write((tx) => submitBulk(tx, caller, prepared, deps));
    },
  }),
  route({
    operation: 'getBulkJob',
    method: 'GET',
    path: '/v1/api/originator/loans/bulk/:jobId',
    record: recordOfPath('jobId', BULK_JOB_RECORD),
    access: 'originator',
    tag: TAG,
    summary: 'Read a bulk job with its deals and their present statuses',
    params: pathId('jobId', 'job'),
    reply: named('BulkJob', {
      job_id: id('job'),
      status: oneOf(BULK_STATUSES),
      deals: Type.Array(named('BulkDeal', { id: id('deal'), deal_id: id('deal'), status: Type.String() })),
      total: Type.Integer(),
      processed: Type.Integer(),
      failed: Type.Integer(),
      errors: Type.Array(
        named('BulkProblem', {
          index: Type.Integer({ description: 'Position in `deals` of the submission, from 0.' }),
          file_name: nullable(Type.String({ description: 'The file that could not be read; null for inline loans.' })),
          code: Type.String(),
          message: Type.String(),
        }),
      ),
      created_at: timestamp(),
      completed_at: nullable(timestamp()),
    }),
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) => {
      const job = await read((tx) => findBulkJob(tx, caller.organization_id, params.jobId));
      return orNotFound(job, 'bulk job');
    },
  }),
];

function initiatedReply(tx: Tx, deps: Deps, caller: Caller, { deal, upload }: { deal: Deal; upload: Upload }) {
  return withDeal(tx, caller, { deal_id: deal.deal_id, ...uploadReply(deps, caller, upload) });
}
