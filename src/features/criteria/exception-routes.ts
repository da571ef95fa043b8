import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { CSV, downloadType, JSON_TYPE, XLSX } from '../../platform/files/content-types.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { ownList, operatorRecord } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, pathId, text, timestamp } from '../../platform/http/schemas.ts';
import {
  findExceptionFile,
  findWaiver,
  listExceptionFiles,
  listWaivers,
  WAIVER_STATUSES,
  EXCEPTION_FILE_RECORD,
  WAIVER_RECORD,
} from './exception-queries.ts';
import { findRun } from './run-queries.ts';
import { checkInFile, completed, downloadExceptions } from './read-outcomes.ts';
import { decideWaiver, findWaivable, requestWaiver } from './waive.ts';

const tag = 'Selection criteria';

const ExceptionFile = named('ExceptionFile', {
  exception_file_id: id('exf'),
  deal_id: id('deal'),
  sc_job_id: id('scj'),
  exception_count: Type.Integer(),
  created_at: timestamp(),
});

const WaiverSchema = named('Waiver', {
  waiver_id: id('wvr'),
  organization_id: id('org'),
  deal_id: id('deal'),
  exception_file_id: id('exf'),
  criteria_id: id('crt'),
  rule_id: Type.String(),
  loan_ids: Type.Array(Type.String()),
  reason: Type.String(),
  status: namedOneOf('WaiverStatus', WAIVER_STATUSES),
  requested_by: Type.String(),
  decided_by: nullable(Type.String()),
  decided_at: nullable(timestamp()),
  decision_reason: nullable(Type.String({ description: 'The reason that the operator gave for its decision.' })),
  only_tape_version: nullable(
    Type.Integer({
      description:
        'The version of the tape for which alone it holds, since the loans of that version have no ids and are named by their rows. Null: it follows the ids.',
    }),
  ),
  created_at: timestamp(),
});

const fileId = pathId('exceptionFileId', 'exf');

export const exceptionRoutes: Route[] = [
  route({
    operation: 'listExceptionFiles',
    method: 'GET',
    path: '/v1/api/originator/sc/exceptions',
    access: 'originator',
    tag,
    summary: 'List exception files over all runs, newest first',
    query: pageQuery({ dealId: Type.Optional(id('deal')), ...CreatedBetween }),
    reply: ExceptionFile,
    replyKind: 'page',
    handler: ({ read, caller, query }) => read((tx) => listExceptionFiles(tx, caller.organization_id, query)),
  }),
  route({
    operation: 'getExceptionFile',
    method: 'GET',
    path: '/v1/api/originator/sc/exceptions/:exceptionFileId',
    record: recordOfPath('exceptionFileId', EXCEPTION_FILE_RECORD),
    access: 'originator',
    tag,
    summary: 'Read an exception file’s record',
    params: fileId,
    reply: ExceptionFile,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) => {
      const file = await read((tx) => findExceptionFile(tx, caller.organization_id, params.exceptionFileId));
      return orNotFound(file, 'exception file');
    },
  }),
  route({
    operation: 'downloadExceptionFile',
    method: 'GET',
    path: '/v1/api/originator/sc/exceptions/:exceptionFileId/download',
    access: 'originator',
    tag,
    summary: 'Download the failed loans in the tape’s own columns, with the rules and reasons',
    params: fileId,
    query: Type.Object({
      format: Type.Unsafe<'csv' | 'xlsx' | 'json'>({ type: 'string', enum: ['csv', 'xlsx', 'json'], default: 'csv' }),
    }),
    reply: Type.String(),
    replyKind: 'file',
    fileTypes: [CSV, XLSX, JSON_TYPE],
    errors: ['NOT_FOUND'],
    handler: async ({ deps, read, caller, params, query }) => {
      const { file, run } = await read(async (tx) => {
        const found = orNotFound(await findExceptionFile(tx, caller.organization_id, params.exceptionFileId), 'exception file');
        return { file: found, run: await findRun(tx, caller.organization_id, found.sc_job_id) };
      });
      const stream = await downloadExceptions(deps, caller, completed(run), query.format);
      return { stream, contentType: downloadType(query.format), fileName: `${file.exception_file_id}.${query.format}` };
    },
  }),
  route({
    operation: 'requestWaiver',
    method: 'POST',
    path: '/v1/api/originator/sc/exceptions/:exceptionFileId/waivers',
    access: 'originator',
    audit: {
      action: 'waiver.requested',
      entity_type: 'waiver',
      id: 'waiver_id',
      after: ['status', 'deal_id', 'rule_id', 'reason'],
    },
    tag,
    summary: 'Request a waiver: loans pass despite a rule',
    description:
      'For loans of the exception file. The operator decides; the next run applies approved waivers. Loans of a tape without ids are named by their rows: their waiver holds for that version of the tape alone. While a waiver of the rule waits for a loan, another one for it is 409.',
    params: fileId,
    body: named('NewWaiver', {
      loan_ids: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 10_000 }),
      rule_id: text(64),
      reason: text(1_000),
    }),
    reply: WaiverSchema,
    status: 201,
    errors: ['NOT_FOUND', 'RULE_NOT_WAIVABLE', 'UNKNOWN_LOAN', 'WAIVER_PENDING'],
    handler: async ({ deps, read, write, caller, params, body }) => {
      // An exception file never changes: it is read before the transaction.
      const waivable = await read((tx) => findWaivable(tx, caller.organization_id, params.exceptionFileId, body));
      await checkInFile(deps, caller, waivable.run, body.loan_ids);
      return await write((tx) => requestWaiver(tx, caller, { ...waivable, ...body }));
    },
  }),
  ownList({
    operation: 'listWaivers',
    path: '/v1/api/originator/sc/waivers',
    access: 'originator',
    tag,
    summary: 'List the waivers that you have requested, newest first',
    filters: {
      deal_id: Type.Optional(id('deal')),
      exception_file_id: Type.Optional(id('exf')),
      status: Type.Optional(oneOf(WAIVER_STATUSES)),
      ...CreatedBetween,
    },
    reply: WaiverSchema,
    list: (tx, organizationId, filter) => listWaivers(tx, filter, organizationId),
  }),
  route({
    operation: 'getWaiver',
    method: 'GET',
    path: '/v1/api/originator/sc/waivers/:waiverId',
    record: recordOfPath('waiverId', WAIVER_RECORD),
    access: 'originator',
    tag,
    summary: 'Read one of your waivers: what became of the request',
    params: pathId('waiverId', 'wvr'),
    reply: WaiverSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) =>
      orNotFound(await read((tx) => findWaiver(tx, caller.organization_id, params.waiverId)), 'waiver'),
  }),
  route({
    operation: 'listOperatorWaivers',
    method: 'GET',
    path: '/v1/operator/waivers',
    access: 'operator',
    tag: 'Operator',
    summary: 'List waivers of all organizations',
    query: pageQuery({
      deal_id: Type.Optional(id('deal')),
      organization_id: Type.Optional(id('org')),
      status: Type.Optional(oneOf(WAIVER_STATUSES)),
      ...CreatedBetween,
    }),
    reply: WaiverSchema,
    replyKind: 'page',
    handler: ({ read, query }) => read((tx) => listWaivers(tx, query)),
  }),
  operatorRecord({
    operation: 'getOperatorWaiver',
    path: '/v1/operator/waivers/:waiverId',
    summary: 'Read a waiver of any organization',
    params: pathId('waiverId', 'wvr'),
    reply: WaiverSchema,
    record: recordOfPath('waiverId', WAIVER_RECORD),
    what: 'waiver',
    find: (tx, { waiverId }) => findWaiver(tx, null, waiverId),
  }),
  ...(['approve', 'deny'] as const).map((act) =>
    route({
      operation: `${act}Waiver`,
      right: 'APPROVE',
      approval: 'WAIVER',
      method: 'POST',
      path: `/v1/operator/waivers/:waiverId/${act}`,
      record: recordOfPath('waiverId', WAIVER_RECORD),
      access: 'operator',
      tag: 'Operator',
      summary: act === 'approve' ? 'Approve a waiver' : 'Deny a waiver',
      params: pathId('waiverId', 'wvr'),
      body: named('DecisionReason', { reason: Type.Optional(text(1_000)) }),
      bodyOptional: true,
      reply: WaiverSchema,
      errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
      handler: ({ write, caller, params, body }) =>
        write((tx) => {
          const to = act === 'approve' ? 'APPROVED' : 'DENIED';
          return decideWaiver(tx, caller, { ...params, to, reason: body?.reason ?? null });
        }),
    }),
  ),
];
