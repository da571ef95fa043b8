-- What the amounts of settled trades change by when a report that they depend on comes, or is restated, after their settlement.
create table trade_corrections (
  correction_id text primary key,
  entry_id bigint not null generated always as identity,
  trade_id text not null references trades,
  organization_id text not null references organizations,
  tranche_id text not null references tranches,
  remittance_id text not null,
  period integer not null,
  factor_before numeric(18,8) not null,
  factor_after numeric(18,8) not null,
  accrued_from date not null,
  principal_amount numeric(24,2) not null,
  accrued_interest numeric(24,2) not null,
  created_at timestamptz not null
);
create index trade_corrections_trade on trade_corrections (trade_id, entry_id desc);
create index trade_corrections_booked on trade_corrections (organization_id, created_at);
call sluice_protect('trade_corrections');
create trigger trade_corrections_append_only before update or delete on trade_corrections for each row execute function sluice_refuse();

alter table ledger_entries
  add column correction_id text references trade_corrections,
  drop constraint ledger_entries_of_one,
  add constraint ledger_entries_of_one check (num_nonnulls(trade_id, payment_id, correction_id) = 1),
  add constraint ledger_entries_once_per_correction unique (correction_id, account, party);
