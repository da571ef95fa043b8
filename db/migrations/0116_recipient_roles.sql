-- A recipient reads what its maker may. One that is there already keeps what it had: all that its organization may.
alter table share_recipients add column role text not null default 'both' check (role in ('originator', 'investor', 'both'));
alter table share_recipients alter column role drop default;
