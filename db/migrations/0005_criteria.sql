-- Selection criteria: immutable versions, runs, exception files and waivers.

create table criteria (
  criteria_id text primary key,
  organization_id text not null references organizations,
  name text not null,
  loan_type text not null,
  latest_version integer not null default 1,
  created_at timestamptz not null default sluice_now()
);
create index criteria_organization on criteria (organization_id, created_at desc, criteria_id desc);
call sluice_protect('criteria');

create table criteria_versions (
  criteria_id text not null references criteria,
  version integer not null,
  organization_id text not null,
  definition jsonb not null,
  created_at timestamptz not null default sluice_now(),
  primary key (criteria_id, version)
);
call sluice_protect('criteria_versions');
create trigger criteria_versions_immutable before update or delete on criteria_versions for each row execute function sluice_refuse();

create table sc_jobs (
  sc_job_id text primary key,
  organization_id text not null,
  deal_id text not null references deals,
  criteria_id text not null,
  criteria_version integer not null,
  tape_version integer not null,
  status text not null check (status in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
  run integer not null default 1,
  passed integer,
  failed integer,
  waived integer,
  total integer,
  passed_balance numeric(24, 2),
  failed_balance numeric(24, 2),
  result jsonb,
  outcomes_key text,
  exception_file_id text,
  error text,
  run_at timestamptz,
  created_at timestamptz not null default sluice_now()
);
create unique index sc_jobs_one_live on sc_jobs (organization_id, deal_id, criteria_id, criteria_version) where status in ('PENDING', 'RUNNING');
create index sc_jobs_deal on sc_jobs (organization_id, deal_id, created_at desc, sc_job_id desc);
call sluice_protect('sc_jobs');

create table exception_files (
  exception_file_id text primary key,
  organization_id text not null,
  deal_id text not null,
  sc_job_id text not null references sc_jobs,
  exception_count integer not null,
  created_at timestamptz not null default sluice_now()
);
create index exception_files_organization on exception_files (organization_id, created_at desc, exception_file_id desc);
call sluice_protect('exception_files');

create table waivers (
  waiver_id text primary key,
  organization_id text not null,
  deal_id text not null,
  exception_file_id text not null references exception_files,
  criteria_id text not null,
  rule_id text not null,
  loan_ids text[] not null,
  reason text not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'APPROVED', 'DENIED')),
  requested_by text not null,
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null default sluice_now(),
  constraint waivers_second_person check (decided_by is null or decided_by <> requested_by)
);
create index waivers_organization on waivers (organization_id, deal_id, created_at desc);
create index waivers_status on waivers (status, created_at desc, waiver_id desc);
call sluice_protect('waivers');
