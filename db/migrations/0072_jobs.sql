-- Attempts are counted in the record's own row before the work starts: work that ends its process is given up, not repeated for ever.
alter table tapes
  add column attempts integer not null default 0,
  -- Why the checks ended without a result; null otherwise.
  add column failure text;
create index tapes_running on tapes (deal_id, version) where state = 'RUNNING';

alter table sc_jobs add column attempts integer not null default 0, add column error_code text;

alter table calculations add column attempts integer not null default 0, add column error_code text;
create index calculations_live on calculations (calculation_id) where status in ('PENDING', 'RUNNING');

-- Who submitted the job: its deals name the submitter in their history, also when the job is queued again.
alter table bulk_jobs add column attempts integer not null default 0, add column actor text;
create index bulk_jobs_live on bulk_jobs (job_id) where status in ('PENDING', 'PROCESSING');

-- What earlier versions kept: the reason of failed checks among their findings, and texts of the engine and of the system as errors.
select set_config('sluice.scope', 'platform', true);
update tapes set failure = findings->'tape'->0->>'message' where state = 'FAILED';
update sc_jobs set error_code = 'RUN_FAILED', error = 'The run ended without a result. Start it again; if it fails again, quote the run’s id to the operator.'
  where status = 'FAILED';
update calculations set error_code = 'CALCULATION_FAILED', error = 'Something went wrong on our side. Quote the calculation id to the operator.'
  where status = 'FAILED' and error ~ '[/\\]|Error';

-- Start-time fair queueing over organizations: the tag of each organization's newest job per queue, and of the queue's job that started last.
create table job_turns (
  organization_id text not null,
  queue text not null,
  tag integer not null,
  primary key (organization_id, queue)
);
call sluice_protect('job_turns');
create table job_clocks (
  queue text primary key,
  tag integer not null
);
