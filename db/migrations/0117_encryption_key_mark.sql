-- A text sealed by the encryption key under which this database is sealed: a process with another key refuses to start. Null once the
-- operator has given a lost key up: the next process that starts writes its own.
create table encryption_key_mark (
  only_row boolean primary key default true check (only_row),
  sealed text
);
