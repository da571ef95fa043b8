-- The loan table that a run judged: a tape that is mapped anew gets another one under the same version.
alter table sc_jobs add column loans_key text;
