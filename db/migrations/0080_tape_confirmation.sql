-- A version of a tape that would lose most of the loans or of the balance in force waits until its owner confirms or drops it.
alter table tapes drop constraint tapes_state_check;
alter table tapes add constraint tapes_state_check
  check (state in ('RUNNING', 'NEEDS_MAPPING', 'NEEDS_CONFIRMATION', 'DONE', 'FAILED', 'DROPPED'));

-- The version that a tape was merged into; null for a tape of its own.
alter table tapes add column merged_into integer;
-- The number of findings by rule, written with the result of the checks; null for results from before this column.
alter table tapes add column by_rule jsonb;
-- How far the running checks have come; null when none run.
alter table tapes add column progress jsonb;
