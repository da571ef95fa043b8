-- The settings that a policy asks for are the same for every row of a statement: as sub-selects they are read once, not per row.

create or replace procedure sluice_protect(target regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format($policy$create policy tenant on %s
    using (organization_id = (select nullif(current_setting('sluice.organization', true), '')) or (select current_setting('sluice.scope', true) = 'platform'))
    with check (sluice_sees(organization_id))$policy$, target);
end $$;

do $$
declare protected regclass;
begin
  for protected in
    select polrelid from pg_policy
    where polname = 'tenant' and pg_get_expr(polqual, polrelid) like '%sluice_sees(organization_id)%'
  loop
    execute format($policy$alter policy tenant on %s
      using (organization_id = (select nullif(current_setting('sluice.organization', true), '')) or (select current_setting('sluice.scope', true) = 'platform'))$policy$, protected);
  end loop;
end $$;
