import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import { formatAmount } from '../../finance/money.ts';
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
  const [moved = row] = await moveSubscriptions(tx, [{ row, to, reason }]);
  return moved;
}

/** Moves locked subscriptions, keeps the times of the steps and tells each investor; one that ends gives its capacity back. */
export async function moveSubscriptions(tx: Tx, moves: readonly SubscriptionMove[]): Promise<SubscriptionRow[]> {
  if (moves.length === 0) return [];
  const moved: SubscriptionRow[] = [];
  for (const move of moves) moved.push(await writeMove(tx, move));
  const names = await listTrancheNames(
    tx,
    moves.map(({ row }) => row.tranche_id),
  );
  await emit(
    tx,
    moves.map((move) => emissionOf(move, names.get(move.row.tranche_id))),
  );
  return moved;
}

async function writeMove(tx: Tx, { row, to, reason = null }: SubscriptionMove): Promise<SubscriptionRow> {
  const step = STEP_TIMES[to];
  const moved = await SUBSCRIPTION_MOVES.move(tx, row, to, {
    ...(reason === null ? {} : { reason }),
    ...(step === undefined ? {} : { [step]: tx.now }),
  });
  if (ENDED.includes(to)) await returnCapacity(tx, row);
  return moved;
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
