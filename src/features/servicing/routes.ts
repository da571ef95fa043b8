import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Type from 'typebox';
import { listIssues } from '../../loans/export/list-issues.ts';
import { versionDiffTask } from '../../loans/tasks/tasks.ts';
import { runForRequest } from '../../platform/compute/run-for-request.ts';
import { NO_ROWS } from '../../platform/pages.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { pageOfFile } from '../../platform/http/cursor.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { named } from '../../platform/http/named.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, oneOf, pageQuery, text } from '../../platform/http/schemas.ts';
import { POOL_RECORD } from '../pools/queries.ts';
import { ChangeMapping, Issue, MappingSchema, requestedEntries, wireMapping } from '../tapes/mapping-schema.ts';
import { TapeDiffSchema, wireDiff } from '../tapes/diff-schema.ts';
import { freshAddress, uploadReply } from '../uploads/upload.ts';
import { findDueDay, findMonth, findPoolTape, listPoolMonths, listPoolTapes, POOL_TAPE_RECORD, setDueDay } from './queries.ts';
import {
  checkPoolUpload,
  completePoolTape,
  confirmPoolTape,
  initiatePoolTape,
  mapPoolTape,
  removePoolTape,
} from './send-pool-tape.ts';
import { findOwn, lockIssued } from './servicing.ts';
import {
  InitiatedPoolTape,
  NewPoolTape,
  OfPeriod,
  OfPool,
  PoolTapeDetail,
  PoolTapeSchema,
  ReportingSchema,
  TAG,
  wirePoolTape,
} from './wire.ts';

const TAPES = '/v1/api/originator/pools/:poolId/tapes';
const DIFF = { deadlineMs: 120_000, instead: 'Compare the files themselves.' };
/** Stands for the loans at closing where a period is named. */
const CLOSING = 0;

export const servicingRoutes: Route[] = [
  route({
    operation: 'openMonthlyTapeUpload',
    method: 'POST',
    path: TAPES,
    access: 'originator',
    tag: TAG,
    summary: 'Open the upload of the servicer’s tape of a payment period',
    description:
      'For an ISSUED or CLOSED pool. Send the bytes to `upload_url` with PUT and `upload_headers`, then call complete. A further file for the same period takes the place of the one before once it was read.',
    params: OfPool,
    body: NewPoolTape,
    reply: InitiatedPoolTape,
    secretFields: ['upload_url'],
    status: 201,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'UPLOADS_PENDING', 'PAYLOAD_TOO_LARGE'],
    example: { body: { period: 1, fileFormat: 'text/csv', fileName: 'servicer-2026-11.csv' } },
    onReplay: freshAddress,
    handler: ({ write, caller, params, body, deps }) =>
      write(async (tx) => {
        const upload = await initiatePoolTape(tx, caller, { ...body, poolId: params.poolId });
        return { pool_id: params.poolId, period: body.period, ...uploadReply(deps, caller, upload) };
      }),
  }),
  route({
    operation: 'completeMonthlyTapeUpload',
    method: 'POST',
    path: `${TAPES}/:period/complete`,
    access: 'originator',
    audit: { action: 'pool_tape.completed', entity_type: 'pool', id: 'pool_id', after: ['period', 'version', 'sha256'] },
    tag: TAG,
    summary: 'Complete an upload: the file becomes the tape of the period and is read',
    description:
      'It is read, mapped and checked as the tape of a deal is, with the mapping of the pool’s last tape, else with what is remembered for the loan type; then every loan of the pool is compared with the month before. `tape.checked` tells the end.',
    params: OfPeriod,
    body: named('CompletePoolTape', { fileName: text(300, 'Name that was sent to open the upload.') }),
    reply: PoolTapeSchema,
    status: 202,
    errors: [
      'FILE_NAME_MISMATCH',
      'NOT_FOUND',
      'INVALID_TRANSITION',
      'CONFLICT',
      'FILE_NOT_UPLOADED',
      'EMPTY_FILE',
      'UNREADABLE_FILE',
      'NO_LOAN_ROWS',
      'PAYLOAD_TOO_LARGE',
      'COMPUTE_BUSY',
      'QUEUE_FULL',
    ],
    handler: async ({ deps, caller, write, params, body }) => {
      const request = { poolId: params.poolId, period: Number(params.period), fileName: body.fileName };
      const checked = await checkPoolUpload(deps, caller, request);
      return write(async (tx) => {
        const tape = await completePoolTape(tx, caller, { ...request, checked }, deps);
        return wirePoolTape(tape, await findMonth(tx, tape, tape.period));
      });
    },
  }),
  route({
    operation: 'listMonthlyTapes',
    method: 'GET',
    path: TAPES,
    access: 'originator',
    tag: TAG,
    summary: 'List the monthly tapes of a pool, newest period first',
    params: OfPool,
    reply: Type.Array(PoolTapeSchema),
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => {
        const pool = await findOwn(tx, caller.organization_id, params.poolId);
        const months = new Map((await listPoolMonths(tx, pool)).map((month) => [month.period, month]));
        return (await listPoolTapes(tx, pool)).map((tape) => wirePoolTape(tape, months.get(tape.period) ?? null));
      }),
  }),
  route({
    operation: 'getMonthlyTape',
    method: 'GET',
    path: `${TAPES}/:period`,
    record: recordOfPath('poolId/period', POOL_TAPE_RECORD),
    access: 'originator',
    tag: TAG,
    summary: 'Read the tape of a period: how its columns were matched, and its findings by rule',
    params: OfPeriod,
    reply: PoolTapeDetail,
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => {
        const pool = await findOwn(tx, caller.organization_id, params.poolId);
        const tape = orNotFound(await findPoolTape(tx, pool, Number(params.period)), 'tape');
        const month = await findMonth(tx, pool, tape.period);
        return { ...wirePoolTape(tape, month), mapping: wireMapping(tape.mapping), decisions: tape.findings.decisions ?? [] };
      }),
  }),
  route({
    operation: 'confirmMonthlyTape',
    method: 'POST',
    path: `${TAPES}/:period/confirm`,
    access: 'originator',
    audit: { action: 'pool_tape.confirmed', entity_type: 'pool', id: 'pool_id', after: ['period', 'version'] },
    tag: TAG,
    summary: 'Put a tape in force that waits because most of the loans that owed are missing or have ended without a reason',
    description: 'Each of these loans then counts as paid in full. A file that takes the place of this one is judged anew.',
    params: OfPeriod,
    reply: PoolTapeSchema,
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'QUEUE_FULL'],
    handler: ({ deps, caller, params, write }) =>
      write(async (tx) => {
        const period = Number(params.period);
        const tape = await confirmPoolTape(tx, caller, { poolId: params.poolId, period }, deps);
        return wirePoolTape(tape, await findMonth(tx, tape, period));
      }),
  }),
  route({
    operation: 'deleteMonthlyTape',
    method: 'DELETE',
    path: `${TAPES}/:period`,
    record: recordOfPath('poolId/period', POOL_TAPE_RECORD),
    access: 'originator',
    audit: { action: 'pool_tape.removed', entity_type: 'pool', id: 'poolId', after: ['period'] },
    tag: TAG,
    summary: 'Take the tape of a period away',
    description: 'The tape of the next period is compared again, with the one that is now before it.',
    params: OfPeriod,
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: async ({ deps, caller, params, write }) => {
      const period = Number(params.period);
      await write((tx) => removePoolTape(tx, caller, { poolId: params.poolId, period }, deps));
      return `The tape of period ${period} is taken away.`;
    },
  }),
  route({
    operation: 'listMonthlyTapeIssues',
    method: 'GET',
    path: `${TAPES}/:period/issues`,
    access: 'originator',
    tag: TAG,
    summary: 'List what was found in the tape of a period',
    description:
      'What the checks of a tape find, and breaks against the month before: loans that vanish, return, grow, cure without payment, change their identity, and others. A finding about a loan that is not on the tape has no row.',
    params: OfPeriod,
    query: pageQuery({
      severity: Type.Optional(oneOf(['ERROR', 'WARNING'])),
      rule: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    reply: Issue,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, query, read }) => {
      const tape = await read(async (tx) => {
        const pool = await findOwn(tx, caller.organization_id, params.poolId);
        return orNotFound(await findPoolTape(tx, pool, Number(params.period)), 'tape');
      });
      const key = tape.issues_key ?? tape.read_issues_key;
      if (!key) return NO_ROWS;
      const path = await localFile(deps, key);
      return pageOfFile(key, query, (page) => listIssues(deps.columns, path, page));
    },
  }),
  route({
    operation: 'setMonthlyTapeMapping',
    method: 'PUT',
    path: `${TAPES}/:period/mapping`,
    record: recordOfPath('poolId/period', POOL_TAPE_RECORD),
    access: 'originator',
    audit: { action: 'pool_tape.mapping_changed', entity_type: 'pool', id: 'pool_id', after: ['period', 'mapping_id'] },
    tag: TAG,
    summary: 'Change the mapping of a monthly tape; it is read again',
    description:
      'Entries merge by `source`, as those of a deal’s tape do. Once the tape was read, the next tapes of this pool start with the mapping; tapes of deals do not. The values of sealed columns are not kept, so a column can be neither sealed nor unsealed.',
    params: OfPeriod,
    body: ChangeMapping,
    reply: named('ChangedPoolTapeMapping', {
      pool_id: id('pool'),
      period: Type.Integer(),
      mapping_id: id('map'),
      state: oneOf(['RUNNING']),
      ...MappingSchema.properties,
    }),
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'CONFLICT', 'UNKNOWN_FIELD', 'MAPPING_INVALID', 'QUEUE_FULL'],
    handler: ({ deps, caller, params, body, write }) =>
      write(async (tx) => {
        const request = { poolId: params.poolId, period: Number(params.period), entries: requestedEntries(body.mappings) };
        const { pool_id, period, mapping_id, mapping } = await mapPoolTape(tx, caller, request, deps);
        return { pool_id, period, mapping_id, state: 'RUNNING' as const, ...wireMapping(mapping) };
      }),
  }),
  route({
    operation: 'compareMonthlyTapes',
    method: 'GET',
    path: `${TAPES}/:period/diff`,
    access: 'originator',
    tag: TAG,
    summary: 'Compare the loans after a period with those after an earlier one',
    description: 'Loans of the pool alone: those that have ended have no balance.',
    params: OfPeriod,
    query: Type.Object({
      against: Type.Optional(
        Type.Integer({
          minimum: CLOSING,
          maximum: 1_200,
          description: 'The earlier period, 0 for the loans at closing; by default the one that the tape was compared with.',
        }),
      ),
    }),
    reply: TapeDiffSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'TOO_EXPENSIVE', 'COMPUTE_BUSY'],
    handler: async ({ deps, caller, params, query, read, reply }) => {
      const keys = await read(async (tx) => {
        const pool = await findOwn(tx, caller.organization_id, params.poolId);
        const period = Number(params.period);
        const next = await findMonth(tx, pool, period);
        if (!next) {
          orNotFound(await findPoolTape(tx, pool, period), 'tape');
          throw new ApiError('CONFLICT', `No month of period ${period} is in force yet.`);
        }
        const against = query.against ?? next.compared_with;
        const earlier = against === CLOSING ? pool : await findMonth(tx, pool, against);
        return { previous: orNotFound(earlier?.loans_key ?? null, `month of period ${against}`), next: next.loans_key };
      });
      const [previous, next] = await Promise.all([localFile(deps, keys.previous), localFile(deps, keys.next)]);
      const workDir = await mkdtemp(join(deps.workDir, 'diff-'));
      try {
        return wireDiff(await runForRequest({ deps, caller, reply }, versionDiffTask, { previous, next, workDir }, DIFF));
      } finally {
        await rm(workDir, { recursive: true, force: true });
      }
    },
  }),
  route({
    operation: 'getReportingSchedule',
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/reporting',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    tag: TAG,
    summary: 'Read when the monthly tapes of a pool are due',
    params: OfPool,
    reply: ReportingSchema,
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => {
        const pool = await findOwn(tx, caller.organization_id, params.poolId);
        return { tape_due_business_day: await findDueDay(tx, pool) };
      }),
  }),
  route({
    operation: 'setReportingSchedule',
    method: 'PUT',
    path: '/v1/api/originator/pools/:poolId/reporting',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    audit: { action: 'pool.reporting_changed', entity_type: 'pool', id: 'poolId', after: ['tape_due_business_day'] },
    tag: TAG,
    summary: 'Say when the monthly tapes of a pool are due',
    params: OfPool,
    body: ReportingSchema,
    reply: ReportingSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ caller, params, body, write }) =>
      write(async (tx) => {
        const pool = await lockIssued(tx, caller.organization_id, params.poolId);
        tx.unchanged = (await findDueDay(tx, pool)) === body.tape_due_business_day;
        if (!tx.unchanged) await setDueDay(tx, pool, body.tape_due_business_day);
        return body;
      }),
  }),
];
