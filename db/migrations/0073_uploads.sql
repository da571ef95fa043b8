-- Uploads: one sender at a time, a bound on the unfinished ones, and every object that is no longer wanted named until it is deleted.

alter table uploads
  -- The PUT that is sending bytes; it renews its lease while they arrive, and a killed process lets it lapse.
  add column receiver text,
  add column receiver_until timestamptz,
  -- The object that this PUT writes: not the upload's content before the whole body has arrived.
  add column receiving_key text;

create index uploads_unfinished on uploads (organization_id, expires_at) where status <> 'COMPLETED';

-- Objects that lost their last row; housekeeping deletes them from the store and then here.
create table removed_objects (
  object_key text primary key,
  organization_id text not null,
  removed_at timestamptz not null default now()
);
call sluice_protect('removed_objects');

create function sluice_note_removed_objects() returns trigger language plpgsql as $$
declare gone text;
begin
  foreach gone in array array_remove(array[old.object_key, old.receiving_key], null) loop
    if tg_op = 'UPDATE' then
      continue when gone = new.object_key or gone = new.receiving_key;
    end if;
    -- The bytes of a completed upload belong to its tape, bulk job or document.
    continue when old.status = 'COMPLETED' and gone = old.object_key;
    insert into removed_objects (object_key, organization_id) values (gone, old.organization_id) on conflict do nothing;
  end loop;
  return null;
end $$;

create trigger uploads_note_removed_objects after update of object_key, receiving_key or delete on uploads
  for each row execute function sluice_note_removed_objects();

-- When the files of the store were last compared with the rows that name them.
create table file_sweeps (singleton boolean primary key default true check (singleton), swept_at timestamptz not null);
