-- Pools, the securitization deals they become, their tranches and the marks that books use.

create sequence deal_numbers;
-- A deal's number places its loans on one line of integers: number * 2^23 + row_number (a tape has at most 5,000,000 rows).
alter table deals add column deal_number bigint not null default nextval('deal_numbers');

create table pools (
  pool_id text primary key,
  organization_id text not null references organizations,
  name text not null,
  status text not null check (status in ('DRAFT', 'STRUCTURED', 'LOCKED', 'ISSUED', 'CLOSED', 'CANCELLED')),
  deal_ids text[] not null,
  loan_type text not null,
  offering text not null default '144A' check (offering in ('144A', '506C', 'REG_S')),
  cut_off_date date not null,
  closing_date date not null,
  filter jsonb,
  sc_job_ids text[] not null default '{}',
  loan_count integer not null,
  balance numeric(24, 2) not null,
  wac numeric,
  wam numeric,
  -- The pool's loans as one columnar table in the object store, and the tape versions they came from.
  loans_key text,
  tape_versions jsonb not null default '{}',
  structure jsonb,
  structure_version integer not null default 0,
  issue_requested_at timestamptz,
  deal_id text,
  created_at timestamptz not null default sluice_now(),
  updated_at timestamptz not null default sluice_now()
);
create index pools_organization on pools (organization_id, created_at desc, pool_id desc);
call sluice_protect('pools');

-- A loan is in one live pool: the database refuses overlapping claims.
create table pool_claims (
  pool_id text primary key references pools,
  organization_id text not null,
  loans int8multirange not null,
  live boolean not null default true,
  constraint pool_claims_one_live_pool exclude using gist (loans with &&) where (live)
);
call sluice_protect('pool_claims');

create table securitization_deals (
  deal_id text primary key,
  organization_id text not null references organizations,
  pool_id text not null unique references pools,
  name text not null,
  asset_type text not null,
  offering text not null,
  status text not null default 'APPROVED',
  market_status text not null check (market_status in ('MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED', 'WITHDRAWN')),
  deal_size numeric(24, 2) not null,
  closing_date date not null,
  created_at timestamptz not null default sluice_now(),
  updated_at timestamptz not null default sluice_now()
);
create index securitization_deals_organization on securitization_deals (organization_id, created_at desc, deal_id desc);
create index securitization_deals_market on securitization_deals (asset_type, market_status, created_at desc, deal_id desc);
call sluice_protect('securitization_deals');
-- What is on the market is there for every customer to read; nobody else's row can be written.
create policy market on securitization_deals for select using (true);

create table tranches (
  tranche_id text primary key,
  deal_id text not null references securitization_deals,
  organization_id text not null,
  tranche text not null,
  class text not null,
  -- The residual is not offered.
  offered boolean not null,
  original_balance numeric(24, 2) not null check (original_balance >= 0),
  current_balance numeric(24, 2) not null check (current_balance >= 0),
  coupon_type text not null,
  -- Percent a year; a floater's first coupon where it is known, else null.
  coupon numeric(12, 6),
  day_count text not null,
  rating text,
  seniority integer not null,
  denomination numeric(18, 2) not null default 1000,
  increment numeric(18, 2) not null default 1000,
  erisa_eligible boolean not null default true,
  offered_yield numeric(12, 6),
  dated_date date not null,
  -- Interest is paid up to this date; accrued starts here.
  accrued_from date not null,
  final_maturity date,
  constraint tranches_name unique (deal_id, tranche)
);
call sluice_protect('tranches');
create policy market on tranches for select using (true);

-- The latest published mark of a tranche is the row with the greatest published_at.
create table marks (
  tranche_id text not null references tranches,
  calculation_id text not null,
  deal_id text not null,
  organization_id text not null,
  price numeric(18, 8) not null,
  yield numeric(18, 8),
  spread_bp numeric(18, 8),
  wal numeric(18, 8),
  duration numeric(18, 8),
  as_of date not null,
  published_at timestamptz not null default sluice_now(),
  primary key (tranche_id, calculation_id)
);
create index marks_latest on marks (tranche_id, published_at desc);
call sluice_protect('marks');
create policy market on marks for select using (true);
