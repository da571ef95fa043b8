-- A recipient reads what its maker may. One that is there already keeps what it had: all that its organization may. So has one that a process
-- of the version before makes, which names no role.
alter table share_recipients add column role text not null default 'both' check (role in ('originator', 'investor', 'both'));
