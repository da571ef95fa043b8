-- The loans of live pools and of outside pledges, each with its identity and its fingerprints. A pool claims its loans: an identity has one
-- live claim, and another one only where a lender gave the id to a second loan (generation). An outside pledge is no claim.
create table encumbered_loans (
  -- A pool or an outside pledge.
  holder_id text not null,
  -- That of its holder: a reference of its own would be looked up a million times for a large pool.
  organization_id text not null,
  row_no integer not null,
  generation smallint,
  -- Digest of organization, loan type, loan id and number within the tape; null where a pledge names a loan that no tape of ours has.
  identity uuid,
  loan_id text,
  original_balance numeric,
  origination_date date,
  balance numeric,
  -- Keyed digests, which meet those of other organizations' loans.
  vin uuid,
  property uuid,
  contract_number uuid,
  invoice uuid,
  constraint encumbered_loans_pkey primary key (holder_id, row_no),
  constraint encumbered_loans_claimed_have_identity check (generation is null or identity is not null)
);
create unique index encumbered_loans_one_claim on encumbered_loans (identity, generation) where generation is not null;
create index encumbered_loans_reused on encumbered_loans (organization_id, identity) where generation > 0;
create index encumbered_loans_pledged on encumbered_loans (identity) where generation is null and identity is not null;
create index encumbered_loans_vin on encumbered_loans (vin) where vin is not null;
create index encumbered_loans_property on encumbered_loans (property) where property is not null;
create index encumbered_loans_contract on encumbered_loans (contract_number) where contract_number is not null;
create index encumbered_loans_invoice on encumbered_loans (invoice) where invoice is not null;
call sluice_protect('encumbered_loans');
-- The same condition as everywhere, read once for a statement and not once for a row.
alter policy tenant on encumbered_loans
  using (organization_id = (select nullif(current_setting('sluice.organization', true), '')) or (select current_setting('sluice.scope', true) = 'platform'))
  with check (organization_id = (select nullif(current_setting('sluice.organization', true), '')) or (select current_setting('sluice.scope', true) = 'platform'));

-- Pools from before have no rows above until a worker has written them: encumbered_at says when. The fingerprints of a pool are compared
-- with those of others afterwards (compared_at), and again when the key of the fingerprints has changed.
alter table pools
  add column encumbered_at timestamptz,
  add column compared_at timestamptz,
  add column fingerprint_key text,
  add column fingerprinted jsonb;
create index pools_unencumbered on pools (organization_id) where encumbered_at is null and status <> 'CANCELLED';
drop table pool_claims;

-- Pledges of loans outside the platform, as their owner reports them.
create table outside_pledges (
  pledge_id text not null,
  organization_id text not null references organizations (organization_id),
  pledgee text not null,
  loan_type text not null,
  as_of date not null,
  deal_id text references deals (deal_id),
  status text not null check (status in ('LIVE', 'RELEASED')),
  matched integer not null,
  unmatched integer not null,
  -- The list of loans as it was sent, encrypted in the object store; null for a whole deal.
  source_key text,
  fingerprint_key text not null,
  compared_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  released_at timestamptz,
  constraint outside_pledges_pkey primary key (pledge_id)
);
create index outside_pledges_created on outside_pledges (organization_id, created_at desc, pledge_id desc);
call sluice_protect('outside_pledges');

-- Loans that two holders have, one row for each side, so that an owner reads its own side alone.
create table pledge_conflicts (
  conflict_id text not null,
  organization_id text not null references organizations (organization_id),
  holder_id text not null,
  -- The same on both sides; says nothing about who they are.
  pair text not null,
  loan_type text not null,
  status text not null check (status in ('OPEN', 'RESOLVED', 'CLEARED')),
  count integer not null,
  balance numeric(24,2) not null,
  met text[] not null,
  first_seen timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  resolved_by text,
  reason text,
  constraint pledge_conflicts_pkey primary key (conflict_id, holder_id)
);
create unique index pledge_conflicts_one_open on pledge_conflicts (pair, holder_id) where status = 'OPEN';
create index pledge_conflicts_own on pledge_conflicts (organization_id, first_seen desc, conflict_id desc);
create index pledge_conflicts_holder on pledge_conflicts (holder_id) where status = 'OPEN';
call sluice_protect('pledge_conflicts');

create table pledge_conflict_loans (
  conflict_id text not null,
  organization_id text not null references organizations (organization_id),
  holder_id text not null,
  row_no integer not null,
  loan_id text,
  balance numeric,
  met text[] not null,
  -- The loan of the other side that it met has the same number.
  pair_no integer not null,
  constraint pledge_conflict_loans_pkey primary key (conflict_id, holder_id, row_no),
  constraint pledge_conflict_loans_conflict_fkey foreign key (conflict_id, holder_id) references pledge_conflicts (conflict_id, holder_id)
);
call sluice_protect('pledge_conflict_loans');
