-- A calculation may be a table of a tranche's prices and yields.
alter table calculations drop constraint calculations_type_check;
alter table calculations add constraint calculations_type_check
  check (type in ('CASHFLOW', 'PRICING', 'BREAKEVEN', 'SCENARIOS', 'RISK', 'PRICE_TABLE'));
