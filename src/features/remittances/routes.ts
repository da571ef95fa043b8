import Type from 'typebox';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { mapPage } from '../../platform/pages.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { named } from '../../platform/http/named.ts';
import { CreatedBetween, id, oneOf, pageQuery, pathId, text } from '../../platform/http/schemas.ts';
import { findPool, POOL_RECORD } from '../pools/queries.ts';
import { wirePoolDetail } from '../pools/pool-view.ts';
import { VERIFICATION_STATUSES } from '../../finance/structure/verify-report.ts';
import { operatorList, operatorRecord } from '../../platform/http/list-route.ts';
import {
  findLastApplied,
  findOperatorRemittance,
  findRemittance,
  listAllRemittances,
  listRemittances,
  listVersions,
  REMITTANCE_RECORD,
  REMITTANCE_STATUSES,
} from './queries.ts';
import { acceptRemittance } from './accept-remittance.ts';
import { RemittanceBodySchema, toRemittance, VerifyBodySchema } from './report.ts';
import { removeRemittance } from './remove-remittance.ts';
import { reportRemittance } from './report-remittance.ts';
import { restateRemittance } from './restate-remittance.ts';
import { verifyRemittance } from './verify-remittance.ts';
import {
  OperatorRemittanceSchema,
  PoolDetailSchema,
  RemittanceDetailSchema,
  RemittanceReplySchema,
  VerificationSchema,
  wireDetail,
  wireOperatorRemittance,
  wireRemittance,
} from './wire.ts';

const tag = 'Pools';
const poolId = pathId('poolId', 'pool');
const remittance = Type.Object({ poolId: id('pool'), remittanceId: id('rem') });

export const remittanceRoutes: Route[] = [
  route({
    operation: 'getPool',
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    tag,
    summary: 'Read a pool with its structure and its last applied servicer report',
    params: poolId,
    reply: PoolDetailSchema,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => {
        const pool = orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool');
        const last = await findLastApplied(tx, caller.organization_id, pool.pool_id);
        return { ...wirePoolDetail(pool), last_remittance: last && wireRemittance(last) };
      }),
  }),
  route({
    operation: 'submitRemittance',
    method: 'POST',
    path: '/v1/api/originator/pools/:poolId/remittances',
    access: 'originator',
    audit: {
      action: 'remittance.reported',
      entity_type: 'remittance',
      id: 'remittance_id',
      after: ['pool_id', 'deal_id', 'period', 'payment_date', 'status'],
    },
    tag,
    summary: 'Send the servicer report of a payment date',
    description:
      'The report must tie, to the cent, to itself and to the previous one; the errors name every finding. It is SCHEDULED until its payment date, and replaced by another report of its period until then. On that date balances, factors, positions and triggers follow, and holders are paid. With `available` the waterfall is run on that cash, and `verification` puts every figure beside the one that follows; a report that differs is HELD on its payment date until the operator has accepted it. Figures may be named as in servicer reports or as in the rows of a calculation.',
    params: poolId,
    body: RemittanceBodySchema,
    reply: RemittanceReplySchema,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT', 'REMITTANCE_DOES_NOT_TIE', 'REMITTANCE_HELD'],
    handler: ({ caller, params, body, write }) => {
      const report = toRemittance(body);
      return write(async (tx) => wireRemittance(await reportRemittance(tx, caller, params.poolId, report)));
    },
  }),
  route({
    operation: 'verifyRemittance',
    right: 'VIEW',
    method: 'POST',
    path: '/v1/api/originator/pools/:poolId/remittances/verify',
    access: 'originator',
    tag,
    summary: 'Verify a servicer report without sending it',
    description:
      'Runs the waterfall of the payment date on the cash that the report says was available, and puts every reported figure beside the one that follows, with its step and clause. Nothing is stored. Figures that do not add up are lines too (TIE): the answer is 200 whatever they are.',
    params: poolId,
    body: VerifyBodySchema,
    reply: Type.Object({ verification: VerificationSchema }, { title: 'VerifiedRemittance' }),
    status: 200,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ caller, params, body, read }) => {
      const report = toRemittance(body);
      const { opening = 'APPLIED', trigger_state = [] } = body;
      return read(async (tx) => ({
        verification: await verifyRemittance(tx, caller, params.poolId, { report, opening, trigger_state }),
      }));
    },
  }),
  route({
    operation: 'listRemittances',
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/remittances',
    access: 'originator',
    tag,
    summary: 'List the reports of a pool, newest first',
    params: poolId,
    query: pageQuery(CreatedBetween),
    reply: RemittanceReplySchema,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, query, read }) =>
      read(async (tx) => {
        const pool = orNotFound(await findPool(tx, caller.organization_id, params.poolId), 'pool');
        return mapPage(await listRemittances(tx, caller.organization_id, pool.pool_id, query), wireRemittance);
      }),
  }),
  route({
    operation: 'getRemittance',
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/remittances/:remittanceId',
    record: recordOfPath('remittanceId', REMITTANCE_RECORD),
    access: 'originator',
    tag,
    summary: 'Read a report with the versions that restatements replaced',
    params: remittance,
    reply: RemittanceDetailSchema,
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => {
        const { poolId, remittanceId } = params;
        const stored = orNotFound(await findRemittance(tx, caller.organization_id, poolId, remittanceId), 'report');
        return wireDetail(stored, await listVersions(tx, remittanceId));
      }),
  }),
  route({
    operation: 'deleteRemittance',
    method: 'DELETE',
    path: '/v1/api/originator/pools/:poolId/remittances/:remittanceId',
    access: 'originator',
    tag,
    summary: 'Remove a report that has not been applied',
    description: 'Only the latest report of the pool can be removed: a later one begins where the one before it ends.',
    params: remittance,
    reply: Type.String(),
    replyKind: 'message',
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params, write }) =>
      write(async (tx) => {
        await removeRemittance(tx, caller, { pool_id: params.poolId, remittance_id: params.remittanceId });
        return 'The report was removed.';
      }),
  }),
  route({
    operation: 'restateRemittance',
    method: 'POST',
    path: '/v1/api/originator/pools/:poolId/remittances/:remittanceId/restate',
    access: 'originator',
    tag,
    summary: 'Restate an applied report',
    description:
      'The body is a whole report of the same period and payment date, which must tie. The differences are booked to the holders of record of the period, dated the business date, as payments of their own; balances, factors, performance and the amounts of trades that have settled since follow (`trade.corrected`). Both versions stay readable. 409 where a later report would no longer tie.',
    params: remittance,
    body: RemittanceBodySchema,
    reply: RemittanceDetailSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'REMITTANCE_DOES_NOT_TIE'],
    handler: ({ caller, params, body, write }) => {
      const report = toRemittance(body);
      return write(async (tx) => {
        const asked = { pool_id: params.poolId, remittance_id: params.remittanceId, report };
        const restated = await restateRemittance(tx, caller, asked);
        return wireDetail(restated, await listVersions(tx, restated.remittance_id));
      });
    },
  }),
  route({
    operation: 'acceptRemittance',
    right: 'APPROVE',
    approval: 'REMITTANCE_ACCEPT',
    method: 'POST',
    path: '/v1/operator/remittances/:remittanceId/accept',
    record: recordOfPath('remittanceId', REMITTANCE_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary: 'Accept a servicer report that differs from its structure',
    description:
      'A HELD report is applied, and the ones that waited behind it; a SCHEDULED one is applied on its payment date. The reason is kept with it.',
    params: pathId('remittanceId', 'rem'),
    body: named('Acceptance', { reason: text(1_000, 'Why the figures are right although they differ.') }),
    reply: RemittanceReplySchema,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'CONFLICT'],
    handler: ({ caller, params, body, write }) =>
      write(async (tx) => wireRemittance(await acceptRemittance(tx, caller, params.remittanceId, body.reason))),
  }),
  operatorList({
    operation: 'listOperatorRemittances',
    path: '/v1/operator/remittances',
    summary: 'List the servicer reports of all pools, newest first',
    description: 'With `status=HELD` those that differ from their structure and wait to be accepted.',
    filters: {
      organization_id: Type.Optional(id('org')),
      deal_id: Type.Optional(id('deal')),
      status: Type.Optional(oneOf(REMITTANCE_STATUSES)),
      verification: Type.Optional(oneOf(VERIFICATION_STATUSES, 'Whether its figures agree with its structure.')),
      ...CreatedBetween,
    },
    reply: OperatorRemittanceSchema,
    list: async (tx, filters) => mapPage(await listAllRemittances(tx, filters), wireOperatorRemittance),
  }),
  operatorRecord({
    operation: 'getOperatorRemittance',
    path: '/v1/operator/remittances/:remittanceId',
    summary: 'Read a servicer report of any pool',
    params: pathId('remittanceId', 'rem'),
    reply: OperatorRemittanceSchema,
    record: recordOfPath('remittanceId', REMITTANCE_RECORD),
    what: 'report',
    find: async (tx, { remittanceId }) => {
      const found = await findOperatorRemittance(tx, remittanceId);
      return found && wireOperatorRemittance(found);
    },
  }),
];
