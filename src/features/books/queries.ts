import type { EventData } from '../../events/events.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';

/** The live demand for an offered tranche as its owner is told of it: in totals, without names. */
export type ToldDemand = EventData<'demand.changed'>['tranches'][number];

/** How many, and their sum. */
export type Demand = { count: number; amount: number };

export type TrancheDemand = {
  tranche_id: Id<'trn'>;
  tranche: string;
  class: string;
  balance: number;
  indications: Demand;
  subscriptions: Demand;
  orders: Demand;
  /** Open orders by limit, those at market (null) first. */
  orders_by_limit: (Demand & { limit_yield: number | null })[];
  /** (Live subscriptions + open orders) / balance; null for a tranche without balance. */
  coverage: number | null;
};

const demand = (rows: string, amount: string): string =>
  `json_build_object('count', count(${rows}), 'amount', coalesce(sum(${amount}), 0)::float8)`;

/** A subscription counts until it is rejected, cancelled or expired; an order while it is open; an indication while it is submitted. */
const LIVE_SUBSCRIPTION = `status not in ('rejected', 'cancelled', 'expired')`;

/** The demand for each offered tranche of a deal, whose id is SQL. */
const demandFor = (deal: string): string => `
  select t.tranche_id, t.tranche, t.class, t.seniority, t.original_balance::float8 as balance, i.demand as indications,
    s.demand as subscriptions, o.demand as orders, coalesce(l.levels, '[]') as orders_by_limit,
    round((s.amount + o.amount) / nullif(t.original_balance, 0), 6)::float8 as coverage
  from (select *, row_number() over (order by seniority, tranche) = 1 as most_senior from tranches where deal_id = ${deal} and offered) t
    cross join lateral (select ${demand('*', 'interest_amount')} as demand from iois
      where deal_id = ${deal} and status = 'submitted' and t.most_senior) i
    cross join lateral (select ${demand('*', 'subscription_amount')} as demand, coalesce(sum(subscription_amount), 0) as amount
      from subscriptions where deal_id = ${deal} and tranche_id = t.tranche_id and ${LIVE_SUBSCRIPTION}) s
    cross join lateral (select ${demand('*', 'amount')} as demand, coalesce(sum(amount), 0) as amount from orders
      where deal_id = ${deal} and tranche_id = t.tranche_id and status = 'OPEN') o
    cross join lateral (
      select json_agg(json_build_object('limit_yield', limit_yield::float8, 'count', count, 'amount', amount::float8)
        order by limit_yield nulls first) as levels
      from (select limit_yield, count(*) as count, sum(amount) as amount from orders
        where deal_id = ${deal} and tranche_id = t.tranche_id and status = 'OPEN' group by limit_yield) level) l`;

const FIELDS = 'tranche_id, tranche, class, balance, indications, subscriptions, orders, orders_by_limit, coverage';

/**
 * The demand for each offered tranche of a deal, most senior first. An indication names a deal, not a tranche: it counts for the most
 * senior tranche, where a subscription without a tranche goes. Needs the platform's scope: the bids are other organizations'.
 */
export function listDemand(tx: Tx, dealId: Id<'deal'>): Promise<TrancheDemand[]> {
  return tx.rows<TrancheDemand>(`select ${FIELDS} from (${demandFor('$1')}) d order by seniority, tranche`, [dealId]);
}

/** The same of many deals, by deal. */
export async function listDemands(tx: Tx, dealIds: readonly Id<'deal'>[]): Promise<Map<Id<'deal'>, TrancheDemand[]>> {
  const rows = await tx.rows<TrancheDemand & { deal_id: Id<'deal'> }>(
    `select deal.id as deal_id, ${FIELDS} from unnest($1::text[]) as deal (id) cross join lateral (${demandFor('deal.id')}) d
     order by seniority, tranche`,
    [dealIds],
  );
  return Map.groupBy(rows, ({ deal_id }) => deal_id);
}

export type InvestorDemand = {
  organization_id: Id<'org'>;
  organization: string;
  indications: Demand;
  subscriptions: Demand;
  orders: Demand;
};

/** The demand of each investor for each tranche of the deal $1, by the same rules. */
const INVESTORS = `
  select b.tranche_id, coalesce(sum(subscribed), 0) + coalesce(sum(ordered), 0) as committed, coalesce(sum(indicated), 0) as indicated,
    b.organization_id, o.name as organization, ${demand('indicated', 'indicated')} as indications,
    ${demand('subscribed', 'subscribed')} as subscriptions, ${demand('ordered', 'ordered')} as orders
  from (
    select organization_id, senior.tranche_id, interest_amount as indicated, null::numeric as subscribed, null::numeric as ordered from iois
      cross join (select tranche_id from tranches where deal_id = $1 and offered order by seniority, tranche limit 1) senior
      where deal_id = $1 and status = 'submitted'
    union all select organization_id, tranche_id, null, subscription_amount, null from subscriptions where deal_id = $1 and ${LIVE_SUBSCRIPTION}
    union all select organization_id, tranche_id, null, null, amount from orders where deal_id = $1 and status = 'OPEN') b
    join organizations o using (organization_id)
  group by b.tranche_id, b.organization_id, o.name`;

/** The same with the investors behind the totals, the largest commitment first; one statement, so that they add up while bids come in. */
export function listDemandOfInvestors(tx: Tx, dealId: Id<'deal'>): Promise<(TrancheDemand & { investors: InvestorDemand[] })[]> {
  return tx.rows(
    `with investors as (${INVESTORS})
     select ${FIELDS}, coalesce((
       select json_agg(json_build_object('organization_id', organization_id, 'organization', organization, 'indications', i.indications,
         'subscriptions', i.subscriptions, 'orders', i.orders) order by committed desc, indicated desc, organization_id)
       from investors i where i.tranche_id = d.tranche_id), '[]') as investors
     from (${demandFor('$1')}) d order by seniority, tranche`,
    [dealId],
  );
}

/** A deal whose demand its owner follows, with the figures that it was told last, and those at the allocation of its books. */
export type FollowedDeal = {
  deal_id: Id<'deal'>;
  organization_id: Id<'org'>;
  name: string;
  told: ToldDemand[] | null;
  last: ToldDemand[] | null;
};

/**
 * Deals whose books are not allocated yet, or whose owner may not know the demand at their allocation, and whose owner was told of no demand
 * in the last `seconds`; after an id, in the order of ids.
 */
export function listFollowedDeals(tx: Tx, seconds: number, after: string, limit: number): Promise<FollowedDeal[]> {
  return tx.rows<FollowedDeal>(
    `select d.deal_id, d.organization_id, d.name, w.tranches as told, w.last_tranches as last
     from securitization_deals d left join deal_demands w using (deal_id)
     where (d.market_status in ('MARKETING', 'BOOKS_CLOSED') or w.last_tranches is not null) and d.deal_id > $3
       and (w.told_at is null or w.told_at <= $1::timestamptz - make_interval(secs => $2)) order by d.deal_id limit $4`,
    [tx.now, seconds, after, limit],
  );
}

/** Keeps the demand at the allocation of a deal's books: the books do not have it any more when its owner may be told again. */
export async function keepLastDemand(
  tx: Tx,
  deal: Pick<FollowedDeal, 'deal_id' | 'organization_id'>,
  tranches: readonly ToldDemand[],
): Promise<void> {
  await tx.exec(
    `insert into deal_demands (deal_id, organization_id, last_tranches) values ($1, $2, $3)
     on conflict (deal_id) do update set last_tranches = excluded.last_tranches`,
    [deal.deal_id, deal.organization_id, JSON.stringify(tranches)],
  );
}

/** Ends the following of a deal whose owner knows its last demand. */
export async function forgetLastDemand(tx: Tx, dealId: Id<'deal'>): Promise<void> {
  await tx.exec(`update deal_demands set last_tranches = null where deal_id = $1`, [dealId]);
}

/**
 * Records the figures that the owner is told now; false when it was told of the deal's demand in the last `seconds`, or when the books were
 * allocated after `deal` was read.
 */
export async function recordDemandTold(
  tx: Tx,
  deal: FollowedDeal,
  tranches: readonly ToldDemand[],
  seconds: number,
): Promise<boolean> {
  const recorded = await tx.exec(
    `insert into deal_demands as w (deal_id, organization_id, tranches, told_at) values ($1, $2, $3, $4)
     on conflict (deal_id) do update set tranches = excluded.tranches, told_at = excluded.told_at, last_tranches = null
     where (w.told_at is null or w.told_at <= excluded.told_at - make_interval(secs => $5)) and (w.last_tranches is not null) = $6`,
    [deal.deal_id, deal.organization_id, JSON.stringify(tranches), tx.now, seconds, deal.last !== null],
  );
  return recorded === 1;
}
