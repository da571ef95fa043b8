-- Events that go to many organizations: one row in the transaction of the change, which workers expand.
create table event_fan_outs (
  fan_out_id text not null,
  -- The owner of the deal, which was told in the transaction of the change.
  organization_id text not null references organizations (organization_id),
  event text not null,
  deal_id text not null references securitization_deals (deal_id),
  data json not null,
  created_at timestamptz not null,
  -- The last organization that was considered; organizations are taken in the order of their ids.
  reached text not null default '',
  expanded_at timestamptz,
  constraint event_fan_outs_pkey primary key (fan_out_id)
);
create index event_fan_outs_open on event_fan_outs (created_at, fan_out_id) where expanded_at is null;
call sluice_protect('event_fan_outs');

-- Who was told, once each.
create table event_fan_out_recipients (
  fan_out_id text not null references event_fan_outs (fan_out_id),
  organization_id text not null references organizations (organization_id),
  told_at timestamptz not null,
  constraint event_fan_out_recipients_pkey primary key (fan_out_id, organization_id)
);
call sluice_protect('event_fan_out_recipients');

-- The figures of a deal's demand that its owner was told last.
create table deal_demands (
  deal_id text not null references securitization_deals (deal_id),
  organization_id text not null references organizations (organization_id),
  tranches jsonb not null,
  told_at timestamptz not null,
  constraint deal_demands_pkey primary key (deal_id)
);
call sluice_protect('deal_demands');

-- When the investor was told that its response deadline is near. Those that have expired or were decided are never told.
alter table allocations add column expiry_told_at timestamptz;
create index allocations_expiring on allocations (expires_at, allocation_id) where status = 'ISSUED' and expiry_told_at is null;

-- Who watches a deal is told of its moves on the market.
create index watchlist_deal on watchlist (deal_id);
