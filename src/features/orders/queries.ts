import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newestFirst, type Page } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import type { CheckFinding } from '../compliance/checks.ts';
import { type ListFilter, listFilters } from '../../platform/db/list-filter.ts';
import type { Id } from '../../platform/ids.ts';

export const ORDER_RECORD = storedRecord('orders', 'order_id', {
  hold: (tx, id) => tx.rows('select sluice_hold_books(deal_id) from orders where order_id = $1', [id]),
});

export const ORDER_STATUSES = ['OPEN', 'ALLOCATED', 'PARTIALLY_ALLOCATED', 'UNFILLED', 'CANCELLED'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export type OrderRow = {
  order_id: Id<'ord'>;
  organization_id: Id<'org'>;
  status: OrderStatus;
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  amount: number;
  minimum_amount: number | null;
  limit_yield: number | null;
  compliance_check_result: 'passed' | 'review_required';
  compliance_checks: CheckFinding[];
  reason: string | null;
  placed_at: Date;
  created_at: Date;
  updated_at: Date;
};

const ORDER = `order_id, organization_id, status, deal_id, tranche_id, amount::float8 as amount, minimum_amount::float8 as minimum_amount,
  limit_yield::float8 as limit_yield, compliance_check_result, compliance_checks, reason, placed_at, created_at, updated_at`;

export type NewOrder = Pick<OrderRow, 'order_id' | 'organization_id' | 'deal_id' | 'tranche_id' | 'compliance_check_result'> & {
  amount: string;
  minimum_amount: number | null;
  limit_yield: number | null;
  findings: CheckFinding[];
};

export async function insertOrder(tx: Tx, row: NewOrder): Promise<OrderRow> {
  const created = await tx.one<OrderRow>(
    `insert into orders (order_id, organization_id, deal_id, tranche_id, amount, minimum_amount, limit_yield,
       compliance_check_result, compliance_checks, placed_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10) returning ${ORDER}`,
    [
      row.order_id,
      row.organization_id,
      row.deal_id,
      row.tranche_id,
      row.amount,
      row.minimum_amount,
      row.limit_yield,
      row.compliance_check_result,
      JSON.stringify(row.findings),
      tx.now,
    ],
  );
  return created as OrderRow;
}

export function findOrder(tx: Tx, organizationId: Id<'org'> | null, orderId: Id<'ord'>, lock = false): Promise<OrderRow | null> {
  return tx.one<OrderRow>(
    `select ${ORDER} from orders where order_id = $1 and ($2::text is null or organization_id = $2) ${lock ? 'for update' : ''}`,
    [orderId, organizationId],
  );
}

export function listOrdersById(tx: Tx, orderIds: readonly Id<'ord'>[], lock = false): Promise<OrderRow[]> {
  const sql = `select ${ORDER} from orders where order_id = any($1) order by order_id ${lock ? 'for update' : ''}`;
  return tx.rows<OrderRow>(sql, [orderIds]);
}

export function listOrders(tx: Tx, organizationId: Id<'org'> | null, filter: ListFilter): Promise<Page<OrderRow>> {
  return selectPage(
    tx,
    {
      select: ORDER,
      from: 'orders',
      filters: listFilters(organizationId, filter),
      order: newestFirst('created_at', 'order_id'),
      apart: 'all',
    },
    filter,
  );
}

export async function updateOrderTerms(
  tx: Tx,
  order: Pick<OrderRow, 'order_id' | 'minimum_amount' | 'limit_yield' | 'placed_at' | 'compliance_check_result'> & {
    amount: string;
    findings: CheckFinding[];
  },
): Promise<OrderRow> {
  const row = await tx.one<OrderRow>(
    `update orders set amount = $2, minimum_amount = $3, limit_yield = $4, placed_at = $5, compliance_check_result = $6, compliance_checks = $7,
       updated_at = $8 where order_id = $1 returning ${ORDER}`,
    [
      order.order_id,
      order.amount,
      order.minimum_amount,
      order.limit_yield,
      order.placed_at,
      order.compliance_check_result,
      JSON.stringify(order.findings),
      tx.now,
    ],
  );
  return row as OrderRow;
}

export function lockOpenOrders(tx: Tx, dealId: Id<'deal'>): Promise<OrderRow[]> {
  return tx.rows<OrderRow>(`select ${ORDER} from orders where deal_id = $1 and status = 'OPEN' order by order_id for update`, [
    dealId,
  ]);
}

export type OfferedTranche = {
  tranche_id: Id<'trn'>;
  tranche: string;
  original_balance: string;
  denomination: string;
  increment: string;
  erisa_eligible: boolean;
  coupon: number | null;
  offered_yield: number | null;
};

/** The tranches on offer, most senior first, with their books locked in the order of every operation that locks books. */
export async function lockOfferedTranches(tx: Tx, dealId: Id<'deal'>): Promise<OfferedTranche[]> {
  await tx.rows('select 1 from tranche_books where deal_id = $1 order by tranche_id for update', [dealId]);
  return tx.rows<OfferedTranche>(
    `select tranche_id, tranche, original_balance::text as original_balance, denomination::text as denomination, increment::text as increment,
       erisa_eligible, coupon::float8 as coupon, offered_yield::float8 as offered_yield
     from tranches where deal_id = $1 and offered order by seniority, tranche`,
    [dealId],
  );
}
