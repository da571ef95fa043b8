-- A tax form that an investor files belongs to its profile, not to a deal room. It waits until the operator sets the profile again.
alter table uploads drop constraint uploads_purpose_check,
  add constraint uploads_purpose_check check (purpose in ('tape', 'bulk', 'document', 'profile'));
alter table documents add column for_profile boolean not null default false,
  add constraint documents_profile_private check (not for_profile or (deal_id is null and visibility = 'PRIVATE'));
drop index documents_version;
create unique index documents_version on documents (organization_id, coalesce(deal_id, ''), file_name, version, for_profile);
create index documents_profile on documents (created_at desc, document_id desc) where for_profile;
alter table organizations add column profile_set_at timestamptz;
