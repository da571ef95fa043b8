-- Loan deals, their tapes, uploads, bulk jobs and remembered mappings.

create table deals (
  deal_id text primary key,
  organization_id text not null references organizations,
  name text not null,
  loan_type text not null,
  status text not null check (status in ('DRAFT', 'IN_REVIEW', 'QC_COMPLETED', 'APPROVED', 'REJECTED', 'EXPIRED', 'WITHDRAWN')),
  tape_version integer,
  -- The organization's deal of a bulk job skips DRAFT.
  bulk_job_id text,
  expiry_alerted_at timestamptz,
  created_at timestamptz not null default sluice_now(),
  updated_at timestamptz not null default sluice_now()
);
create unique index deals_one_draft on deals (organization_id, loan_type) where status = 'DRAFT';
create index deals_organization on deals (organization_id, created_at desc, deal_id desc);
create index deals_status on deals (status, created_at desc, deal_id desc);
call sluice_protect('deals');

create table deal_history (
  deal_id text not null references deals on delete cascade,
  organization_id text not null,
  sequence integer not null,
  from_status text,
  to_status text not null,
  at timestamptz not null default sluice_now(),
  actor text not null,
  reason_code text,
  reason text,
  primary key (deal_id, sequence)
);
call sluice_protect('deal_history');

create table uploads (
  upload_id text primary key,
  organization_id text not null,
  purpose text not null check (purpose in ('tape', 'bulk', 'document')),
  deal_id text,
  file_key text not null,
  file_name text not null,
  content_type text,
  declared_size bigint,
  max_bytes bigint not null,
  -- Raised by every refresh, so that an older address stops working.
  generation integer not null default 1,
  expires_at timestamptz not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'UPLOADED', 'COMPLETED')),
  -- Where the bytes of the last whole upload are; a new PUT writes a new object.
  object_key text,
  size bigint,
  sha256 text,
  document_type text,
  mode text,
  created_at timestamptz not null default sluice_now(),
  constraint uploads_file_key unique (file_key)
);
create index uploads_deal on uploads (deal_id, created_at desc);
call sluice_protect('uploads');

create table tapes (
  deal_id text not null references deals on delete cascade,
  version integer not null,
  organization_id text not null,
  upload_id text,
  file_name text not null,
  format text not null check (format in ('csv', 'xlsx', 'inline')),
  mode text not null default 'REPLACE' check (mode in ('REPLACE', 'MERGE')),
  object_key text not null,
  size bigint not null,
  sha256 text not null,
  -- RUNNING until the checks end; the run's id fences a worker that was taken over.
  state text not null check (state in ('RUNNING', 'NEEDS_MAPPING', 'DONE', 'FAILED')),
  run integer not null default 1,
  mapping_id text,
  overrides jsonb not null default '[]',
  mapping jsonb,
  rows integer not null default 0,
  accepted integer not null default 0,
  rejected integer not null default 0,
  total_balance numeric(24, 2) not null default 0,
  balance_basis text,
  errors integer not null default 0,
  warnings integer not null default 0,
  as_of_date date,
  findings jsonb not null default '{}',
  loans_key text,
  raw_key text,
  issues_key text,
  created_at timestamptz not null default sluice_now(),
  completed_at timestamptz,
  primary key (deal_id, version)
);
create index tapes_organization on tapes (organization_id, created_at desc);
call sluice_protect('tapes');

create table mappings (
  organization_id text not null,
  loan_type text not null,
  mapping_id text not null,
  entries jsonb not null,
  updated_at timestamptz not null default sluice_now(),
  primary key (organization_id, loan_type)
);
call sluice_protect('mappings');

create table bulk_jobs (
  job_id text primary key,
  organization_id text not null,
  status text not null check (status in ('PENDING', 'PROCESSING', 'COMPLETED', 'PARTIALLY_COMPLETED', 'FAILED')),
  total integer not null,
  created_at timestamptz not null default sluice_now(),
  completed_at timestamptz
);
create index bulk_jobs_organization on bulk_jobs (organization_id, created_at desc, job_id desc);
call sluice_protect('bulk_jobs');

create table bulk_items (
  job_id text not null references bulk_jobs,
  item integer not null,
  organization_id text not null,
  loan_type text not null,
  name text not null,
  format text not null,
  object_key text not null,
  file_name text not null,
  size bigint not null,
  sha256 text not null,
  deal_id text,
  error_code text,
  error_message text,
  primary key (job_id, item)
);
create index bulk_items_deal on bulk_items (deal_id);
call sluice_protect('bulk_items');
