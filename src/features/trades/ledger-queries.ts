import type { Tx } from '../../platform/db/database.ts';
import { type Id } from '../../platform/ids.ts';
import type { TradeRow } from './queries.ts';

/**
 * Books a settled trade in one journal: face from the seller to the buyer against cash from the buyer to the seller, with the buyer's
 * position. `paid` of a position is its cost at factor 1; at the factor of the trade it is the principal paid. The database refuses a
 * journal that does not balance and a trade that is booked twice.
 */
export async function bookSettlement(tx: Tx, trade: TradeRow, sellerId: Id<'org'>): Promise<void> {
  await tx.exec(
    `insert into ledger_entries (journal_id, organization_id, account, tranche_id, amount, trade_id, booked_at)
     select $1, leg.party, leg.account, leg.tranche_id, leg.amount, t.trade_id, $4
     from trades t, lateral (values
       (t.organization_id, 'FACE', t.tranche_id, t.face), ($3, 'FACE', t.tranche_id, -t.face),
       (t.organization_id, 'CASH', null, -t.net_amount), ($3, 'CASH', null, t.net_amount)) as leg (party, account, tranche_id, amount)
     where t.trade_id = $2`,
    [tx.newId('jrn'), trade.trade_id, sellerId, tx.now],
  );
  await tx.exec(
    `insert into positions (position_id, organization_id, deal_id, tranche_id, face, paid, trade_date, created_at)
     select $1, organization_id, deal_id, tranche_id, face, coalesce(principal_amount / nullif(factor, 0), face * price / 100), trade_date, $3 from trades where trade_id = $2
     on conflict on constraint positions_one_per_tranche do update
       set face = positions.face + excluded.face, paid = positions.paid + excluded.paid, trade_date = excluded.trade_date`,
    [tx.newId('pos'), trade.trade_id, tx.now],
  );
}

export type LedgerVerdict = {
  valid: boolean;
  entries: number;
  /** Every inconsistency, in words. */
  problems: string[];
};

/**
 * What a version of a report pays on a tranche, what a cap had cut with it, or where it has no row of the one residual what is left in
 * one figure; nothing where there is no such version.
 */
const reportedPaid = (report: string): string =>
  `select coalesce(sum((e ->> 'interest_paid')::numeric + coalesce((e ->> 'carry_over_paid')::numeric, 0) + (e ->> 'principal_paid')::numeric),
     case when t.tranche = residual.tranche then (${report}.report ->> 'residual')::numeric end, 0) as paid
   from json_array_elements(${report}.report -> 'tranches') e where e ->> 'tranche' = t.tranche`;

/** The residual of the deal of a pool, where there is one alone. */
const ONE_RESIDUAL = `select case when count(*) = 1 then min(o.tranche) end as tranche from tranches o
   where o.deal_id = f.deal_id and not o.offered and (upper(o.class) = 'RESIDUAL' or exists (
     select from json_array_elements(pool.structure -> 'waterfall') s where s ->> 'pay' = 'RESIDUAL' and (s -> 'to')::jsonb ? o.tranche))`;

/** Verifies the whole ledger: sums are zero per account and tranche and per journal, and equal the positions, the trades and their corrections, the payments and the reports behind these. */
export async function verifyLedger(tx: Tx): Promise<LedgerVerdict> {
  const [count, sums, journals, positions, trades, corrections, payments, reports] = await Promise.all([
    tx.one<{ entries: number }>('select count(*)::int as entries from ledger_entries'),
    tx.rows<{ problem: string }>(
      `select account || coalesce(' ' || tranche_id, '') || ' adds up to ' || sum(amount) || ', expected 0' as problem
       from ledger_entries group by account, tranche_id having sum(amount) <> 0`,
    ),
    tx.rows<{ problem: string }>(
      `select distinct 'journal ' || journal_id || ' does not balance' as problem
       from ledger_entries group by journal_id, account, tranche_id having sum(amount) <> 0`,
    ),
    tx.rows<{ problem: string }>(
      `select 'position of ' || organization_id || ' in ' || tranche_id || ' is ' || coalesce(p.face, 0) || ', the ledger says ' || coalesce(l.face, 0) as problem
       from positions p full join (select organization_id, tranche_id, sum(amount) as face from ledger_entries
         where account = 'FACE' group by 1, 2 having sum(amount) > 0) l using (organization_id, tranche_id)
       where coalesce(p.face, 0) <> coalesce(l.face, 0)`,
    ),
    tx.rows<{ problem: string }>(
      `select 'trade ' || trade_id || ' is ' || status || ' with face ' || t.face || ' against ' || t.net_amount
         || ', the ledger has ' || l.face || ' against ' || l.cash as problem
       from trades t cross join lateral (select coalesce(sum(amount) filter (where account = 'FACE'), 0) as face,
           coalesce(-sum(amount) filter (where account = 'CASH'), 0) as cash
         from ledger_entries e where e.trade_id = t.trade_id and e.organization_id = t.organization_id) l
       where l.face <> t.face * (status = 'SETTLED')::int or l.cash <> t.net_amount * (status = 'SETTLED')::int`,
    ),
    tx.rows<{ problem: string }>(
      `select 'correction ' || c.correction_id || ' of trade ' || c.trade_id || ' is ' || (c.principal_amount + c.accrued_interest)
         || ', its buyer has paid ' || coalesce(-l.amount, 0) || ' in the ledger' as problem
       from trade_corrections c left join ledger_entries l on l.correction_id = c.correction_id and l.organization_id = c.organization_id
       where c.principal_amount + c.accrued_interest <> coalesce(-l.amount, 0)`,
    ),
    tx.rows<{ problem: string }>(
      `select 'payment ' || p.payment_id || ' is ' || (p.interest + p.principal) || ', its holder has ' || coalesce(l.amount, 0) || ' in the ledger' as problem
       from payments p left join ledger_entries l on l.payment_id = p.payment_id and l.account = 'CASH' and l.party = 'HOLDER'
       where p.interest + p.principal <> coalesce(l.amount, 0)`,
    ),
    tx.rows<{ problem: string }>(
      // A period that was applied before payments were booked has its corrections alone: what the report changed by since.
      `select 'the payments of ' || r.remittance_id || ' on ' || t.tranche || ' are ' || coalesce(b.paid, 0)
         || case when v.version is null then ', its report has ' else ', its report changed by ' end || x.paid - y.paid as problem
       from (select remittance_id, deal_id, min(version) as first_version from payments group by 1, 2) f
         join remittances r using (remittance_id) join pools pool using (pool_id) join tranches t on t.deal_id = f.deal_id
         left join remittance_versions v on v.remittance_id = f.remittance_id and v.version = f.first_version - 1
         left join (select remittance_id, tranche_id, sum(interest + principal) as paid from payments group by 1, 2) b
           on b.remittance_id = f.remittance_id and b.tranche_id = t.tranche_id
         cross join lateral (${ONE_RESIDUAL}) residual
         cross join lateral (${reportedPaid('r')}) x cross join lateral (${reportedPaid('v')}) y
       where coalesce(b.paid, 0) <> x.paid - y.paid`,
    ),
  ]);
  const problems = [...sums, ...journals, ...positions, ...trades, ...corrections, ...payments, ...reports].map(
    (row) => row.problem,
  );
  return { valid: problems.length === 0, entries: count?.entries ?? 0, problems };
}
