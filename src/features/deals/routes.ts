import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { operatorList, ownList } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { LOAN_TYPES } from '../../loans/types.ts';
import {
  CreatedBetween,
  date,
  id,
  money,
  nullable,
  oneOf,
  pathId,
  Reason,
  text,
  timestamp,
} from '../../platform/http/schemas.ts';
import { DEAL_ROW, DealRowSchema, IssueCounts, OperatorDealSchema } from './deal-fields.ts';
import { decideDeal, withdrawOwnDeal } from './decide-deal.ts';
import { DEAL_KINDS, listOperatorDeals, findOperatorDeal } from './operator-queries.ts';
import {
  CHECK_STAGES,
  CHECK_STATES,
  DEAL_RECORD,
  DEAL_STATUSES,
  findChecksInForce,
  findDealRow,
  findNewestChecks,
  listDeals,
  listHistory,
  MARKET_STATUSES,
  type Move,
  type NewestChecks,
} from './queries.ts';
import { tapeLoss } from './tape-loss.ts';

const RuleCountSchema = named('RuleCount', {
  rule_id: Type.String(),
  severity: namedOneOf('FindingSeverity', ['ERROR', 'WARNING']),
  count: Type.Integer(),
});

const VersionFigures = {
  version: Type.Integer(),
  loan_count: Type.Integer({ description: 'Its accepted loans.' }),
  total_balance: money('Balance of its accepted loans.'),
};

const WaitingSchema = Type.Object(
  {
    ...VersionFigures,
    file_name: Type.String(),
    created_at: timestamp(),
    rows: Type.Integer(),
    issue_counts: IssueCounts,
    by_rule: nullable(Type.Array(RuleCountSchema)),
    in_force: named('VersionInForce', VersionFigures),
    lost_loans: Type.Integer({ description: 'Loans that the deal would have fewer; negative if it would have more.' }),
    lost_balance: Type.Number({ description: 'Balance that the deal would lose; negative if it would gain.' }),
  },
  {
    title: 'WaitingVersion',
    description: 'The version that waits for POST …/tapes/{version}/confirm or DELETE …/tapes/{version}; null when none waits.',
  },
);

const DealSchema = named('Deal', {
  ...DEAL_ROW,
  mapping_id: nullable(Type.String()),
  as_of_date: nullable(date('Reporting date of the tape, or the day it was read where it says none.')),
  qc: named('QualityControl', {
    state: nullable(
      oneOf(
        CHECK_STATES,
        'State of the checks of the newest version; null while the deal has no tape. FAILED: they ended without a result, see `reason`; send a new version or POST …/recheck. NEEDS_CONFIRMATION: the version in `waiting` would lose more than half of the loans or of the balance; all other figures here are those of the version in force.',
      ),
    ),
    progress: nullable(
      Type.Object(
        {
          stage: oneOf(
            CHECK_STAGES,
            'READING counts bytes, MATCHING columns, CHECKING, LISTING (the findings) and WRITING (the loans) rows, STORING files.',
          ),
          done: Type.Integer(),
          total: Type.Integer(),
        },
        {
          title: 'ChecksProgress',
          description: 'How far the running checks have come; null while none run, and before they begin.',
        },
      ),
    ),
    reason: nullable(Type.String({ description: 'Why the checks FAILED.' })),
    rows: Type.Integer(),
    accepted: Type.Integer(),
    rejected: Type.Integer(),
    by_rule: nullable(
      Type.Array(RuleCountSchema, {
        description:
          'All findings, about rows and about the whole tape, counted by rule: errors first, then by their number. Null for a result from before the counts were kept.',
      }),
    ),
    waiting: nullable(WaitingSchema),
    balance_basis: nullable(Type.String({ description: 'CURRENT, ORIGINAL (no current balance column) or LIMIT.' })),
    findings: Type.Unknown({ description: 'Findings about the tape as a whole, and the decisions made while reading it.' }),
  }),
  history: Type.Array(
    named('DealMove', {
      from: nullable(oneOf(DEAL_STATUSES)),
      to: oneOf(DEAL_STATUSES),
      at: timestamp(),
      actor: Type.String(),
      reason: nullable(Type.String()),
    }),
  ),
});

const tag = 'Loan deals';

export const dealRoutes: Route[] = [
  ownList({
    operation: 'listLoanDeals',
    path: '/v1/api/originator/loans',
    access: 'originator',
    tag,
    summary: 'List loan deals, newest first',
    filters: { status: Type.Optional(oneOf(DEAL_STATUSES)), type: Type.Optional(oneOf(LOAN_TYPES)), ...CreatedBetween },
    reply: DealRowSchema,
    list: listDeals,
  }),
  route({
    operation: 'getLoanDeal',
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId',
    record: recordOfPath('dealId', DEAL_RECORD),
    access: 'originator',
    tag,
    summary: 'Read a loan deal with its checks and history',
    params: pathId('dealId', 'deal'),
    reply: DealSchema,
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params }) =>
      read(async (tx) => {
        const dealId = params.dealId;
        const row = orNotFound(await findDealRow(tx, caller.organization_id, dealId), 'deal');
        const [newest, inForce, history] = await Promise.all([
          findNewestChecks(tx, caller.organization_id, dealId),
          findChecksInForce(tx, caller.organization_id, dealId),
          listHistory(tx, caller.organization_id, dealId),
        ]);
        const waiting = newest?.state === 'NEEDS_CONFIRMATION' && inForce ? waitingVersion(newest, inForce) : null;
        const checks = waiting ? inForce : newest;
        return {
          ...row,
          mapping_id: newest?.mapping_id ?? null,
          as_of_date: checks?.as_of_date ?? null,
          qc: {
            state: newest?.state ?? null,
            reason: checks?.failure ?? null,
            progress: newest?.state === 'RUNNING' ? newest.progress : null,
            by_rule: checks ? checks.by_rule : [],
            waiting,
            rows: checks?.rows ?? 0,
            accepted: checks?.accepted ?? 0,
            rejected: checks?.rejected ?? 0,
            balance_basis: checks?.balance_basis ?? null,
            findings: checks?.findings ?? {},
          },
          history,
        };
      }),
  }),
  route({
    operation: 'withdrawLoanDeal',
    right: 'APPROVE',
    method: 'POST',
    path: '/v1/api/originator/loans/:dealId/withdraw',
    record: recordOfPath('dealId', DEAL_RECORD),
    access: 'originator',
    audit: { action: 'deal.withdrawn', entity_type: 'deal', id: 'id', after: ['status'] },
    tag,
    summary: 'Withdraw an approved loan deal that is in no live pool',
    description: 'WITHDRAWN is final. While a live pool holds loans of the deal it is 409 with `pool_id`.',
    params: pathId('dealId', 'deal'),
    body: Reason,
    bodyOptional: true,
    reply: DealRowSchema,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ write, caller, params, body }) =>
      write(async (tx) => {
        const { organization_id, deal_id } = await withdrawOwnDeal(tx, caller, { ...params, reason: body?.reason ?? null });
        return orNotFound(await findDealRow(tx, organization_id, deal_id), 'deal');
      }),
  }),
  operatorList({
    operation: 'listOperatorDeals',
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
    reply: OperatorDealSchema,
    list: listOperatorDeals,
  }),
  decision(
    'approve',
    'Approve a loan deal that passed quality control',
    named('DecisionReason', { reason: Type.Optional(text(1_000)) }),
    true,
    () => ({ to: 'APPROVED' }),
  ),
  decision(
    'reject',
    'Reject a loan deal',
    named('RejectDeal', {
      reason_code: Type.Optional(text(64, 'Short code of the reason; OTHER by default.')),
      reason: text(1_000, 'The reason, shown to the originator.'),
    }),
    false,
    (body) => ({ to: 'REJECTED', reason_code: body.reason_code ?? 'OTHER', reason: body.reason ?? '' }),
  ),
];

/** The version that waits beside the one in force, with what would be lost. */
function waitingVersion(newest: NewestChecks, inForce: NewestChecks) {
  const figures = ({ accepted, total_balance }: NewestChecks) => ({ loan_count: accepted, total_balance });
  const shown = (checks: NewestChecks) => ({
    version: checks.version,
    loan_count: checks.accepted,
    total_balance: Number(checks.total_balance),
  });
  const loss = tapeLoss(figures(inForce), figures(newest));
  return {
    ...shown(newest),
    file_name: newest.file_name,
    created_at: newest.created_at,
    rows: newest.rows,
    issue_counts: { error: newest.errors, warning: newest.warnings },
    by_rule: newest.by_rule,
    in_force: shown(inForce),
    lost_loans: loss.loans,
    lost_balance: Number(loss.balance),
  };
}

type DecisionBody = { reason_code?: string; reason?: string };

function decision(
  act: 'approve' | 'reject',
  summary: string,
  body: ReturnType<typeof Type.Object>,
  bodyOptional: boolean,
  move: (body: DecisionBody) => Omit<Move, 'actor'>,
): Route {
  return route({
    operation: `${act}Deal`,
    right: 'APPROVE',
    approval: act === 'approve' ? 'DEAL_APPROVE' : 'DEAL_REJECT',
    method: 'POST',
    path: `/v1/operator/deals/:dealId/${act}`,
    record: recordOfPath('dealId', DEAL_RECORD),
    access: 'operator',
    tag: 'Operator',
    summary,
    params: pathId('dealId', 'deal'),
    body,
    bodyOptional,
    reply: OperatorDealSchema,
    errors: ['NOT_FOUND', 'OWN_ORGANIZATION', 'INVALID_TRANSITION'],
    handler: ({ write, params, body: given, caller }) =>
      write(async (tx) => {
        const deal = await decideDeal(tx, caller, { dealId: params.dealId, ...move(given ?? {}) });
        return orNotFound(await findOperatorDeal(tx, deal.deal_id), 'deal');
      }),
  });
}
