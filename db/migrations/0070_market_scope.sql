-- An investor's transaction has a scope of its own, 'market': its organization's rows, and of others' rows what the market shows.
-- The subscriptions of several investors that are committed together name all of them, separated by commas.

create function sluice_in_market() returns boolean language sql stable parallel safe
  as $$ select current_setting('sluice.scope', true) = 'market' $$;
create function sluice_members() returns text[] language sql stable parallel safe
  as $$ select string_to_array(current_setting('sluice.organization', true), ',') $$;

drop policy market on securitization_deals;
drop policy market on tranches;
drop policy market on marks;
create policy market on securitization_deals for select using ((select sluice_in_market()));
create policy market on tranches for select using ((select sluice_in_market()));
create policy market on marks for select using ((select sluice_in_market()));
create policy market on tranche_books for select using ((select sluice_in_market()));
create policy market on remittances for select using ((select sluice_in_market()));
create policy market on pools for select
  using ((select sluice_in_market()) and exists (select from securitization_deals d where d.pool_id = pools.pool_id));
create policy market on calculations for select
  using ((select sluice_in_market()) and exists (select from securitization_deals d where d.pool_id = calculations.pool_id));
create policy market on documents for select
  using ((select sluice_in_market()) and visibility = 'INVESTORS' and exists (select from securitization_deals d where d.deal_id = documents.deal_id));
-- The log belongs to the document's owner; a reader writes its own reading into it and cannot read it.
create policy market on document_accesses for insert
  with check (sluice_in_market() and reader_id = current_setting('sluice.organization', true));
-- The book of a round, for whoever was allocated in it: it recomputes its own fill.
create policy market on allocation_rounds for select
  using ((select sluice_in_market()) and exists (select from allocations a where a.round_id = allocation_rounds.round_id));

create policy members on organizations for select using ((select sluice_in_market()) and organization_id = any ((select sluice_members())::text[]));
create policy members on positions for select using ((select sluice_in_market()) and organization_id = any ((select sluice_members())::text[]));
create policy members on subscriptions
  using ((select sluice_in_market()) and organization_id = any ((select sluice_members())::text[]))
  with check (sluice_in_market() and organization_id = any (sluice_members()));
create policy members on iois
  using ((select sluice_in_market()) and organization_id = any ((select sluice_members())::text[]))
  with check (sluice_in_market() and organization_id = any (sluice_members()));

-- The seller's name is part of what the market shows; the rest of its organization is not.
alter table securitization_deals add column originator text;
select set_config('sluice.scope', 'platform', true);
update securitization_deals d set originator = o.name from organizations o where o.organization_id = d.organization_id;
create function sluice_name_originator() returns trigger language plpgsql as $$
begin
  new.originator := (select name from organizations where organization_id = new.organization_id);
  return new;
end $$;
create trigger securitization_deals_originator before insert on securitization_deals for each row execute function sluice_name_originator();
alter table securitization_deals alter column originator set not null;

-- What investors share: a tranche's capacity, and the locks that keep a deal's books as they are. Each function does one thing in the
-- platform's scope and goes back to the caller's.

create function sluice_take_capacity(tranche text, amount numeric) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare scope text := current_setting('sluice.scope', true); taken boolean;
begin
  perform set_config('sluice.scope', 'platform', true);
  update tranche_books set committed = committed + amount where tranche_id = tranche and open and committed + amount <= capacity;
  taken := found;
  perform set_config('sluice.scope', scope, true);
  return taken;
end $$;

create function sluice_return_capacity(tranche text, amount numeric) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare scope text := current_setting('sluice.scope', true);
begin
  perform set_config('sluice.scope', 'platform', true);
  update tranche_books set committed = committed - amount where tranche_id = tranche;
  perform set_config('sluice.scope', scope, true);
end $$;

-- Null: there is no such book.
create function sluice_lock_book(tranche text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare scope text := current_setting('sluice.scope', true); is_open boolean;
begin
  perform set_config('sluice.scope', 'platform', true);
  select open into is_open from tranche_books where tranche_id = tranche for update;
  perform set_config('sluice.scope', scope, true);
  return is_open;
end $$;

create function sluice_hold_books(deal text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare scope text := current_setting('sluice.scope', true); is_open boolean;
begin
  perform set_config('sluice.scope', 'platform', true);
  select open into is_open from tranche_books where deal_id = deal order by tranche_id limit 1 for share;
  perform set_config('sluice.scope', scope, true);
  return is_open;
end $$;

-- Locks the deal's row against a move of its market status; `exclusive`: against others who hold it too.
create function sluice_hold_deal(deal text, exclusive boolean) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare scope text := current_setting('sluice.scope', true);
begin
  perform set_config('sluice.scope', 'platform', true);
  if exclusive then
    perform 1 from securitization_deals where deal_id = deal for update;
  else
    perform 1 from securitization_deals where deal_id = deal for share;
  end if;
  perform set_config('sluice.scope', scope, true);
end $$;
