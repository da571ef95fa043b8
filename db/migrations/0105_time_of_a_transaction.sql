-- A transaction may begin at another time than the platform's: a sandbox is filled with what happened before today.
create or replace function sluice_now() returns timestamptz language sql stable parallel safe
  as $$ select coalesce(nullif(current_setting('sluice.now', true), '')::timestamptz, now() + (select advanced from platform_clock)) $$;
