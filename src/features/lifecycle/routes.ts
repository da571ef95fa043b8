import { SECURITIZATION_RECORD } from '../securitizations/queries.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import type { Tx } from '../../platform/db/database.ts';
import { type ErrorCode, orNotFound } from '../../platform/http/errors.ts';
import type { Decider } from '../../platform/http/own-organization.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { pathId, text } from '../../platform/http/schemas.ts';
import { closeBooks, closeDeal, reopenBooks, type MarketDecision } from './run-books.ts';
import type { SecuritizationDeal } from '../securitizations/queries.ts';
import { findOperatorDeal } from '../deals/operator-queries.ts';
import { OperatorDealSchema } from '../deals/deal-fields.ts';

/** The operator's moves of a deal on the market. */
export const marketOperatorRoutes: Route[] = [
  act('closeBooks', 'close-books', 'End the marketing of a deal: no more subscriptions and orders', closeBooks, []),
  act('reopenBooks', 'reopen-books', 'Resume the marketing of a deal', reopenBooks, []),
  act('closeDeal', 'close', 'Close an allocated deal whose allocations are all decided and settled', closeDeal, [
    'ALLOCATIONS_OPEN',
  ]),
];

type Act = (tx: Tx, decider: Decider, decision: MarketDecision) => Promise<SecuritizationDeal>;

function act(operation: Operation, name: string, summary: string, run: Act, errors: readonly ErrorCode[]): Route {
  return route({
    operation,
    right: 'APPROVE',
    method: 'POST',
    path: `/v1/operator/deals/:dealId/${name}`,
    record: recordOfPath('dealId', SECURITIZATION_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary,
    params: pathId('dealId', 'deal'),
    body: Type.Object({ reason: Type.Optional(text(1_000, 'Reason, kept in the audit log.')) }),
    bodyOptional: true,
    reply: OperatorDealSchema,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION', ...errors],
    handler: ({ write, caller, params, body }) =>
      write(async (tx) => {
        await run(tx, caller, { deal_id: params.dealId, reason: body?.reason ?? null });
        return orNotFound(await findOperatorDeal(tx, params.dealId), 'deal');
      }),
  });
}
