-- Which primary writes here, marked by processes that read from standbys. A standby with the mark of a primary has the log of that one, and
-- not one that was lost with a former primary.
create table primary_mark (
  only_row boolean primary key default true check (only_row),
  name text not null
);

-- A primary that was promoted has another timeline, one that was restored or started again another start.
create function sluice_primary_name() returns text language sql as $$
  select extract(epoch from pg_postmaster_start_time()) || '/' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8)
$$;

-- Returns once this server has what the primary of that name had flushed up to the position; after 10 milliseconds it fails.
create function sluice_require_replayed(wanted pg_lsn, primary_name text) returns void language plpgsql as $$
declare
  began constant timestamptz := clock_timestamp();
  standby constant boolean := pg_is_in_recovery();
  marked boolean;
  replayed boolean;
begin
  loop
    marked := primary_name = case when standby then (select name from primary_mark) else sluice_primary_name() end;
    replayed := wanted <= case when standby then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end;
    if marked and replayed then return; end if;
    if clock_timestamp() > began + interval '10 milliseconds' then
      if marked then raise exception 'not replayed yet' using errcode = 'SL001'; end if;
      raise exception 'not a standby of this primary, or not yet' using errcode = 'SL002';
    end if;
    perform pg_sleep(0.0005);
  end loop;
end $$;

-- Which transactions are open only the primary knows: on a standby the answer would pass over what they commit.
create or replace function sluice_settled_before() returns timestamptz language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  if pg_is_in_recovery() then raise exception 'a standby does not know the open transactions' using errcode = 'object_not_in_prerequisite_state'; end if;
  return (select date_trunc('milliseconds', coalesce(min(xact_start), clock_timestamp())) from pg_stat_activity
    where datname = current_database() and application_name = 'sluice' and xact_start is not null);
end $$;
