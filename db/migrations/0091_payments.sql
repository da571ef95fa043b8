-- A report is SCHEDULED until its payment date, then APPLIED: the reports from before were applied when they were sent.
select set_config('sluice.scope', 'platform', true);
alter table remittances
  add column status text not null default 'APPLIED',
  add column version integer not null default 1,
  add column applied_at timestamptz,
  add column restated_at timestamptz,
  add column updated_at timestamptz not null default sluice_now(),
  add constraint remittances_status_check check (status in ('SCHEDULED', 'HELD', 'APPLIED')),
  add constraint remittances_id unique (remittance_id);
update remittances set applied_at = created_at, updated_at = created_at;
alter table remittances alter column status drop default;
alter table remittances rename column state to state_after;
create index remittances_waiting on remittances (payment_date, pool_id) where status <> 'APPLIED';

-- Investors read what was applied, and nothing ahead of it.
drop policy market on remittances;
create policy market on remittances for select using ((select sluice_in_market()) and status = 'APPLIED');

-- The versions of a report that a restatement replaced, as they were.
create table remittance_versions (
  remittance_id text not null,
  version integer not null,
  organization_id text not null references organizations,
  pool_id text not null references pools,
  report json not null,
  performance json not null,
  triggers json not null,
  reported_at timestamptz not null,
  replaced_at timestamptz not null,
  primary key (remittance_id, version)
);
create index remittance_versions_pool on remittance_versions (pool_id);
call sluice_protect('remittance_versions');
create trigger remittance_versions_append_only before update or delete on remittance_versions for each row execute function sluice_refuse();

-- What a payment date brings to one holder of one tranche; a restatement books its differences as payments of their own.
create table payments (
  payment_id text primary key,
  organization_id text not null references organizations,
  holder text not null check (holder in ('OF_RECORD', 'RETAINED')),
  deal_id text not null references securitization_deals,
  tranche_id text not null references tranches,
  remittance_id text not null,
  version integer not null,
  period integer not null,
  payment_date date not null,
  record_date date not null,
  face numeric(24,2) not null check (face >= 0),
  interest numeric(24,2) not null,
  principal numeric(24,2) not null,
  writedown numeric(24,2) not null,
  accreted numeric(24,2) not null,
  factor_before numeric(18,8) not null,
  factor_after numeric(18,8) not null,
  restates text references payments,
  created_at timestamptz not null,
  constraint payments_once unique (remittance_id, version, tranche_id, organization_id, holder)
);
create index payments_organization on payments (organization_id, payment_date desc, payment_id desc);
create index payments_deal on payments (deal_id, payment_date desc, payment_id desc);
create index payments_restates on payments (restates) where restates is not null;
call sluice_protect('payments');
create trigger payments_append_only before update or delete on payments for each row execute function sluice_refuse();

-- A journal is of a trade or of a payment. The deal pays: its entries carry its owner, as the owner sold its face. BALANCE is the outstanding
-- balance that a payment of principal or a write-down takes from a holder.
alter table ledger_entries
  alter column trade_id drop not null,
  add column payment_id text references payments,
  add column party text not null default 'HOLDER',
  drop constraint ledger_entries_account_check,
  drop constraint ledger_entries_face_of_tranche,
  add constraint ledger_entries_account_check check (account in ('FACE', 'CASH', 'BALANCE')),
  add constraint ledger_entries_face_of_tranche check ((account <> 'CASH') = (tranche_id is not null)),
  add constraint ledger_entries_party_check check (party in ('HOLDER', 'DEAL')),
  add constraint ledger_entries_of_one check (num_nonnulls(trade_id, payment_id) = 1),
  add constraint ledger_entries_once_per_payment unique (payment_id, account, party);

-- A journal is between organizations, and its balance is judged at the commit: by all its entries, whatever the scope is by then.
create or replace function sluice_balanced_journal() returns trigger language plpgsql as $$
declare
  unbalanced text;
  scope text := current_setting('sluice.scope', true);
begin
  perform set_config('sluice.scope', 'platform', true);
  select account || coalesce(' ' || tranche_id, '') || ' by ' || sum(amount) into unbalanced
  from ledger_entries where journal_id = new.journal_id group by account, tranche_id having sum(amount) <> 0 limit 1;
  perform set_config('sluice.scope', coalesce(scope, ''), true);
  if unbalanced is not null then
    raise exception 'journal % does not balance: %', new.journal_id, unbalanced
      using errcode = '23514', constraint = 'ledger_entries_balance';
  end if;
  return null;
end $$;
