-- Totals of lists, kept as rows come and go, so that a page of a long list costs what a page of a short one does. What a statement changes is
-- noted in rows of its own, for which nobody waits; a worker adds them up now and then. A total is the sum of both, in one statement.
create table list_totals (
  list text not null,
  -- Empty: of all organizations.
  organization_id text not null,
  -- The values of the columns by which the list is filtered, in the order in which its trigger names them.
  key text[] not null,
  total bigint not null,
  primary key (list, organization_id, key)
);
call sluice_protect('list_totals');
create table list_total_changes (
  change_id bigint not null generated always as identity (cache 32),
  list text not null,
  organization_id text not null,
  key text[] not null,
  change bigint not null,
  primary key (list, organization_id, change_id)
);
call sluice_protect('list_total_changes');
create policy members on list_total_changes
  using ((select sluice_in_market()) and organization_id = any ((select sluice_members())::text[]))
  with check (sluice_in_market() and organization_id = any (sluice_members()));

-- The columns by which totals of a list are kept, as the expression of their key; null where none are kept.
create table kept_totals (
  list text primary key,
  columns text[] not null
);
create function sluice_key_of_totals(of_list text) returns text language sql stable as $$
  select format('array[%s]::text[]', array_to_string(columns, ', ')) from kept_totals where list = of_list
$$;

-- Keeps the totals of a list by some of its columns, beginning with the rows that it has.
create procedure sluice_keep_totals(target regclass, variadic columns text[]) language plpgsql as $$
declare
  keep text := target || '_totals';
  key text;
  noted text := 'insert into list_total_changes (list, organization_id, key, change)';
begin
  insert into kept_totals values (target::text, columns);
  key := sluice_key_of_totals(target::text);
  execute format($make$
    create function %1$I() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        %2$s select %3$L, organization_id, %4$s, count(*) from added group by 2, 3;
      elsif tg_op = 'DELETE' then
        %2$s select %3$L, organization_id, %4$s, -count(*) from removed group by 2, 3;
      else
        %2$s select %3$L, organization_id, key, sum(change) from (
          select organization_id, %4$s as key, 1 as change from added
          union all select organization_id, %4$s, -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $body$ $make$, keep, noted, target::text, key);
  execute format('create trigger %I after insert on %s referencing new table as added for each statement execute function %I()',
    keep || '_added', target, keep);
  execute format('create trigger %I after delete on %s referencing old table as removed for each statement execute function %I()',
    keep || '_removed', target, keep);
  execute format('create trigger %I after update on %s referencing new table as added old table as removed for each statement execute function %I()',
    keep || '_changed', target, keep);
  execute format('%s select %L, organization_id, %s, count(*) from %s group by 2, 3', noted, target::text, key, target);
end $$;

-- Adds up what was noted, at most so many rows of it; returns how many there were. One process at a time: another finds nothing to do.
create function sluice_add_up_totals(most integer) returns integer language plpgsql as $$
declare added_up integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('sluice_add_up_totals')) then return 0; end if;
  with taken as (
    delete from list_total_changes where (list, organization_id, change_id) in (
      select list, organization_id, change_id from list_total_changes limit most) returning *),
  summed as (
    insert into list_totals as t
    select list, organization_id, key, sum(change) as total from (
      select list, organization_id, key, change from taken union all select list, '', key, change from taken) each_and_all
    group by 1, 2, 3
    on conflict (list, organization_id, key) do update set total = t.total + excluded.total
    returning 1)
  select count(*) into added_up from taken;
  return added_up;
end $$;

select set_config('sluice.scope', 'platform', true);
call sluice_keep_totals('alerts', 'status', 'type', 'category', 'priority');
call sluice_keep_totals('webhook_deliveries', 'status', 'event');
call sluice_keep_totals('deals', 'status', 'loan_type');
call sluice_keep_totals('securitization_deals', 'status', 'market_status', 'asset_type');
call sluice_keep_totals('trades', 'status');
call sluice_keep_totals('orders', 'status');
call sluice_keep_totals('subscriptions', 'status');
call sluice_keep_totals('allocations', 'status');
call sluice_keep_totals('iois', 'status');
call sluice_keep_totals('audit_log', 'action');
call sluice_keep_totals('request_log', 'method', 'status');

-- One filter by an enumerated column, in the order of the list.
create index alerts_type on alerts (organization_id, type, created_at desc, alert_id desc);
create index alerts_category on alerts (organization_id, category, created_at desc, alert_id desc);
create index alerts_priority on alerts (organization_id, priority, created_at desc, alert_id desc);
create index deals_organization_status on deals (organization_id, status, created_at desc, deal_id desc);
create index deals_organization_type on deals (organization_id, loan_type, created_at desc, deal_id desc);
create index deals_type on deals (loan_type, created_at desc, deal_id desc);
create index trades_organization_status on trades (organization_id, status, created_at desc, trade_id desc);
create index trades_status on trades (status, created_at desc, trade_id desc);
create index orders_organization_status on orders (organization_id, status, created_at desc, order_id desc);
create index orders_status on orders (status, created_at desc, order_id desc);
create index subscriptions_organization_status on subscriptions (organization_id, status, created_at desc, subscription_id desc);
create index subscriptions_status on subscriptions (status, created_at desc, subscription_id desc);
create index allocations_organization_status on allocations (organization_id, status, created_at desc, allocation_id desc);
create index allocations_status on allocations (status, created_at desc, allocation_id desc);
create index iois_organization_status on iois (organization_id, status, created_at desc, ioi_id desc);
create index iois_status on iois (status, created_at desc, ioi_id desc);
create index audit_log_action on audit_log (action, sequence desc);
create index audit_log_organization_action on audit_log (organization_id, action, sequence desc);

create or replace function sluice_partition_upkeep() returns integer language plpgsql security definer set search_path = public, pg_temp as $$
declare
  plan record; child record; key text; lower_bound timestamptz; upper_bound timestamptz; part text; changed integer := 0;
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
        -- A dropped table tells no trigger.
        key := sluice_key_of_totals(plan.parent);
        if key is not null then
          execute format('insert into list_total_changes (list, organization_id, key, change) select %L, organization_id, %s, -count(*) from %I group by 2, 3',
            plan.parent, key, child.relname);
        end if;
        execute format('drop table %I', child.relname);
        changed := changed + 1;
      end if;
    end loop;
  end loop;
  return changed;
end $$;

create or replace function sluice_reset_sandbox() returns void language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '10s' as $$
declare emptied text;
begin
  perform sluice_require_sandbox();
  select string_agg(format('%I', c.relname), ', ') into emptied from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> all (array['organizations', 'organization_looks', 'keys', 'schema_migrations', 'platform_clock', 'rate_windows', 'kept_totals', 'list_totals', 'list_total_changes']) and c.relname not like 'audit\_%';
  execute format('truncate %s cascade', emptied);
  delete from list_totals where list not like 'audit\_%';
  delete from list_total_changes where list not like 'audit\_%';
  update platform_clock set advanced = '0';
end $$;
