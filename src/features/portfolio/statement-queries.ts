import type { Month } from '../../finance/business-date.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { BookedPayment, Holding, SettledTrade, Statement } from './statement.ts';

export function listHoldings(tx: Tx, organizationId: Id<'org'>, before: Date): Promise<Holding[]> {
  return tx.rows<Holding>(
    `select p.position_id, p.deal_id, d.name as deal, p.tranche_id, t.tranche, t.class, h.face::text as face, f.factor::text as factor,
       m.price::text as price, m.as_of::text as mark_as_of
     from (select tranche_id, sum(face) as face from trades where organization_id = $1 and status = 'SETTLED' and settled_at < $2 group by tranche_id) h
       join positions p on p.organization_id = $1 and p.tranche_id = h.tranche_id
       join tranches t on t.tranche_id = h.tranche_id
       join securitization_deals d on d.deal_id = p.deal_id
       cross join lateral (select factor from tranche_factors x where x.tranche_id = h.tranche_id and x.set_at < $2
         order by set_at desc, entry_id desc limit 1) f
       left join lateral (select price, as_of from mark_publications x where x.tranche_id = h.tranche_id and x.published_at < $2
         order by published_at desc limit 1) m on true
     order by d.name, p.deal_id, t.seniority, t.tranche`,
    [organizationId, before],
  );
}

/** Trades and their corrections by the instant of their booking, from `from` (null: the first) and before `before`. */
export function listSettledTrades(
  tx: Tx,
  organizationId: Id<'org'>,
  { from, before }: { from: Date | null; before: Date },
): Promise<SettledTrade[]> {
  return tx.rows<SettledTrade>(
    `select trade_id, tranche_id, side, face::text as face, factor::text as factor, factor_before::text as factor_before, corrects_period,
       price::text as price, principal_amount::text as principal_amount, accrued_interest::text as accrued_interest, net_amount::text as net_amount,
       trade_date::text as trade_date, settlement_date::text as settlement_date, booked_at
     from (
       select trade_id, tranche_id, side, face, factor, null as factor_before, null as corrects_period, price, principal_amount, accrued_interest,
         net_amount, trade_date, settlement_date, settled_at as booked_at, 0::bigint as place
       from trades where organization_id = $1 and status = 'SETTLED' and ($2::timestamptz is null or settled_at >= $2) and settled_at < $3
       union all
       select trade_id, t.tranche_id, t.side, t.face, c.factor_after, c.factor_before, c.period, t.price, c.principal_amount, c.accrued_interest,
         c.principal_amount + c.accrued_interest, t.trade_date, t.settlement_date, c.created_at, c.entry_id
       from trade_corrections c join trades t using (trade_id)
       where c.organization_id = $1 and ($2::timestamptz is null or c.created_at >= $2) and c.created_at < $3) b
     order by booked_at, trade_id, place`,
    [organizationId, from, before],
  );
}

/** Payments to an organization's positions by the instant of their booking, from `from` (null: the first) and before `before`. */
export function listBookedPayments(
  tx: Tx,
  organizationId: Id<'org'>,
  { from, before }: { from: Date | null; before: Date },
): Promise<BookedPayment[]> {
  return tx.rows<BookedPayment>(
    `select payment_id, tranche_id, period, payment_date::text as payment_date, record_date::text as record_date, face::text as face,
       interest::text as interest, principal::text as principal, writedown::text as writedown, accreted::text as accreted,
       factor_before::text as factor_before, factor_after::text as factor_after, restates, created_at
     from payments where organization_id = $1 and holder = 'OF_RECORD' and ($2::timestamptz is null or created_at >= $2) and created_at < $3
     order by created_at, payment_id`,
    [organizationId, from, before],
  );
}

/** When the first trade of an organization settled; null before that. */
export async function findFirstSettlement(tx: Tx, organizationId: Id<'org'>): Promise<Date | null> {
  const sql = `select min(settled_at) as at from trades where organization_id = $1 and status = 'SETTLED'`;
  return (await tx.one<{ at: Date | null }>(sql, [organizationId]))?.at ?? null;
}

/** On the platform's clock: every booking of before this instant has been committed. To be asked before the bookings are read. */
export async function findSettledBefore(tx: Tx): Promise<Date> {
  const row = await tx.one<{ at: Date }>('select sluice_settled_before() + (select advanced from platform_clock) as at');
  if (!row) throw new Error('a query without a relation has no row');
  return row.at;
}

export type StoredStatement = { ends_at: Date; figures: Statement };

/** The latest stored statement up to a month. */
export function findStatementUpTo(tx: Tx, organizationId: Id<'org'>, month: Month): Promise<StoredStatement | null> {
  return tx.one<StoredStatement>(
    'select ends_at, figures from statements where organization_id = $1 and month <= $2 order by month desc limit 1',
    [organizationId, month],
  );
}

/** Stores a statement, unless the month has one; returns the one that is stored. */
export async function storeStatement(
  tx: Tx,
  organizationId: Id<'org'>,
  { ends_at, figures }: StoredStatement,
): Promise<StoredStatement> {
  await tx.exec(
    `insert into statements (organization_id, month, ends_at, figures, created_at) values ($1, $2, $3, $4, $5)
     on conflict on constraint statements_once do nothing`,
    [organizationId, figures.month, ends_at, JSON.stringify(figures), tx.now],
  );
  const stored = await findStatementUpTo(tx, organizationId, figures.month);
  if (!stored) throw new Error(`the statement of ${figures.month} was not stored`);
  return stored;
}

/** The name under which an organization gets its statements. */
export async function findOrganizationName(tx: Tx, organizationId: Id<'org'>): Promise<string> {
  const row = await tx.one<{ name: string }>('select name from organizations where organization_id = $1', [organizationId]);
  return row?.name ?? organizationId;
}

export type TrancheEvent = {
  tranche_id: Id<'trn'>;
  at: Date;
  face: string | null;
  factor: string | null;
  price: string | null;
};

/** What moved the value of the tranches that an organization ever held: settled face, factors and marks, in the order of their instants. */
export function listTrancheEvents(tx: Tx, organizationId: Id<'org'>): Promise<TrancheEvent[]> {
  return tx.rows<TrancheEvent>(
    `with held as (select distinct tranche_id from trades where organization_id = $1 and status = 'SETTLED')
     select tranche_id, at, face, factor, price from (
       select tranche_id, settled_at as at, 0::bigint as place, face::text as face, null as factor, null as price
       from trades where organization_id = $1 and status = 'SETTLED'
       union all select tranche_id, set_at, entry_id, null, factor::text, null from tranche_factors join held using (tranche_id)
       union all select tranche_id, published_at, 0, null, null, price::text from mark_publications join held using (tranche_id)) e
     order by at, place`,
    [organizationId],
  );
}
