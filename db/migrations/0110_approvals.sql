-- Acts of operators that need several people.
create table approval_policy (
  act text primary key,
  needed integer not null default 1 check (needed between 1 and 3)
);
insert into approval_policy (act) values
  ('DEAL_APPROVE'), ('DEAL_REJECT'), ('POOL_ISSUE'), ('ALLOCATE'), ('SETTLE'), ('MARK_PUBLISH'), ('PROFILE_SET'), ('WAIVER'),
  ('KEY_ISSUE'), ('REMITTANCE_ACCEPT'), ('POLICY_SET'), ('MEMBER_SET');
-- Every transaction reads it: an act must never pass because its scope hides how many people it needs. Only the platform's change it.
alter table approval_policy enable row level security;
alter table approval_policy force row level security;
create policy readable on approval_policy for select using (true);
create policy changeable on approval_policy for update using ((select current_setting('sluice.scope', true)) = 'platform');

-- A request for such an act, kept until enough people have approved it.
create table approvals (
  approval_id text primary key,
  -- Of who asked.
  organization_id text not null references organizations,
  act text not null references approval_policy,
  operation text not null,
  params jsonb not null,
  body jsonb not null,
  -- The same request is there once while it waits.
  request_hash text not null,
  entity_id text,
  status text not null default 'PENDING' check (status in ('PENDING', 'DONE', 'DENIED', 'EXPIRED', 'FAILED')),
  needed integer not null check (needed between 2 and 3),
  requested_by text not null,
  -- The person across organizations; null where a key asked.
  requested_identity text,
  created_at timestamptz not null default sluice_now(),
  updated_at timestamptz not null default sluice_now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  result jsonb,
  failure jsonb,
  token_fetched_at timestamptz,
  check (status <> 'PENDING' or ended_at is null),
  check (status = 'FAILED' or failure is null)
);
create unique index approvals_one_pending on approvals (request_hash) where status = 'PENDING';
create index approvals_newest on approvals (created_at desc, approval_id desc);
create index approvals_due on approvals (expires_at) where status = 'PENDING';
create index approvals_organization on approvals (organization_id);
call sluice_protect('approvals');

-- What people have said to it, each once.
create table approval_decisions (
  approval_id text not null references approvals,
  identity text not null,
  -- Belongs to the organization of the member who decided, which may be another operator's.
  organization_id text not null references organizations,
  member_id text not null references members,
  decision text not null check (decision in ('APPROVED', 'DENIED')),
  reason text,
  at timestamptz not null default sluice_now(),
  primary key (approval_id, identity)
);
create index approval_decisions_organization on approval_decisions (organization_id);
create index approval_decisions_member on approval_decisions (member_id);
call sluice_protect('approval_decisions');
