-- The time priority of a subscription: that of its creation, until its amount is raised. The default serves processes of the release before.
select set_config('sluice.scope', 'platform', true);
alter table subscriptions add column placed_at timestamptz;
update subscriptions set placed_at = created_at;
alter table subscriptions alter column placed_at set default sluice_now(), alter column placed_at set not null;
