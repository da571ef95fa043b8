-- Lists of all organizations are read in an order of their own, with nulls last where there are none: an index of it is never taken for the
-- list of one organization, whose rows may lie behind many of others. They hold the organization, by which rows are protected, so that
-- the rows before a page are passed over without being fetched.
drop index allocations_created;
drop index allocations_status;
drop index deals_created;
drop index deals_status;
drop index deals_type;
drop index iois_created;
drop index iois_status;
drop index orders_created;
drop index orders_status;
drop index pools_created;
drop index securitization_deals_created;
drop index securitization_deals_market;
drop index subscriptions_created;
drop index subscriptions_status;
drop index trades_created;
drop index trades_status;
drop index waivers_created;
drop index waivers_status;
drop index webhook_deliveries_created;
create index allocations_created on allocations (created_at desc nulls last, allocation_id desc nulls last) include (organization_id);
create index allocations_status on allocations (status, created_at desc nulls last, allocation_id desc nulls last);
create index deals_created on deals (created_at desc nulls last, deal_id desc nulls last) include (organization_id);
create index deals_status on deals (status, created_at desc nulls last, deal_id desc nulls last);
create index deals_type on deals (loan_type, created_at desc nulls last, deal_id desc nulls last);
create index iois_created on iois (created_at desc nulls last, ioi_id desc nulls last) include (organization_id);
create index iois_status on iois (status, created_at desc nulls last, ioi_id desc nulls last);
create index orders_created on orders (created_at desc nulls last, order_id desc nulls last) include (organization_id);
create index orders_status on orders (status, created_at desc nulls last, order_id desc nulls last);
create index pools_created on pools (created_at desc nulls last, pool_id desc nulls last) include (organization_id);
create index securitization_deals_created on securitization_deals (created_at desc nulls last, deal_id desc nulls last) include (organization_id);
create index securitization_deals_market on securitization_deals (asset_type, market_status, created_at desc nulls last, deal_id desc nulls last);
create index subscriptions_created on subscriptions (created_at desc nulls last, subscription_id desc nulls last) include (organization_id);
create index subscriptions_status on subscriptions (status, created_at desc nulls last, subscription_id desc nulls last);
create index trades_created on trades (created_at desc nulls last, trade_id desc nulls last) include (organization_id);
create index trades_status on trades (status, created_at desc nulls last, trade_id desc nulls last);
create index waivers_created on waivers (created_at desc nulls last, waiver_id desc nulls last) include (organization_id);
create index waivers_status on waivers (status, created_at desc nulls last, waiver_id desc nulls last);
create index webhook_deliveries_created on webhook_deliveries (created_at desc nulls last, delivery_id desc nulls last) include (organization_id);

-- The audit log is read by its primary key where it is that of all.
drop index audit_log_organization;
drop index audit_log_organization_action;
create index audit_log_organization on audit_log (organization_id, sequence desc nulls last);
create index audit_log_organization_action on audit_log (organization_id, action, sequence desc nulls last);
alter table audit_log drop constraint audit_log_pkey, add constraint audit_log_pkey primary key (sequence) include (organization_id);

-- What was noted of totals is deleted within a minute: what is left of it must not be read by every list.
alter table list_total_changes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
