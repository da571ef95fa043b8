import Type from 'typebox';
import { notFound } from '../../platform/http/errors.ts';
import { operatorList, ownList } from '../../platform/http/list-route.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { LOAN_TYPES } from '../../loans/types.ts';
import { LoanTypeSchema } from '../../loans/wire.ts';
import { CreatedBetween, date, id, money, nullable, oneOf, pathId, text, timestamp } from '../../platform/http/schemas.ts';
import { findLatestTape } from '../tapes/queries.ts';
import { DEAL_STATUSES, type Move, MARKET_STATUSES } from './deal.ts';
import { decideDeal } from './decide-deal.ts';
import { withdrawSecuritization } from '../lifecycle/withdraw-securitization.ts';
import { DEAL_KINDS, listOperatorDeals } from './operator-queries.ts';
import { findDealRow, findOwner, listDeals, listHistory } from './queries.ts';

const Row = {
  id: id('deal'),
  name: Type.String(),
  loan_type: LoanTypeSchema,
  status: oneOf(DEAL_STATUSES),
  market_status: nullable(
    oneOf(MARKET_STATUSES, 'Market status of the securitization deal that holds its loans; null before one is issued.'),
  ),
  loan_count: Type.Integer({ description: 'Accepted loans.' }),
  total_balance: money('Balance of the accepted loans.'),
  tape_version: nullable(Type.Integer()),
  issue_counts: Type.Object({ error: Type.Integer(), warning: Type.Integer() }),
  created_at: timestamp(),
  updated_at: timestamp(),
};

export const DealRowSchema = Type.Object(Row);

const DealSchema = Type.Object({
  ...Row,
  mapping_id: nullable(Type.String()),
  as_of_date: nullable(date('Reporting date of the tape, or the day it was read where it says none.')),
  qc: Type.Object({
    state: nullable(
      oneOf(
        ['RUNNING', 'NEEDS_MAPPING', 'DONE', 'FAILED'],
        'State of the checks; null while the deal has no tape. FAILED: they ended without a result, see `reason`; send a new version or POST …/recheck.',
      ),
    ),
    reason: nullable(Type.String({ description: 'Why the checks FAILED.' })),
    rows: Type.Integer(),
    accepted: Type.Integer(),
    rejected: Type.Integer(),
    balance_basis: nullable(Type.String({ description: 'CURRENT, ORIGINAL (no current balance column) or LIMIT.' })),
    findings: Type.Unknown({ description: 'What was found about the tape as a whole, and what was decided in reading it.' }),
  }),
  history: Type.Array(
    Type.Object({
      from: nullable(oneOf(DEAL_STATUSES)),
      to: oneOf(DEAL_STATUSES),
      at: timestamp(),
      actor: Type.String(),
      reason: nullable(Type.String()),
    }),
  ),
});

const OperatorRow = Type.Object({
  ...Row,
  kind: oneOf(DEAL_KINDS, 'A loan deal, or the securitization deal that a pool became; the latter has its pool’s figures.'),
  organization_id: id('org'),
});
const Decided = Type.Object({ deal_id: id('deal'), status: oneOf(DEAL_STATUSES) });
const tag = 'Loan deals';

/** One path for both kinds of deal: a loan deal leaves the platform, a securitization deal leaves the market. */
const withdrawal = route({
  method: 'POST',
  path: '/v1/operator/deals/:dealId/withdraw',
  access: 'operator',
  tag: 'Operator',
  summary: 'Withdraw an approved loan deal that is in no live pool, or a securitization deal from the market',
  params: pathId('dealId', 'deal'),
  body: Type.Object({ reason: text(1_000, 'Why, for everybody concerned to read.') }),
  reply: Type.Object({ deal_id: id('deal'), status: oneOf(DEAL_STATUSES), market_status: nullable(oneOf(MARKET_STATUSES)) }),
  errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
  handler: ({ write, params, body, caller }) =>
    write(async (tx) => {
      const dealId = params.dealId;
      if (await findOwner(tx, dealId)) {
        const deal = await decideDeal(tx, caller, dealId, { to: 'WITHDRAWN', reason: body.reason });
        return { deal_id: deal.deal_id, status: deal.status, market_status: null };
      }
      const deal = await withdrawSecuritization(tx, caller, dealId, body.reason);
      return { deal_id: deal.deal_id, status: deal.status as 'APPROVED', market_status: deal.market_status };
    }),
});

export const dealRoutes: Route[] = [
  ownList({
    path: '/v1/api/originator/loans',
    access: 'originator',
    tag,
    summary: 'List loan deals, newest first',
    filters: { status: Type.Optional(oneOf(DEAL_STATUSES)), type: Type.Optional(oneOf(LOAN_TYPES)), ...CreatedBetween },
    reply: DealRowSchema,
    list: listDeals,
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId',
    access: 'originator',
    tag,
    summary: 'Read a loan deal with its checks and history',
    params: pathId('dealId', 'deal'),
    reply: DealSchema,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => {
        const dealId = params.dealId;
        const row = await findDealRow(tx, caller.organization_id, dealId);
        if (!row) throw notFound('deal');
        const [tape, history] = await Promise.all([
          findLatestTape(tx, caller.organization_id, dealId),
          listHistory(tx, caller.organization_id, dealId),
        ]);
        return {
          ...row,
          mapping_id: tape?.mapping_id ?? null,
          as_of_date: tape?.as_of_date ?? null,
          qc: {
            state: tape?.state ?? null,
            reason: tape?.failure ?? null,
            rows: tape?.rows ?? 0,
            accepted: tape?.accepted ?? 0,
            rejected: tape?.rejected ?? 0,
            balance_basis: tape?.balance_basis ?? null,
            findings: tape?.findings ?? {},
          },
          history,
        };
      }),
  }),
  operatorList({
    path: '/v1/operator/deals',
    summary: 'List loan deals and securitization deals of all organizations',
    filters: {
      kind: Type.Optional(oneOf(DEAL_KINDS)),
      status: Type.Optional(oneOf(DEAL_STATUSES)),
      market_status: Type.Optional(oneOf(MARKET_STATUSES)),
      type: Type.Optional(oneOf(LOAN_TYPES)),
      organization_id: Type.Optional(id('org')),
      deal_id: Type.Optional(id('deal')),
      ...CreatedBetween,
    },
    reply: OperatorRow,
    list: listOperatorDeals,
  }),
  decision(
    'approve',
    'Approve a loan deal that passed quality control',
    Type.Object({ reason: Type.Optional(text(1_000)) }),
    true,
    () => ({ to: 'APPROVED' }),
  ),
  decision(
    'reject',
    'Reject a loan deal',
    Type.Object({
      reason_code: Type.Optional(text(64, 'Short code of the reason; OTHER by default.')),
      reason: text(1_000, 'What is wrong, for the originator to read.'),
    }),
    false,
    (body) => ({ to: 'REJECTED', reason_code: body.reason_code ?? 'OTHER', reason: body.reason ?? '' }),
  ),
  withdrawal,
];

type DecisionBody = { reason_code?: string; reason?: string };

function decision(
  act: string,
  summary: string,
  body: ReturnType<typeof Type.Object>,
  bodyOptional: boolean,
  move: (body: DecisionBody) => Omit<Move, 'actor'>,
): Route {
  return route({
    method: 'POST',
    path: `/v1/operator/deals/:dealId/${act}`,
    access: 'operator',
    tag: 'Operator',
    summary,
    params: pathId('dealId', 'deal'),
    body,
    bodyOptional,
    reply: Decided,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
    handler: ({ write, params, body: given, caller }) =>
      write(async (tx) => {
        const deal = await decideDeal(tx, caller, params.dealId, move((given ?? {}) as DecisionBody));
        return { deal_id: deal.deal_id, status: deal.status };
      }),
  });
}
