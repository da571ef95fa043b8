-- Entries of the audit log come into being by one function, which computes their links; the gateway's own role reads, no more.

-- 1: linked by the gateway (JSON of the gateway's making); 2: linked by sluice_audit_append.
alter table audit_log add column hash_version smallint not null default 1;

create trigger audit_log_no_truncate before truncate on audit_log for each statement execute function sluice_refuse();
create trigger audit_head_stays before delete or truncate on audit_head for each statement execute function sluice_refuse();

-- Signed heads of the log. A row is claimed first and stored as an object next, so that two processes never make different ones.
create table audit_checkpoints (
  key text not null,
  number integer not null check (number > 0),
  sequence bigint not null,
  hash text not null,
  at timestamptz not null,
  signature text not null,
  stored_at timestamptz,
  primary key (key, number)
);
create trigger audit_checkpoints_stay before delete or truncate on audit_checkpoints for each statement execute function sluice_refuse();

create function sluice_audit_append(entries jsonb) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  head audit_head%rowtype;
  entry jsonb;
  moment timestamptz := date_trunc('milliseconds', sluice_now());
  moment_text text := to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  caller_scope text := current_setting('sluice.scope', true);
  -- links[1] is the hash of the entry before the first.
  links text[];
  link text;
begin
  -- A transaction may act for several organizations: their ids are then separated by commas.
  if coalesce(caller_scope, '') <> 'platform' and exists (select from jsonb_array_elements(entries) each
    where (each ->> 'organization_id' = any (string_to_array(current_setting('sluice.organization', true), ','))) is not true) then
    raise exception 'an audit entry of another organization is refused' using errcode = 'insufficient_privilege';
  end if;
  select * into strict head from audit_head for update;
  -- The entry before may be another organization's.
  perform set_config('sluice.scope', 'platform', true);
  if head.sequence > 0 and not exists (select from audit_log where sequence = head.sequence and hash = head.hash) then
    raise exception 'the audit log does not end with entry % and its hash, as its head says: nothing is appended', head.sequence
      using errcode = 'data_corrupted';
  end if;
  link := head.hash;
  links := array[link];
  for entry in select each from jsonb_array_elements(entries) with ordinality as given (each, place) order by place loop
    link := encode(sha256(convert_to(jsonb_build_array(2, head.sequence + cardinality(links), entry -> 'entry_id', entry -> 'organization_id',
      entry -> 'actor', entry -> 'action', entry -> 'entity_type', entry -> 'entity_id', entry -> 'before', entry -> 'after', entry -> 'reason',
      moment_text, link)::text, 'UTF8')), 'hex');
    links := links || link;
  end loop;
  insert into audit_log (sequence, entry_id, organization_id, actor, action, entity_type, entity_id, before, after, reason, at,
    previous_hash, hash, hash_version)
  select head.sequence + place, each ->> 'entry_id', each ->> 'organization_id', each ->> 'actor', each ->> 'action', each ->> 'entity_type',
    each ->> 'entity_id', nullif(each -> 'before', 'null'), nullif(each -> 'after', 'null'), each ->> 'reason', moment,
    links[place], links[place + 1], 2
  from jsonb_array_elements(entries) with ordinality as given (each, place);
  update audit_head set sequence = head.sequence + cardinality(links) - 1, hash = link;
  perform set_config('sluice.scope', coalesce(caller_scope, ''), true);
  return head.sequence + cardinality(links) - 1;
end $$;
revoke all on function sluice_audit_append(jsonb) from public;

-- How the names of organizations look, as the app folds them: a look belongs to one organization. Organizations of before get theirs with
-- the next new one; where two of them look alike, both stay and the older one has the look.
create table organization_looks (
  look text primary key,
  organization_id text not null references organizations
);
create index organization_looks_organization on organization_looks (organization_id);
call sluice_protect('organization_looks');

do $$ begin
  if exists (select 1 from pg_roles where rolname = 'sluice_app') then
    -- The default privileges of this schema give more.
    revoke all on audit_log, audit_head, audit_checkpoints from sluice_app;
    grant select on audit_log, audit_head, audit_checkpoints to sluice_app;
    grant insert, update (stored_at) on audit_checkpoints to sluice_app;
    grant execute on function sluice_audit_append(jsonb) to sluice_app;
  end if;
end $$;
