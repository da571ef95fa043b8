-- People: members of organizations, who sign in through an identity provider, and their sessions.
create table members (
  member_id text primary key,
  organization_id text not null references organizations,
  -- In lower case. At the first sign-in the provider's verified address finds the member, afterwards its subject does.
  email text not null check (email = lower(email)),
  name text not null,
  rights text[] not null check (cardinality(rights) > 0 and rights <@ array['ADMIN', 'EDIT', 'APPROVE', 'VIEW']),
  status text not null default 'INVITED' check (status in ('INVITED', 'ACTIVE', 'SUSPENDED')),
  issuer text,
  subject text,
  -- Who invited: a member, or the command line of the host.
  invited_by text not null,
  created_at timestamptz not null default sluice_now(),
  updated_at timestamptz not null default sluice_now(),
  last_sign_in_at timestamptz,
  -- The row stays: the audit log and records name the member.
  removed_at timestamptz,
  check ((issuer is null) = (subject is null)),
  check (status <> 'ACTIVE' or subject is not null)
);
create unique index members_email on members (organization_id, email) where removed_at is null;
create unique index members_subject on members (organization_id, issuer, subject) where removed_at is null and subject is not null;
create index members_person on members (issuer, subject) where removed_at is null;
create index members_address on members (email) where removed_at is null;
create index members_organization on members (organization_id, created_at desc, member_id desc);
call sluice_protect('members');

-- A browser in which a person is signed in. The cookie's value is not stored, only its hash.
create table sessions (
  session_hash text primary key,
  issuer text not null,
  subject text not null,
  -- The member as whom the person acts; null until one with several organizations has chosen.
  organization_id text references organizations,
  member_id text references members,
  csrf text not null,
  -- The provider's token of the sign-in, encrypted: sign-out hands it back.
  id_token bytea,
  -- Real time: the platform's clock may be ahead of it in a sandbox.
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check ((organization_id is null) = (member_id is null))
);
create index sessions_person on sessions (issuer, subject);
create index sessions_member on sessions (member_id);
create index sessions_ends on sessions (expires_at);
call sluice_protect('sessions');

-- Sign-ins under way, each good for one callback.
create table sign_ins (
  state_hash text primary key,
  nonce text not null,
  code_verifier text not null,
  return_to text not null,
  -- Belongs to no organization: only the platform reaches it.
  organization_id text check (organization_id is null),
  created_at timestamptz not null default now()
);
call sluice_protect('sign_ins');

-- Those who act are keys or members.
alter table record_accesses rename column key_id to actor_id;
alter table document_accesses rename column key_id to actor_id;
alter table request_log rename column key_id to actor_id;
