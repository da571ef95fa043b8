-- The fingerprints of a holder's loans, gathered by their first 16 bits: a million of them are some ten thousand rows, written in the
-- order of their index, where a row with an index entry of its own for each cost five times as much. Two holders have a loan in common
-- where the lists of a block overlap.
select set_config('sluice.scope', 'platform', true);
create table loan_fingerprints (
  holder_id text not null,
  -- That of its holder.
  organization_id text not null,
  kind text not null,
  block integer not null,
  -- Keyed digests, which meet those of other organizations' loans, and the rows of the loans among those of the holder, in one order.
  digests uuid[] not null,
  row_nos integer[] not null,
  constraint loan_fingerprints_pkey primary key (kind, block, holder_id),
  constraint loan_fingerprints_same_length check (cardinality(digests) = cardinality(row_nos))
);
insert into loan_fingerprints (holder_id, organization_id, kind, block, digests, row_nos)
select e.holder_id, e.organization_id, f.kind, ('x' || left(f.digest::text, 4))::bit(16)::int, array_agg(f.digest order by f.digest), array_agg(e.row_no order by f.digest)
from encumbered_loans e
  cross join lateral (values ('vin', e.vin), ('property', e.property), ('contract_number', e.contract_number), ('invoice', e.invoice)) as f (kind, digest)
where f.digest is not null
group by 1, 2, 3, 4 order by 3, 4;
create index loan_fingerprints_holder on loan_fingerprints (holder_id);
call sluice_protect('loan_fingerprints');
-- The same condition as everywhere, read once for a statement and not once for a row.
alter policy tenant on loan_fingerprints
  using (organization_id = (select nullif(current_setting('sluice.organization', true), '')) or (select current_setting('sluice.scope', true) = 'platform'))
  with check (organization_id = (select nullif(current_setting('sluice.organization', true), '')) or (select current_setting('sluice.scope', true) = 'platform'));
alter table encumbered_loans drop column vin, drop column property, drop column contract_number, drop column invoice;
