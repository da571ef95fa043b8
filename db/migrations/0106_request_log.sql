-- The requests of each organization, as far as they may be kept: 30 days, a partition for each day.
create sequence request_log_entries cache 64;
create table request_log (
  -- Orders the rows of one instant.
  entry_id bigint not null default nextval('request_log_entries'),
  organization_id text not null,
  -- As the caller gave it: it can recur.
  request_id text not null,
  -- The real time, also where a sandbox has advanced the platform's clock.
  at timestamptz not null,
  ms integer not null,
  method text not null,
  -- The path that was asked for, and the one of the route that served it; null where there is none.
  path text not null,
  route text,
  status smallint not null,
  code text,
  key_id text not null,
  idempotency_key text,
  replayed boolean not null,
  deal_id text,
  -- What is kept of query and body, and of the response: JSON, which no statement looks into.
  request text not null,
  response text not null,
  -- What the request's transactions have caused in its own organization.
  event_ids text[],
  delivery_ids text[],
  job_ids text[],
  caused_more integer not null default 0,
  -- Requests of the organization that the same process had to leave out since the entry before.
  dropped_before integer not null default 0
) partition by range (at);
alter sequence request_log_entries owned by request_log.entry_id;
create index request_log_organization on request_log (organization_id, at desc, entry_id desc);
create index request_log_request on request_log (organization_id, request_id);
-- Errors are looked for among many successes.
create index request_log_errors on request_log (organization_id, at desc, entry_id desc) where status >= 400;
create index request_log_deal on request_log (organization_id, deal_id, at desc) where deal_id is not null;
-- An entry without a partition of its own waits here until that is made.
create table request_log_default partition of request_log default;
call sluice_protect('request_log');
call sluice_protect('request_log_default');

create or replace function sluice_partition_upkeep() returns integer language plpgsql security definer set search_path = public, pg_temp as $$
declare
  plan record; child record; lower_bound timestamptz; upper_bound timestamptz; part text; changed integer := 0;
begin
  perform set_config('lock_timeout', '2s', true);
  for plan in select * from (values
    ('events', 'created_at', 'week', interval '30 days', ''),
    ('webhook_deliveries', 'inserted_at', 'month', interval '90 days', 'with (fillfactor = 80)'),
    ('webhook_attempts', 'inserted_at', 'month', interval '90 days', ''),
    ('request_log', 'at', 'day', interval '30 days', '')) as p(parent, key, unit, keep, options)
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
