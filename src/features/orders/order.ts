import { Mover } from '../../platform/moves.ts';
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
