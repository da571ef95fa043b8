import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import { formatAmount, formatCents, parseCents } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import { listTrancheNames, type TrancheName } from '../securitizations/queries.ts';
import { type SubscriptionRow, type SubscriptionStatus, returnCapacity } from './queries.ts';

/** The moves of a subscription. Capacity is held until it is rejected, cancelled or expired. */
export const SUBSCRIPTION_MOVES = new Mover<SubscriptionRow, 'status', SubscriptionStatus>({
  noun: 'subscription',
  table: 'subscriptions',
  key: ['subscription_id'],
  column: 'status',
  touches: 'updated_at',
  moves: {
    pending_confirmation: ['confirmed', 'rejected', 'cancelled', 'expired'],
    confirmed: ['allocated', 'rejected', 'cancelled', 'expired'],
    allocated: ['funded', 'cancelled', 'expired'],
    funded: ['settled'],
    settled: [],
    rejected: [],
    cancelled: [],
    expired: [],
  },
});

/** The column that keeps the time of a step on the way to settlement. */
const STEP_TIMES: Partial<Record<SubscriptionStatus, 'confirmed_at' | 'allocated_at' | 'funded_at' | 'settled_at'>> = {
  confirmed: 'confirmed_at',
  allocated: 'allocated_at',
  funded: 'funded_at',
  settled: 'settled_at',
};

const ENDED: readonly SubscriptionStatus[] = ['rejected', 'cancelled', 'expired'];

/** A move of a locked subscription. Without a reason, the one stored before stays. */
export type SubscriptionMove = { row: SubscriptionRow; to: SubscriptionStatus; reason?: string | null };

/** Moves a locked subscription and tells its investor; see `moveSubscriptions`. */
export async function moveSubscription(
  tx: Tx,
  row: SubscriptionRow,
  to: SubscriptionStatus,
  reason: string | null = null,
): Promise<SubscriptionRow> {
  const move = { row, to, reason };
  const moved = await SUBSCRIPTION_MOVES.move(tx, row, to, valuesOf(tx, move));
  await returnEnded(tx, [move]);
  await tellMoves(tx, [move]);
  return moved;
}

/** Moves locked subscriptions, keeps the times of the steps and tells each investor; those that end give their capacity back. */
export async function moveSubscriptions(tx: Tx, moves: readonly SubscriptionMove[]): Promise<void> {
  await SUBSCRIPTION_MOVES.moveAll(
    tx,
    moves.map((move) => ({ row: move.row, to: move.to, values: valuesOf(tx, move) })),
  );
  await returnEnded(tx, moves);
  await tellMoves(tx, moves);
}

function valuesOf(tx: Tx, { to, reason = null }: SubscriptionMove): Partial<SubscriptionRow> {
  const step = STEP_TIMES[to];
  return { ...(reason === null ? {} : { reason }), ...(step === undefined ? {} : { [step]: tx.now }) };
}

/** Frees what the subscriptions that end held, once for each tranche. */
async function returnEnded(tx: Tx, moves: readonly SubscriptionMove[]): Promise<void> {
  const ended = moves.filter(({ to }) => ENDED.includes(to)).map(({ row }) => row);
  for (const [tranche_id, rows] of Map.groupBy(ended, (row) => row.tranche_id)) {
    const cents = rows.reduce((sum, row) => sum + parseCents(row.subscription_amount.toFixed(2)), 0n);
    await returnCapacity(tx, { tranche_id, subscription_amount: formatCents(cents) });
  }
}

async function tellMoves(tx: Tx, moves: readonly SubscriptionMove[]): Promise<void> {
  if (moves.length === 0) return;
  const names = await listTrancheNames(
    tx,
    moves.map(({ row }) => row.tranche_id),
  );
  await emit(
    tx,
    moves.map((move) => emissionOf(move, names.get(move.row.tranche_id))),
  );
}

function emissionOf({ row, to, reason = null }: SubscriptionMove, name: TrancheName | undefined): Emission {
  const { organization_id, subscription_id, deal_id, tranche_id } = row;
  const amount = row.subscription_amount;
  return {
    organization_id,
    event: 'subscription.status_changed',
    data: { subscription_id, deal_id, tranche_id, amount, previous_status: row.status, current_status: to, reason },
    alert: {
      category: 'trade',
      priority: 'MEDIUM',
      title: `${name?.deal_name ?? deal_id}: your subscription is ${to}`,
      message: `The subscription for ${formatAmount(amount)} of tranche ${name?.tranche ?? tranche_id} was ${row.status} and is ${to}${reason === null ? '.' : `: ${reason}`}`,
      entity_type: 'subscription',
      entity_id: subscription_id,
    },
  };
}
