-- What waited for a lock happened after it, not when its transaction began: such a transaction goes on at the time when it got its lock.
create or replace function sluice_now() returns timestamptz language sql stable parallel safe
  as $$ select coalesce(nullif(current_setting('sluice.now', true), '')::timestamptz,
                        coalesce(nullif(current_setting('sluice.locked_at', true), '')::timestamptz, now()) + (select advanced from platform_clock)) $$;

-- The database's clock from here on, as text that keeps its microseconds, and the platform's in microseconds since 1970.
create function sluice_go_on(out moment text, out now_micros int8) language plpgsql as $$
begin
  moment := set_config('sluice.locked_at', clock_timestamp()::text, true);
  now_micros := (extract(epoch from sluice_now()) * 1000000)::int8;
end $$;
