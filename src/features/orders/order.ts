import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import { formatAmount } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import { listTrancheNames, type TrancheName } from '../securitizations/queries.ts';
import type { OrderRow, OrderStatus } from './queries.ts';

/** The moves of an order. Face that comes back after the allocation may fill it further. */
export const ORDER_MOVES = new Mover<OrderRow, 'status', OrderStatus>({
  noun: 'order',
  table: 'orders',
  key: ['order_id'],
  column: 'status',
  touches: 'updated_at',
  moves: {
    OPEN: ['ALLOCATED', 'PARTIALLY_ALLOCATED', 'UNFILLED', 'CANCELLED'],
    PARTIALLY_ALLOCATED: ['ALLOCATED', 'PARTIALLY_ALLOCATED'],
    UNFILLED: ['ALLOCATED', 'PARTIALLY_ALLOCATED'],
    ALLOCATED: [],
    CANCELLED: [],
  },
});

/** A move of a locked order, with the reason that the order keeps. */
export type OrderMove = { row: OrderRow; to: OrderStatus; reason: string };

/** Moves locked orders and tells the investor of each whose status is another one. */
export async function moveOrders(tx: Tx, moves: readonly OrderMove[]): Promise<void> {
  await ORDER_MOVES.moveAll(
    tx,
    moves.map(({ row, to, reason }) => ({ row, to, values: { reason } })),
  );
  const told = moves.filter(({ row, to }) => row.status !== to);
  if (told.length === 0) return;
  const names = await listTrancheNames(
    tx,
    told.map(({ row }) => row.tranche_id),
  );
  await emit(
    tx,
    told.map((move) => emissionOf(move, names.get(move.row.tranche_id))),
  );
}

function emissionOf({ row, to, reason }: OrderMove, name: TrancheName | undefined): Emission {
  const { organization_id, order_id, deal_id, tranche_id, amount } = row;
  return {
    organization_id,
    event: 'order.status_changed',
    data: { order_id, deal_id, tranche_id, amount, previous_status: row.status, current_status: to },
    alert: {
      category: 'trade',
      priority: 'MEDIUM',
      title: `${name?.deal_name ?? deal_id}: your order is ${to}`,
      message: `The order for ${formatAmount(amount)} of tranche ${name?.tranche ?? tranche_id} was ${row.status} and is ${to}: ${reason}`,
      entity_type: 'order',
      entity_id: order_id,
    },
  };
}
