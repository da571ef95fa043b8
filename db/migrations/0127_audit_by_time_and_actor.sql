-- What happened in a time, and what one person or key did, are asked for years later, when the log has millions of entries.
create index audit_log_at on audit_log (at);
create index audit_log_organization_at on audit_log (organization_id, at);
create index audit_log_actor on audit_log (actor, sequence);
