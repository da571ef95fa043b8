-- What a key is for, when it was used, and what narrows it: null scopes are all that its role may do, null networks every address.
alter table keys
  add column label text,
  add column last_used_at timestamptz,
  add column scopes text[],
  add column networks text[],
  add column rotation_requested_at timestamptz,
  add column rotation_requested_by text,
  add column rotation_reason text,
  add constraint keys_scopes_named check (cardinality(scopes) > 0),
  add constraint keys_networks_named check (cardinality(networks) > 0);
