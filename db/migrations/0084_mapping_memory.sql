-- A mapping is remembered for whoever made it and for their organization as a whole. Whoever that is has an id: the organization's, or a
-- key's; an id of a member fits as well.
alter table mappings add column remembered_by text;
-- The owner of the table may be bound by its policies too, and then would not see the rows.
alter table mappings no force row level security;
update mappings set remembered_by = organization_id;
alter table mappings force row level security;
alter table mappings alter column remembered_by set not null;
alter table mappings drop constraint mappings_pkey;
alter table mappings add constraint mappings_pkey primary key (organization_id, loan_type, remembered_by);

-- The key that sent a version, whose remembered mapping is looked up first, and the key that changed its mapping, for which it is remembered.
-- Null for versions from before these columns.
alter table tapes add column sent_by text;
alter table tapes add column mapped_by text;
