-- A statement that books entries leaves every journal balanced: whoever books a journal writes all of it in one. Judged by the new entries alone,
-- once for all of them, since a journal that balanced before goes on balancing with entries that do; a check of each entry at the commit took
-- seconds where a report pays many holders.
drop trigger ledger_entries_balance on ledger_entries;
drop function sluice_balanced_journal();

create function sluice_balanced_journals() returns trigger language plpgsql as $$
declare unbalanced record;
begin
  select journal_id, account || coalesce(' ' || tranche_id, '') || ' by ' || sum(amount) as what into unbalanced
  from booked group by journal_id, account, tranche_id having sum(amount) <> 0 limit 1;
  if found then
    raise exception 'journal % does not balance: %', unbalanced.journal_id, unbalanced.what
      using errcode = '23514', constraint = 'ledger_entries_balance';
  end if;
  return null;
end $$;
create trigger ledger_entries_balance after insert on ledger_entries
  referencing new table as booked for each statement execute function sluice_balanced_journals();
