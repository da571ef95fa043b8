-- A row that refers to a deal shares the deal's key when it is inserted. The exclusive lock of a deal need not keep it out: an order held the books,
-- waited for the deal, and the close of the books waited for the order.
create or replace function sluice_hold_deal(deal text, exclusive boolean) returns void language plpgsql
security definer set search_path = public, pg_temp as $$
declare scope text := current_setting('sluice.scope', true);
begin
  perform set_config('sluice.scope', 'platform', true);
  if exclusive then
    perform 1 from securitization_deals where deal_id = deal for no key update;
  else
    perform 1 from securitization_deals where deal_id = deal for share;
  end if;
  perform set_config('sluice.scope', scope, true);
end $$;
