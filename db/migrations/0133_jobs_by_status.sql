-- The status of the checks of a tape follows from its state, and was looked for in all tapes. Totals of both kinds of jobs are kept, and those of pools.
alter table tapes add column job_status text not null generated always as (
  case state when 'RUNNING' then case when attempts > 0 then 'PROCESSING' else 'PENDING' end when 'FAILED' then 'FAILED' else 'COMPLETED' end) stored;
create index tapes_job_status on tapes (job_status, created_at desc);
create index bulk_jobs_status on bulk_jobs (status, created_at desc);
call sluice_keep_totals('tapes', 'job_status');
call sluice_keep_totals('bulk_jobs', 'status');
call sluice_keep_totals('pools', 'status', 'loan_type');
