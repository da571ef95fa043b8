-- Receivers of events, what was sent to them, and the queue of what is to be sent.

create table webhook_subscriptions (
  subscription_id text primary key,
  organization_id text not null references organizations,
  url text not null,
  -- Null: every event, those of later versions too.
  events text[],
  secret_sealed text not null,
  -- The secret before the last rotation, as long as both count.
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  active boolean not null default true,
  disabled_reason text check (disabled_reason in ('PAUSED', 'GONE', 'FAILING')),
  disabled_at timestamptz,
  -- Since when there was nothing but failures; null after a success.
  failing_since timestamptz,
  alerted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 70);
create index webhook_subscriptions_organization on webhook_subscriptions (organization_id, created_at desc, subscription_id desc);
call sluice_protect('webhook_subscriptions');

-- What customers read. Nothing that changes while a delivery is worked on is in an index, so that its updates stay in place.
create table webhook_deliveries (
  delivery_id text not null,
  organization_id text not null,
  subscription_id text not null,
  event_id text not null,
  event_inserted_at timestamptz not null,
  event text not null,
  deal_id text,
  kind text not null check (kind in ('EVENT', 'REPLAY', 'TEST')),
  replay_of text,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  http_status integer,
  error text,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  inserted_at timestamptz not null default now(),
  primary key (delivery_id, inserted_at)
) partition by range (inserted_at);
create index webhook_deliveries_organization on webhook_deliveries (organization_id, created_at desc, delivery_id desc);
create index webhook_deliveries_subscription on webhook_deliveries (subscription_id, created_at desc, delivery_id desc);
create index webhook_deliveries_deal on webhook_deliveries (deal_id, created_at desc) where deal_id is not null;
create table webhook_deliveries_default partition of webhook_deliveries default with (fillfactor = 80);
call sluice_protect('webhook_deliveries');
call sluice_protect('webhook_deliveries_default');

create table webhook_attempts (
  delivery_id text not null,
  organization_id text not null,
  n integer not null,
  at timestamptz not null,
  ms integer not null,
  http_status integer,
  error text,
  response_excerpt text,
  inserted_at timestamptz not null default now()
) partition by range (inserted_at);
create index webhook_attempts_delivery on webhook_attempts (delivery_id, n);
create table webhook_attempts_default partition of webhook_attempts default;
call sluice_protect('webhook_attempts');
call sluice_protect('webhook_attempts_default');

-- Small and hot: a row is here while something is to be sent, and goes when that is done. due_at follows the platform's clock;
-- leases follow the real one, because they are about processes.
create table webhook_queue (
  delivery_id text primary key,
  delivery_inserted_at timestamptz not null,
  organization_id text not null,
  subscription_id text not null,
  event_id text not null,
  event_inserted_at timestamptz not null,
  kind text not null,
  -- 0: not tried yet. 1: again, or on request in great number. The first lane has places of its own.
  lane smallint not null,
  attempts integer not null default 0,
  claims integer not null default 0,
  due_at timestamptz not null,
  claim_id uuid,
  lease_until timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index webhook_queue_lanes on webhook_queue (subscription_id, lane, due_at);
create index webhook_queue_claimed on webhook_queue (subscription_id) where claim_id is not null;
call sluice_protect('webhook_queue');

-- A test delivery carries a sample: it is sent like an event and is in no log.
alter table events add column sample boolean not null default false;

-- Makes the partitions of the coming time and drops those whose time is over. Returns how many it made or dropped.
create function sluice_partition_upkeep() returns integer language plpgsql security definer set search_path = public, pg_temp as $$
declare
  plan record; child record; lower_bound timestamptz; upper_bound timestamptz; part text; changed integer := 0;
begin
  perform set_config('lock_timeout', '2s', true);
  for plan in select * from (values
    ('events', 'created_at', 'week', interval '30 days', ''),
    ('webhook_deliveries', 'inserted_at', 'month', interval '90 days', 'with (fillfactor = 80)'),
    ('webhook_attempts', 'inserted_at', 'month', interval '90 days', '')) as p(parent, key, unit, keep, options)
  loop
    lower_bound := date_trunc(plan.unit, now(), 'UTC');
    for i in 0..2 loop
      upper_bound := (lower_bound at time zone 'UTC' + ('1 ' || plan.unit)::interval) at time zone 'UTC';
      part := format('%s_%s', plan.parent, to_char(lower_bound at time zone 'UTC', 'YYYYMMDD'));
      if to_regclass(part) is null then
        execute format('create table %I (like %I including defaults including constraints including indexes) %s', part, plan.parent, plan.options);
        execute format('call sluice_protect(%L)', part);
        -- What came before its partition was there waits in the default one.
        execute format('with moved as (delete from %I where %I >= $1 and %I < $2 returning *) insert into %I select * from moved',
          plan.parent || '_default', plan.key, plan.key, part) using lower_bound, upper_bound;
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', plan.parent, part, lower_bound, upper_bound);
        changed := changed + 1;
      end if;
      lower_bound := upper_bound;
    end loop;
    for child in
      select c.relname, right(c.relname, 8)::timestamp at time zone 'UTC' as starts
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(plan.parent) and c.relname ~ ('^' || plan.parent || '_\d{8}$')
    loop
      if (child.starts at time zone 'UTC' + ('1 ' || plan.unit)::interval) at time zone 'UTC' <= now() - plan.keep then
        execute format('drop table %I', child.relname);
        changed := changed + 1;
      end if;
    end loop;
  end loop;
  return changed;
end $$;
select sluice_partition_upkeep();

-- Before this moment nothing can appear any more: every transaction that began earlier has ended. A reader that goes by time asks this
-- first, in a statement of its own, so that no event is passed over that a slow transaction commits late.
create function sluice_settled_before() returns timestamptz language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select date_trunc('milliseconds', coalesce(min(xact_start), clock_timestamp())) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and xact_start is not null
$$;
