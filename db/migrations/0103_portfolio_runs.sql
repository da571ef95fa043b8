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

-- The latest mark of each tranche, as the newest publication left it: a book of thousands of positions reads it in one join.
select set_config('sluice.scope', 'platform', true);
create table latest_marks (
  tranche_id text primary key references tranches,
  organization_id text not null references organizations,
  price numeric(18,8) not null,
  yield numeric(18,8),
  spread_bp numeric(18,8),
  wal numeric(18,8),
  duration numeric(18,8),
  as_of date not null,
  published_at timestamptz not null
) with (fillfactor = 70);
call sluice_protect('latest_marks');
create policy market on latest_marks for select using ((select sluice_in_market()));

insert into latest_marks (tranche_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
select distinct on (tranche_id) tranche_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at
from marks order by tranche_id, published_at desc;

create function sluice_keep_latest_mark() returns trigger language plpgsql as $$
begin
  insert into latest_marks as l (tranche_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
  values (new.tranche_id, new.organization_id, new.price, new.yield, new.spread_bp, new.wal, new.duration, new.as_of, new.published_at)
  on conflict (tranche_id) do update set price = excluded.price, yield = excluded.yield, spread_bp = excluded.spread_bp, wal = excluded.wal,
    duration = excluded.duration, as_of = excluded.as_of, published_at = excluded.published_at
  where l.published_at <= excluded.published_at;
  return null;
end $$;
create trigger marks_keep_latest after insert or update on marks for each row execute function sluice_keep_latest_mark();
