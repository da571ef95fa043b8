import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, nullable, oneOf, pathId, text } from '../../platform/http/schemas.ts';
import { DEAL_STATUSES, MARKET_STATUSES } from '../deals/deal.ts';
import { decideDeal } from '../deals/decide-deal.ts';
import { findOwner } from '../deals/queries.ts';
import { withdrawSecuritization } from './withdraw-securitization.ts';

/** One path for both kinds of deal: a loan deal leaves the platform, a securitization deal leaves the market. */
export const withdrawRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/operator/deals/:dealId/withdraw',
    access: 'operator',
    tag: 'Operator',
    summary: 'Withdraw an approved loan deal that is in no live pool, or a securitization deal from the market',
    params: pathId('dealId', 'deal'),
    body: named('WithdrawDeal', { reason: text(1_000, 'Reason, shown to everyone concerned.') }),
    reply: named('WithdrawnDeal', {
      deal_id: id('deal'),
      status: oneOf(DEAL_STATUSES),
      market_status: nullable(oneOf(MARKET_STATUSES)),
    }),
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
    handler: ({ write, params, body, caller }) =>
      write(async (tx) => {
        const { dealId } = params;
        if (await findOwner(tx, dealId)) {
          const deal = await decideDeal(tx, caller, { dealId, to: 'WITHDRAWN', reason: body.reason });
          return { deal_id: deal.deal_id, status: deal.status, market_status: null };
        }
        const { deal_id, status, market_status } = await withdrawSecuritization(tx, caller, {
          deal_id: dealId,
          reason: body.reason,
        });
        return { deal_id, status, market_status };
      }),
  }),
];
