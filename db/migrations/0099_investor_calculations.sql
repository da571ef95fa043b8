-- Investors calculate the deals that they see. What one of them asks is its own: the market shows the owner's calculations alone.
drop policy market on calculations;
create policy market on calculations for select
  using ((select sluice_in_market()) and exists (
    select from securitization_deals d where d.pool_id = calculations.pool_id and d.organization_id = calculations.organization_id));

-- Equal inputs have one result, whoever asks for it.
create index calculations_same on calculations (pool_id, calculation_key) where status = 'COMPLETED';
