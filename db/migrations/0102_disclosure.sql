-- What the owner of a pool discloses of its loans to the investors that see its deal.
alter table pools
  add column disclosure_level text not null default 'AGGREGATE',
  add column disclosed_fields text[] not null default '{}',
  -- Incremented with every change of the disclosure; 0 before the first.
  add column disclosure_version integer not null default 0,
  add constraint pools_disclosure check (disclosure_level in ('AGGREGATE', 'LOAN_LEVEL')),
  add constraint pools_disclosed_fields check (disclosure_level = 'AGGREGATE' or disclosed_fields <> '{}');

-- Who outside an organization read its records: loans that it discloses, and what the operator looks at.
create table record_accesses (
  access_id bigint generated always as identity primary key,
  -- The owner of the record, who may read the log.
  organization_id text not null references organizations,
  reader_id text not null references organizations,
  key_id text not null,
  act text not null check (act in ('READ', 'DOWNLOADED')),
  entity_type text not null,
  entity_id text not null,
  -- The part of the record, such as loans.
  what text not null,
  details jsonb not null default '{}',
  at timestamptz not null
);
create index record_accesses_owner on record_accesses (organization_id, access_id desc);
create index record_accesses_entity on record_accesses (organization_id, entity_id, access_id desc);
create index record_accesses_at on record_accesses (at);
call sluice_protect('record_accesses');
-- A reader writes its own reading into the log and cannot read it.
create policy market on record_accesses for insert
  with check (sluice_in_market() and reader_id = current_setting('sluice.organization', true));

-- The operator's list of jobs.
create index tapes_created on tapes (created_at desc);
create index bulk_jobs_created on bulk_jobs (created_at desc);
