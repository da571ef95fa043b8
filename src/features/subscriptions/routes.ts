import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { operatorList, ownList, operatorRecord } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { amount, id, money, nullable, oneOf, pathId, text, timestamp } from '../../platform/http/schemas.ts';
import { amendSubscription } from './amend-subscription.ts';
import { cancelSubscription, confirmSubscription, rejectSubscription } from './decide-subscription.ts';
import { findSubscription, listSubscriptions, SUBSCRIPTION_STATUSES, SUBSCRIPTION_RECORD } from './queries.ts';
import { checkSubscription, subscribe, type SubscriptionRequest } from './subscribe.ts';
import type { Id } from '../../platform/ids.ts';
import { subscribeInBatch } from './subscribe-in-batch.ts';
import { ComplianceFields, ListQuery, OperatorListQuery } from '../compliance/fields.ts';
import { auditRefusals } from '../compliance/compliance.ts';

const Subscription = {
  subscription_id: id('sub'),
  status: namedOneOf('SubscriptionStatus', SUBSCRIPTION_STATUSES),
  deal_id: id('deal'),
  tranche_id: id('trn'),
  subscription_amount: money('Amount committed.'),
  ...ComplianceFields,
  ioi_id: nullable(id('ioi')),
  confirmed_at: nullable(timestamp('When the operator confirmed it.')),
  allocated_at: nullable(timestamp('When face was first allotted to it.')),
  funded_at: nullable(timestamp('When the first cash leg of its trades was confirmed.')),
  settled_at: nullable(timestamp('When the last of its trades settled, or the last that was open beside a settled one ended.')),
  reason: nullable(
    Type.String({
      description: 'The reason given with its last move that had one: why it was confirmed, or why it ended. Null without one.',
    }),
  ),
  placed_at: timestamp('Time priority: where bids tie, the earlier one comes first. That of the creation, or of the last raise.'),
  created_at: timestamp(),
  updated_at: timestamp(),
};

const SubscriptionSchema = named('Subscription', Subscription);
const OperatorSubscription = named('OperatorSubscription', { ...Subscription, organization_id: id('org') });

const SubscriptionBody = named('NewSubscription', {
  subscription_amount: amount('Amount to commit.'),
  tranche_id: Type.Optional(id('trn', 'Tranche; by default the most senior one on offer.')),
});

const CheckBody = named('SubscriptionToCheck', {
  ...SubscriptionBody.properties,
  subscription_id: Type.Optional(
    id(
      'sub',
      'Subscription of yours that the amount would replace: the checks of its change, in its tranche. Default: a new one.',
    ),
  ),
});

const Checked = named('SubscriptionCheck', {
  deal_id: id('deal'),
  tranche_id: id('trn'),
  subscription_amount: money('Amount that was checked.'),
  ...ComplianceFields,
});

const tag = 'Subscriptions';
const status = Type.Optional(oneOf(SUBSCRIPTION_STATUSES));

export const subscriptionRoutes: Route[] = [
  route({
    operation: 'placeSubscription',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/api/investor/deals/:dealId/subscribe',
    access: 'investor',
    tag,
    summary: 'Commit to a deal, after compliance checks',
    description:
      'The checks look at stored facts: the investor profile, sanctions, eligibility for the offering, tax form, ERISA, minimum and increment, concentration, remaining capacity, and that the deal is not your own. A failed one is 422 with every check under `errors`; nothing is created. Closed books are 409 before any check. Each call makes a subscription of its own: send an Idempotency-Key to repeat one safely.',
    params: pathId('dealId', 'deal'),
    body: SubscriptionBody,
    reply: SubscriptionSchema,
    status: 201,
    errors: ['NOT_FOUND', 'BOOKS_CLOSED', 'COMPLIANCE_FAILED'],
    example: { body: { subscription_amount: 250_000 } },
    handler: ({ deps, caller, idempotent, write, params, body }) => {
      const request = requestOf(params, body);
      return auditRefusals(deps, caller, () =>
        idempotent ? write((tx) => subscribe(tx, caller, request)) : subscribeInBatch(deps, caller, request),
      );
    },
  }),
  route({
    operation: 'checkSubscription',
    right: 'VIEW',
    method: 'POST',
    path: '/v1/api/investor/deals/:dealId/subscribe/check',
    access: 'investor',
    tag,
    summary: 'Run the same checks without committing',
    params: pathId('dealId', 'deal'),
    body: CheckBody,
    reply: Checked,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'BOOKS_CLOSED', 'COMPLIANCE_FAILED'],
    example: { body: { subscription_amount: 250_000 } },
    handler: ({ read, caller, params, body }) =>
      read(async (tx) => {
        const { facts, result, findings } = await checkSubscription(tx, caller, {
          ...requestOf(params, body),
          subscription_id: body.subscription_id ?? null,
        });
        return {
          deal_id: facts.deal_id,
          tranche_id: facts.tranche_id,
          subscription_amount: body.subscription_amount,
          compliance_check_result: result,
          compliance_checks: findings,
        };
      }),
  }),
  ownList({
    operation: 'listSubscriptions',
    path: '/v1/api/investor/subscriptions',
    access: 'investor',
    tag,
    summary: 'List your subscriptions, newest first',
    filters: { ...ListQuery, status },
    reply: SubscriptionSchema,
    list: listSubscriptions,
  }),
  route({
    operation: 'getSubscription',
    method: 'GET',
    path: '/v1/api/investor/subscriptions/:subscriptionId',
    record: recordOfPath('subscriptionId', SUBSCRIPTION_RECORD),
    access: 'investor',
    tag,
    summary: 'Read one of your subscriptions',
    params: pathId('subscriptionId', 'sub'),
    reply: SubscriptionSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ read, caller, params }) => {
      return orNotFound(await read((tx) => findSubscription(tx, caller.organization_id, params.subscriptionId)), 'subscription');
    },
  }),
  route({
    operation: 'changeSubscription',
    right: 'APPROVE',
    method: 'PATCH',
    path: '/v1/api/investor/subscriptions/:subscriptionId',
    record: recordOfPath('subscriptionId', SUBSCRIPTION_RECORD),
    access: 'investor',
    tag,
    summary: 'Change the amount of a subscription that waits for confirmation',
    description:
      'The checks of a new subscription run again on the new amount; the capacity that the subscription holds counts as left. A smaller amount keeps the place in time (`placed_at`) and frees the difference at once; a larger one takes the place of the moment. When a check fails the subscription stays as it was.',
    params: pathId('subscriptionId', 'sub'),
    body: named('ChangeSubscription', { subscription_amount: amount('Amount to commit instead.') }),
    reply: SubscriptionSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'BOOKS_CLOSED', 'COMPLIANCE_FAILED'],
    example: { body: { subscription_amount: 200_000 } },
    handler: ({ deps, write, caller, params, body }) => {
      const change = { subscription_id: params.subscriptionId, amount: body.subscription_amount.toFixed(2) };
      return auditRefusals(deps, caller, () => write((tx) => amendSubscription(tx, caller, change)));
    },
  }),
  route({
    operation: 'cancelSubscription',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/api/investor/subscriptions/:subscriptionId/cancel',
    record: recordOfPath('subscriptionId', SUBSCRIPTION_RECORD),
    access: 'investor',
    audit: {
      action: 'subscription.cancelled',
      entity_type: 'subscription',
      id: 'subscription_id',
      after: ['status', 'deal_id', 'tranche_id', 'subscription_amount'],
    },
    tag,
    summary: 'Cancel a subscription before the books close',
    params: pathId('subscriptionId', 'sub'),
    body: Type.Object({}),
    bodyOptional: true,
    reply: SubscriptionSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'BOOKS_CLOSED'],
    handler: ({ write, caller, params }) => write((tx) => cancelSubscription(tx, caller, params.subscriptionId)),
  }),
  operatorList({
    operation: 'listOperatorSubscriptions',
    path: '/v1/operator/subscriptions',
    summary: 'List subscriptions of all investors',
    filters: { ...OperatorListQuery, status },
    reply: OperatorSubscription,
    list: (tx, filter) => listSubscriptions(tx, null, filter),
  }),
  operatorRecord({
    operation: 'getOperatorSubscription',
    path: '/v1/operator/subscriptions/:subscriptionId',
    summary: 'Read a subscription of any investor',
    params: pathId('subscriptionId', 'sub'),
    reply: OperatorSubscription,
    record: recordOfPath('subscriptionId', SUBSCRIPTION_RECORD),
    what: 'subscription',
    find: (tx, { subscriptionId }) => findSubscription(tx, null, subscriptionId),
  }),
  route({
    operation: 'confirmSubscription',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/operator/subscriptions/:subscriptionId/confirm',
    record: recordOfPath('subscriptionId', SUBSCRIPTION_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary: 'Confirm a subscription; the investor’s checks are run again',
    params: pathId('subscriptionId', 'sub'),
    body: named('DecisionReason', { reason: Type.Optional(text(1_000)) }),
    bodyOptional: true,
    reply: OperatorSubscription,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION', 'COMPLIANCE_FAILED'],
    handler: ({ deps, write, caller, params, body }) =>
      auditRefusals(deps, caller, () =>
        write((tx) => confirmSubscription(tx, caller, { subscription_id: params.subscriptionId, reason: body?.reason ?? null })),
      ),
  }),
  route({
    operation: 'rejectSubscription',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/operator/subscriptions/:subscriptionId/reject',
    record: recordOfPath('subscriptionId', SUBSCRIPTION_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary: 'Reject a subscription; its capacity becomes available again',
    params: pathId('subscriptionId', 'sub'),
    body: named('RejectSubscription', { reason: Type.Optional(text(1_000, 'Reason, shown to the investor.')) }),
    bodyOptional: true,
    reply: OperatorSubscription,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
    handler: ({ write, caller, params, body }) =>
      write((tx) =>
        rejectSubscription(tx, caller, {
          subscription_id: params.subscriptionId,
          reason: body?.reason ?? 'rejected by the operator',
        }),
      ),
  }),
];

function requestOf(
  params: { dealId: Id<'deal'> },
  body: { subscription_amount: number; tranche_id?: Id<'trn'> },
): SubscriptionRequest {
  return { deal_id: params.dealId, tranche_id: body.tranche_id ?? null, amount: body.subscription_amount.toFixed(2) };
}
