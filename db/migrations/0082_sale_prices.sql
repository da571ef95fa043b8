-- The price at which a round sells is fixed when its allocations are issued. Rounds from before sold pro rata at par; what cleared at a yield
-- got its price when it was accepted, so such an allocation that still waits has none yet.
select set_config('sluice.scope', 'platform', true);
alter table allocation_rounds add column price numeric(18,8);
alter table allocations add column price numeric(18,8);
update allocation_rounds set price = 100 where method = 'PRO_RATA';
update allocations set price = 100 where method = 'PRO_RATA';
update allocations a set price = t.price from trades t where t.allocation_id = a.allocation_id;

-- 1: a pro rata round filled limits above its yield. 2: it leaves them unfilled. A proof is recomputed by the rule of its round.
alter table allocation_rounds add column rule_version smallint not null default 1;

-- When a subscription was confirmed, allocated, funded (the first cash leg) and settled.
alter table subscriptions add column confirmed_at timestamptz, add column allocated_at timestamptz,
  add column funded_at timestamptz, add column settled_at timestamptz;
update subscriptions s set confirmed_at = e.at from (
  select entity_id, min(at) as at from audit_log where action = 'subscription.confirmed' group by entity_id) e
where e.entity_id = s.subscription_id;
update subscriptions s set allocated_at = a.at from (
  select subscription_id, min(created_at) as at from allocations where subscription_id is not null group by subscription_id) a
where a.subscription_id = s.subscription_id;
update subscriptions s set funded_at = t.first, settled_at = case when s.status = 'settled' then t.last end from (
  select a.subscription_id, min(t.settled_at) as first, max(t.settled_at) as last
  from allocations a join trades t using (allocation_id) where t.status = 'SETTLED' group by a.subscription_id) t
where t.subscription_id = s.subscription_id;

-- Requests of several investors are judged in one transaction: it sees which of them had an order or a trade in a withdrawn deal.
create policy members on orders for select
  using ((select sluice_in_market()) and organization_id = any ((select sluice_members())::text[]));
create policy members on trades for select
  using ((select sluice_in_market()) and organization_id = any ((select sluice_members())::text[]));
