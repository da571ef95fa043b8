import { numberOrNull } from '../../finance/decimal.ts';
import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import { deadlinesInWords } from '../../finance/business-date.ts';
import { formatAmount } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Mover } from '../../platform/moves.ts';
import { listTrancheNames, type TrancheName } from '../securitizations/queries.ts';
import { type AllocationRow, type AllocationStatus, insertAllocations, type NewAllocation } from './queries.ts';

/** The moves of an allocation: the investor accepts or declines it by the response deadline, or it expires. */
export const ALLOCATION_MOVES = new Mover<AllocationRow, 'status', AllocationStatus>({
  noun: 'allocation',
  table: 'allocations',
  key: ['allocation_id'],
  column: 'status',
  touches: 'decided_at',
  moves: { ISSUED: ['ACCEPTED', 'DECLINED', 'EXPIRED'], ACCEPTED: [], DECLINED: [], EXPIRED: [] },
});

/** Writes new allocations and tells their investors, who have until the response deadline. */
export async function issueAllocations(tx: Tx, rows: readonly NewAllocation[]): Promise<void> {
  await insertAllocations(tx, rows);
  await tellAllocations(
    tx,
    'allocation.issued',
    rows.map(({ price, requested_amount, allocated_amount, ...row }) => ({
      ...row,
      price: numberOrNull(price),
      requested_amount: Number(requested_amount),
      allocated_amount: Number(allocated_amount),
      status: 'ISSUED',
    })),
  );
}

/** Moves locked allocations and tells their investors, with the reason where it is not their answer or its deadline. */
export async function moveAllocations(
  tx: Tx,
  rows: readonly AllocationRow[],
  to: AllocationStatus,
  reason?: string,
): Promise<void> {
  await ALLOCATION_MOVES.moveAll(
    tx,
    rows.map((row) => ({ row, to })),
  );
  await tellAllocations(
    tx,
    'allocation.status_changed',
    rows.map((row) => ({ ...row, status: to })),
    reason,
  );
}

type AllocationEvent = 'allocation.issued' | 'allocation.expiring' | 'allocation.status_changed';

/** An allocation as its investor is told of it. */
export type ToldAllocation = Pick<
  AllocationRow,
  | 'allocation_id'
  | 'organization_id'
  | 'deal_id'
  | 'tranche_id'
  | 'requested_amount'
  | 'allocated_amount'
  | 'yield'
  | 'price'
  | 'status'
  | 'expires_at'
>;

/** Tells the investor of each allocation. */
export async function tellAllocations(
  tx: Tx,
  event: AllocationEvent,
  rows: readonly ToldAllocation[],
  reason?: string,
): Promise<void> {
  if (rows.length === 0) return;
  const names = await listTrancheNames(
    tx,
    rows.map((row) => row.tranche_id),
  );
  const inWords = deadlinesInWords(tx.zone);
  await emit(
    tx,
    rows.map((row) => emissionOf(event, row, { name: names.get(row.tranche_id), deadline: inWords(row.expires_at), reason })),
  );
}

type Telling = { name: TrancheName | undefined; deadline: string; reason: string | undefined };

function emissionOf(event: AllocationEvent, row: ToldAllocation, { name, deadline, reason }: Telling): Emission {
  const { allocation_id, organization_id, deal_id, tranche_id, requested_amount, allocated_amount, price, status } = row;
  const expires_at = row.expires_at.toISOString();
  const amounts = `${formatAmount(allocated_amount)} of the ${formatAmount(requested_amount)} that you requested of tranche ${name?.tranche ?? tranche_id}`;
  const { what, message } = {
    'allocation.issued': { what: 'you were allocated face', message: `${amounts}. Accept or decline it by ${deadline}.` },
    'allocation.expiring': {
      what: 'your allocation expires soon',
      message: `${amounts}. Accept or decline it by ${deadline}.`,
    },
    'allocation.status_changed': {
      what: `your allocation is ${status}`,
      message: reason ? `${amounts}. ${reason}` : `${amounts}.`,
    },
  }[event];
  return {
    organization_id,
    event,
    data: { allocation_id, deal_id, tranche_id, requested_amount, allocated_amount, yield: row.yield, price, status, expires_at },
    alert: {
      category: 'trade',
      priority: 'HIGH',
      title: `${name?.deal_name ?? deal_id}: ${what}`,
      message,
      entity_type: 'allocation',
      entity_id: allocation_id,
    },
  };
}
