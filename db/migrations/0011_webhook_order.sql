-- Deliveries that fall due together go out in the order in which their events were made.
drop index webhook_queue_lanes;
create index webhook_queue_lanes on webhook_queue (subscription_id, lane, due_at, delivery_id);

-- Only the gateway's own transactions write events and alerts: a dump that reads for an hour holds nobody up.
create or replace function sluice_settled_before() returns timestamptz language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select date_trunc('milliseconds', coalesce(min(xact_start), clock_timestamp())) from pg_stat_activity
  where datname = current_database() and application_name = 'sluice' and xact_start is not null
$$;
