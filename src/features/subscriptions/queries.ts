import { serializeInvestor } from '../compliance/queries.ts';
import { storedRecord } from '../../platform/http/stored-record.ts';
import { IOI_MOVES } from '../iois/ioi.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { inParts } from '../../platform/db/in-parts.ts';
import { newestFirst, type Page } from '../../platform/pages.ts';
import { selectPage } from '../../platform/db/page.ts';
import type { CheckFinding } from '../compliance/checks.ts';
import { type ListFilter, listFilters } from '../../platform/db/list-filter.ts';
import type { Id } from '../../platform/ids.ts';

export const SUBSCRIPTION_RECORD = storedRecord('subscriptions', 'subscription_id', {
  hold: async (tx, id) => {
    const found = await tx.one<{ organization_id: Id<'org'>; tranche_id: Id<'trn'> }>(
      'select organization_id, tranche_id from subscriptions where subscription_id = $1',
      [id],
    );
    if (!found) return;
    await serializeInvestor(tx, found.organization_id);
    await lockBook(tx, found.tranche_id);
  },
});

export const SUBSCRIPTION_STATUSES = [
  'pending_confirmation',
  'confirmed',
  'allocated',
  'funded',
  'settled',
  'rejected',
  'cancelled',
  'expired',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export type SubscriptionRow = {
  subscription_id: Id<'sub'>;
  organization_id: Id<'org'>;
  status: SubscriptionStatus;
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  subscription_amount: number;
  compliance_check_result: 'passed' | 'review_required';
  compliance_checks: CheckFinding[];
  ioi_id: Id<'ioi'> | null;
  confirmed_at: Date | null;
  allocated_at: Date | null;
  funded_at: Date | null;
  settled_at: Date | null;
  reason: string | null;
  /** Its priority in time: that of its creation or of its last raise. */
  placed_at: Date;
  created_at: Date;
  updated_at: Date;
};

const SUBSCRIPTION = `subscription_id, organization_id, status, deal_id, tranche_id, subscription_amount::float8 as subscription_amount,
  compliance_check_result, compliance_checks, ioi_id, confirmed_at, allocated_at, funded_at, settled_at, reason, placed_at, created_at, updated_at`;

export type NewSubscription = Pick<
  SubscriptionRow,
  | 'subscription_id'
  | 'organization_id'
  | 'deal_id'
  | 'tranche_id'
  | 'compliance_check_result'
  | 'compliance_checks'
  | 'created_at'
> & { amount: string };

/**
 * Takes capacity, creates subscriptions of one tranche and converts their investors' live indications, in one statement. Creates all of
 * them, or returns null when the books are closed or the capacity does not suffice for all.
 */
export async function insertSubscriptions(writer: Reader, rows: readonly NewSubscription[]): Promise<SubscriptionRow[] | null> {
  const [first] = rows;
  if (!first) return [];
  const created = await writer.rows<{ subscription_id: Id<'sub'>; ioi_id: Id<'ioi'> | null }>(
    `with requested as (
       select * from jsonb_to_recordset($3) as r (subscription_id text, organization_id text, amount numeric, compliance_check_result text,
         compliance_checks jsonb, created_at timestamptz)),
     total as (select sum(amount) as amount from requested),
     taken as materialized (select from total where sluice_take_capacity($1, total.amount)),
     converting as (select distinct on (organization_id) organization_id, subscription_id from requested order by organization_id, subscription_id),
     converted as (
       ${IOI_MOVES.updateSql('submitted', 'converted')}, updated_at = $4 from converting
       where iois.organization_id = converting.organization_id and deal_id = $2 and status = 'submitted' and exists (select from taken)
       returning ioi_id, subscription_id)
     insert into subscriptions (subscription_id, organization_id, deal_id, tranche_id, subscription_amount, status,
       compliance_check_result, compliance_checks, ioi_id, placed_at, created_at, updated_at)
     select requested.subscription_id, requested.organization_id, $2, $1, requested.amount, 'pending_confirmation', requested.compliance_check_result,
       requested.compliance_checks, converted.ioi_id, requested.created_at, requested.created_at, requested.created_at
     from taken cross join requested left join converted using (subscription_id)
     returning subscription_id, ioi_id`,
    [first.tranche_id, first.deal_id, JSON.stringify(rows), first.created_at],
  );
  if (created.length !== rows.length) return null;
  const indications = new Map(created.map((row) => [row.subscription_id, row.ioi_id]));
  return rows.map(({ amount, ...row }) => ({
    ...row,
    ioi_id: indications.get(row.subscription_id) ?? null,
    status: 'pending_confirmation',
    subscription_amount: Number(amount),
    confirmed_at: null,
    allocated_at: null,
    funded_at: null,
    settled_at: null,
    reason: null,
    placed_at: row.created_at,
    updated_at: row.created_at,
  }));
}

/** `organizationId` null: any organization's (the operator). */
export function findSubscription(
  tx: Tx,
  organizationId: Id<'org'> | null,
  subscriptionId: Id<'sub'>,
  lock = false,
): Promise<SubscriptionRow | null> {
  return tx.one<SubscriptionRow>(
    `select ${SUBSCRIPTION} from subscriptions where subscription_id = $1 and ($2::text is null or organization_id = $2) ${lock ? 'for update' : ''}`,
    [subscriptionId, organizationId],
  );
}

export function listSubscriptionsById(tx: Tx, subscriptionIds: readonly Id<'sub'>[], lock: boolean): Promise<SubscriptionRow[]> {
  const sql = `select ${SUBSCRIPTION} from subscriptions where subscription_id = any($1) order by subscription_id ${lock ? 'for update' : ''}`;
  return tx.rows<SubscriptionRow>(sql, [subscriptionIds]);
}

export function listSubscriptions(tx: Tx, organizationId: Id<'org'> | null, filter: ListFilter): Promise<Page<SubscriptionRow>> {
  return selectPage(
    tx,
    {
      select: SUBSCRIPTION,
      from: 'subscriptions',
      filters: listFilters(organizationId, filter),
      order: newestFirst('created_at', 'subscription_id'),
      apart: 'all',
    },
    filter,
  );
}

/** Locks the book of a tranche. Every change of a tranche's commitments takes this lock before that of a subscription. */
export async function lockBook(tx: Tx, trancheId: Id<'trn'>): Promise<{ open: boolean }> {
  const row = await tx.one<{ open: boolean | null }>('select sluice_lock_book($1) as open', [trancheId]);
  return { open: row?.open ?? false };
}

/** Takes capacity of a tranche whose book is open; false when that much is not left. */
export async function takeCapacity(tx: Tx, trancheId: Id<'trn'>, amount: string): Promise<boolean> {
  const row = await tx.one<{ taken: boolean }>('select sluice_take_capacity($1, $2) as taken', [trancheId, amount]);
  return row?.taken ?? false;
}

export async function updateCommitment(
  tx: Tx,
  subscription: Pick<SubscriptionRow, 'subscription_id' | 'placed_at' | 'compliance_check_result' | 'compliance_checks'> & {
    amount: string;
  },
): Promise<SubscriptionRow> {
  const row = await tx.one<SubscriptionRow>(
    `update subscriptions set subscription_amount = $2, placed_at = $3, compliance_check_result = $4, compliance_checks = $5, updated_at = $6
     where subscription_id = $1 returning ${SUBSCRIPTION}`,
    [
      subscription.subscription_id,
      subscription.amount,
      subscription.placed_at,
      subscription.compliance_check_result,
      JSON.stringify(subscription.compliance_checks),
      tx.now,
    ],
  );
  return row as SubscriptionRow;
}

/** Says why subscriptions stay where they are. */
export async function setReasons(tx: Tx, reasons: readonly { subscription_id: Id<'sub'>; reason: string }[]): Promise<void> {
  for (const some of inParts(reasons))
    await tx.exec(
      `update subscriptions s set reason = r.reason, updated_at = $2
       from jsonb_to_recordset($1::jsonb) as r (subscription_id text, reason text) where s.subscription_id = r.subscription_id`,
      [JSON.stringify(some), tx.now],
    );
}

/** Frees the capacity that a subscription held. */
export async function returnCapacity(
  tx: Tx,
  row: { tranche_id: Id<'trn'>; subscription_amount: number | string },
): Promise<void> {
  await tx.rows('select sluice_return_capacity($1, $2)', [row.tranche_id, row.subscription_amount]);
}

/** Subscriptions of a deal in the given statuses, locked in a fixed order. */
export function lockSubscriptions(
  tx: Tx,
  dealId: Id<'deal'>,
  statuses: readonly SubscriptionStatus[],
): Promise<SubscriptionRow[]> {
  return tx.rows<SubscriptionRow>(
    `select ${SUBSCRIPTION} from subscriptions where deal_id = $1 and status = any($2) order by subscription_id for update`,
    [dealId, statuses],
  );
}
