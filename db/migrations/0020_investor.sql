-- The investor side: watch lists, indications, subscriptions, orders, allocations, trades, the ledger, positions, documents.

create table watchlist (
  organization_id text not null references organizations,
  deal_id text not null references securitization_deals,
  watched_at timestamptz not null default sluice_now(),
  primary key (organization_id, deal_id)
);
call sluice_protect('watchlist');

-- What is left of each offered tranche. The one row that every subscription of the tranche changes; the database refuses the
-- subscription that would go beyond it.
create table tranche_books (
  tranche_id text primary key references tranches,
  deal_id text not null references securitization_deals,
  organization_id text not null,
  capacity numeric(24, 2) not null,
  committed numeric(24, 2) not null default 0,
  open boolean not null default true,
  constraint tranche_books_capacity check (committed >= 0 and committed <= capacity)
) with (fillfactor = 50);
create index tranche_books_deal on tranche_books (deal_id);
call sluice_protect('tranche_books');

create function sluice_open_book() returns trigger language plpgsql as $$
begin
  insert into tranche_books (tranche_id, deal_id, organization_id, capacity)
  values (new.tranche_id, new.deal_id, new.organization_id, new.original_balance);
  return null;
end $$;
create trigger tranches_open_book after insert on tranches for each row when (new.offered) execute function sluice_open_book();
insert into tranche_books (tranche_id, deal_id, organization_id, capacity)
  select tranche_id, deal_id, organization_id, original_balance from tranches where offered;

create table iois (
  ioi_id text primary key,
  organization_id text not null references organizations,
  deal_id text not null references securitization_deals,
  interest_amount numeric(24, 2) not null check (interest_amount > 0),
  status text not null default 'submitted' check (status in ('submitted', 'withdrawn', 'converted', 'expired')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index iois_one_live on iois (organization_id, deal_id) where status = 'submitted';
create index iois_organization on iois (organization_id, created_at desc, ioi_id desc);
create index iois_deal on iois (deal_id) where status = 'submitted';
call sluice_protect('iois');

create table subscriptions (
  subscription_id text primary key,
  organization_id text not null references organizations,
  deal_id text not null references securitization_deals,
  tranche_id text not null references tranches,
  subscription_amount numeric(24, 2) not null check (subscription_amount > 0),
  status text not null check (status in ('pending_confirmation', 'confirmed', 'allocated', 'funded', 'settled', 'rejected', 'cancelled', 'expired')),
  compliance_check_result text not null check (compliance_check_result in ('passed', 'review_required')),
  compliance_checks jsonb not null,
  ioi_id text,
  reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index subscriptions_organization on subscriptions (organization_id, created_at desc, subscription_id desc);
create index subscriptions_deal on subscriptions (deal_id, status);
call sluice_protect('subscriptions');

create table orders (
  order_id text primary key,
  organization_id text not null references organizations,
  deal_id text not null references securitization_deals,
  tranche_id text not null references tranches,
  amount numeric(24, 2) not null check (amount > 0),
  minimum_amount numeric(24, 2) check (minimum_amount > 0 and minimum_amount <= amount),
  -- Percent a year; null: at market.
  limit_yield numeric(12, 6),
  status text not null default 'OPEN' check (status in ('OPEN', 'ALLOCATED', 'PARTIALLY_ALLOCATED', 'UNFILLED', 'CANCELLED')),
  compliance_check_result text not null check (compliance_check_result in ('passed', 'review_required')),
  compliance_checks jsonb not null,
  reason text,
  -- Priority in time: a larger ask or another limit takes a new place.
  placed_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index orders_organization on orders (organization_id, created_at desc, order_id desc);
create index orders_deal on orders (deal_id, status);
call sluice_protect('orders');

-- One run of the allocation rule over one tranche's book: the offering, or face that came back and was offered once more.
create table allocation_rounds (
  round_id text primary key,
  organization_id text not null,
  deal_id text not null references securitization_deals,
  tranche_id text not null references tranches,
  kind text not null check (kind in ('OFFERING', 'REOFFER')),
  method text not null check (method in ('PRO_RATA', 'CLEARING_YIELD')),
  size numeric(24, 2) not null,
  increment numeric(18, 2) not null,
  yield numeric(12, 6),
  -- Yield when no order names a limit.
  market_yield numeric(12, 6),
  -- The bids in the order that breaks ties, and the sha-256 of the book that they make without names.
  bids jsonb not null,
  book_hash text not null,
  created_at timestamptz not null
);
create index allocation_rounds_tranche on allocation_rounds (tranche_id, created_at);
create unique index allocation_rounds_one_offering on allocation_rounds (tranche_id) where kind = 'OFFERING';
call sluice_protect('allocation_rounds');

create table allocations (
  allocation_id text primary key,
  organization_id text not null references organizations,
  deal_id text not null references securitization_deals,
  tranche_id text not null references tranches,
  round_id text not null references allocation_rounds,
  -- Place of the order in the round's book, from 1.
  entry integer not null,
  order_id text references orders,
  subscription_id text references subscriptions,
  requested_amount numeric(24, 2) not null,
  allocated_amount numeric(24, 2) not null check (allocated_amount > 0 and allocated_amount <= requested_amount),
  fill_ratio numeric(18, 8) not null,
  yield numeric(12, 6),
  method text not null,
  reason text not null,
  status text not null default 'ISSUED' check (status in ('ISSUED', 'ACCEPTED', 'DECLINED', 'EXPIRED')),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  decided_at timestamptz,
  constraint allocations_one_source check ((order_id is null) <> (subscription_id is null)),
  constraint allocations_one_per_entry unique (round_id, entry)
);
create index allocations_organization on allocations (organization_id, created_at desc, allocation_id desc);
create index allocations_deal on allocations (deal_id, status);
create index allocations_due on allocations (expires_at) where status = 'ISSUED';
call sluice_protect('allocations');

create table trades (
  trade_id text primary key,
  organization_id text not null references organizations,
  deal_id text not null references securitization_deals,
  tranche_id text not null references tranches,
  allocation_id text not null references allocations,
  side text not null default 'BUY' check (side in ('BUY')),
  face numeric(24, 2) not null check (face > 0),
  factor numeric(18, 8) not null,
  price numeric(18, 8) not null,
  yield numeric(12, 6),
  principal_amount numeric(24, 2) not null,
  accrued_interest numeric(24, 2) not null,
  net_amount numeric(24, 2) not null,
  trade_date date not null,
  settlement_date date not null,
  status text not null default 'PENDING_SETTLEMENT' check (status in ('PENDING_SETTLEMENT', 'SETTLED', 'FAILED', 'CANCELLED')),
  reason text,
  settled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint trades_one_per_allocation unique (allocation_id)
);
create index trades_organization on trades (organization_id, created_at desc, trade_id desc);
create index trades_deal on trades (deal_id, status);
call sluice_protect('trades');

-- Double entry: every journal moves face and cash between organizations and adds up to zero per account and tranche.
create table ledger_entries (
  entry_id bigint generated always as identity primary key,
  journal_id text not null,
  organization_id text not null references organizations,
  account text not null check (account in ('FACE', 'CASH')),
  tranche_id text references tranches,
  amount numeric(24, 2) not null,
  trade_id text not null references trades,
  booked_at timestamptz not null,
  constraint ledger_entries_face_of_tranche check ((account = 'FACE') = (tranche_id is not null)),
  constraint ledger_entries_once unique (trade_id, account, organization_id)
);
create index ledger_entries_journal on ledger_entries (journal_id);
create index ledger_entries_holding on ledger_entries (organization_id, account, tranche_id);
call sluice_protect('ledger_entries');
create trigger ledger_entries_append_only before update or delete on ledger_entries for each row execute function sluice_refuse();

create function sluice_balanced_journal() returns trigger language plpgsql as $$
declare unbalanced text;
begin
  select account || coalesce(' ' || tranche_id, '') || ' by ' || sum(amount) into unbalanced
  from ledger_entries where journal_id = new.journal_id group by account, tranche_id having sum(amount) <> 0 limit 1;
  if unbalanced is not null then
    raise exception 'journal % does not balance: %', new.journal_id, unbalanced
      using errcode = '23514', constraint = 'ledger_entries_balance';
  end if;
  return null;
end $$;
create constraint trigger ledger_entries_balance after insert on ledger_entries
  deferrable initially deferred for each row execute function sluice_balanced_journal();

-- The ledger's face per holder and tranche, kept by the transaction that books it.
create table positions (
  position_id text primary key,
  organization_id text not null references organizations,
  deal_id text not null references securitization_deals,
  tranche_id text not null references tranches,
  face numeric(24, 2) not null check (face >= 0),
  -- Sum of face times clean price / 100: what the face would have cost at factor 1.
  paid numeric(28, 8) not null,
  trade_date date not null,
  created_at timestamptz not null,
  constraint positions_one_per_tranche unique (organization_id, tranche_id)
);
create index positions_organization on positions (organization_id, created_at desc, position_id desc);
create index positions_deal on positions (deal_id);
call sluice_protect('positions');

create table documents (
  document_id text primary key,
  organization_id text not null references organizations,
  deal_id text,
  file_key text not null,
  file_name text not null,
  document_type text not null,
  content_type text not null,
  size bigint not null,
  sha256 text not null,
  object_key text not null,
  version integer not null,
  status text not null default 'uploaded' check (status in ('uploaded')),
  visibility text not null default 'PRIVATE' check (visibility in ('PRIVATE', 'INVESTORS')),
  -- When investors were first told of it.
  announced_at timestamptz,
  created_at timestamptz not null,
  constraint documents_file_key unique (file_key)
);
create unique index documents_version on documents (organization_id, coalesce(deal_id, ''), file_name, version);
create index documents_organization on documents (organization_id, created_at desc, document_id desc);
create index documents_deal on documents (deal_id, visibility);
call sluice_protect('documents');

create table document_accesses (
  access_id bigint generated always as identity primary key,
  document_id text not null references documents,
  -- The owner, who may read the log.
  organization_id text not null,
  reader_id text not null references organizations,
  key_id text not null,
  act text not null check (act in ('ADDRESS_ISSUED', 'DOWNLOADED')),
  at timestamptz not null
);
create index document_accesses_document on document_accesses (document_id, access_id desc);
call sluice_protect('document_accesses');
