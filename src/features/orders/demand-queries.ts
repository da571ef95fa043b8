import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import type { DemandFacts, TrancheDemand } from './demand.ts';

/** A deal whose demand its owner follows, with the figures that it was told last. */
export type FollowedDeal = { deal_id: Id<'deal'>; organization_id: Id<'org'>; name: string; told: TrancheDemand[] | null };

/** Deals whose books are not allocated yet and whose owner was told of no demand in the last `seconds`; after an id, in the order of ids. */
export function listFollowedDeals(tx: Tx, seconds: number, after: string, limit: number): Promise<FollowedDeal[]> {
  return tx.rows<FollowedDeal>(
    `select d.deal_id, d.organization_id, d.name, w.tranches as told
     from securitization_deals d left join deal_demands w using (deal_id)
     where d.market_status in ('MARKETING', 'BOOKS_CLOSED') and d.deal_id > $3
       and (w.told_at is null or w.told_at <= $1::timestamptz - make_interval(secs => $2)) order by d.deal_id limit $4`,
    [tx.now, seconds, after, limit],
  );
}

/** The facts of the demand for each offered tranche of the deals, by deal; most senior first. */
export async function loadDemandFacts(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<Map<Id<'deal'>, DemandFacts[]>> {
  const rows = await tx.rows<DemandFacts & { deal_id: Id<'deal'> }>(
    `with offered as (
       select deal_id, tranche_id, original_balance, row_number() over (partition by deal_id order by seniority, tranche) as rank
       from tranches where deal_id = any($1) and offered),
     indicated as (
       select deal_id, count(*) as count, sum(interest_amount) as amount from iois
       where deal_id = any($1) and status = 'submitted' group by deal_id),
     subscribed as (
       select tranche_id, count(*) as count, sum(subscription_amount) as amount from subscriptions
       where deal_id = any($1) and status not in ('rejected', 'cancelled', 'expired') group by tranche_id),
     bid as (
       select tranche_id, count(*) as count, sum(amount) as amount from orders
       where deal_id = any($1) and status = 'OPEN' group by tranche_id)
     select o.deal_id, o.tranche_id, o.original_balance::float8 as balance,
       json_build_object('count', coalesce(i.count, 0), 'amount', coalesce(i.amount, 0)) as indications,
       json_build_object('count', coalesce(s.count, 0), 'amount', coalesce(s.amount, 0)) as subscriptions,
       json_build_object('count', coalesce(b.count, 0), 'amount', coalesce(b.amount, 0)) as orders
     from offered o left join indicated i on i.deal_id = o.deal_id and o.rank = 1
       left join subscribed s on s.tranche_id = o.tranche_id left join bid b on b.tranche_id = o.tranche_id
     order by o.deal_id, o.rank`,
    [dealIds],
  );
  const byDeal = new Map<Id<'deal'>, DemandFacts[]>();
  for (const { deal_id, ...facts } of rows) byDeal.set(deal_id, [...(byDeal.get(deal_id) ?? []), facts]);
  return byDeal;
}

/** Records the figures that the owner is told now; false when it was told of the deal's demand in the last `seconds`. */
export async function recordDemandTold(
  tx: Tx,
  deal: FollowedDeal,
  tranches: readonly TrancheDemand[],
  seconds: number,
): Promise<boolean> {
  const recorded = await tx.exec(
    `insert into deal_demands as w (deal_id, organization_id, tranches, told_at) values ($1, $2, $3, $4)
     on conflict (deal_id) do update set tranches = excluded.tranches, told_at = excluded.told_at
     where w.told_at <= excluded.told_at - make_interval(secs => $5)`,
    [deal.deal_id, deal.organization_id, JSON.stringify(tranches), tx.now, seconds],
  );
  return recorded === 1;
}
