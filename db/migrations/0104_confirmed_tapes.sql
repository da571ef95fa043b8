-- A monthly tape on which most of the loans that owed are missing waits for its owner.
alter table pool_tapes drop constraint pool_tapes_state_check;
alter table pool_tapes add constraint pool_tapes_state_check
  check (state in ('RUNNING', 'NEEDS_MAPPING', 'NEEDS_CONFIRMATION', 'DONE', 'FAILED'));
alter table pool_tapes add column confirmed_at timestamptz;
