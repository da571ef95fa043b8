-- Credentials of programs that read an organization's loan tables over Delta Sharing.
create table share_recipients (
  recipient_id text primary key,
  organization_id text not null references organizations,
  name text not null,
  -- The token is not stored.
  token_hash text not null,
  -- Deals whose tables it reads; null: of all that its organization may read.
  deal_ids text[] check (cardinality(deal_ids) > 0),
  -- The key or member that made it: the access logs of owners name it.
  created_by text not null,
  created_at timestamptz not null default sluice_now(),
  -- Real time, as that of keys.
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create unique index share_recipients_token on share_recipients (token_hash);
create unique index share_recipients_one_name on share_recipients (organization_id, name) where revoked_at is null;
create index share_recipients_newest on share_recipients (organization_id, created_at desc, recipient_id desc);
call sluice_protect('share_recipients');

-- Disclosed loans of a deal as a Parquet file, made when they are first asked for.
create table shared_files (
  -- Hash of what the file was made from.
  file_id text primary key,
  -- The owner of the pool.
  organization_id text not null references organizations,
  pool_id text not null references pools,
  loans_key text not null,
  disclosure_version integer not null,
  object_key text not null unique,
  created_at timestamptz not null default now()
);
create index shared_files_pool on shared_files (pool_id);
create index shared_files_old on shared_files (created_at);
create index shared_files_organization on shared_files (organization_id);
call sluice_protect('shared_files');

-- Versions of a pool's tables: they count the changes of its loans and of its months.
alter table pools add column loans_version integer not null default 0, add column months_version integer not null default 0;

-- The policy of approvals stays too: the requests for approval name its acts.
create or replace function sluice_reset_sandbox() returns void language plpgsql security definer
  set search_path = public, pg_temp set lock_timeout = '10s' as $$
declare emptied text;
begin
  perform sluice_require_sandbox();
  select string_agg(format('%I', c.relname), ', ') into emptied from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> all (array['organizations', 'organization_looks', 'keys', 'schema_migrations', 'platform_clock', 'rate_windows', 'kept_totals', 'list_totals', 'list_total_changes', 'approval_policy']) and c.relname not like 'audit\_%';
  execute format('truncate %s cascade', emptied);
  update approval_policy set needed = 1 where needed <> 1;
  delete from list_totals where list not like 'audit\_%';
  delete from list_total_changes where list not like 'audit\_%';
  update platform_clock set advanced = '0';
end $$;
-- A sandbox that was reset before has none.
alter table approval_policy no force row level security;
insert into approval_policy (act) values
  ('DEAL_APPROVE'), ('DEAL_REJECT'), ('POOL_ISSUE'), ('ALLOCATE'), ('SETTLE'), ('MARK_PUBLISH'), ('PROFILE_SET'), ('WAIVER'),
  ('KEY_ISSUE'), ('REMITTANCE_ACCEPT'), ('POLICY_SET'), ('MEMBER_SET') on conflict do nothing;
alter table approval_policy force row level security;
