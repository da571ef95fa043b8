import Type from 'typebox';
import { EVENT_NAMES } from '../../events/events.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, id, money, oneOf, pathId, timestamp } from '../../platform/http/schemas.ts';
import { DEAL_STATUSES } from '../deals/queries.ts';
import { advancePool } from './advance-pool.ts';
import { advanceDeal, advanceSandboxClock, fireEvent, settleSandboxTrade } from './act-in-sandbox.ts';
import { type RemovedCounts, resetSandbox } from './reset-sandbox.ts';
import { MONTHS, seedSandbox } from './seed-sandbox.ts';
import { named } from '../../platform/http/named.ts';

const tag = 'Sandbox';
const NOUNS: Record<keyof RemovedCounts, string> = {
  deals: 'loan deals',
  criteria: 'criteria sets',
  subscriptions: 'pending subscriptions',
  orders: 'open orders',
  iois: 'indications of interest',
  webhook_subscriptions: 'webhook subscriptions',
  alerts: 'alerts',
};

const Seeded = named('SeededSandbox', {
  organizations: named('SandboxOrganizations', { originator: Type.String(), investor: Type.String() }),
  loan_deals: Type.Array(
    named('SandboxDeal', {
      deal_id: id('deal'),
      loan_type: Type.String(),
      status: Type.String(),
      planted_defects: Type.Integer(),
    }),
  ),
  securitization_deal_ids: Type.Array(id('deal'), {
    description: 'Newest first: one on the market, one with settled positions.',
  }),
  pool_ids: Type.Array(id('pool')),
  positions: Type.Integer(),
  created: Type.Boolean({ description: 'False when the sandbox was seeded before.' }),
});

/** Routes for a first integration, open to every key. Production has none of them. */
export const sandboxRoutes: Route[] = [
  route({
    operation: 'seedSandbox',
    method: 'POST',
    path: '/v1/sandbox/seed',
    access: 'key',
    tag,
    summary: 'Fill the sandbox: organizations, tapes of all loan types, a serviced deal, positions, a deal on the market',
    description:
      'The deal that is sold lies in the past: each of its months has a tape and a report, two of which were restated and one differs from its structure, and payments, with their statements. A sandbox that has deals stays as it is.',
    body: named('SeedSandbox', {
      months: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 36,
          default: MONTHS,
          description: 'Payment periods that the sold deal has behind it.',
        }),
      ),
    }),
    bodyOptional: true,
    reply: Seeded,
    errors: ['CONFLICT'],
    handler: ({ deps, request, body }) => seedSandbox(request.server, deps, { ...body }),
  }),
  route({
    operation: 'resetSandbox',
    method: 'POST',
    path: '/v1/sandbox/reset',
    access: 'key',
    tag,
    summary: 'Remove your organization’s records from the sandbox; with an operator’s key, empty the sandbox',
    description:
      'A customer’s key removes its organization’s alerts, webhook subscriptions with their deliveries, drafts and other deals that are in no pool (with tapes, runs and documents), criteria that no remaining run used, indications, open orders and subscriptions that await confirmation. If other organizations hold records of its deals, nothing is removed: 409 `IN_USE`. An operator’s key removes the records of all organizations; organizations, keys and the audit log stay, and `seed` fills the sandbox again.',
    body: Type.Object({}),
    bodyOptional: true,
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['IN_USE', 'CONFLICT'],
    handler: async ({ deps, caller }) => {
      const removed = await deps.db.tx({ platform: true }, (tx) =>
        resetSandbox(tx, caller, { everything: caller.role === 'operator' }, { environment: deps.config.environment }),
      );
      if (!removed) return 'The sandbox is empty. Seed it with POST /v1/sandbox/seed.';
      const counts = Object.entries(removed).map(([name, count]) => `${NOUNS[name as keyof RemovedCounts]}: ${count}`);
      return `Removed from your organization: ${counts.join('; ')}.`;
    },
  }),
  route({
    operation: 'advanceSandboxClock',
    method: 'POST',
    path: '/v1/sandbox/clock',
    access: 'key',
    tag,
    summary: 'Advance the platform’s clock and run the work that becomes due',
    description: 'All organizations share the clock: in Staging only an operator’s key can advance it (403 otherwise).',
    body: named('AdvanceClock', { advance_seconds: Type.Integer({ minimum: 0, maximum: 10 * 366 * 86_400 }) }),
    reply: named('SandboxClock', { now: timestamp() }),
    handler: async ({ deps, caller, body }) => {
      const means = { environment: deps.config.environment, jobs: deps.jobs };
      const now = await deps.db.tx({ platform: true }, (tx) =>
        advanceSandboxClock(tx, caller, { seconds: body.advance_seconds }, means),
      );
      return { now: now.toISOString() };
    },
  }),
  route({
    operation: 'advanceSandboxDeal',
    method: 'POST',
    path: '/v1/sandbox/deals/:dealId/advance',
    access: 'key',
    scope: 'sandbox',
    tag,
    summary: 'Move one of your deals as the operator would; with an operator’s key, any deal',
    params: pathId('dealId', 'deal'),
    body: named('MoveDeal', {
      to: oneOf(DEAL_STATUSES, 'APPROVED, REJECTED or WITHDRAWN; an operator cannot move a deal to any other status: 409.'),
    }),
    reply: named('MovedDeal', { deal_id: id('deal'), status: Type.String() }),
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ write, caller, params, body }) => write((tx) => advanceDeal(tx, caller, { deal_id: params.dealId, to: body.to })),
  }),
  route({
    operation: 'advanceSandboxPool',
    method: 'POST',
    path: '/v1/sandbox/pools/:poolId/advance',
    access: 'key',
    tag,
    summary: 'Run the next payment periods of one of your issued pools; with an operator’s key, of any',
    description:
      'The loans pay, prepay, fall behind and default, month by month; the servicer sends the tape of each period and a report whose figures follow from its cash; the clock advances until the report is paid. A tape or a report of such a period that its owner has sent already stays, in the place of the servicer’s. In Staging only an operator’s key can do it. Fewer periods than asked for when the loans or the calendar end.',
    params: pathId('poolId', 'pool'),
    body: named('AdvancePool', { periods: Type.Integer({ minimum: 1, maximum: 12 }) }),
    reply: named('AdvancedPool', {
      pool_id: id('pool'),
      periods: Type.Array(
        named('AdvancedPeriod', {
          period: Type.Integer(),
          payment_date: date(),
          closing: money('Pool after the period.'),
        }),
      ),
      now: timestamp('The platform’s time.'),
    }),
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'CONFLICT', 'REMITTANCE_HELD', 'UNPROCESSABLE'],
    handler: ({ deps, request, caller, params, body }) =>
      advancePool(request.server, deps, caller, { poolId: params.poolId, periods: body.periods }),
  }),
  route({
    operation: 'settleSandboxTrade',
    method: 'POST',
    path: '/v1/sandbox/trades/:tradeId/settle',
    access: 'key',
    scope: 'sandbox',
    tag,
    summary: 'Settle one of your trades as the operator would; with an operator’s key, any trade',
    params: pathId('tradeId', 'trd'),
    reply: Type.Unknown(),
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ write, params, caller }) => write((tx) => settleSandboxTrade(tx, caller, { trade_id: params.tradeId })),
  }),
  route({
    operation: 'fireSandboxEvent',
    method: 'POST',
    path: '/v1/sandbox/events',
    access: 'key',
    tag,
    summary: 'Fire a real, signed event to your own organization',
    description:
      'With its alert and its webhooks. `data` is merged over a sample of the event; fields that the event does not define are sent too.',
    body: named('FireEvent', { event: oneOf(EVENT_NAMES), data: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }),
    reply: named('FiredEvent', { event: oneOf(EVENT_NAMES), data: Type.Unknown() }),
    status: 201,
    handler: ({ write, caller, body }) => write((tx) => fireEvent(tx, caller, body)),
  }),
];
