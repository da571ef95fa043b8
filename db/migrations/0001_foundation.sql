-- The clock, tenancy, organizations, keys, audit, idempotency and limits.

do $$ begin
  if not exists (select 1 from pg_roles where rolname = 'sluice_app') then
    create role sluice_app nologin nobypassrls;
  end if;
exception when insufficient_privilege or duplicate_object then null;
end $$;

do $$ begin
  if exists (select 1 from pg_roles where rolname = 'sluice_app') then
    execute format('grant sluice_app to %I', current_user);
    grant usage on schema public to sluice_app;
    alter default privileges in schema public grant select, insert, update, delete on tables to sluice_app;
    alter default privileges in schema public grant usage, select on sequences to sluice_app;
    grant select on schema_migrations to sluice_app;
  end if;
exception when insufficient_privilege or invalid_grant_operation then null;
end $$;

-- One clock for all processes: the database's, plus what a sandbox advanced it by.
create table platform_clock (singleton boolean primary key default true check (singleton), advanced interval not null default '0');
insert into platform_clock default values;
create function sluice_now() returns timestamptz language sql stable parallel safe
  as $$ select now() + (select advanced from platform_clock) $$;

-- Who may see a row: its organization, or the platform (workers, the operator).
create function sluice_sees(owner text) returns boolean language sql stable parallel safe
  as $$ select owner = nullif(current_setting('sluice.organization', true), '') or current_setting('sluice.scope', true) = 'platform' $$;

create procedure sluice_protect(target regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy tenant on %s using (sluice_sees(organization_id)) with check (sluice_sees(organization_id))', target);
end $$;

create table organizations (
  organization_id text primary key,
  name text not null,
  roles text[] not null default '{}',
  environments text[] not null default '{}',
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  profile jsonb,
  created_at timestamptz not null default sluice_now(),
  constraint organizations_name_key unique (name)
);
call sluice_protect('organizations');

create table keys (
  key_id text primary key,
  organization_id text not null references organizations,
  role text not null check (role in ('originator', 'investor', 'both', 'operator')),
  environment text not null check (environment in ('development', 'staging', 'production')),
  requester text not null,
  use_case text not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  rotated_from text,
  created_at timestamptz not null default sluice_now()
);
create index keys_organization on keys (organization_id, created_at desc, key_id desc);
call sluice_protect('keys');

-- Append-only: each entry carries the hash of the one before.
create table audit_log (
  sequence bigint primary key,
  entry_id text not null unique,
  organization_id text not null,
  actor text not null,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  before jsonb,
  after jsonb,
  reason text,
  at timestamptz not null,
  previous_hash text not null,
  hash text not null
);
create index audit_log_organization on audit_log (organization_id, sequence desc);
create index audit_log_entity on audit_log (entity_id, sequence desc);
call sluice_protect('audit_log');
create function sluice_refuse() returns trigger language plpgsql as $$
begin raise exception '% is append-only', tg_table_name; end $$;
create trigger audit_log_append_only before update or delete on audit_log for each row execute function sluice_refuse();
-- The chain's last link: every writer takes it under a lock. Insertion itself is allowed under any organization's scope.
create table audit_head (singleton boolean primary key default true check (singleton), sequence bigint not null, hash text not null);
insert into audit_head (sequence, hash) values (0, repeat('0', 64));

create table idempotency_keys (
  organization_id text not null,
  key text not null,
  request_hash text not null,
  status integer not null,
  body jsonb not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
call sluice_protect('idempotency_keys');

-- Lost on a crash of the database, like any window: never a reason to wait for a disk.
create unlogged table rate_windows (
  subject text primary key,
  started_at timestamptz not null,
  used integer not null
) with (fillfactor = 50);
