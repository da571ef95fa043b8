-- The operator's lists show the records of all organizations, newest first: a page behind a cursor reads its own rows, wherever it is.
create index deals_created on deals (created_at desc, deal_id desc);
create index securitization_deals_created on securitization_deals (created_at desc, deal_id desc);
create index pools_created on pools (created_at desc, pool_id desc);
create index iois_created on iois (created_at desc, ioi_id desc);
create index subscriptions_created on subscriptions (created_at desc, subscription_id desc);
create index orders_created on orders (created_at desc, order_id desc);
create index allocations_created on allocations (created_at desc, allocation_id desc);
create index trades_created on trades (created_at desc, trade_id desc);
create index waivers_created on waivers (created_at desc, waiver_id desc);
create index webhook_deliveries_created on webhook_deliveries (created_at desc, delivery_id desc);
