-- An investor's book under scenarios: the run, and while it lasts a row for each deal.
create table portfolio_runs (
  calculation_id text primary key,
  organization_id text not null references organizations,
  -- Of everything that the figures follow from: equal requests of an organization have one run. Null where that run failed in part.
  run_key text,
  status text not null check (status in ('RUNNING', 'COMPLETED')),
  as_of date not null,
  scenarios json not null,
  deals integer not null,
  positions integer not null,
  -- Deals of which nothing can be calculated, as it was known when the run was requested; at its end all of them.
  left_out json not null,
  result json,
  created_at timestamptz not null,
  completed_at timestamptz,
  constraint portfolio_runs_once unique (organization_id, run_key)
);
create index portfolio_runs_created on portfolio_runs (organization_id, created_at desc, calculation_id desc);
call sluice_protect('portfolio_runs');

create table portfolio_run_deals (
  calculation_id text not null references portfolio_runs on delete cascade,
  place integer not null,
  organization_id text not null references organizations,
  deal_id text not null,
  -- What is held of the deal, and the marks that it is valued by.
  holding json not null,
  run integer not null default 0,
  attempts integer not null default 0,
  figures json,
  left_out json,
  done_at timestamptz,
  primary key (calculation_id, place)
);
call sluice_protect('portfolio_run_deals');
create index portfolio_run_deals_open on portfolio_run_deals (calculation_id, place) where done_at is null;

-- Prices and cash flows of a pool under one scenario, whoever asked for them first: no organization sees the rows.
create table scenario_flows (
  pool_id text not null references pools,
  scenario_key text not null,
  flows json not null,
  made_at timestamptz not null,
  primary key (pool_id, scenario_key)
);
alter table scenario_flows enable row level security;
alter table scenario_flows force row level security;
create policy platform on scenario_flows using ((select current_setting('sluice.scope', true) = 'platform'));
create index scenario_flows_made on scenario_flows (made_at);
