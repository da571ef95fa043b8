-- The places of rows in long lists, so that a page is read from the nearest of them whatever its number. A worker counts them, from the
-- oldest row on and up to those that are an hour old; what changes older rows than that forgets the places of their lists.
create table list_places (
  -- Names of tables, separated by commas where the list is of several.
  list text not null,
  -- Empty: of all organizations.
  organization_id text not null,
  -- How many rows of the list are as old as this one or older.
  rank bigint not null,
  -- The keys of the list's order, as text.
  position text[] not null,
  primary key (list, organization_id, rank)
);
call sluice_protect('list_places');

-- Forgets the places in the lists of a table, of some organizations or (null) of any. Whoever counts places waits for the change of which this
-- is part, and this for whoever counts.
create function sluice_forget_places(target text, organizations text[]) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare scope text := current_setting('sluice.scope', true);
begin
  perform pg_advisory_xact_lock_shared(hashtext('sluice_list_places'));
  perform set_config('sluice.scope', 'platform', true);
  delete from list_places where target = any (string_to_array(list, ','))
    and (organizations is null or organization_id = '' or organization_id = any (organizations));
  perform set_config('sluice.scope', coalesce(scope, ''), true);
end $$;

revoke execute on function sluice_forget_places(text, text[]) from public;
do $$ begin
  if exists (select from pg_roles where rolname = 'sluice_app') then
    grant execute on function sluice_forget_places(text, text[]) to sluice_app;
  end if;
end $$;

-- Writes the function that keeps the totals of a list, and the places in it where its order is by a time: a row that comes or goes among
-- those that have places forgets them.
create procedure sluice_write_totals(target regclass, by_time text) language plpgsql as $$
declare
  noted text := 'insert into list_total_changes (list, organization_id, key, change)';
  forget text := '';
begin
  if by_time is not null then
    forget := format($forget$
        if exists (select from changed where %1$I < now() - interval '30 minutes') then
          perform sluice_forget_places(%2$L, (select array_agg(organization_id) from changed where %1$I < now() - interval '30 minutes'));
        end if;$forget$, by_time, target::text);
  end if;
  execute format($make$
    create or replace function %1$I() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        %2$s select %3$L, organization_id, %4$s, count(*) from added group by 2, 3;%5$s
      elsif tg_op = 'DELETE' then
        %2$s select %3$L, organization_id, %4$s, -count(*) from removed group by 2, 3;%6$s
      else
        %2$s select %3$L, organization_id, key, sum(change) from (
          select organization_id, %4$s as key, 1 as change from added
          union all select organization_id, %4$s, -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $body$ $make$, target || '_totals', noted, target::text, sluice_key_of_totals(target::text),
    replace(forget, 'changed', 'added'), replace(forget, 'changed', 'removed'));
end $$;
call sluice_write_totals('alerts', 'created_at');
call sluice_write_totals('webhook_deliveries', 'created_at');
call sluice_write_totals('deals', 'created_at');
call sluice_write_totals('securitization_deals', 'created_at');
call sluice_write_totals('trades', 'created_at');
call sluice_write_totals('orders', 'created_at');
call sluice_write_totals('subscriptions', 'created_at');
call sluice_write_totals('allocations', 'created_at');
call sluice_write_totals('iois', 'created_at');
call sluice_write_totals('request_log', 'at');

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
          perform sluice_forget_places(plan.parent, null);
        end if;
        execute format('drop table %I', child.relname);
        changed := changed + 1;
      end if;
    end loop;
  end loop;
  return changed;
end $$;
