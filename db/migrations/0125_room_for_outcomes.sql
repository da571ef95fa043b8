-- A delivery is written twice: when it is queued and when its attempt has ended. Those of a page end together, so the page needs room for all of
-- them: a row that finds none moves, and each of its indexes gets another entry.
do $$
declare part regclass;
begin
  execute replace(pg_get_functiondef('sluice_partition_upkeep()'::regprocedure), 'fillfactor = 80', 'fillfactor = 50');
  for part in select inhrelid::regclass from pg_inherits where inhparent = 'webhook_deliveries'::regclass loop
    execute format('alter table %s set (fillfactor = 50)', part);
  end loop;
end $$;
