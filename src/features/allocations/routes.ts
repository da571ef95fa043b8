import { numberOrNull } from '../../finance/decimal.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { operatorList, ownList, operatorRecord } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, money, nullable, oneOf, pathId, timestamp } from '../../platform/http/schemas.ts';

import { ALLOCATION_METHODS } from './allocate.ts';
import { allocateDeal, previewAllocation } from './allocate-deal.ts';
import { loadMarkOf, loadMarks } from './load-marks.ts';
import { acceptAllocation, declineAllocation } from './decide-allocation.ts';
import { proveAllocation } from './prove-allocation.ts';
import { ALLOCATION_STATUSES, findAllocation, listAllocations, ALLOCATION_RECORD } from './queries.ts';
import type { DealAllocation } from './summarize-allocation.ts';
import { ListQuery, OperatorListQuery } from '../compliance/fields.ts';

const yieldPercent = Type.Number({ description: 'Percent a year.' });
const salePrice = nullable(
  Type.Number({ description: 'Clean, per 100 of current balance, fixed when the allocation is issued: the price of the trade.' }),
);

const Allocation = {
  allocation_id: id('all'),
  deal_id: id('deal'),
  tranche_id: id('trn'),
  order_id: nullable(id('ord')),
  subscription_id: nullable(id('sub')),
  requested_amount: money('Requested amount.'),
  allocated_amount: money('Allocated amount.'),
  fill_ratio: Type.Number({ description: 'Allocated over requested amount, from 0 to 1.' }),
  yield: nullable(yieldPercent),
  price: salePrice,
  method: namedOneOf('AllocationMethod', ALLOCATION_METHODS),
  reason: Type.String({ description: 'Why the fill has this amount.' }),
  status: namedOneOf('AllocationStatus', ALLOCATION_STATUSES),
  expires_at: timestamp('Accept or decline before.'),
  trade_id: nullable(id('trd')),
  created_at: timestamp(),
  decided_at: nullable(timestamp()),
};

const AllocationSchema = named('Allocation', Allocation);
const OperatorAllocation = named('OperatorAllocation', { ...Allocation, organization_id: id('org') });

const Fill = named('AllocationFill', {
  allocation_id: nullable(id('all')),
  organization_id: id('org'),
  tranche_id: id('trn'),
  order_id: nullable(id('ord')),
  subscription_id: nullable(id('sub')),
  requested_amount: money('Requested amount.'),
  allocated_amount: money('Allocated amount.'),
  fill_ratio: Type.Number(),
  yield: nullable(yieldPercent),
  price: salePrice,
  method: oneOf(ALLOCATION_METHODS),
  reason: Type.String(),
  status: nullable(oneOf(ALLOCATION_STATUSES, 'Null in a dry run.')),
  expires_at: nullable(timestamp()),
});

const DealAllocationSchema = named('DealAllocation', {
  deal_id: id('deal'),
  method: oneOf(ALLOCATION_METHODS),
  dry_run: Type.Boolean(),
  tranches: Type.Array(
    named('TrancheAllocation', {
      tranche_id: id('trn'),
      tranche: Type.String(),
      size: money('Face on offer.'),
      demand: money('Sum of the bids.'),
      allocated: money('Sum of the fills.'),
      yield: nullable(yieldPercent),
      price: salePrice,
      bids: Type.Integer(),
      book_hash: Type.String({ description: 'sha-256 of the book without names.' }),
    }),
  ),
  allocations: Type.Array(Fill),
  unfilled: Type.Array(
    named('UnfilledBid', {
      organization_id: id('org'),
      tranche_id: id('trn'),
      order_id: nullable(id('ord')),
      subscription_id: nullable(id('sub')),
      requested_amount: money('Requested amount.'),
      reason: Type.String(),
    }),
  ),
});

const ProofSchema = named('AllocationProof', {
  allocation_id: id('all'),
  rule: Type.String({ description: 'The rule in words.' }),
  kind: oneOf(['OFFERING', 'REOFFER'], 'The offering, or returned face that was offered again.'),
  method: oneOf(ALLOCATION_METHODS),
  size: money('Face on offer in the round.'),
  increment: money('Step of the fills.'),
  market_yield: nullable(yieldPercent),
  yield: nullable(yieldPercent),
  price: salePrice,
  demand: money('Sum of the bids.'),
  book: Type.Array(
    named('BookEntry', {
      entry: Type.Integer({ description: 'Place in the book, from 1: the earlier one comes first where bids tie.' }),
      amount: money('Amount of the bid.'),
      minimum_amount: money('Least fill.'),
      limit_yield: nullable(yieldPercent),
    }),
  ),
  book_hash: Type.String({
    description:
      'sha-256 of {method, size, increment, market_yield, book} as JSON without spaces, keys in this order; the same for every investor.',
  }),
  own_entry: Type.Integer({ description: 'Your place in the book.' }),
  recomputed_amount: money('Your fill when the rule is run again over this book.'),
  allocated_amount: money('Your fill as allocated.'),
  agrees: Type.Boolean(),
});

const tag = 'Allocations';
const status = Type.Optional(oneOf(ALLOCATION_STATUSES));

export const allocationRoutes: Route[] = [
  ownList({
    operation: 'listAllocations',
    path: '/v1/api/investor/allocations',
    access: 'investor',
    tag,
    summary: 'List your allocations, newest first',
    filters: { ...ListQuery, status },
    reply: AllocationSchema,
    list: listAllocations,
  }),
  route({
    operation: 'getAllocation',
    method: 'GET',
    path: '/v1/api/investor/allocations/:allocationId',
    record: recordOfPath('allocationId', ALLOCATION_RECORD),
    access: 'investor',
    tag,
    summary: 'Read one of your allocations',
    params: pathId('allocationId', 'all'),
    reply: AllocationSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) => {
      return orNotFound(await read((tx) => findAllocation(tx, caller.organization_id, params.allocationId)), 'allocation');
    },
  }),
  route({
    operation: 'getAllocationProof',
    method: 'GET',
    path: '/v1/api/investor/allocations/:allocationId/proof',
    access: 'investor',
    tag,
    summary: 'See the rule and the book without names, and recompute your fill',
    params: pathId('allocationId', 'all'),
    reply: ProofSchema,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) => read((tx) => proveAllocation(tx, caller.organization_id, params.allocationId)),
  }),
  route({
    operation: 'acceptAllocation',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/api/investor/allocations/:allocationId/accept',
    record: recordOfPath('allocationId', ALLOCATION_RECORD),
    access: 'investor',
    audit: {
      action: 'allocation.accepted',
      entity_type: 'allocation',
      id: 'allocation_id',
      after: ['status', 'deal_id', 'tranche_id', 'allocated_amount', 'trade_id'],
    },
    tag,
    summary: 'Accept an allocation; this creates the trade `trade_id`',
    params: pathId('allocationId', 'all'),
    body: Type.Object({}),
    bodyOptional: true,
    reply: AllocationSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'MARK_REQUIRED'],
    handler: async (context) => {
      const { write, caller, params } = context;
      const mark = await loadMarkOf(context, params.allocationId);
      return write((tx) => acceptAllocation(tx, caller, { allocation_id: params.allocationId, mark }));
    },
  }),
  route({
    operation: 'declineAllocation',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/api/investor/allocations/:allocationId/decline',
    record: recordOfPath('allocationId', ALLOCATION_RECORD),
    access: 'investor',
    audit: {
      action: 'allocation.declined',
      entity_type: 'allocation',
      id: 'allocation_id',
      after: ['status', 'deal_id', 'tranche_id', 'allocated_amount'],
    },
    tag,
    summary: 'Decline an allocation; its face is offered again to bidders that were not filled in full',
    params: pathId('allocationId', 'all'),
    body: Type.Object({}),
    bodyOptional: true,
    reply: AllocationSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ write, caller, params }) => write((tx) => declineAllocation(tx, caller, params.allocationId)),
  }),
  operatorList({
    operation: 'listOperatorAllocations',
    path: '/v1/operator/allocations',
    summary: 'List allocations of all investors',
    filters: { ...OperatorListQuery, status },
    reply: OperatorAllocation,
    list: (tx, filter) => listAllocations(tx, null, filter),
  }),
  operatorRecord({
    operation: 'getOperatorAllocation',
    path: '/v1/operator/allocations/:allocationId',
    summary: 'Read an allocation of any investor',
    params: pathId('allocationId', 'all'),
    reply: OperatorAllocation,
    record: recordOfPath('allocationId', ALLOCATION_RECORD),
    what: 'allocation',
    find: (tx, { allocationId }) => findAllocation(tx, null, allocationId),
  }),
  route({
    operation: 'allocateDeal',
    right: 'APPROVE',
    approval: 'ALLOCATE',
    method: 'POST',
    path: '/v1/operator/deals/:dealId/allocations',
    access: 'operator',
    tag: 'Operator',
    summary: 'Allocate every offered tranche of a deal',
    description:
      'Closes the books, runs the rule over open orders and confirmed subscriptions, and issues the allocations at one price a tranche. PRO_RATA sells at the published mark, else at par, and leaves bids with a limit above that yield unfilled. CLEARING_YIELD sells at the present value, at the clearing yield, of the cash flows behind the published mark: a tranche that has bids and no mark is 422 MARK_REQUIRED. With `dry_run` nothing changes.',
    params: pathId('dealId', 'deal'),
    body: named('AllocateDeal', { method: oneOf(ALLOCATION_METHODS), dry_run: Type.Optional(Type.Boolean()) }),
    reply: DealAllocationSchema,
    status: 201,
    dryRunStatus: 200,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION', 'CONFLICT', 'MARK_REQUIRED'],
    handler: async (context) => {
      const { read, write, caller, params, body } = context;
      const terms = { deal_id: params.dealId, method: body.method };
      const request = { ...terms, marks: await loadMarks(context, terms) };
      if (body.dry_run) return responseOf(await read((tx) => previewAllocation(tx, caller, request)), true);
      return write(async (tx) => responseOf(await allocateDeal(tx, caller, request), false));
    },
  }),
];

function responseOf({ allocations, ...rest }: DealAllocation, dryRun: boolean) {
  return {
    ...rest,
    dry_run: dryRun,
    allocations: allocations.map((each) => ({
      ...each,
      allocation_id: dryRun ? null : each.allocation_id,
      requested_amount: Number(each.requested_amount),
      allocated_amount: Number(each.allocated_amount),
      price: numberOrNull(each.price),
      fill_ratio: Math.round((Number(each.allocated_amount) / Number(each.requested_amount)) * 1e8) / 1e8,
      status: dryRun ? null : ('ISSUED' as const),
      expires_at: dryRun ? null : each.expires_at.toISOString(),
    })),
  };
}
