import type { LoanType } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';

/** A deal that an investor holds, with its pool. Balances are exact decimal text. */
export type HeldDeal = {
  deal_id: Id<'deal'>;
  originator: string;
  /** Owner of the deal. */
  owner_id: Id<'org'>;
  /** Current balance of the investor's positions, and of all tranches. */
  held: string;
  outstanding: string;
  /** What the last applied servicer report says of the pool; its balance at the cut-off before the first. */
  pool_balance: string;
  /** False behind a withdrawn deal: its pool is its owner's again. */
  is_backed: boolean;
  loans_key: string | null;
  loan_type: LoanType;
  cut_off_date: string;
  /** Fields that are disclosed loan by loan; null where loans are disclosed as aggregates. */
  disclosed: string[] | null;
};

export function listHeldDeals(tx: Tx, organizationId: Id<'org'>): Promise<HeldDeal[]> {
  return tx.rows<HeldDeal>(
    `select d.deal_id, d.originator, d.organization_id as owner_id, h.held::text as held, o.outstanding::text as outstanding,
       coalesce(r.pool_balance, p.balance)::text as pool_balance, p.deal_id is not distinct from d.deal_id and p.status <> 'CANCELLED' as is_backed, p.loans_key, p.loan_type,
       p.cut_off_date::text as cut_off_date, case p.disclosure_level when 'LOAN_LEVEL' then p.disclosed_fields end as disclosed
     from (select deal_id, sum(round(p.face * t.factor, 2)) as held from positions p join tranches t using (deal_id, tranche_id)
           where p.organization_id = $1 and p.face > 0 group by deal_id) h
       join securitization_deals d using (deal_id)
       join pools p on p.pool_id = d.pool_id
       cross join lateral (select coalesce(sum(current_balance), 0) as outstanding from tranches where deal_id = d.deal_id) o
       left join lateral (select (performance -> 'pool' ->> 'pool_balance')::numeric as pool_balance from remittances m
         where m.deal_id = d.deal_id and m.status = 'APPLIED' order by m.period desc limit 1) r on true
     order by d.deal_id`,
    [organizationId],
  );
}
