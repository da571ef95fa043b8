-- What grows by itself is written where its indexes end: an index that descends takes each new row at its beginning, or at the beginning of its
-- organization's part, and is left with pages that are half full. Lists, newest first, read these backwards. Where an order is that of all
-- organizations, nulls come first (0112).
drop index alerts_category;
drop index alerts_organization;
drop index alerts_priority;
drop index alerts_status;
drop index alerts_type;
create index alerts_category on alerts (organization_id, category, created_at, alert_id);
create index alerts_organization on alerts (organization_id, created_at, alert_id);
create index alerts_priority on alerts (organization_id, priority, created_at, alert_id);
create index alerts_status on alerts (organization_id, status, created_at, alert_id);
create index alerts_type on alerts (organization_id, type, created_at, alert_id);

drop index audit_log_action;
drop index audit_log_entity;
drop index audit_log_organization;
drop index audit_log_organization_action;
create index audit_log_action on audit_log (action, sequence);
create index audit_log_entity on audit_log (entity_id, sequence);
create index audit_log_organization on audit_log (organization_id, sequence nulls first);
create index audit_log_organization_action on audit_log (organization_id, action, sequence nulls first);

drop index document_accesses_document;
create index document_accesses_document on document_accesses (document_id, access_id);
drop index record_accesses_entity;
drop index record_accesses_owner;
create index record_accesses_entity on record_accesses (organization_id, entity_id, access_id);
create index record_accesses_owner on record_accesses (organization_id, access_id);

drop index request_log_deal;
drop index request_log_errors;
drop index request_log_organization;
create index request_log_deal on request_log (organization_id, deal_id, at) where deal_id is not null;
create index request_log_errors on request_log (organization_id, at, entry_id) where status >= 400;
create index request_log_organization on request_log (organization_id, at, entry_id);

drop index webhook_deliveries_created;
drop index webhook_deliveries_deal;
drop index webhook_deliveries_organization;
drop index webhook_deliveries_subscription;
create index webhook_deliveries_created on webhook_deliveries (created_at nulls first, delivery_id nulls first) include (organization_id);
create index webhook_deliveries_deal on webhook_deliveries (deal_id, created_at) where deal_id is not null;
create index webhook_deliveries_organization on webhook_deliveries (organization_id, created_at, delivery_id);
create index webhook_deliveries_subscription on webhook_deliveries (subscription_id, created_at, delivery_id);
