-- Functions with their owner's power are the gateway's alone; PostgreSQL lets every login of a database execute a new function.
do $$
declare granted regprocedure;
begin
  for granted in select oid from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and proname like 'sluice\_%' loop
    execute format('revoke execute on function %s from public', granted);
    if exists (select 1 from pg_roles where rolname = 'sluice_app') then
      execute format('grant execute on function %s to sluice_app', granted);
    end if;
  end loop;
end $$;
