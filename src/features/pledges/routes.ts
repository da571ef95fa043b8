import Type from 'typebox';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { mapPage } from '../../platform/pages.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { operatorList, operatorRecord, ownList } from '../../platform/http/list-route.ts';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, oneOf, pageQuery, pathId, text } from '../../platform/http/schemas.ts';
import { CONFLICT_STATUSES } from './conflict.ts';
import { CONFLICT_RECORD, findConflict, listConflictLoans, listConflicts, listSides } from './conflict-queries.ts';
import { type OutsidePledge, PLEDGE_STATUSES } from './outside-pledge.ts';
import { findPledge, listPledges, PLEDGE_RECORD } from './pledge-queries.ts';
import { type NamedLoan, releasePledge, reportPledge } from './report-pledge.ts';
import { resolveConflict } from './resolve-conflict.ts';
import {
  ConflictLoanSchema,
  ConflictSchema,
  NewPledgeSchema,
  OperatorConflictLoanSchema,
  OperatorConflictSchema,
  PledgeSchema,
  wireConflict,
  wireConflictLoan,
  wireForOperator,
  wirePledge,
} from './wire.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';

const tag = 'Pledges';
const MIB = 1024 * 1024;
const conflictId = pathId('conflictId', 'plc');
const pledgeId = pathId('pledgeId', 'plg');
const OperatorPledgeSchema = named('OperatorPledge', { ...PledgeSchema.properties, organization_id: id('org') });
const conflictStatus = Type.Optional(oneOf(CONFLICT_STATUSES));
const pledgeStatus = Type.Optional(oneOf(PLEDGE_STATUSES));

export const pledgeRoutes: Route[] = [
  route({
    operation: 'createPledge',
    method: 'POST',
    path: '/v1/api/originator/pledges',
    access: 'originator',
    audit: {
      action: 'pledge.reported',
      entity_type: 'pledge',
      id: 'pledge_id',
      after: ['status', 'pledgee', 'loan_type', 'as_of', 'deal_id', 'matched', 'unmatched'],
    },
    tag,
    summary: 'Report loans that are pledged outside the platform',
    description:
      'All loans of a deal, or listed ones. A pool that holds one of them, yours or another’s, is in conflict and is not issued until the operator has resolved it; so is another pledge of the loan, unless it is to the same pledgee.',
    body: NewPledgeSchema,
    bodyLimitBytes: 16 * MIB,
    reply: PledgeSchema,
    status: 201,
    errors: ['NOT_FOUND', 'LOAN_TYPE_MISMATCH', 'UNPROCESSABLE', 'TOO_EXPENSIVE', 'COMPUTE_BUSY'],
    example: {
      body: {
        pledgee: 'First Warehouse Bank',
        loan_type: 'Auto',
        as_of: '2026-11-20',
        loans: [{ vin: '1M8GDM9AXKP042788' }, { loan_id: 'LN-1004' }],
      },
    },
    handler: ({ deps, caller, body, reply, read, write }) => {
      const { pledgee, loan_type, as_of, deal_id = null, loans = null } = body;
      checkNamed(deal_id, loans);
      const transactions = {
        read,
        write: (work: (tx: Tx) => Promise<OutsidePledge>) => write(async (tx) => wirePledge(await work(tx))),
      };
      return reportPledge(transactions, caller, { pledgee, loan_type, as_of, deal_id, loans }, { deps, caller, reply });
    },
  }),
  ownList({
    operation: 'listPledges',
    path: '/v1/api/originator/pledges',
    access: 'originator',
    tag,
    summary: 'List your pledges outside the platform, newest first',
    filters: { status: pledgeStatus, ...CreatedBetween },
    reply: PledgeSchema,
    list: async (tx, organizationId, filters) => {
      return mapPage(await listPledges(tx, organizationId, filters), wirePledge);
    },
  }),
  route({
    operation: 'getPledge',
    method: 'GET',
    path: '/v1/api/originator/pledges/:pledgeId',
    record: recordOfPath('pledgeId', PLEDGE_RECORD),
    access: 'originator',
    tag,
    summary: 'Read one of your pledges outside the platform',
    params: pledgeId,
    reply: PledgeSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) =>
      wirePledge(orNotFound(await read((tx) => findPledge(tx, caller.organization_id, params.pledgeId)), 'pledge')),
  }),
  route({
    operation: 'releasePledge',
    method: 'POST',
    path: '/v1/api/originator/pledges/:pledgeId/release',
    record: recordOfPath('pledgeId', PLEDGE_RECORD),
    access: 'originator',
    audit: { action: 'pledge.released', entity_type: 'pledge', id: 'pledge_id', after: ['status', 'pledgee'] },
    tag,
    summary: 'Release a pledge outside the platform',
    description: 'Conflicts in which the pledge was end.',
    params: pledgeId,
    reply: PledgeSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ write, caller, params }) => write(async (tx) => wirePledge(await releasePledge(tx, caller, params.pledgeId))),
  }),
  ownList({
    operation: 'listPledgeConflicts',
    path: '/v1/api/originator/pledge-conflicts',
    access: 'originator',
    tag,
    summary: 'List conflicts of your pools and pledges, newest first',
    description: 'Loans of yours that another holder has too. Nothing says whose the other side is.',
    filters: { status: conflictStatus, ...CreatedBetween },
    reply: ConflictSchema,
    list: async (tx, organizationId, filters) => {
      return mapPage(await listConflicts(tx, organizationId, filters), wireConflict);
    },
  }),
  route({
    operation: 'getPledgeConflict',
    method: 'GET',
    path: '/v1/api/originator/pledge-conflicts/:conflictId',
    record: recordOfPath('conflictId', CONFLICT_RECORD),
    access: 'originator',
    tag,
    summary: 'Read a conflict of your pools or pledges',
    params: conflictId,
    reply: ConflictSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) =>
      wireConflict(
        orNotFound(await read((tx) => findConflict(tx, caller.organization_id, params.conflictId)), 'pledge conflict'),
      ),
  }),
  route({
    operation: 'listPledgeConflictLoans',
    method: 'GET',
    path: '/v1/api/originator/pledge-conflicts/:conflictId/loans',
    access: 'originator',
    tag,
    summary: 'List your own loans of a conflict',
    params: conflictId,
    query: pageQuery({}),
    reply: ConflictLoanSchema,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params, query }) =>
      read(async (tx) => {
        orNotFound(await findConflict(tx, caller.organization_id, params.conflictId), 'pledge conflict');
        return mapPage(await listConflictLoans(tx, caller.organization_id, params.conflictId, query), wireConflictLoan);
      }),
  }),
  operatorList({
    operation: 'listOperatorPledges',
    path: '/v1/operator/pledges',
    summary: 'List pledges outside the platform of all originators',
    filters: { status: pledgeStatus, organization_id: Type.Optional(id('org')), ...CreatedBetween },
    reply: OperatorPledgeSchema,
    list: async (tx, { organization_id = null, ...filters }) => {
      const page = await listPledges(tx, organization_id, filters);
      return { ...page, rows: page.rows.map((row) => ({ ...wirePledge(row), organization_id: row.organization_id })) };
    },
  }),
  operatorRecord({
    operation: 'getOperatorPledge',
    path: '/v1/operator/pledges/:pledgeId',
    summary: 'Read a pledge outside the platform of any originator',
    params: pledgeId,
    reply: OperatorPledgeSchema,
    record: recordOfPath('pledgeId', PLEDGE_RECORD),
    what: 'pledge',
    find: async (tx, params) => {
      const row = await findPledge(tx, null, params.pledgeId);
      return row && { ...wirePledge(row), organization_id: row.organization_id };
    },
  }),
  operatorList({
    operation: 'listOperatorPledgeConflicts',
    path: '/v1/operator/pledge-conflicts',
    summary: 'List loans that are held twice, newest first',
    filters: { status: conflictStatus, ...CreatedBetween },
    reply: OperatorConflictSchema,
    list: async (tx, filters) => {
      const page = await listConflicts(tx, null, filters);
      const sides = await listSides(
        tx,
        page.rows.map((row) => row.conflict_id),
      );
      return {
        ...page,
        rows: page.rows.map((row) =>
          wireForOperator(
            row,
            sides.filter((side) => side.conflict_id === row.conflict_id),
          ),
        ),
      };
    },
  }),
  route({
    operation: 'getOperatorPledgeConflict',
    method: 'GET',
    path: '/v1/operator/pledge-conflicts/:conflictId',
    record: recordOfPath('conflictId', CONFLICT_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary: 'Read both sides of a conflict',
    params: conflictId,
    reply: OperatorConflictSchema,
    errors: ['NOT_FOUND'],
    handler: ({ read, params }) => read((tx) => readForOperator(tx, params.conflictId)),
  }),
  route({
    operation: 'listOperatorPledgeConflictLoans',
    method: 'GET',
    path: '/v1/operator/pledge-conflicts/:conflictId/loans',
    access: 'operator',
    tag: 'Operator',
    summary: 'List the loans of both sides of a conflict',
    params: conflictId,
    query: pageQuery({}),
    reply: OperatorConflictLoanSchema,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ read, params, query }) =>
      read(async (tx) => {
        orNotFound(await findConflict(tx, null, params.conflictId), 'pledge conflict');
        const page = await listConflictLoans(tx, null, params.conflictId, query);
        return {
          ...page,
          rows: page.rows.map((row) => ({ ...wireConflictLoan(row), organization_id: row.organization_id, pair: row.pair_no })),
        };
      }),
  }),
  route({
    operation: 'resolvePledgeConflict',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/operator/pledge-conflicts/:conflictId/resolve',
    record: recordOfPath('conflictId', CONFLICT_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary: 'Resolve a conflict: the loans may be held as they are',
    description:
      'For a take-out, or after one side was found to be right. The pools can be issued then; the owners see that it is resolved, and not why.',
    params: conflictId,
    body: named('ConflictResolution', { reason: text(1_000, 'Reason, kept with the conflict.') }),
    reply: OperatorConflictSchema,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
    handler: ({ write, caller, params, body }) =>
      write(async (tx) => {
        await resolveConflict(tx, caller, { conflict_id: params.conflictId, reason: body.reason });
        return readForOperator(tx, params.conflictId);
      }),
  }),
];

async function readForOperator(tx: Tx, id: Id<'plc'>) {
  const row = orNotFound(await findConflict(tx, null, id), 'pledge conflict');
  return wireForOperator(row, await listSides(tx, [id]));
}

const NAMES = ['loan_id', 'vin', 'contract_number'] as const;

/** 400 unless the report names a deal or loans, and each loan by one number. */
function checkNamed(dealId: Id<'deal'> | null, loans: readonly NamedLoan[] | null): void {
  if ((dealId === null) === (loans === null)) {
    const message = `must have either deal_id or loans${dealId === null ? '' : ', not both'}`;
    throw new ApiError('VALIDATION_FAILED', `A pledge ${message}.`, {
      errors: [{ field: dealId === null ? 'deal_id' : 'loans', code: 'REQUIRED', message }],
    });
  }
  const problems = (loans ?? []).flatMap((loan, place) => {
    const given = NAMES.filter((name) => loan[name] !== undefined);
    if (given.length === 1) return [];
    const message = `expected exactly one of ${NAMES.join(', ')}${given.length === 0 ? '' : `, not ${given.join(' and ')}`}`;
    return [{ field: `loans.${place}`, code: 'INVALID', message }];
  });
  if (problems.length > 0) throw new ApiError('VALIDATION_FAILED', undefined, { errors: problems });
}
