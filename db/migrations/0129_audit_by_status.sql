-- The acts that led to a status were looked for in the whole log. A column of its own, for row-level security lets no index answer a condition
-- on a part of a JSON value.
alter table audit_log add column status text generated always as (coalesce(after ->> 'status', after ->> 'market_status')) stored;
create index audit_log_status on audit_log (status, sequence) include (organization_id) where status is not null;
