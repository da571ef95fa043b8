import { SECURITIZATION_RECORD } from '../securitizations/queries.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { pathId, text } from '../../platform/http/schemas.ts';
import { findOperatorDeal } from '../deals/operator-queries.ts';
import { OperatorDealSchema } from '../deals/deal-fields.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { operatorRecord } from '../../platform/http/list-route.ts';
import { decideDeal } from '../deals/decide-deal.ts';
import { findOwner, DEAL_RECORD } from '../deals/queries.ts';
import { withdrawSecuritization } from './withdraw-securitization.ts';

/** Paths of both kinds of deal. Withdrawn, a loan deal leaves the platform, and a securitization deal the market. */
export const withdrawRoutes: Route[] = [
  operatorRecord({
    operation: 'getOperatorDeal',
    path: '/v1/operator/deals/:dealId',
    summary: 'Read a loan deal or a securitization deal of any organization',
    params: pathId('dealId', 'deal'),
    reply: OperatorDealSchema,
    record: recordOfPath('dealId', DEAL_RECORD, SECURITIZATION_RECORD),
    what: 'deal',
    find: (tx, { dealId }) => findOperatorDeal(tx, dealId),
  }),
  route({
    operation: 'withdrawOperatorDeal',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/operator/deals/:dealId/withdraw',
    record: recordOfPath('dealId', DEAL_RECORD, SECURITIZATION_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary: 'Withdraw an approved loan deal that is in no live pool, or a securitization deal from the market',
    params: pathId('dealId', 'deal'),
    body: named('WithdrawDeal', { reason: text(1_000, 'Reason, shown to everyone concerned.') }),
    reply: OperatorDealSchema,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
    handler: ({ write, params, body, caller }) =>
      write(async (tx) => {
        const { dealId } = params;
        const { reason } = body;
        if (await findOwner(tx, dealId)) await decideDeal(tx, caller, { dealId, to: 'WITHDRAWN', reason });
        else await withdrawSecuritization(tx, caller, { deal_id: dealId, reason });
        return orNotFound(await findOperatorDeal(tx, dealId), 'deal');
      }),
  }),
];
