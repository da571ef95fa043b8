-- Partition upkeep as every database has it from now on: those that were made by the first published version have another text of it,
-- which PostgreSQL 15 cannot run.
create or replace function sluice_partition_upkeep() returns integer language plpgsql security definer set search_path = public, pg_temp as $$
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

-- Housekeeping deletes by age: an index behind each of its batches.
create index alerts_created on alerts (created_at);
create index document_accesses_at on document_accesses (at);

-- A database that has once served production is never reset, whatever a later process takes itself for.
alter table platform_clock add column production boolean not null default false;
create function sluice_stays_production() returns trigger language plpgsql as $$
begin raise exception 'a database that has served production stays one of production'; end $$;
create trigger platform_clock_stays_production before update on platform_clock
  for each row when (old.production and not new.production) execute function sluice_stays_production();

create function sluice_require_sandbox() returns void language plpgsql as $$
begin
  if (select production from platform_clock) then raise exception 'a database that has served production is never reset'; end if;
end $$;

-- Empties the sandbox; organizations, keys and the audit log stay. The gateway's own role may neither truncate nor own a table.
create function sluice_reset_sandbox() returns void language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '10s' as $$
declare emptied text;
begin
  perform sluice_require_sandbox();
  select string_agg(format('%I', c.relname), ', ') into emptied from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> all (array['organizations', 'organization_looks', 'keys', 'schema_migrations', 'platform_clock', 'rate_windows']) and c.relname not like 'audit\_%';
  execute format('truncate %s cascade', emptied);
  update platform_clock set advanced = '0';
end $$;

-- Removes an organization's criteria sets but those that are kept. Their versions are immutable, so that no statement of the gateway can.
create function sluice_remove_sandbox_criteria(owner text, kept text[]) returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '10s' as $$
declare removed integer;
begin
  perform sluice_require_sandbox();
  alter table criteria_versions disable trigger criteria_versions_immutable;
  delete from criteria_versions where organization_id = owner and criteria_id <> all (kept);
  alter table criteria_versions enable trigger criteria_versions_immutable;
  delete from criteria where organization_id = owner and criteria_id <> all (kept);
  get diagnostics removed = row_count;
  return removed;
end $$;

revoke execute on function sluice_reset_sandbox(), sluice_remove_sandbox_criteria(text, text[]) from public;
do $$ begin
  if exists (select 1 from pg_roles where rolname = 'sluice_app') then
    grant execute on function sluice_reset_sandbox(), sluice_remove_sandbox_criteria(text, text[]) to sluice_app;
  end if;
end $$;
