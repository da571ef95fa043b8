import { emitAsGiven } from '../../events/emit.ts';
import type { EventName, Notice } from '../../events/events.ts';
import { sampleOf } from '../../events/samples.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, invalidTransition, notFound } from '../../platform/http/errors.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Id } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { DEAL_MOVES } from '../deals/deal.ts';
import { decideDeal } from '../deals/decide-deal.ts';
import { type DealStatus, findDeal, findOwner } from '../deals/queries.ts';
import { findTrade } from '../trades/queries.ts';
import { settleTrade } from '../trades/settle-trade.ts';
import { advanceClock } from './queries.ts';
import { OPERATOR } from './seed-sandbox.ts';

/** In the sandbox, any key may make the decisions of the operator. */
const SANDBOX = { actor_id: OPERATOR, organization_id: null };
/** The moves of a deal that an operator decides; the others are the platform's own. */
const DECISIONS: readonly DealStatus[] = ['APPROVED', 'REJECTED', 'WITHDRAWN'];
const MAX_EVENT_BYTES = 64 * 1024;

/** A customer's key reaches the records of its own organization, an operator's key those of every organization. */
export type SandboxActor = Pick<Caller, 'organization_id' | 'actor_id' | 'role'>;

export async function advanceDeal(
  tx: Tx,
  actor: SandboxActor,
  input: { deal_id: Id<'deal'>; to: DealStatus },
): Promise<{ deal_id: Id<'deal'>; status: DealStatus }> {
  const { deal_id, to } = input;
  const owner = actor.role === 'operator' ? await findOwner(tx, deal_id) : actor.organization_id;
  const found = owner && (await findDeal(tx, owner, deal_id));
  if (!found) throw notFound('deal');
  if (!DECISIONS.includes(to)) {
    const allowed = DEAL_MOVES.allowed(found.status).filter((each) => DECISIONS.includes(each));
    throw invalidTransition('deal', found.status, allowed);
  }
  const reason = to === 'REJECTED' ? { reason_code: 'SANDBOX', reason: 'Rejected in the sandbox.' } : {};
  const { status } = await decideDeal(tx, SANDBOX, { dealId: deal_id, to, ...reason });
  return { deal_id, status };
}

export async function settleSandboxTrade(tx: Tx, actor: SandboxActor, input: { trade_id: Id<'trd'> }) {
  const owner = actor.role === 'operator' ? null : actor.organization_id;
  if (!(await findTrade(tx, owner, input.trade_id))) throw notFound('trade');
  return settleTrade(tx, SANDBOX, { trade_id: input.trade_id, reason: null });
}

/** Advances the platform's clock and queues the work that becomes due. Returns the new time. */
export async function advanceSandboxClock(
  tx: Tx,
  actor: SandboxActor,
  input: { seconds: number },
  { environment, jobs }: { environment: string; jobs: Jobs },
): Promise<Date> {
  if (environment === 'staging' && actor.role !== 'operator') {
    throw new ApiError('ROLE_FORBIDDEN', 'In Staging all customers share the clock: only an operator’s key can advance it.');
  }
  const now = await advanceClock(tx, input.seconds);
  await jobs.enqueue(tx, 'notices', {});
  await jobs.enqueue(tx, 'housekeeping', {});
  return now;
}

/** Emits an event to the actor's own organization: a sample, with the given data over it. */
export async function fireEvent(
  tx: Tx,
  actor: SandboxActor,
  input: { event: EventName; data?: Record<string, unknown> },
): Promise<{ event: EventName; data: object }> {
  const { organization_id } = actor;
  const { event } = input;
  if (Buffer.byteLength(JSON.stringify(input.data ?? {})) > MAX_EVENT_BYTES) throw new ApiError('PAYLOAD_TOO_LARGE');
  const data = { ...sampleOf(event), ...input.data };
  await emitAsGiven(tx, [{ organization_id, event, data, alert: noticeOf(event) }]);
  return { event, data };
}

const CATEGORIES: Record<EventName, Notice['category']> = {
  'deal.status_changed': 'deal',
  'loan.approved': 'deal',
  'loan.rejected': 'deal',
  'trade.settled': 'trade',
  'sc.completed': 'selection',
  'document.uploaded': 'document',
  'trade.failed': 'trade',
  'trade.cancelled': 'trade',
  'trade.retried': 'trade',
  'trade.corrected': 'trade',
  'subscription.status_changed': 'trade',
  'order.status_changed': 'trade',
  'allocation.issued': 'trade',
  'allocation.expiring': 'trade',
  'allocation.status_changed': 'trade',
  'deal.listed': 'deal',
  'deal.market_status_changed': 'deal',
  'demand.changed': 'deal',
  'waiver.decided': 'selection',
  'bulk.completed': 'loan',
  'calculation.completed': 'pool',
  'tape.checked': 'pool',
  'tape.late': 'pool',
  'pool.factor_off': 'pool',
  'trigger.near': 'pool',
  'remittance.differs': 'pool',
  'remittance.applied': 'pool',
  'pledge.conflict': 'pool',
  'remittance.restated': 'pool',
  'payment.made': 'trade',
};

function noticeOf(event: EventName): Notice {
  return {
    category: CATEGORIES[event],
    priority: 'LOW',
    title: `${event} was fired in the sandbox`,
    message: 'A key of your organization fired this event; no record was changed.',
    entity_type: 'event',
    entity_id: event,
  };
}
