import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { operatorList, ownList, operatorRecord } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { amount, CreatedBetween, id, money, oneOf, pathId, timestamp } from '../../platform/http/schemas.ts';
import { findIoi, IOI_STATUSES, listIois, listOperatorIois, IOI_RECORD, findOperatorIoi } from './queries.ts';
import { amendIoi, submitIoi, withdrawIoi } from './submit-ioi.ts';

const Ioi = {
  ioi_id: id('ioi'),
  status: namedOneOf('IoiStatus', IOI_STATUSES),
  deal_id: id('deal'),
  interest_amount: money('Amount of interest.'),
  created_at: timestamp(),
  updated_at: timestamp(),
};

const IoiSchema = named('Ioi', Ioi);
const OperatorIoi = named('OperatorIoi', { ...Ioi, organization_id: id('org'), organization: Type.String() });

const filters = { deal_id: Type.Optional(id('deal')), status: Type.Optional(oneOf(IOI_STATUSES)), ...CreatedBetween };

const InterestBody = named('Interest', { interest_amount: amount('Amount of interest, at most the size of the deal.') });
const tag = 'Indications of interest';

export const ioiRoutes: Route[] = [
  route({
    operation: 'createIoi',
    method: 'POST',
    path: '/v1/api/investor/deals/:dealId/ioi',
    access: 'investor',
    audit: { action: 'ioi.submitted', entity_type: 'ioi', id: 'ioi_id', after: ['status', 'deal_id', 'interest_amount'] },
    tag,
    summary: 'Signal interest in a deal, without commitment',
    description: 'One live indication per investor and deal. It expires when the books close and is converted by subscribing.',
    params: pathId('dealId', 'deal'),
    body: InterestBody,
    reply: IoiSchema,
    status: 201,
    errors: ['NOT_FOUND', 'IOI_EXISTS', 'BOOKS_CLOSED', 'UNPROCESSABLE'],
    example: { body: { interest_amount: 250_000 } },
    handler: ({ write, caller, params, body }) => write((tx) => submitIoi(tx, caller, { deal_id: params.dealId, ...body })),
  }),
  ownList({
    operation: 'listIois',
    path: '/v1/api/investor/iois',
    access: 'investor',
    tag,
    summary: 'List your indications of interest, newest first',
    filters,
    reply: IoiSchema,
    list: listIois,
  }),
  route({
    operation: 'getIoi',
    method: 'GET',
    path: '/v1/api/investor/iois/:ioiId',
    record: recordOfPath('ioiId', IOI_RECORD),
    access: 'investor',
    tag,
    summary: 'Read one of your indications of interest',
    params: pathId('ioiId', 'ioi'),
    reply: IoiSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) => {
      return orNotFound(await read((tx) => findIoi(tx, caller.organization_id, params.ioiId)), 'indication of interest');
    },
  }),
  route({
    operation: 'changeIoi',
    method: 'PATCH',
    path: '/v1/api/investor/iois/:ioiId',
    record: recordOfPath('ioiId', IOI_RECORD),
    access: 'investor',
    audit: { action: 'ioi.amended', entity_type: 'ioi', id: 'ioi_id', after: ['status', 'deal_id', 'interest_amount'] },
    tag,
    summary: 'Change the amount of a live indication',
    params: pathId('ioiId', 'ioi'),
    body: InterestBody,
    reply: IoiSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'BOOKS_CLOSED', 'UNPROCESSABLE'],
    handler: ({ write, caller, params, body }) => write((tx) => amendIoi(tx, caller, { ioi_id: params.ioiId, ...body })),
  }),
  route({
    operation: 'withdrawIoi',
    method: 'DELETE',
    path: '/v1/api/investor/iois/:ioiId',
    record: recordOfPath('ioiId', IOI_RECORD),
    access: 'investor',
    audit: { action: 'ioi.withdrawn', entity_type: 'ioi', id: 'ioi_id', after: ['status', 'deal_id', 'interest_amount'] },
    tag,
    summary: 'Withdraw a live indication',
    params: pathId('ioiId', 'ioi'),
    reply: IoiSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ write, caller, params }) => write((tx) => withdrawIoi(tx, caller, params.ioiId)),
  }),
  operatorList({
    operation: 'listOperatorIois',
    path: '/v1/operator/iois',
    summary: 'List indications of interest of all investors',
    filters: { organization_id: Type.Optional(id('org')), ...filters },
    reply: OperatorIoi,
    list: listOperatorIois,
  }),
  operatorRecord({
    operation: 'getOperatorIoi',
    path: '/v1/operator/iois/:ioiId',
    summary: 'Read an indication of interest of any investor',
    params: pathId('ioiId', 'ioi'),
    reply: OperatorIoi,
    record: recordOfPath('ioiId', IOI_RECORD),
    what: 'indication of interest',
    find: (tx, { ioiId }) => findOperatorIoi(tx, ioiId),
  }),
];
