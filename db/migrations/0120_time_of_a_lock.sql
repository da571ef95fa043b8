-- What waited for a lock happened after it, not when its transaction began: such a transaction goes on at the time when it got its lock.
create or replace function sluice_now() returns timestamptz language sql stable parallel safe
  as $$ select coalesce(nullif(current_setting('sluice.now', true), '')::timestamptz,
                        coalesce(nullif(current_setting('sluice.locked_at', true), '')::timestamptz, now()) + (select advanced from platform_clock)) $$;
