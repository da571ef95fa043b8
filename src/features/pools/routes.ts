import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { mapPage } from '../../platform/pages.ts';
import { StructureSchema } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { LOAN_TYPES } from '../../loans/types.ts';
import { CreatedBetween, date, id, nullable, oneOf, pageQuery, pathId, text } from '../../platform/http/schemas.ts';
import { changePool, createPool, type PoolRequest } from './form-pool.ts';
import { LoanRuleSchema } from '../tapes/loan-filter.ts';
import { cancelPool, lockStructure, putStructure, requestIssue, withdrawIssueRequest } from './move-pool.ts';
import { listPools, OFFERINGS, type Pool, POOL_RECORD, POOL_STATUSES } from './queries.ts';
import { POOL_DETAIL, PoolSchema, wirePool, wirePoolDetail } from './pool-view.ts';
import { ExplanationSchema, explainPool, PoolStructureSchema, readStructure } from './structure-view.ts';
import { named } from '../../platform/http/named.ts';

const tag = 'Pools';
const poolId = pathId('poolId', 'pool');

const terms = {
  name: text(200, 'Name of the pool; the securitization deal has it too.'),
  deal_ids: Type.Array(id('deal'), {
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    description: 'APPROVED loan deals of one loan type.',
  }),
  cut_off_date: date('Balances and terms are as of this date.'),
  closing_date: date('The notes are issued on this date; it may lie ahead.'),
  filter: nullable(
    Type.Array(LoanRuleSchema, { maxItems: 200, description: 'Loan rules: only loans that meet all of them are pooled.' }),
  ),
  sc_job_ids: Type.Array(id('scj'), {
    maxItems: 50,
    uniqueItems: true,
    description: 'Only loans that passed these runs; all loans of a deal without a run are pooled.',
  }),
  offering: oneOf(OFFERINGS, 'Exemption under which the notes are offered.'),
};

const example = {
  name: 'Harbor Auto Receivables Trust 2026-1',
  deal_ids: ['deal_01jd0000000000000000000000'],
  cut_off_date: '2026-11-30',
  closing_date: '2026-12-15',
};

const STRUCTURE_EXAMPLE = {
  tranches: [
    { tranche: 'A-1', balance: 200_000_000, coupon: { type: 'FIXED', rate: 5.25 }, day_count: '30/360' },
    { tranche: 'B', balance: 25_000_000, coupon: { type: 'FIXED', rate: 6.1 }, day_count: '30/360' },
    { tranche: 'R', class: 'RESIDUAL', balance: 0 },
  ],
  waterfall: [
    { pay: 'INTEREST', to: ['A-1'] },
    { pay: 'INTEREST', to: ['B'] },
    { pay: 'PRINCIPAL', to: ['A-1', 'B'] },
    { pay: 'RESIDUAL', to: ['R'] },
  ],
};

const StructuredPoolSchema = named('StructuredPool', {
  ...POOL_DETAIL,
  last_remittance: Type.Null({ description: 'Servicer reports begin with the issue of the pool.' }),
});

type PoolWork = (tx: Tx) => Promise<Pool>;

export const poolRoutes: Route[] = [
  route({
    operation: 'createPool',
    method: 'POST',
    path: '/v1/api/originator/pools',
    access: 'originator',
    audit: {
      action: 'pool.formed',
      entity_type: 'pool',
      id: 'pool_id',
      after: ['name', 'status', 'deal_ids', 'loan_count', 'balance'],
    },
    tag,
    summary: 'Form a pool of approved loans',
    body: named('NewPool', {
      name: terms.name,
      deal_ids: terms.deal_ids,
      cut_off_date: terms.cut_off_date,
      closing_date: terms.closing_date,
      filter: Type.Optional(terms.filter),
      sc_job_ids: Type.Optional(terms.sc_job_ids),
      offering: Type.Optional(terms.offering),
    }),
    reply: PoolSchema,
    status: 201,
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'LOAN_ALREADY_POOLED',
      'UNAVAILABLE',
      'LOAN_TYPE_MISMATCH',
      'UNKNOWN_FIELD',
      'INVALID_RULE',
      'PROHIBITED_FIELD',
      'RULE_TOO_LARGE',
      'TOO_EXPENSIVE',
      'COMPUTE_BUSY',
      'UNPROCESSABLE',
    ],
    example: { body: example },
    handler: async ({ deps, caller, body, reply, read, write }) => {
      const { name, deal_ids, cut_off_date, closing_date, filter = null, sc_job_ids = [], offering = '144A' } = body;
      const request = { name, deal_ids, cut_off_date, closing_date, filter, sc_job_ids, offering };
      const transactions = { read, write: (work: PoolWork) => write(async (tx) => wirePool(await work(tx))) };
      return createPool(transactions, caller, request, { deps, caller, reply });
    },
  }),
  route({
    operation: 'listPools',
    method: 'GET',
    path: '/v1/api/originator/pools',
    access: 'originator',
    tag,
    summary: 'List pools, newest first',
    query: pageQuery({ status: Type.Optional(oneOf(POOL_STATUSES)), type: Type.Optional(oneOf(LOAN_TYPES)), ...CreatedBetween }),
    reply: PoolSchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: async ({ read, caller, query }) =>
      mapPage(await read((tx) => listPools(tx, caller.organization_id, query)), wirePool),
  }),
  route({
    operation: 'changePool',
    method: 'PATCH',
    path: '/v1/api/originator/pools/:poolId',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    audit: {
      action: 'pool.changed',
      entity_type: 'pool',
      id: 'pool_id',
      after: ['name', 'status', 'deal_ids', 'loan_count', 'balance'],
    },
    tag,
    summary: 'Change a DRAFT or STRUCTURED pool',
    description: 'If deals, runs, filter or cut-off change, the loans are selected again; a structure must still fit them.',
    params: poolId,
    body: Type.Partial(Type.Object(terms), { title: 'ChangePool' }),
    reply: PoolSchema,
    errors: [
      'NOT_FOUND',
      'INVALID_TRANSITION',
      'CONFLICT',
      'LOAN_ALREADY_POOLED',
      'LOAN_TYPE_MISMATCH',
      'TRANCHES_EXCEED_POOL',
      'WATERFALL_INVALID',
      'UNKNOWN_FIELD',
      'INVALID_RULE',
      'PROHIBITED_FIELD',
      'RULE_TOO_LARGE',
      'TOO_EXPENSIVE',
      'COMPUTE_BUSY',
      'UNPROCESSABLE',
    ],
    handler: ({ deps, caller, params, body, reply, read, write }) => {
      const transactions = { read, write: (work: PoolWork) => write(async (tx) => wirePool(await work(tx))) };
      return changePool(transactions, caller, { poolId: params.poolId, changes: changesOf(body) }, { deps, caller, reply });
    },
  }),
  route({
    operation: 'cancelPool',
    method: 'DELETE',
    path: '/v1/api/originator/pools/:poolId',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    audit: { action: 'pool.cancelled', entity_type: 'pool', id: 'pool_id', after: ['status'] },
    tag,
    summary: 'Cancel a DRAFT or STRUCTURED pool and release its loans',
    params: poolId,
    reply: PoolSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ caller, params, write }) => write(async (tx) => wirePool(await cancelPool(tx, caller, params.poolId))),
  }),
  route({
    operation: 'setPoolStructure',
    method: 'PUT',
    path: '/v1/api/originator/pools/:poolId/structure',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    audit: { action: 'pool.structured', entity_type: 'pool', id: 'pool_id', after: ['status', 'structure_version'] },
    tag,
    summary: 'Set the liabilities of a pool',
    description:
      'Tranches, accounts, fees, waterfall and triggers as data. The errors name the path of every fault of the structure.',
    params: poolId,
    body: StructureSchema,
    reply: StructuredPoolSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'UNKNOWN_FIELD', 'TRANCHES_EXCEED_POOL', 'WATERFALL_INVALID'],
    example: { body: STRUCTURE_EXAMPLE },
    handler: ({ caller, params, body, write }) =>
      write(async (tx) => ({
        ...wirePoolDetail(await putStructure(tx, caller, params.poolId, body)),
        last_remittance: null,
      })),
  }),
  route({
    operation: 'getPoolStructure',
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/structure',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    tag,
    summary: 'Read the structure of a pool, as data and in sentences',
    params: poolId,
    reply: PoolStructureSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ read, caller, params }) => read((tx) => readStructure(tx, caller.organization_id, params.poolId)),
  }),
  route({
    operation: 'explainPoolStructure',
    method: 'GET',
    path: '/v1/api/originator/pools/:poolId/structure/explain',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    tag,
    summary: 'Read the structure of a pool in sentences',
    description:
      'The waterfall step by step as an indenture says it, and its classes, accounts, fees, triggers and calls; `findings` name what never pays, never binds or is paid twice.',
    params: poolId,
    reply: ExplanationSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ read, caller, params }) => read((tx) => explainPool(tx, caller.organization_id, params.poolId)),
  }),
  route({
    operation: 'lockPool',
    method: 'POST',
    path: '/v1/api/originator/pools/:poolId/lock',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    audit: { action: 'pool.locked', entity_type: 'pool', id: 'pool_id', after: ['status'] },
    tag,
    summary: 'Lock a STRUCTURED pool: loans, dates and structure are final',
    params: poolId,
    reply: PoolSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ caller, params, write }) => write(async (tx) => wirePool(await lockStructure(tx, caller, params.poolId))),
  }),
  route({
    operation: 'requestPoolIssue',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/api/originator/pools/:poolId/issue',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    audit: { action: 'pool.issue_requested', entity_type: 'pool', id: 'pool_id', after: ['status'] },
    tag,
    summary: 'Request the issue of a LOCKED pool from the operator',
    params: poolId,
    reply: PoolSchema,
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ caller, params, write }) => write(async (tx) => wirePool(await requestIssue(tx, caller, params.poolId))),
  }),
  route({
    operation: 'withdrawPoolIssueRequest',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/api/originator/pools/:poolId/withdraw-issue-request',
    record: recordOfPath('poolId', POOL_RECORD),
    access: 'originator',
    audit: { action: 'pool.issue_request_withdrawn', entity_type: 'pool', id: 'pool_id', after: ['status'] },
    tag,
    summary: 'Withdraw the request to issue a pool before the operator has issued it',
    description: 'The pool stays LOCKED; the issue can be requested again.',
    params: poolId,
    reply: PoolSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ caller, params, write }) => write(async (tx) => wirePool(await withdrawIssueRequest(tx, caller, params.poolId))),
  }),
];

/** The terms that the body changes, without members that the schema does not have. */
function changesOf(body: Partial<PoolRequest>): Partial<PoolRequest> {
  const { name, deal_ids, cut_off_date, closing_date, filter, sc_job_ids, offering } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(deal_ids === undefined ? {} : { deal_ids }),
    ...(cut_off_date === undefined ? {} : { cut_off_date }),
    ...(closing_date === undefined ? {} : { closing_date }),
    ...(filter === undefined ? {} : { filter }),
    ...(sc_job_ids === undefined ? {} : { sc_job_ids }),
    ...(offering === undefined ? {} : { offering }),
  };
}
