import Type from 'typebox';
import { emit } from '../../events/emit.ts';
import { EVENT_NAMES, type Emission, type EventName, type Notice } from '../../events/events.ts';
import { sampleOf } from '../../events/samples.ts';
import { ApiError, invalidTransition, notFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, oneOf, pathId, timestamp } from '../../platform/http/schemas.ts';
import { DEAL_MOVES, DEAL_STATUSES, type DealStatus } from '../deals/deal.ts';
import { decideDeal } from '../deals/decide-deal.ts';
import { findDeal, findOwner } from '../deals/queries.ts';
import { findTrade } from '../trades/queries.ts';
import { settleTrade } from '../trades/settle-trade.ts';
import { advanceClock } from './queries.ts';
import { type Removed, reset } from './reset.ts';
import { OPERATOR, seed } from './seed.ts';

const tag = 'Sandbox';
/** The sandbox decides as the operator would, for whoever asks. */
const SANDBOX = { key_id: OPERATOR, organization_id: null };
const NOUNS: Record<keyof Removed, string> = {
  deals: 'loan deals',
  criteria: 'criteria sets',
  subscriptions: 'pending subscriptions',
  orders: 'open orders',
  iois: 'indications of interest',
  webhook_subscriptions: 'webhook subscriptions',
  alerts: 'alerts',
};
/** What an operator decides; the other moves are the platform's own. */
const DECISIONS: readonly DealStatus[] = ['APPROVED', 'REJECTED', 'WITHDRAWN'];
const Seeded = Type.Object({
  organizations: Type.Object({ originator: Type.String(), investor: Type.String() }),
  loan_deals: Type.Array(
    Type.Object({ deal_id: id('deal'), loan_type: Type.String(), status: Type.String(), planted_defects: Type.Integer() }),
  ),
  securitization_deal_ids: Type.Array(id('deal'), {
    description: 'Newest first: one on the market, one with settled positions.',
  }),
  pool_ids: Type.Array(id('pool')),
  positions: Type.Integer(),
  created: Type.Boolean({ description: 'False when the sandbox was seeded before.' }),
});

/** What makes a first integration easy, for every key; none of it exists where the environment is Production. */
export const sandboxRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/sandbox/seed',
    access: 'key',
    tag,
    summary: 'Fill the sandbox: organizations, tapes of all loan types, an issued deal, positions',
    body: Type.Object({}),
    bodyOptional: true,
    reply: Seeded,
    handler: ({ deps, request }) => seed(request.server, deps),
  }),
  route({
    method: 'POST',
    path: '/v1/sandbox/reset',
    access: 'key',
    tag,
    summary: 'Remove what your organization has in the sandbox; with an operator’s key, empty it',
    description:
      'A customer’s key removes its organization’s alerts, webhooks and their deliveries, drafts and other deals that are in no pool (with tapes, runs and documents), criteria that no remaining run was judged by, indications, open orders and subscriptions that wait for a confirmation. Where others hold records of its deals it removes nothing: 409 `IN_USE`. An operator’s key removes everything of everybody; organizations, keys and the audit log stay, and `seed` fills the sandbox anew.',
    body: Type.Object({}),
    bodyOptional: true,
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['IN_USE', 'CONFLICT'],
    handler: async ({ deps, caller }) => {
      const removed = await reset(deps, caller);
      if (!removed) return 'The sandbox is empty. Seed it with POST /v1/sandbox/seed.';
      const counts = Object.entries(removed).map(([name, count]) => `${NOUNS[name as keyof Removed]}: ${count}`);
      return `Removed from your organization: ${counts.join('; ')}.`;
    },
  }),
  route({
    method: 'POST',
    path: '/v1/sandbox/clock',
    access: 'key',
    tag,
    summary: 'Advance the platform’s clock; what falls due happens',
    description: 'The clock is everybody’s: in Staging it takes an operator’s key (403 otherwise).',
    body: Type.Object({ advance_seconds: Type.Integer({ minimum: 0, maximum: 10 * 366 * 86_400 }) }),
    reply: Type.Object({ now: timestamp() }),
    handler: async ({ deps, caller, body }) => {
      if (deps.config.environment === 'staging' && caller.role !== 'operator') {
        throw new ApiError(
          'ROLE_FORBIDDEN',
          'In Staging the clock is shared by all customers: only an operator’s key advances it.',
        );
      }
      const now = await deps.db.tx({ platform: true }, async (tx) => {
        const moved = await advanceClock(tx, body.advance_seconds);
        await deps.jobs.enqueue(tx, 'housekeeping', {});
        return moved;
      });
      return { now: now.toISOString() };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/sandbox/deals/:dealId/advance',
    access: 'key',
    scope: 'sandbox',
    tag,
    summary: 'Move one of your deals as the operator would; with an operator’s key, any deal',
    params: pathId('dealId', 'deal'),
    body: Type.Object({
      to: oneOf(DEAL_STATUSES, 'APPROVED, REJECTED or WITHDRAWN; to any other status no operator moves a deal: 409.'),
    }),
    reply: Type.Object({ deal_id: id('deal'), status: Type.String() }),
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ write, caller, params, body }) =>
      write(async (tx) => {
        const owner = caller.role === 'operator' ? await findOwner(tx, params.dealId) : caller.organization_id;
        const found = owner && (await findDeal(tx, owner, params.dealId));
        if (!found) throw notFound('deal');
        requireDecision(found.status, body.to);
        const reason = body.to === 'REJECTED' ? { reason_code: 'SANDBOX', reason: 'Rejected in the sandbox.' } : {};
        const deal = await decideDeal(tx, SANDBOX, params.dealId, { to: body.to, ...reason });
        return { deal_id: deal.deal_id, status: deal.status };
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/sandbox/trades/:tradeId/settle',
    access: 'key',
    scope: 'sandbox',
    tag,
    summary: 'Settle one of your trades as the operator would; with an operator’s key, any trade',
    params: pathId('tradeId', 'trd'),
    reply: Type.Unknown(),
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ write, params, caller }) =>
      write(async (tx) => {
        const owner = caller.role === 'operator' ? null : caller.organization_id;
        if (!(await findTrade(tx, owner, params.tradeId))) throw notFound('trade');
        return settleTrade(tx, SANDBOX, params.tradeId);
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/sandbox/events',
    access: 'key',
    tag,
    summary: 'Fire a real, signed event to your own organization',
    description:
      'With its alert and its webhooks. `data` goes over a sample of the event; fields that the event does not have ride along.',
    body: Type.Object({ event: oneOf(EVENT_NAMES), data: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }),
    reply: Type.Object({ event: oneOf(EVENT_NAMES), data: Type.Unknown() }),
    status: 201,
    handler: ({ write, caller, body }) =>
      write(async (tx) => {
        if (Buffer.byteLength(JSON.stringify(body.data ?? {})) > 64 * 1024) throw new ApiError('PAYLOAD_TOO_LARGE');
        const data = { ...sampleOf(body.event), ...body.data };
        await emit(tx, [
          { organization_id: caller.organization_id, event: body.event, data, alert: noticeOf(body.event) } as Emission,
        ]);
        return { event: body.event, data };
      }),
  }),
];

function requireDecision(from: DealStatus, to: DealStatus): void {
  if (DECISIONS.includes(to)) return;
  const allowed = DEAL_MOVES[from].filter((each) => DECISIONS.includes(each));
  throw invalidTransition('deal', from, allowed);
}

const CATEGORIES: Record<EventName, Notice['category']> = {
  'deal.status_changed': 'deal',
  'loan.approved': 'deal',
  'loan.rejected': 'deal',
  'trade.settled': 'trade',
  'sc.completed': 'selection',
  'document.uploaded': 'document',
};

function noticeOf(event: EventName): Notice {
  return {
    category: CATEGORIES[event],
    priority: 'LOW',
    title: `${event} was fired in the sandbox`,
    message: 'It was asked for by a key of your organization; nothing was changed.',
    entity_type: 'event',
    entity_id: event,
  };
}
