import type { DayCount } from '../../finance/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { paymentDay } from '../pools/queries.ts';

/** A trade as its amounts follow from the reports of its deal; amounts, factor and price as decimal text, those of a settled one with its corrections. */
export type ReportedTrade = {
  trade_id: Id<'trd'>;
  organization_id: Id<'org'>;
  deal_id: Id<'deal'>;
  pool_id: Id<'pool'>;
  tranche_id: Id<'trn'>;
  tranche: string;
  face: string;
  factor: string;
  price: string;
  principal_amount: string;
  accrued_interest: string;
  /** Where its interest begins. */
  accrued_from: string;
  settlement_date: string;
  settled_at: Date | null;
  /** Where the interest of its tranche began at the issue. */
  dated_date: string;
  original_balance: string;
  /** Of a floater; null for a fixed coupon. */
  index: string | null;
  /** Whether the coupon may differ from one accrual to the next: `coupon` is then that of the present one. */
  varies: boolean;
  /** Percent a year; null where it is not known. */
  coupon: string | null;
  day_count: DayCount;
  /** Day of the month on which it pays; null where its deal has no schedule of its own. */
  payment_day: number | null;
};

/** Joins to a trade what corrected it: the sums `more_principal` and `more_interest`, and `new_factor` and `new_accrued_from`, null without a correction. */
export const withCorrections = (trade: string): string => `left join lateral (
    select coalesce(sum(c.principal_amount), 0) as more_principal, coalesce(sum(c.accrued_interest), 0) as more_interest,
      (array_agg(c.factor_after order by c.entry_id desc))[1] as new_factor, (array_agg(c.accrued_from order by c.entry_id desc))[1] as new_accrued_from
    from trade_corrections c where c.trade_id = ${trade}.trade_id) c on true`;

const REPORTED_TRADE = `select x.trade_id, x.organization_id, x.deal_id, d.pool_id, x.tranche_id, t.tranche, x.face::text as face,
    coalesce(c.new_factor, x.factor)::text as factor, x.price::text as price,
    (x.principal_amount + c.more_principal)::text as principal_amount,
    (x.accrued_interest + c.more_interest)::text as accrued_interest,
    coalesce(c.new_accrued_from, x.accrued_from, greatest(t.accrued_from, t.dated_date))::text as accrued_from,
    x.settlement_date::text as settlement_date, x.settled_at, t.dated_date::text as dated_date, t.original_balance::text as original_balance,
    t.index, t.coupon_terms is not null as varies, t.coupon::text as coupon, t.day_count, ${paymentDay('p')} as payment_day
  from trades x join tranches t using (tranche_id) join securitization_deals d on d.deal_id = x.deal_id left join pools p on p.pool_id = d.pool_id
    ${withCorrections('x')}`;

export async function findReportedTrade(tx: Tx, tradeId: Id<'trd'>): Promise<ReportedTrade> {
  const trade = await tx.one<ReportedTrade>(`${REPORTED_TRADE} where x.trade_id = $1`, [tradeId]);
  if (!trade) throw new Error(`${tradeId} has no tranche`);
  return trade;
}

/** The trades of a deal that settled at or after an instant; null: all that settled. */
export function listSettledSince(
  tx: Tx,
  dealId: Id<'deal'>,
  from: Date | null,
): Promise<(ReportedTrade & { settled_at: Date })[]> {
  return tx.rows(
    `${REPORTED_TRADE} where x.deal_id = $1 and x.status = 'SETTLED' and ($2::timestamptz is null or x.settled_at >= $2) order by x.trade_id`,
    [dealId, from],
  );
}

/** What the amounts of a settled trade change by; amounts and factors as decimal text. */
export type NewCorrection = {
  correction_id: Id<'cor'>;
  journal_id: Id<'jrn'>;
  trade_id: Id<'trd'>;
  factor_before: string;
  factor_after: string;
  accrued_from: string;
  principal_amount: string;
  accrued_interest: string;
};

/** Books corrections, each in one journal: what the buyer has paid too much from the seller to the buyer, or what it has paid too little the other way. */
export async function insertCorrections(
  tx: Tx,
  { remittance_id, period, seller_id }: { remittance_id: Id<'rem'>; period: number; seller_id: Id<'org'> },
  corrections: readonly NewCorrection[],
): Promise<void> {
  const rows = JSON.stringify(corrections);
  await tx.exec(
    `insert into trade_corrections (correction_id, trade_id, organization_id, tranche_id, remittance_id, period, factor_before, factor_after,
       accrued_from, principal_amount, accrued_interest, created_at)
     select c.correction_id, c.trade_id, t.organization_id, t.tranche_id, $2, $3, c.factor_before, c.factor_after, c.accrued_from,
       c.principal_amount, c.accrued_interest, $4
     from json_to_recordset($1) as c (correction_id text, trade_id text, factor_before numeric, factor_after numeric, accrued_from date,
       principal_amount numeric, accrued_interest numeric) join trades t using (trade_id) order by c.correction_id`,
    [rows, remittance_id, period, tx.now],
  );
  await tx.exec(
    `insert into ledger_entries (journal_id, organization_id, account, amount, correction_id, party, booked_at)
     select c.journal_id, leg.organization_id, 'CASH', leg.amount, c.correction_id, leg.party, $3
     from json_to_recordset($1) as c (correction_id text, journal_id text, trade_id text, principal_amount numeric, accrued_interest numeric)
       join trades t using (trade_id),
       lateral (values (t.organization_id, 'HOLDER', -c.principal_amount - c.accrued_interest),
         ($2, 'DEAL', c.principal_amount + c.accrued_interest)) as leg (organization_id, party, amount)
     where leg.amount <> 0`,
    [rows, seller_id, tx.now],
  );
  await tx.exec('update trades set updated_at = $2 where trade_id = any($1)', [corrections.map((each) => each.trade_id), tx.now]);
}
