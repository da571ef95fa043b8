-- Loans for which a waiver of a rule waits: one at a time.
select set_config('sluice.scope', 'platform', true);

create table pending_waiver_loans (
  organization_id text not null references organizations,
  deal_id text not null,
  criteria_id text not null,
  rule_id text not null,
  -- The version of the tape whose rows the ids number, where its loans have none; 0 elsewhere.
  tape_version integer not null,
  loan_id text not null,
  waiver_id text not null references waivers,
  constraint pending_waiver_loans_once primary key (organization_id, deal_id, criteria_id, rule_id, tape_version, loan_id)
);
create index pending_waiver_loans_waiver on pending_waiver_loans (waiver_id);

-- Of waivers that wait twice for a loan the first one holds it; both can be decided.
insert into pending_waiver_loans (organization_id, deal_id, criteria_id, rule_id, tape_version, loan_id, waiver_id)
select w.organization_id, w.deal_id, w.criteria_id, w.rule_id, g.tape_version, l.loan_id, w.waiver_id
from waivers w
  cross join lateral (
    select case when coalesce(t.mapping::jsonb -> 'mappings' @> '[{"target": "loan_id"}]' or t.mapping::jsonb -> 'mappings' @> '[{"target": "account_id"}]', false)
      then 0 else t.version end as tape_version
    from exception_files f join sc_jobs j using (sc_job_id)
      join tapes t on t.organization_id = j.organization_id and t.deal_id = j.deal_id and t.version = j.tape_version
    where f.exception_file_id = w.exception_file_id) g
  cross join lateral unnest(w.loan_ids) as l (loan_id)
where w.status = 'PENDING'
order by w.created_at, w.waiver_id
on conflict do nothing;

call sluice_protect('pending_waiver_loans');

-- Whoever decides a waiver, a process of the version before included, lets its loans go.
create function sluice_release_waiver() returns trigger language plpgsql as $$
begin
  delete from pending_waiver_loans where waiver_id = new.waiver_id;
  return null;
end $$;
create trigger waivers_release after update of status on waivers for each row
  when (old.status = 'PENDING' and new.status <> 'PENDING') execute function sluice_release_waiver();
