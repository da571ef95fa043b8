-- Who runs work that an organization may have once at a time. Lost on a crash of the database, as the work is.
create unlogged table compute_leases (
  subject text primary key,
  holder text not null,
  expires_at timestamptz not null
) with (fillfactor = 50);
