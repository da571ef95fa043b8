-- Calculations over pools, what servicers report about them, and what a pool follows.

-- Identifies the set of loans: equal sets of equal tape versions have equal hashes.
alter table pools add column loan_set text;
-- What was assumed where loans say too little, in words.
alter table pools add column warnings jsonb not null default '[]';
-- Keys of objects keep their order: the order of risk factors is the order of the correlation's rows.
alter table pools alter column structure type json using structure::json;
alter table pools alter column filter type json using filter::json;

create table calculations (
  calculation_id text primary key,
  organization_id text not null references organizations,
  pool_id text not null references pools,
  -- sha-256 over everything that the result depends on.
  calculation_key text not null,
  type text not null check (type in ('CASHFLOW', 'PRICING', 'BREAKEVEN', 'SCENARIOS', 'RISK')),
  purpose text not null check (purpose in ('ANALYSIS', 'MARK')),
  status text not null check (status in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED')),
  -- Raised by every start; only the run that was started last may end the calculation.
  run integer not null default 0,
  as_of date not null,
  granularity text not null,
  -- The request, structure and pool as they were when it was asked for: the run reads nothing else.
  inputs json not null,
  result json,
  -- The first scenario per period, for the reports of investors.
  projection json,
  -- Objects of cash flows and traces lie below this key.
  details_key text,
  error text,
  created_at timestamptz not null default sluice_now(),
  started_at timestamptz,
  completed_at timestamptz
);
-- Equal inputs are calculated once; a failed calculation may be asked for again.
create unique index calculations_one_per_key on calculations (organization_id, pool_id, calculation_key) where status <> 'FAILED';
create index calculations_pool on calculations (organization_id, pool_id, created_at desc, calculation_id desc);
call sluice_protect('calculations');

create table remittances (
  pool_id text not null references pools,
  period integer not null,
  organization_id text not null references organizations,
  remittance_id text not null,
  deal_id text not null,
  payment_date date not null,
  report json not null,
  -- Per tranche and for the pool, as investors read it.
  performance json not null,
  triggers json not null,
  -- What the next report must start from.
  state json not null,
  created_at timestamptz not null default sluice_now(),
  constraint remittances_one_per_period primary key (pool_id, period)
);
create index remittances_pool on remittances (organization_id, pool_id, period desc);
call sluice_protect('remittances');

-- A pool ends with its securitization deal, whoever ends that: closed with it, or free again when it is withdrawn.
create function sluice_pool_follows_deal() returns trigger language plpgsql as $$
begin
  if new.market_status = 'CLOSED' then
    update pools set status = 'CLOSED', updated_at = sluice_now() where pool_id = new.pool_id and status = 'ISSUED';
  elsif new.market_status = 'WITHDRAWN' then
    update pools set status = 'CANCELLED', updated_at = sluice_now() where pool_id = new.pool_id and status in ('ISSUED', 'CLOSED');
    update pool_claims set live = false where pool_id = new.pool_id;
  end if;
  return null;
end $$;
create trigger securitization_deals_pool after update of market_status on securitization_deals
  for each row when (old.market_status is distinct from new.market_status) execute function sluice_pool_follows_deal();
