-- Personal data of borrowers are sealed: each tape version has a data key, wrapped by the encryption key of the platform.
alter table tapes
  -- The wrapped data key. With one, object_key names the uploaded file encrypted under it; without one, the file as it was sent (versions
  -- from before this migration until their checks run again), or one that nobody can open any more.
  add column data_key text,
  -- The object with the values of the sealed columns, encrypted under the data key.
  add column sealed_key text,
  -- When the owner had the data key destroyed.
  add column keys_destroyed_at timestamptz,
  add constraint tapes_destroyed_key check (keys_destroyed_at is null or data_key is null);

-- The file of a bulk submission belongs to its tapes once they have sealed it.
alter table bulk_items alter column object_key drop not null;

-- Who else needs a file is looked up when it was sealed.
create index tapes_object on tapes (object_key);
create index bulk_items_object on bulk_items (object_key);
create index uploads_object on uploads (object_key);
