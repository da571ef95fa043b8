-- Rows that are looked up by a deal, a tranche or a bidder, for which each lookup read the whole table: the settlement of a trade all allocations
-- there are, the exposures of a book all reports for each deal in it, the version of a deal on the market all marks.
create index allocations_tranche on allocations (tranche_id, created_at);
create index allocations_subscription on allocations (subscription_id) where subscription_id is not null;
create index remittances_deal on remittances (deal_id, period);
create index marks_deal on marks (deal_id, published_at);
create index marks_calculation on marks (calculation_id);
create index pools_deal on pools (deal_id) where deal_id is not null;
create index exception_files_deal on exception_files (deal_id);
drop index iois_deal;
create index iois_deal on iois (deal_id, status);
-- A book of an earlier date is the settled trades of each position.
create index trades_held on trades (organization_id, tranche_id, settled_at) where status = 'SETTLED';
-- In the order of the lists.
create index remittances_newest on remittances (created_at desc, remittance_id desc);
create index keys_newest on keys (created_at desc, key_id desc);
create index pools_status on pools (status, created_at desc nulls last, pool_id desc nulls last);
create index pools_organization_status on pools (organization_id, status, created_at desc, pool_id desc);
create index watchlist_newest on watchlist (organization_id, watched_at desc, deal_id desc);
drop index waivers_organization;
create index waivers_organization on waivers (organization_id, created_at desc, waiver_id desc);
create index waivers_deal on waivers (deal_id);
-- Claims of processes that were killed are looked for every few minutes.
create index uploads_receiving on uploads (receiver_until) where receiver_until is not null;
-- Row-level security lets no index answer a condition on coalesce(), which PostgreSQL does not count among what keeps values to itself: each
-- document of a list read all documents of its organization.
drop index documents_version;
create unique index documents_version on documents (organization_id, (case when deal_id is null then '' else deal_id end), file_name, version, for_profile);
