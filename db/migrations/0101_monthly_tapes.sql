-- Tapes that the servicer of an issued pool sends for its payment periods, what became of the loans in each, and when tapes are due.
select set_config('sluice.scope', 'platform', true);

alter table uploads drop constraint uploads_purpose_check;
alter table uploads add constraint uploads_purpose_check
  check (purpose in ('tape', 'bulk', 'document', 'profile', 'pool_tape'));
alter table uploads add column pool_id text, add column period integer;
create index uploads_pool on uploads (pool_id, period, created_at desc) where pool_id is not null;

create table pool_tapes (
  organization_id text not null references organizations,
  pool_id text not null references pools,
  period integer not null check (period >= 1),
  -- Files that were sent for the period so far.
  version integer not null,
  upload_id text not null,
  file_name text not null,
  format text not null check (format in ('csv', 'xlsx', 'parquet')),
  size bigint not null,
  sha256 text not null,
  state text not null check (state in ('RUNNING', 'NEEDS_MAPPING', 'DONE', 'FAILED')),
  run integer not null default 1,
  attempts integer not null default 0,
  failure text,
  mapping_id text,
  overrides jsonb not null default '[]',
  sent_by text,
  mapped_by text,
  mapping jsonb,
  rows integer not null default 0,
  accepted integer not null default 0,
  rejected integer not null default 0,
  errors integer not null default 0,
  warnings integer not null default 0,
  by_rule jsonb,
  findings jsonb not null default '{}',
  as_of_date date,
  raw_key text,
  read_issues_key text,
  loans_key text,
  issues_key text,
  created_at timestamptz not null,
  completed_at timestamptz,
  updated_at timestamptz not null,
  constraint pool_tapes_pkey primary key (pool_id, period)
);
create index pool_tapes_running on pool_tapes (pool_id, period) where state = 'RUNNING';
call sluice_protect('pool_tapes');

-- The loans of a pool after a period, as the tape in force for it has them.
create table pool_months (
  organization_id text not null references organizations,
  pool_id text not null references pools,
  period integer not null,
  version integer not null,
  -- The period of the tape that it was compared with, 0 for the loans at closing, and the months in between.
  compared_with integer not null,
  months integer not null,
  reported_on date,
  matched integer not null,
  strangers integer not null,
  figures jsonb not null,
  rolls jsonb not null,
  vintages jsonb not null,
  loans_key text not null,
  created_at timestamptz not null,
  constraint pool_months_pkey primary key (pool_id, period)
);
call sluice_protect('pool_months');
create policy market on pool_months for select using (
  (select sluice_in_market()) and exists (select from securitization_deals d where d.pool_id = pool_months.pool_id));


alter table pools add column tape_due_business_day smallint check (tape_due_business_day between 1 and 20);
create index pools_tape_due on pools (pool_id) where tape_due_business_day is not null;

-- A period is told once as late.
create table late_tapes (
  organization_id text not null references organizations,
  pool_id text not null references pools,
  period integer not null,
  due_date date not null,
  told_at timestamptz not null,
  constraint late_tapes_pkey primary key (pool_id, period)
);
call sluice_protect('late_tapes');
