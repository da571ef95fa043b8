-- What happened (30 days, by partition) and what an organization should look at.

create table events (
  event_id text not null,
  organization_id text not null,
  event text not null,
  data jsonb not null,
  -- The exact bytes that every receiver gets, made once.
  body bytea not null,
  at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (created_at, event_id)
) partition by range (created_at);
create index events_organization on events (organization_id, event_id);
create table events_default partition of events default;
call sluice_protect('events');
call sluice_protect('events_default');

create table alerts (
  alert_id text primary key,
  organization_id text not null,
  type text not null,
  category text not null,
  priority text not null check (priority in ('LOW', 'MEDIUM', 'HIGH', 'CRITICAL')),
  status text not null default 'UNREAD' check (status in ('UNREAD', 'READ', 'ARCHIVED')),
  title text not null,
  message text not null,
  entity_type text,
  entity_id text,
  event_id text,
  read_at timestamptz,
  created_at timestamptz not null default sluice_now(),
  constraint alerts_one_per_event unique (organization_id, event_id)
);
create index alerts_organization on alerts (organization_id, created_at desc, alert_id desc);
create index alerts_status on alerts (organization_id, status, created_at desc, alert_id desc);
call sluice_protect('alerts');
