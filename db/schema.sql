-- The schema that db/migrations make, on PostgreSQL 18. Made by `npm run generate`; edits are overwritten, and nothing runs this file.
-- Partitions are left out: their dates follow the day. The tables of the job queue are made by its library.

create table alerts (
  alert_id text not null,
  organization_id text not null,
  type text not null,
  category text not null,
  priority text not null,
  status text not null default 'UNREAD'::text,
  title text not null,
  message text not null,
  entity_type text,
  entity_id text,
  event_id text,
  read_at timestamp with time zone,
  created_at timestamp with time zone not null default sluice_now(),
  constraint alerts_pkey PRIMARY KEY (alert_id),
  constraint alerts_one_per_event UNIQUE (organization_id, event_id),
  constraint alerts_priority_check CHECK (priority = ANY (ARRAY['LOW'::text, 'MEDIUM'::text, 'HIGH'::text, 'CRITICAL'::text])),
  constraint alerts_status_check CHECK (status = ANY (ARRAY['UNREAD'::text, 'READ'::text, 'ARCHIVED'::text]))
);
CREATE INDEX alerts_category ON alerts USING btree (organization_id, category, created_at, alert_id);
CREATE INDEX alerts_created ON alerts USING btree (created_at);
CREATE INDEX alerts_organization ON alerts USING btree (organization_id, created_at, alert_id);
CREATE INDEX alerts_priority ON alerts USING btree (organization_id, priority, created_at, alert_id);
CREATE INDEX alerts_status ON alerts USING btree (organization_id, status, created_at, alert_id);
CREATE INDEX alerts_type ON alerts USING btree (organization_id, type, created_at, alert_id);
CREATE TRIGGER alerts_totals_added AFTER INSERT ON alerts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION alerts_totals();
CREATE TRIGGER alerts_totals_changed AFTER UPDATE ON alerts REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION alerts_totals();
CREATE TRIGGER alerts_totals_removed AFTER DELETE ON alerts REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION alerts_totals();
alter table alerts enable row level security;
alter table alerts force row level security;
create policy tenant on alerts
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on alerts to sluice_app;

create table alerts_to_mail (
  organization_id text not null,
  kind text not null,
  alert_id text not null,
  created_at timestamp with time zone not null,
  constraint alerts_to_mail_pkey PRIMARY KEY (organization_id, kind, alert_id),
  constraint alerts_to_mail_kind_check CHECK (kind = ANY (ARRAY['ALERT'::text, 'DIGEST'::text]))
);
CREATE INDEX alerts_to_mail_at_once ON alerts_to_mail USING btree (alert_id) WHERE kind = 'ALERT'::text;
CREATE INDEX alerts_to_mail_created ON alerts_to_mail USING btree (created_at);
alter table alerts_to_mail enable row level security;
alter table alerts_to_mail force row level security;
create policy tenant on alerts_to_mail
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on alerts_to_mail to sluice_app;

create table allocation_rounds (
  round_id text not null,
  organization_id text not null,
  deal_id text not null,
  tranche_id text not null,
  kind text not null,
  method text not null,
  size numeric(24,2) not null,
  increment numeric(18,2) not null,
  yield numeric(12,6),
  market_yield numeric(12,6),
  bids jsonb not null,
  book_hash text not null,
  created_at timestamp with time zone not null,
  price numeric(18,8),
  rule_version smallint not null default 1,
  constraint allocation_rounds_pkey PRIMARY KEY (round_id),
  constraint allocation_rounds_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint allocation_rounds_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id),
  constraint allocation_rounds_kind_check CHECK (kind = ANY (ARRAY['OFFERING'::text, 'REOFFER'::text])),
  constraint allocation_rounds_method_check CHECK (method = ANY (ARRAY['PRO_RATA'::text, 'CLEARING_YIELD'::text]))
);
CREATE UNIQUE INDEX allocation_rounds_one_offering ON allocation_rounds USING btree (tranche_id) WHERE kind = 'OFFERING'::text;
CREATE INDEX allocation_rounds_tranche ON allocation_rounds USING btree (tranche_id, created_at);
alter table allocation_rounds enable row level security;
alter table allocation_rounds force row level security;
create policy market on allocation_rounds for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (EXISTS ( SELECT
   FROM allocations a
  WHERE a.round_id = allocation_rounds.round_id)));
create policy tenant on allocation_rounds
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on allocation_rounds to sluice_app;

create table allocations (
  allocation_id text not null,
  organization_id text not null,
  deal_id text not null,
  tranche_id text not null,
  round_id text not null,
  entry integer not null,
  order_id text,
  subscription_id text,
  requested_amount numeric(24,2) not null,
  allocated_amount numeric(24,2) not null,
  fill_ratio numeric(18,8) not null,
  yield numeric(12,6),
  method text not null,
  reason text not null,
  status text not null default 'ISSUED'::text,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  price numeric(18,8),
  expiry_told_at timestamp with time zone,
  constraint allocations_pkey PRIMARY KEY (allocation_id),
  constraint allocations_one_per_entry UNIQUE (round_id, entry),
  constraint allocations_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint allocations_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(order_id),
  constraint allocations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint allocations_round_id_fkey FOREIGN KEY (round_id) REFERENCES allocation_rounds(round_id),
  constraint allocations_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES subscriptions(subscription_id),
  constraint allocations_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id),
  constraint allocations_check CHECK (allocated_amount > 0::numeric AND allocated_amount <= requested_amount),
  constraint allocations_one_source CHECK ((order_id IS NULL) <> (subscription_id IS NULL)),
  constraint allocations_status_check CHECK (status = ANY (ARRAY['ISSUED'::text, 'ACCEPTED'::text, 'DECLINED'::text, 'EXPIRED'::text]))
);
CREATE INDEX allocations_created ON allocations USING btree (created_at DESC NULLS LAST, allocation_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE INDEX allocations_deal ON allocations USING btree (deal_id, status);
CREATE INDEX allocations_due ON allocations USING btree (expires_at) WHERE status = 'ISSUED'::text;
CREATE INDEX allocations_expiring ON allocations USING btree (expires_at, allocation_id) WHERE status = 'ISSUED'::text AND expiry_told_at IS NULL;
CREATE INDEX allocations_organization ON allocations USING btree (organization_id, created_at DESC, allocation_id DESC);
CREATE INDEX allocations_organization_status ON allocations USING btree (organization_id, status, created_at DESC, allocation_id DESC);
CREATE INDEX allocations_status ON allocations USING btree (status, created_at DESC NULLS LAST, allocation_id DESC NULLS LAST);
CREATE INDEX allocations_subscription ON allocations USING btree (subscription_id) WHERE subscription_id IS NOT NULL;
CREATE INDEX allocations_tranche ON allocations USING btree (tranche_id, created_at);
CREATE TRIGGER allocations_totals_added AFTER INSERT ON allocations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION allocations_totals();
CREATE TRIGGER allocations_totals_changed AFTER UPDATE ON allocations REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION allocations_totals();
CREATE TRIGGER allocations_totals_removed AFTER DELETE ON allocations REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION allocations_totals();
alter table allocations enable row level security;
alter table allocations force row level security;
create policy tenant on allocations
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on allocations to sluice_app;

create table approval_decisions (
  approval_id text not null,
  identity text not null,
  organization_id text not null,
  member_id text not null,
  decision text not null,
  reason text,
  at timestamp with time zone not null default sluice_now(),
  constraint approval_decisions_pkey PRIMARY KEY (approval_id, identity),
  constraint approval_decisions_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(approval_id),
  constraint approval_decisions_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(member_id),
  constraint approval_decisions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint approval_decisions_decision_check CHECK (decision = ANY (ARRAY['APPROVED'::text, 'DENIED'::text]))
);
CREATE INDEX approval_decisions_member ON approval_decisions USING btree (member_id);
CREATE INDEX approval_decisions_organization ON approval_decisions USING btree (organization_id);
alter table approval_decisions enable row level security;
alter table approval_decisions force row level security;
create policy tenant on approval_decisions
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on approval_decisions to sluice_app;

create table approval_policy (
  act text not null,
  needed integer not null default 1,
  constraint approval_policy_pkey PRIMARY KEY (act),
  constraint approval_policy_needed_check CHECK (needed >= 1 AND needed <= 3)
);
alter table approval_policy enable row level security;
alter table approval_policy force row level security;
create policy changeable on approval_policy for update
  using ((( SELECT current_setting('sluice.scope'::text, true) AS current_setting)) = 'platform'::text);
create policy readable on approval_policy for select
  using (true);
grant delete, insert, select, update on approval_policy to sluice_app;

create table approvals (
  approval_id text not null,
  organization_id text not null,
  act text not null,
  operation text not null,
  params jsonb not null,
  body jsonb not null,
  request_hash text not null,
  entity_id text,
  status text not null default 'PENDING'::text,
  needed integer not null,
  requested_by text not null,
  requested_identity text,
  created_at timestamp with time zone not null default sluice_now(),
  updated_at timestamp with time zone not null default sluice_now(),
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  result jsonb,
  failure jsonb,
  token_fetched_at timestamp with time zone,
  constraint approvals_pkey PRIMARY KEY (approval_id),
  constraint approvals_act_fkey FOREIGN KEY (act) REFERENCES approval_policy(act),
  constraint approvals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint approvals_check CHECK (status <> 'PENDING'::text OR ended_at IS NULL),
  constraint approvals_check1 CHECK (status = 'FAILED'::text OR failure IS NULL),
  constraint approvals_needed_check CHECK (needed >= 2 AND needed <= 3),
  constraint approvals_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'DONE'::text, 'DENIED'::text, 'EXPIRED'::text, 'FAILED'::text]))
);
CREATE INDEX approvals_due ON approvals USING btree (expires_at) WHERE status = 'PENDING'::text;
CREATE INDEX approvals_newest ON approvals USING btree (created_at DESC, approval_id DESC);
CREATE UNIQUE INDEX approvals_one_pending ON approvals USING btree (request_hash) WHERE status = 'PENDING'::text;
CREATE INDEX approvals_organization ON approvals USING btree (organization_id);
alter table approvals enable row level security;
alter table approvals force row level security;
create policy tenant on approvals
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on approvals to sluice_app;

create table audit_checkpoints (
  key text not null,
  number integer not null,
  sequence bigint not null,
  hash text not null,
  at timestamp with time zone not null,
  signature text not null,
  stored_at timestamp with time zone,
  constraint audit_checkpoints_pkey PRIMARY KEY (key, number),
  constraint audit_checkpoints_number_check CHECK (number > 0)
);
CREATE TRIGGER audit_checkpoints_stay BEFORE DELETE OR TRUNCATE ON audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION sluice_refuse();
grant insert, select on audit_checkpoints to sluice_app;

create table audit_head (
  singleton boolean not null default true,
  sequence bigint not null,
  hash text not null,
  constraint audit_head_pkey PRIMARY KEY (singleton),
  constraint audit_head_singleton_check CHECK (singleton)
);
CREATE TRIGGER audit_head_stays BEFORE DELETE OR TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION sluice_refuse();
grant select on audit_head to sluice_app;

create table audit_log (
  sequence bigint not null,
  entry_id text not null,
  organization_id text not null,
  actor text not null,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  before jsonb,
  after jsonb,
  reason text,
  at timestamp with time zone not null,
  previous_hash text not null,
  hash text not null,
  hash_version smallint not null default 1,
  status text generated always as (COALESCE(after ->> 'status'::text, after ->> 'market_status'::text)) stored,
  constraint audit_log_pkey PRIMARY KEY (sequence) INCLUDE (organization_id),
  constraint audit_log_entry_id_key UNIQUE (entry_id)
);
CREATE INDEX audit_log_action ON audit_log USING btree (action, sequence);
CREATE INDEX audit_log_actor ON audit_log USING btree (actor, sequence);
CREATE INDEX audit_log_at ON audit_log USING btree (at);
CREATE INDEX audit_log_entity ON audit_log USING btree (entity_id, sequence);
CREATE INDEX audit_log_organization ON audit_log USING btree (organization_id, sequence NULLS FIRST);
CREATE INDEX audit_log_organization_action ON audit_log USING btree (organization_id, action, sequence NULLS FIRST);
CREATE INDEX audit_log_organization_at ON audit_log USING btree (organization_id, at);
CREATE INDEX audit_log_status ON audit_log USING btree (status, sequence) INCLUDE (organization_id) WHERE status IS NOT NULL;
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION sluice_refuse();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION sluice_refuse();
CREATE TRIGGER audit_log_totals_added AFTER INSERT ON audit_log REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_log_totals();
CREATE TRIGGER audit_log_totals_changed AFTER UPDATE ON audit_log REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_log_totals();
CREATE TRIGGER audit_log_totals_removed AFTER DELETE ON audit_log REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION audit_log_totals();
alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy tenant on audit_log
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant select on audit_log to sluice_app;

create table bulk_items (
  job_id text not null,
  item integer not null,
  organization_id text not null,
  loan_type text not null,
  name text not null,
  format text not null,
  object_key text,
  file_name text not null,
  size bigint not null,
  sha256 text not null,
  deal_id text,
  error_code text,
  error_message text,
  constraint bulk_items_pkey PRIMARY KEY (job_id, item),
  constraint bulk_items_job_id_fkey FOREIGN KEY (job_id) REFERENCES bulk_jobs(job_id)
);
CREATE INDEX bulk_items_deal ON bulk_items USING btree (deal_id);
CREATE INDEX bulk_items_object ON bulk_items USING btree (object_key);
alter table bulk_items enable row level security;
alter table bulk_items force row level security;
create policy tenant on bulk_items
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on bulk_items to sluice_app;

create table bulk_jobs (
  job_id text not null,
  organization_id text not null,
  status text not null,
  total integer not null,
  created_at timestamp with time zone not null default sluice_now(),
  completed_at timestamp with time zone,
  attempts integer not null default 0,
  actor text,
  constraint bulk_jobs_pkey PRIMARY KEY (job_id),
  constraint bulk_jobs_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'COMPLETED'::text, 'PARTIALLY_COMPLETED'::text, 'FAILED'::text]))
);
CREATE INDEX bulk_jobs_created ON bulk_jobs USING btree (created_at DESC);
CREATE INDEX bulk_jobs_live ON bulk_jobs USING btree (job_id) WHERE status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text]);
CREATE INDEX bulk_jobs_organization ON bulk_jobs USING btree (organization_id, created_at DESC, job_id DESC);
CREATE INDEX bulk_jobs_status ON bulk_jobs USING btree (status, created_at DESC);
CREATE TRIGGER bulk_jobs_totals_added AFTER INSERT ON bulk_jobs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION bulk_jobs_totals();
CREATE TRIGGER bulk_jobs_totals_changed AFTER UPDATE ON bulk_jobs REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION bulk_jobs_totals();
CREATE TRIGGER bulk_jobs_totals_removed AFTER DELETE ON bulk_jobs REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION bulk_jobs_totals();
alter table bulk_jobs enable row level security;
alter table bulk_jobs force row level security;
create policy tenant on bulk_jobs
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on bulk_jobs to sluice_app;

create table calculations (
  calculation_id text not null,
  organization_id text not null,
  pool_id text not null,
  calculation_key text not null,
  type text not null,
  purpose text not null,
  status text not null,
  run integer not null default 0,
  as_of date not null,
  granularity text not null,
  inputs json not null,
  result json,
  projection json,
  details_key text,
  error text,
  created_at timestamp with time zone not null default sluice_now(),
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  attempts integer not null default 0,
  error_code text,
  constraint calculations_pkey PRIMARY KEY (calculation_id),
  constraint calculations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint calculations_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES pools(pool_id),
  constraint calculations_purpose_check CHECK (purpose = ANY (ARRAY['ANALYSIS'::text, 'MARK'::text])),
  constraint calculations_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text])),
  constraint calculations_type_check CHECK (type = ANY (ARRAY['CASHFLOW'::text, 'PRICING'::text, 'BREAKEVEN'::text, 'SCENARIOS'::text, 'RISK'::text, 'PRICE_TABLE'::text]))
);
CREATE INDEX calculations_live ON calculations USING btree (calculation_id) WHERE status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text]);
CREATE UNIQUE INDEX calculations_one_per_key ON calculations USING btree (organization_id, pool_id, calculation_key) WHERE status <> 'FAILED'::text;
CREATE INDEX calculations_pool ON calculations USING btree (organization_id, pool_id, created_at DESC, calculation_id DESC);
CREATE INDEX calculations_same ON calculations USING btree (pool_id, calculation_key);
alter table calculations enable row level security;
alter table calculations force row level security;
create policy market on calculations for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (EXISTS ( SELECT
   FROM securitization_deals d
  WHERE d.pool_id = calculations.pool_id AND d.organization_id = calculations.organization_id)));
create policy tenant on calculations
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on calculations to sluice_app;

create unlogged table compute_leases (
  subject text not null,
  holder text not null,
  expires_at timestamp with time zone not null,
  constraint compute_leases_pkey PRIMARY KEY (subject)
) with (fillfactor=50);
grant delete, insert, select, update on compute_leases to sluice_app;

create table criteria (
  criteria_id text not null,
  organization_id text not null,
  name text not null,
  loan_type text not null,
  latest_version integer not null default 1,
  created_at timestamp with time zone not null default sluice_now(),
  constraint criteria_pkey PRIMARY KEY (criteria_id),
  constraint criteria_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);
CREATE INDEX criteria_organization ON criteria USING btree (organization_id, created_at DESC, criteria_id DESC);
alter table criteria enable row level security;
alter table criteria force row level security;
create policy tenant on criteria
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on criteria to sluice_app;

create table criteria_versions (
  criteria_id text not null,
  version integer not null,
  organization_id text not null,
  definition jsonb not null,
  created_at timestamp with time zone not null default sluice_now(),
  constraint criteria_versions_pkey PRIMARY KEY (criteria_id, version),
  constraint criteria_versions_criteria_id_fkey FOREIGN KEY (criteria_id) REFERENCES criteria(criteria_id)
);
CREATE TRIGGER criteria_versions_immutable BEFORE DELETE OR UPDATE ON criteria_versions FOR EACH ROW EXECUTE FUNCTION sluice_refuse();
alter table criteria_versions enable row level security;
alter table criteria_versions force row level security;
create policy tenant on criteria_versions
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on criteria_versions to sluice_app;

create table deal_demands (
  deal_id text not null,
  organization_id text not null,
  tranches jsonb,
  told_at timestamp with time zone,
  last_tranches jsonb,
  constraint deal_demands_pkey PRIMARY KEY (deal_id),
  constraint deal_demands_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint deal_demands_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);
CREATE INDEX deal_demands_last ON deal_demands USING btree (deal_id) WHERE last_tranches IS NOT NULL;
alter table deal_demands enable row level security;
alter table deal_demands force row level security;
create policy tenant on deal_demands
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on deal_demands to sluice_app;

create table deal_history (
  deal_id text not null,
  organization_id text not null,
  sequence integer not null,
  from_status text,
  to_status text not null,
  at timestamp with time zone not null default sluice_now(),
  actor text not null,
  reason_code text,
  reason text,
  constraint deal_history_pkey PRIMARY KEY (deal_id, sequence),
  constraint deal_history_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES deals(deal_id) ON DELETE CASCADE
);
alter table deal_history enable row level security;
alter table deal_history force row level security;
create policy tenant on deal_history
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on deal_history to sluice_app;

create table deals (
  deal_id text not null,
  organization_id text not null,
  name text not null,
  loan_type text not null,
  status text not null,
  tape_version integer,
  bulk_job_id text,
  expiry_alerted_at timestamp with time zone,
  created_at timestamp with time zone not null default sluice_now(),
  updated_at timestamp with time zone not null default sluice_now(),
  deal_number bigint not null default nextval('deal_numbers'::regclass),
  constraint deals_pkey PRIMARY KEY (deal_id),
  constraint deals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint deals_status_check CHECK (status = ANY (ARRAY['DRAFT'::text, 'IN_REVIEW'::text, 'QC_COMPLETED'::text, 'APPROVED'::text, 'REJECTED'::text, 'EXPIRED'::text, 'WITHDRAWN'::text]))
);
CREATE INDEX deals_created ON deals USING btree (created_at DESC NULLS LAST, deal_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE UNIQUE INDEX deals_one_draft ON deals USING btree (organization_id, loan_type) WHERE status = 'DRAFT'::text;
CREATE INDEX deals_organization ON deals USING btree (organization_id, created_at DESC, deal_id DESC);
CREATE INDEX deals_organization_status ON deals USING btree (organization_id, status, created_at DESC, deal_id DESC);
CREATE INDEX deals_organization_type ON deals USING btree (organization_id, loan_type, created_at DESC, deal_id DESC);
CREATE INDEX deals_status ON deals USING btree (status, created_at DESC NULLS LAST, deal_id DESC NULLS LAST);
CREATE INDEX deals_type ON deals USING btree (loan_type, created_at DESC NULLS LAST, deal_id DESC NULLS LAST);
CREATE TRIGGER deals_totals_added AFTER INSERT ON deals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deals_totals();
CREATE TRIGGER deals_totals_changed AFTER UPDATE ON deals REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deals_totals();
CREATE TRIGGER deals_totals_removed AFTER DELETE ON deals REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION deals_totals();
alter table deals enable row level security;
alter table deals force row level security;
create policy tenant on deals
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on deals to sluice_app;

create table document_accesses (
  access_id bigint not null generated always as identity,
  document_id text not null,
  organization_id text not null,
  reader_id text not null,
  actor_id text not null,
  act text not null,
  at timestamp with time zone not null,
  constraint document_accesses_pkey PRIMARY KEY (access_id),
  constraint document_accesses_document_id_fkey FOREIGN KEY (document_id) REFERENCES documents(document_id),
  constraint document_accesses_reader_id_fkey FOREIGN KEY (reader_id) REFERENCES organizations(organization_id),
  constraint document_accesses_act_check CHECK (act = ANY (ARRAY['ADDRESS_ISSUED'::text, 'DOWNLOADED'::text]))
);
CREATE INDEX document_accesses_at ON document_accesses USING btree (at);
CREATE INDEX document_accesses_document ON document_accesses USING btree (document_id, access_id);
alter table document_accesses enable row level security;
alter table document_accesses force row level security;
create policy market on document_accesses for insert
  with check (sluice_in_market() AND reader_id = current_setting('sluice.organization'::text, true));
create policy tenant on document_accesses
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on document_accesses to sluice_app;

create table documents (
  document_id text not null,
  organization_id text not null,
  deal_id text,
  file_key text not null,
  file_name text not null,
  document_type text not null,
  content_type text not null,
  size bigint not null,
  sha256 text not null,
  object_key text not null,
  version integer not null,
  status text not null default 'uploaded'::text,
  visibility text not null default 'PRIVATE'::text,
  announced_at timestamp with time zone,
  created_at timestamp with time zone not null,
  for_profile boolean not null default false,
  constraint documents_pkey PRIMARY KEY (document_id),
  constraint documents_file_key UNIQUE (file_key),
  constraint documents_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint documents_profile_private CHECK (NOT for_profile OR deal_id IS NULL AND visibility = 'PRIVATE'::text),
  constraint documents_status_check CHECK (status = 'uploaded'::text),
  constraint documents_visibility_check CHECK (visibility = ANY (ARRAY['PRIVATE'::text, 'INVESTORS'::text]))
);
CREATE INDEX documents_deal ON documents USING btree (deal_id, visibility);
CREATE INDEX documents_organization ON documents USING btree (organization_id, created_at DESC, document_id DESC);
CREATE INDEX documents_profile ON documents USING btree (created_at DESC, document_id DESC) WHERE for_profile;
CREATE UNIQUE INDEX documents_version ON documents USING btree (organization_id, (
CASE
    WHEN deal_id IS NULL THEN ''::text
    ELSE deal_id
END), file_name, version, for_profile);
alter table documents enable row level security;
alter table documents force row level security;
create policy market on documents for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND visibility = 'INVESTORS'::text AND (EXISTS ( SELECT
   FROM securitization_deals d
  WHERE d.deal_id = documents.deal_id)));
create policy tenant on documents
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on documents to sluice_app;

create table emails (
  email_id text not null,
  organization_id text not null,
  address_id text not null,
  kind text not null,
  alert_ids text[] not null,
  total integer not null,
  created_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  attempts integer not null default 0,
  claims integer not null default 0,
  claim_id uuid,
  lease_until timestamp with time zone,
  constraint emails_pkey PRIMARY KEY (email_id),
  constraint emails_address_id_fkey FOREIGN KEY (address_id) REFERENCES notification_addresses(address_id) ON DELETE CASCADE,
  constraint emails_kind_check CHECK (kind = ANY (ARRAY['ALERT'::text, 'DIGEST'::text]))
);
CREATE INDEX emails_address ON emails USING btree (address_id);
CREATE INDEX emails_created ON emails USING btree (created_at);
CREATE INDEX emails_due ON emails USING btree (organization_id, due_at, email_id);
alter table emails enable row level security;
alter table emails force row level security;
create policy tenant on emails
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on emails to sluice_app;

create table encryption_key_mark (
  only_row boolean not null default true,
  sealed text,
  constraint encryption_key_mark_pkey PRIMARY KEY (only_row),
  constraint encryption_key_mark_only_row_check CHECK (only_row)
);
grant delete, insert, select, update on encryption_key_mark to sluice_app;

create table encumbered_loans (
  holder_id text not null,
  organization_id text not null,
  row_no integer not null,
  generation smallint,
  identity uuid,
  loan_id text,
  original_balance numeric,
  origination_date date,
  balance numeric,
  constraint encumbered_loans_pkey PRIMARY KEY (holder_id, row_no),
  constraint encumbered_loans_claimed_have_identity CHECK (generation IS NULL OR identity IS NOT NULL)
);
CREATE UNIQUE INDEX encumbered_loans_one_claim ON encumbered_loans USING btree (identity, generation) WHERE generation IS NOT NULL;
CREATE INDEX encumbered_loans_pledged ON encumbered_loans USING btree (identity) WHERE generation IS NULL AND identity IS NOT NULL;
CREATE INDEX encumbered_loans_reused ON encumbered_loans USING btree (organization_id, identity) WHERE generation > 0;
alter table encumbered_loans enable row level security;
alter table encumbered_loans force row level security;
create policy tenant on encumbered_loans
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text));
grant delete, insert, select, update on encumbered_loans to sluice_app;

create table event_fan_out_recipients (
  fan_out_id text not null,
  organization_id text not null,
  told_at timestamp with time zone not null,
  constraint event_fan_out_recipients_pkey PRIMARY KEY (fan_out_id, organization_id),
  constraint event_fan_out_recipients_fan_out_id_fkey FOREIGN KEY (fan_out_id) REFERENCES event_fan_outs(fan_out_id),
  constraint event_fan_out_recipients_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);
alter table event_fan_out_recipients enable row level security;
alter table event_fan_out_recipients force row level security;
create policy tenant on event_fan_out_recipients
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on event_fan_out_recipients to sluice_app;

create table event_fan_outs (
  fan_out_id text not null,
  organization_id text not null,
  event text not null,
  deal_id text not null,
  data json not null,
  created_at timestamp with time zone not null,
  reached text not null default ''::text,
  expanded_at timestamp with time zone,
  constraint event_fan_outs_pkey PRIMARY KEY (fan_out_id),
  constraint event_fan_outs_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint event_fan_outs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);
CREATE INDEX event_fan_outs_open ON event_fan_outs USING btree (created_at, fan_out_id) WHERE expanded_at IS NULL;
alter table event_fan_outs enable row level security;
alter table event_fan_outs force row level security;
create policy tenant on event_fan_outs
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on event_fan_outs to sluice_app;

create table events (
  event_id text not null,
  organization_id text not null,
  event text not null,
  data jsonb not null,
  body bytea not null,
  at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  sample boolean not null default false,
  constraint events_pkey PRIMARY KEY (created_at, event_id)
) partition by RANGE (created_at);
CREATE INDEX events_organization ON ONLY events USING btree (organization_id, event_id);
alter table events enable row level security;
alter table events force row level security;
create policy tenant on events
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on events to sluice_app;

create table exception_files (
  exception_file_id text not null,
  organization_id text not null,
  deal_id text not null,
  sc_job_id text not null,
  exception_count integer not null,
  created_at timestamp with time zone not null default sluice_now(),
  constraint exception_files_pkey PRIMARY KEY (exception_file_id),
  constraint exception_files_sc_job_id_fkey FOREIGN KEY (sc_job_id) REFERENCES sc_jobs(sc_job_id)
);
CREATE INDEX exception_files_deal ON exception_files USING btree (deal_id);
CREATE INDEX exception_files_organization ON exception_files USING btree (organization_id, created_at DESC, exception_file_id DESC);
alter table exception_files enable row level security;
alter table exception_files force row level security;
create policy tenant on exception_files
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on exception_files to sluice_app;

create table file_sweeps (
  singleton boolean not null default true,
  swept_at timestamp with time zone not null,
  constraint file_sweeps_pkey PRIMARY KEY (singleton),
  constraint file_sweeps_singleton_check CHECK (singleton)
);
grant delete, insert, select, update on file_sweeps to sluice_app;

create table fixings (
  index text not null,
  date date not null,
  rate numeric(12,6) not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint fixings_pkey PRIMARY KEY (index, date)
);
CREATE INDEX fixings_newest ON fixings USING btree (created_at DESC, index, date);
grant delete, insert, select, update on fixings to sluice_app;

create table idempotency_keys (
  organization_id text not null,
  key text not null,
  request_hash text not null,
  status integer not null,
  body json not null,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (organization_id, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys USING btree (created_at);
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy tenant on idempotency_keys
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on idempotency_keys to sluice_app;

create table iois (
  ioi_id text not null,
  organization_id text not null,
  deal_id text not null,
  interest_amount numeric(24,2) not null,
  status text not null default 'submitted'::text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint iois_pkey PRIMARY KEY (ioi_id),
  constraint iois_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint iois_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint iois_interest_amount_check CHECK (interest_amount > 0::numeric),
  constraint iois_status_check CHECK (status = ANY (ARRAY['submitted'::text, 'withdrawn'::text, 'converted'::text, 'expired'::text]))
);
CREATE INDEX iois_created ON iois USING btree (created_at DESC NULLS LAST, ioi_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE INDEX iois_deal ON iois USING btree (deal_id, status);
CREATE UNIQUE INDEX iois_one_live ON iois USING btree (organization_id, deal_id) WHERE status = 'submitted'::text;
CREATE INDEX iois_organization ON iois USING btree (organization_id, created_at DESC, ioi_id DESC);
CREATE INDEX iois_organization_status ON iois USING btree (organization_id, status, created_at DESC, ioi_id DESC);
CREATE INDEX iois_status ON iois USING btree (status, created_at DESC NULLS LAST, ioi_id DESC NULLS LAST);
CREATE TRIGGER iois_totals_added AFTER INSERT ON iois REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION iois_totals();
CREATE TRIGGER iois_totals_changed AFTER UPDATE ON iois REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION iois_totals();
CREATE TRIGGER iois_totals_removed AFTER DELETE ON iois REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION iois_totals();
alter table iois enable row level security;
alter table iois force row level security;
create policy members on iois
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (organization_id = ANY ((( SELECT sluice_members() AS sluice_members))::text[])))
  with check (sluice_in_market() AND (organization_id = ANY (sluice_members())));
create policy tenant on iois
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on iois to sluice_app;

create table job_clocks (
  queue text not null,
  tag integer not null,
  constraint job_clocks_pkey PRIMARY KEY (queue)
);
grant delete, insert, select, update on job_clocks to sluice_app;

create table job_turns (
  organization_id text not null,
  queue text not null,
  tag integer not null,
  constraint job_turns_pkey PRIMARY KEY (organization_id, queue)
);
alter table job_turns enable row level security;
alter table job_turns force row level security;
create policy tenant on job_turns
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on job_turns to sluice_app;

create table kept_totals (
  list text not null,
  columns text[] not null,
  constraint kept_totals_pkey PRIMARY KEY (list)
);
grant delete, insert, select, update on kept_totals to sluice_app;

create table keys (
  key_id text not null,
  organization_id text not null,
  role text not null,
  environment text not null,
  requester text not null,
  use_case text not null,
  issued_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  rotated_from text,
  created_at timestamp with time zone not null default sluice_now(),
  api_version text,
  label text,
  last_used_at timestamp with time zone,
  scopes text[],
  networks text[],
  rotation_requested_at timestamp with time zone,
  rotation_requested_by text,
  rotation_reason text,
  constraint keys_pkey PRIMARY KEY (key_id),
  constraint keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint keys_environment_check CHECK (environment = ANY (ARRAY['development'::text, 'staging'::text, 'production'::text])),
  constraint keys_networks_named CHECK (cardinality(networks) > 0),
  constraint keys_role_check CHECK (role = ANY (ARRAY['originator'::text, 'investor'::text, 'both'::text, 'operator'::text])),
  constraint keys_scopes_named CHECK (cardinality(scopes) > 0)
);
CREATE INDEX keys_newest ON keys USING btree (created_at DESC, key_id DESC);
CREATE INDEX keys_organization ON keys USING btree (organization_id, created_at DESC, key_id DESC);
alter table keys enable row level security;
alter table keys force row level security;
create policy tenant on keys
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on keys to sluice_app;

create table late_tapes (
  organization_id text not null,
  pool_id text not null,
  period integer not null,
  due_date date not null,
  told_at timestamp with time zone not null,
  constraint late_tapes_pkey PRIMARY KEY (pool_id, period),
  constraint late_tapes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint late_tapes_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES pools(pool_id)
);
alter table late_tapes enable row level security;
alter table late_tapes force row level security;
create policy tenant on late_tapes
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on late_tapes to sluice_app;

create table latest_marks (
  tranche_id text not null,
  organization_id text not null,
  price numeric(18,8) not null,
  yield numeric(18,8),
  spread_bp numeric(18,8),
  wal numeric(18,8),
  duration numeric(18,8),
  as_of date not null,
  published_at timestamp with time zone not null,
  constraint latest_marks_pkey PRIMARY KEY (tranche_id),
  constraint latest_marks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint latest_marks_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id)
) with (fillfactor=70);
alter table latest_marks enable row level security;
alter table latest_marks force row level security;
create policy market on latest_marks for select
  using (( SELECT sluice_in_market() AS sluice_in_market));
create policy tenant on latest_marks
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on latest_marks to sluice_app;

create table ledger_entries (
  entry_id bigint not null generated always as identity,
  journal_id text not null,
  organization_id text not null,
  account text not null,
  tranche_id text,
  amount numeric(24,2) not null,
  trade_id text,
  booked_at timestamp with time zone not null,
  payment_id text,
  party text not null default 'HOLDER'::text,
  correction_id text,
  constraint ledger_entries_pkey PRIMARY KEY (entry_id),
  constraint ledger_entries_once UNIQUE (trade_id, account, organization_id),
  constraint ledger_entries_once_per_correction UNIQUE (correction_id, account, party),
  constraint ledger_entries_once_per_payment UNIQUE (payment_id, account, party),
  constraint ledger_entries_correction_id_fkey FOREIGN KEY (correction_id) REFERENCES trade_corrections(correction_id),
  constraint ledger_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint ledger_entries_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(payment_id),
  constraint ledger_entries_trade_id_fkey FOREIGN KEY (trade_id) REFERENCES trades(trade_id),
  constraint ledger_entries_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id),
  constraint ledger_entries_account_check CHECK (account = ANY (ARRAY['FACE'::text, 'CASH'::text, 'BALANCE'::text])),
  constraint ledger_entries_face_of_tranche CHECK ((account <> 'CASH'::text) = (tranche_id IS NOT NULL)),
  constraint ledger_entries_of_one CHECK (num_nonnulls(trade_id, payment_id, correction_id) = 1),
  constraint ledger_entries_party_check CHECK (party = ANY (ARRAY['HOLDER'::text, 'DEAL'::text]))
);
CREATE INDEX ledger_entries_holding ON ledger_entries USING btree (organization_id, account, tranche_id);
CREATE INDEX ledger_entries_journal ON ledger_entries USING btree (journal_id);
CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION sluice_refuse();
CREATE TRIGGER ledger_entries_balance AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS booked FOR EACH STATEMENT EXECUTE FUNCTION sluice_balanced_journals();
alter table ledger_entries enable row level security;
alter table ledger_entries force row level security;
create policy tenant on ledger_entries
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on ledger_entries to sluice_app;

create table list_places (
  list text not null,
  organization_id text not null,
  rank bigint not null,
  position text[] not null,
  constraint list_places_pkey PRIMARY KEY (list, organization_id, rank)
);
alter table list_places enable row level security;
alter table list_places force row level security;
create policy tenant on list_places
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on list_places to sluice_app;

create table list_total_changes (
  change_id bigint not null generated always as identity,
  list text not null,
  organization_id text not null,
  key text[] not null,
  change bigint not null,
  constraint list_total_changes_pkey PRIMARY KEY (list, organization_id, change_id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
alter table list_total_changes enable row level security;
alter table list_total_changes force row level security;
create policy members on list_total_changes
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (organization_id = ANY ((( SELECT sluice_members() AS sluice_members))::text[])))
  with check (sluice_in_market() AND (organization_id = ANY (sluice_members())));
create policy tenant on list_total_changes
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on list_total_changes to sluice_app;

create table list_totals (
  list text not null,
  organization_id text not null,
  key text[] not null,
  total bigint not null,
  constraint list_totals_pkey PRIMARY KEY (list, organization_id, key)
);
alter table list_totals enable row level security;
alter table list_totals force row level security;
create policy tenant on list_totals
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on list_totals to sluice_app;

create table loan_fingerprints (
  holder_id text not null,
  organization_id text not null,
  kind text not null,
  block integer not null,
  digests uuid[] not null,
  row_nos integer[] not null,
  constraint loan_fingerprints_pkey PRIMARY KEY (kind, block, holder_id),
  constraint loan_fingerprints_same_length CHECK (cardinality(digests) = cardinality(row_nos))
);
CREATE INDEX loan_fingerprints_holder ON loan_fingerprints USING btree (holder_id);
alter table loan_fingerprints enable row level security;
alter table loan_fingerprints force row level security;
create policy tenant on loan_fingerprints
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text));
grant delete, insert, select, update on loan_fingerprints to sluice_app;

create table mappings (
  organization_id text not null,
  loan_type text not null,
  mapping_id text not null,
  entries jsonb not null,
  updated_at timestamp with time zone not null default sluice_now(),
  remembered_by text not null,
  constraint mappings_pkey PRIMARY KEY (organization_id, loan_type, remembered_by)
);
alter table mappings enable row level security;
alter table mappings force row level security;
create policy tenant on mappings
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on mappings to sluice_app;

create table mark_publications (
  tranche_id text not null,
  calculation_id text not null,
  organization_id text not null,
  price numeric(18,8) not null,
  yield numeric(18,8),
  spread_bp numeric(18,8),
  wal numeric(18,8),
  duration numeric(18,8),
  as_of date not null,
  published_at timestamp with time zone not null,
  constraint mark_publications_once PRIMARY KEY (tranche_id, published_at, calculation_id),
  constraint mark_publications_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id)
);
CREATE TRIGGER mark_publications_append_only BEFORE DELETE OR UPDATE ON mark_publications FOR EACH ROW EXECUTE FUNCTION sluice_refuse();
alter table mark_publications enable row level security;
alter table mark_publications force row level security;
create policy market on mark_publications for select
  using (( SELECT sluice_in_market() AS sluice_in_market));
create policy tenant on mark_publications
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on mark_publications to sluice_app;

create table marks (
  tranche_id text not null,
  calculation_id text not null,
  deal_id text not null,
  organization_id text not null,
  price numeric(18,8) not null,
  yield numeric(18,8),
  spread_bp numeric(18,8),
  wal numeric(18,8),
  duration numeric(18,8),
  as_of date not null,
  published_at timestamp with time zone not null default sluice_now(),
  constraint marks_pkey PRIMARY KEY (tranche_id, calculation_id),
  constraint marks_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id)
);
CREATE INDEX marks_calculation ON marks USING btree (calculation_id);
CREATE INDEX marks_deal ON marks USING btree (deal_id, published_at);
CREATE INDEX marks_latest ON marks USING btree (tranche_id, published_at DESC);
CREATE TRIGGER marks_keep_latest AFTER INSERT OR UPDATE ON marks FOR EACH ROW EXECUTE FUNCTION sluice_keep_latest_mark();
CREATE TRIGGER marks_keep_publication AFTER INSERT OR UPDATE ON marks FOR EACH ROW EXECUTE FUNCTION sluice_keep_publication();
alter table marks enable row level security;
alter table marks force row level security;
create policy market on marks for select
  using (( SELECT sluice_in_market() AS sluice_in_market));
create policy tenant on marks
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on marks to sluice_app;

create table members (
  member_id text not null,
  organization_id text not null,
  email text not null,
  name text not null,
  rights text[] not null,
  status text not null default 'INVITED'::text,
  issuer text,
  subject text,
  invited_by text not null,
  created_at timestamp with time zone not null default sluice_now(),
  updated_at timestamp with time zone not null default sluice_now(),
  last_sign_in_at timestamp with time zone,
  removed_at timestamp with time zone,
  constraint members_pkey PRIMARY KEY (member_id),
  constraint members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint members_check CHECK ((issuer IS NULL) = (subject IS NULL)),
  constraint members_check1 CHECK (status <> 'ACTIVE'::text OR subject IS NOT NULL),
  constraint members_email_check CHECK (email = lower(email)),
  constraint members_rights_check CHECK (cardinality(rights) > 0 AND rights <@ ARRAY['ADMIN'::text, 'EDIT'::text, 'APPROVE'::text, 'VIEW'::text]),
  constraint members_status_check CHECK (status = ANY (ARRAY['INVITED'::text, 'ACTIVE'::text, 'SUSPENDED'::text]))
);
CREATE INDEX members_address ON members USING btree (email) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX members_email ON members USING btree (organization_id, email) WHERE removed_at IS NULL;
CREATE INDEX members_organization ON members USING btree (organization_id, created_at DESC, member_id DESC);
CREATE INDEX members_person ON members USING btree (issuer, subject) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX members_subject ON members USING btree (organization_id, issuer, subject) WHERE removed_at IS NULL AND subject IS NOT NULL;
alter table members enable row level security;
alter table members force row level security;
create policy tenant on members
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on members to sluice_app;

create table notification_addresses (
  address_id text not null,
  organization_id text not null,
  email text not null,
  position integer not null,
  unsubscribed text[] not null default '{}'::text[],
  last_sent_at timestamp with time zone,
  last_error text,
  last_error_at timestamp with time zone,
  last_error_permanent boolean,
  created_at timestamp with time zone not null,
  constraint notification_addresses_pkey PRIMARY KEY (address_id),
  constraint notification_addresses_once UNIQUE (organization_id, email),
  constraint notification_addresses_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);
alter table notification_addresses enable row level security;
alter table notification_addresses force row level security;
create policy tenant on notification_addresses
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on notification_addresses to sluice_app;

create table notification_preferences (
  organization_id text not null,
  digest text not null,
  immediate text[] not null,
  types_off text[] not null,
  digested_on date,
  updated_at timestamp with time zone not null,
  constraint notification_preferences_pkey PRIMARY KEY (organization_id),
  constraint notification_preferences_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint notification_preferences_digest_check CHECK (digest = ANY (ARRAY['DAILY'::text, 'NONE'::text]))
);
alter table notification_preferences enable row level security;
alter table notification_preferences force row level security;
create policy tenant on notification_preferences
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on notification_preferences to sluice_app;

create table orders (
  order_id text not null,
  organization_id text not null,
  deal_id text not null,
  tranche_id text not null,
  amount numeric(24,2) not null,
  minimum_amount numeric(24,2),
  limit_yield numeric(12,6),
  status text not null default 'OPEN'::text,
  compliance_check_result text not null,
  compliance_checks jsonb not null,
  reason text,
  placed_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint orders_pkey PRIMARY KEY (order_id),
  constraint orders_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint orders_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint orders_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id),
  constraint orders_amount_check CHECK (amount > 0::numeric),
  constraint orders_check CHECK (minimum_amount > 0::numeric AND minimum_amount <= amount),
  constraint orders_compliance_check_result_check CHECK (compliance_check_result = ANY (ARRAY['passed'::text, 'review_required'::text])),
  constraint orders_status_check CHECK (status = ANY (ARRAY['OPEN'::text, 'ALLOCATED'::text, 'PARTIALLY_ALLOCATED'::text, 'UNFILLED'::text, 'CANCELLED'::text]))
);
CREATE INDEX orders_created ON orders USING btree (created_at DESC NULLS LAST, order_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE INDEX orders_deal ON orders USING btree (deal_id, status);
CREATE INDEX orders_organization ON orders USING btree (organization_id, created_at DESC, order_id DESC);
CREATE INDEX orders_organization_status ON orders USING btree (organization_id, status, created_at DESC, order_id DESC);
CREATE INDEX orders_status ON orders USING btree (status, created_at DESC NULLS LAST, order_id DESC NULLS LAST);
CREATE TRIGGER orders_totals_added AFTER INSERT ON orders REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION orders_totals();
CREATE TRIGGER orders_totals_changed AFTER UPDATE ON orders REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION orders_totals();
CREATE TRIGGER orders_totals_removed AFTER DELETE ON orders REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION orders_totals();
alter table orders enable row level security;
alter table orders force row level security;
create policy members on orders for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (organization_id = ANY ((( SELECT sluice_members() AS sluice_members))::text[])));
create policy tenant on orders
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on orders to sluice_app;

create table organization_looks (
  look text not null,
  organization_id text not null,
  constraint organization_looks_pkey PRIMARY KEY (look),
  constraint organization_looks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);
CREATE INDEX organization_looks_organization ON organization_looks USING btree (organization_id);
alter table organization_looks enable row level security;
alter table organization_looks force row level security;
create policy tenant on organization_looks
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on organization_looks to sluice_app;

create table organizations (
  organization_id text not null,
  name text not null,
  roles text[] not null default '{}'::text[],
  environments text[] not null default '{}'::text[],
  status text not null default 'ACTIVE'::text,
  profile jsonb,
  created_at timestamp with time zone not null default sluice_now(),
  profile_set_at timestamp with time zone,
  constraint organizations_pkey PRIMARY KEY (organization_id),
  constraint organizations_name_key UNIQUE (name),
  constraint organizations_status_check CHECK (status = ANY (ARRAY['ACTIVE'::text, 'SUSPENDED'::text]))
);
CREATE INDEX organizations_suspended ON organizations USING btree (organization_id) WHERE status = 'SUSPENDED'::text;
alter table organizations enable row level security;
alter table organizations force row level security;
create policy members on organizations for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (organization_id = ANY ((( SELECT sluice_members() AS sluice_members))::text[])));
create policy tenant on organizations
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on organizations to sluice_app;

create table outside_pledges (
  pledge_id text not null,
  organization_id text not null,
  pledgee text not null,
  loan_type text not null,
  as_of date not null,
  deal_id text,
  status text not null,
  matched integer not null,
  unmatched integer not null,
  source_key text,
  fingerprint_key text not null,
  compared_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  released_at timestamp with time zone,
  constraint outside_pledges_pkey PRIMARY KEY (pledge_id),
  constraint outside_pledges_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES deals(deal_id),
  constraint outside_pledges_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint outside_pledges_status_check CHECK (status = ANY (ARRAY['LIVE'::text, 'RELEASED'::text]))
);
CREATE INDEX outside_pledges_created ON outside_pledges USING btree (organization_id, created_at DESC, pledge_id DESC);
alter table outside_pledges enable row level security;
alter table outside_pledges force row level security;
create policy tenant on outside_pledges
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on outside_pledges to sluice_app;

create table payments (
  payment_id text not null,
  organization_id text not null,
  holder text not null,
  deal_id text not null,
  tranche_id text not null,
  remittance_id text not null,
  version integer not null,
  period integer not null,
  payment_date date not null,
  record_date date not null,
  face numeric(24,2) not null,
  interest numeric(24,2) not null,
  principal numeric(24,2) not null,
  writedown numeric(24,2) not null,
  accreted numeric(24,2) not null,
  factor_before numeric(18,8) not null,
  factor_after numeric(18,8) not null,
  restates text,
  created_at timestamp with time zone not null,
  constraint payments_pkey PRIMARY KEY (payment_id),
  constraint payments_once UNIQUE (remittance_id, version, tranche_id, organization_id, holder),
  constraint payments_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint payments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint payments_restates_fkey FOREIGN KEY (restates) REFERENCES payments(payment_id),
  constraint payments_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id),
  constraint payments_face_check CHECK (face >= 0::numeric),
  constraint payments_holder_check CHECK (holder = ANY (ARRAY['OF_RECORD'::text, 'RETAINED'::text]))
);
CREATE INDEX payments_booked ON payments USING btree (organization_id, created_at);
CREATE INDEX payments_deal ON payments USING btree (deal_id, payment_date DESC, payment_id DESC);
CREATE INDEX payments_holder ON payments USING btree (holder, payment_date DESC NULLS LAST, payment_id DESC NULLS LAST);
CREATE INDEX payments_newest ON payments USING btree (payment_date DESC NULLS LAST, payment_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE INDEX payments_organization ON payments USING btree (organization_id, payment_date DESC, payment_id DESC);
CREATE INDEX payments_restates ON payments USING btree (restates) WHERE restates IS NOT NULL;
CREATE TRIGGER payments_append_only BEFORE DELETE OR UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION sluice_refuse();
CREATE TRIGGER payments_totals_added AFTER INSERT ON payments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION payments_totals();
CREATE TRIGGER payments_totals_changed AFTER UPDATE ON payments REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION payments_totals();
CREATE TRIGGER payments_totals_removed AFTER DELETE ON payments REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION payments_totals();
alter table payments enable row level security;
alter table payments force row level security;
create policy tenant on payments
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on payments to sluice_app;

create table pending_waiver_loans (
  organization_id text not null,
  deal_id text not null,
  criteria_id text not null,
  rule_id text not null,
  tape_version integer not null,
  loan_id text not null,
  waiver_id text not null,
  constraint pending_waiver_loans_once PRIMARY KEY (organization_id, deal_id, criteria_id, rule_id, tape_version, loan_id),
  constraint pending_waiver_loans_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint pending_waiver_loans_waiver_id_fkey FOREIGN KEY (waiver_id) REFERENCES waivers(waiver_id)
);
CREATE INDEX pending_waiver_loans_waiver ON pending_waiver_loans USING btree (waiver_id);
alter table pending_waiver_loans enable row level security;
alter table pending_waiver_loans force row level security;
create policy tenant on pending_waiver_loans
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on pending_waiver_loans to sluice_app;

create table platform_clock (
  singleton boolean not null default true,
  advanced interval not null default '00:00:00'::interval,
  production boolean not null default false,
  constraint platform_clock_pkey PRIMARY KEY (singleton),
  constraint platform_clock_singleton_check CHECK (singleton)
);
CREATE TRIGGER platform_clock_stays_production BEFORE UPDATE ON platform_clock FOR EACH ROW WHEN (old.production AND NOT new.production) EXECUTE FUNCTION sluice_stays_production();
grant delete, insert, select, update on platform_clock to sluice_app;

create table pledge_conflict_loans (
  conflict_id text not null,
  organization_id text not null,
  holder_id text not null,
  row_no integer not null,
  loan_id text,
  balance numeric,
  met text[] not null,
  pair_no integer not null,
  constraint pledge_conflict_loans_pkey PRIMARY KEY (conflict_id, holder_id, row_no),
  constraint pledge_conflict_loans_conflict_fkey FOREIGN KEY (conflict_id, holder_id) REFERENCES pledge_conflicts(conflict_id, holder_id),
  constraint pledge_conflict_loans_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);
alter table pledge_conflict_loans enable row level security;
alter table pledge_conflict_loans force row level security;
create policy tenant on pledge_conflict_loans
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on pledge_conflict_loans to sluice_app;

create table pledge_conflicts (
  conflict_id text not null,
  organization_id text not null,
  holder_id text not null,
  pair text not null,
  loan_type text not null,
  status text not null,
  count integer not null,
  balance numeric(24,2) not null,
  met text[] not null,
  first_seen timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  resolved_by text,
  reason text,
  constraint pledge_conflicts_pkey PRIMARY KEY (conflict_id, holder_id),
  constraint pledge_conflicts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint pledge_conflicts_status_check CHECK (status = ANY (ARRAY['OPEN'::text, 'RESOLVED'::text, 'CLEARED'::text]))
);
CREATE INDEX pledge_conflicts_holder ON pledge_conflicts USING btree (holder_id) WHERE status = 'OPEN'::text;
CREATE UNIQUE INDEX pledge_conflicts_one_open ON pledge_conflicts USING btree (pair, holder_id) WHERE status = 'OPEN'::text;
CREATE INDEX pledge_conflicts_own ON pledge_conflicts USING btree (organization_id, first_seen DESC, conflict_id DESC);
alter table pledge_conflicts enable row level security;
alter table pledge_conflicts force row level security;
create policy tenant on pledge_conflicts
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on pledge_conflicts to sluice_app;

create table pool_months (
  organization_id text not null,
  pool_id text not null,
  period integer not null,
  version integer not null,
  compared_with integer not null,
  months integer not null,
  reported_on date,
  matched integer not null,
  strangers integer not null,
  figures jsonb not null,
  rolls jsonb not null,
  vintages jsonb not null,
  loans_key text not null,
  created_at timestamp with time zone not null,
  constraint pool_months_pkey PRIMARY KEY (pool_id, period),
  constraint pool_months_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint pool_months_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES pools(pool_id)
);
alter table pool_months enable row level security;
alter table pool_months force row level security;
create policy market on pool_months for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (EXISTS ( SELECT
   FROM securitization_deals d
  WHERE d.pool_id = pool_months.pool_id)));
create policy tenant on pool_months
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on pool_months to sluice_app;

create table pool_tapes (
  organization_id text not null,
  pool_id text not null,
  period integer not null,
  version integer not null,
  upload_id text not null,
  file_name text not null,
  format text not null,
  size bigint not null,
  sha256 text not null,
  state text not null,
  run integer not null default 1,
  attempts integer not null default 0,
  failure text,
  mapping_id text,
  overrides jsonb not null default '[]'::jsonb,
  sent_by text,
  mapped_by text,
  mapping jsonb,
  rows integer not null default 0,
  accepted integer not null default 0,
  rejected integer not null default 0,
  errors integer not null default 0,
  warnings integer not null default 0,
  by_rule jsonb,
  findings jsonb not null default '{}'::jsonb,
  as_of_date date,
  raw_key text,
  read_issues_key text,
  loans_key text,
  issues_key text,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  constraint pool_tapes_pkey PRIMARY KEY (pool_id, period),
  constraint pool_tapes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint pool_tapes_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES pools(pool_id),
  constraint pool_tapes_format_check CHECK (format = ANY (ARRAY['csv'::text, 'xlsx'::text, 'parquet'::text])),
  constraint pool_tapes_period_check CHECK (period >= 1),
  constraint pool_tapes_state_check CHECK (state = ANY (ARRAY['RUNNING'::text, 'NEEDS_MAPPING'::text, 'NEEDS_CONFIRMATION'::text, 'DONE'::text, 'FAILED'::text]))
);
CREATE INDEX pool_tapes_running ON pool_tapes USING btree (pool_id, period) WHERE state = 'RUNNING'::text;
alter table pool_tapes enable row level security;
alter table pool_tapes force row level security;
create policy tenant on pool_tapes
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on pool_tapes to sluice_app;

create table pools (
  pool_id text not null,
  organization_id text not null,
  name text not null,
  status text not null,
  deal_ids text[] not null,
  loan_type text not null,
  offering text not null default '144A'::text,
  cut_off_date date not null,
  closing_date date not null,
  filter json,
  sc_job_ids text[] not null default '{}'::text[],
  loan_count integer not null,
  balance numeric(24,2) not null,
  wac numeric,
  wam numeric,
  loans_key text,
  tape_versions jsonb not null default '{}'::jsonb,
  structure json,
  structure_version integer not null default 0,
  issue_requested_at timestamp with time zone,
  deal_id text,
  created_at timestamp with time zone not null default sluice_now(),
  updated_at timestamp with time zone not null default sluice_now(),
  loan_set text,
  warnings jsonb not null default '[]'::jsonb,
  encumbered_at timestamp with time zone,
  compared_at timestamp with time zone,
  fingerprint_key text,
  fingerprinted jsonb,
  tape_due_business_day smallint,
  disclosure_level text not null default 'AGGREGATE'::text,
  disclosed_fields text[] not null default '{}'::text[],
  disclosure_version integer not null default 0,
  loans_version integer not null default 0,
  months_version integer not null default 0,
  constraint pools_pkey PRIMARY KEY (pool_id),
  constraint pools_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint pools_disclosed_fields CHECK (disclosure_level = 'AGGREGATE'::text OR disclosed_fields <> '{}'::text[]),
  constraint pools_disclosure CHECK (disclosure_level = ANY (ARRAY['AGGREGATE'::text, 'LOAN_LEVEL'::text])),
  constraint pools_offering_check CHECK (offering = ANY (ARRAY['144A'::text, '506C'::text, 'REG_S'::text])),
  constraint pools_status_check CHECK (status = ANY (ARRAY['DRAFT'::text, 'STRUCTURED'::text, 'LOCKED'::text, 'ISSUED'::text, 'CLOSED'::text, 'CANCELLED'::text])),
  constraint pools_tape_due_business_day_check CHECK (tape_due_business_day >= 1 AND tape_due_business_day <= 20)
);
CREATE INDEX pools_created ON pools USING btree (created_at DESC NULLS LAST, pool_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE INDEX pools_deal ON pools USING btree (deal_id) WHERE deal_id IS NOT NULL;
CREATE INDEX pools_organization ON pools USING btree (organization_id, created_at DESC, pool_id DESC);
CREATE INDEX pools_organization_status ON pools USING btree (organization_id, status, created_at DESC, pool_id DESC);
CREATE INDEX pools_status ON pools USING btree (status, created_at DESC NULLS LAST, pool_id DESC NULLS LAST);
CREATE INDEX pools_tape_due ON pools USING btree (pool_id) WHERE tape_due_business_day IS NOT NULL;
CREATE INDEX pools_unencumbered ON pools USING btree (organization_id) WHERE encumbered_at IS NULL AND status <> 'CANCELLED'::text;
CREATE TRIGGER pools_totals_added AFTER INSERT ON pools REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION pools_totals();
CREATE TRIGGER pools_totals_changed AFTER UPDATE ON pools REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION pools_totals();
CREATE TRIGGER pools_totals_removed AFTER DELETE ON pools REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION pools_totals();
alter table pools enable row level security;
alter table pools force row level security;
create policy market on pools for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (EXISTS ( SELECT
   FROM securitization_deals d
  WHERE d.pool_id = pools.pool_id)));
create policy tenant on pools
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on pools to sluice_app;

create table portfolio_run_deals (
  calculation_id text not null,
  place integer not null,
  organization_id text not null,
  deal_id text not null,
  holding json not null,
  run integer not null default 0,
  attempts integer not null default 0,
  figures json,
  left_out json,
  done_at timestamp with time zone,
  constraint portfolio_run_deals_pkey PRIMARY KEY (calculation_id, place),
  constraint portfolio_run_deals_calculation_id_fkey FOREIGN KEY (calculation_id) REFERENCES portfolio_runs(calculation_id) ON DELETE CASCADE,
  constraint portfolio_run_deals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);
CREATE INDEX portfolio_run_deals_open ON portfolio_run_deals USING btree (calculation_id, place) WHERE done_at IS NULL;
alter table portfolio_run_deals enable row level security;
alter table portfolio_run_deals force row level security;
create policy tenant on portfolio_run_deals
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on portfolio_run_deals to sluice_app;

create table portfolio_runs (
  calculation_id text not null,
  organization_id text not null,
  run_key text,
  status text not null,
  as_of date not null,
  scenarios json not null,
  deals integer not null,
  positions integer not null,
  left_out json not null,
  result json,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  constraint portfolio_runs_pkey PRIMARY KEY (calculation_id),
  constraint portfolio_runs_once UNIQUE (organization_id, run_key),
  constraint portfolio_runs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint portfolio_runs_status_check CHECK (status = ANY (ARRAY['RUNNING'::text, 'COMPLETED'::text]))
);
CREATE INDEX portfolio_runs_created ON portfolio_runs USING btree (organization_id, created_at DESC, calculation_id DESC);
alter table portfolio_runs enable row level security;
alter table portfolio_runs force row level security;
create policy tenant on portfolio_runs
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on portfolio_runs to sluice_app;

create table positions (
  position_id text not null,
  organization_id text not null,
  deal_id text not null,
  tranche_id text not null,
  face numeric(24,2) not null,
  paid numeric(28,8) not null,
  trade_date date not null,
  created_at timestamp with time zone not null,
  constraint positions_pkey PRIMARY KEY (position_id),
  constraint positions_one_per_tranche UNIQUE (organization_id, tranche_id),
  constraint positions_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint positions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint positions_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id),
  constraint positions_face_check CHECK (face >= 0::numeric)
);
CREATE INDEX positions_deal ON positions USING btree (deal_id);
CREATE INDEX positions_organization ON positions USING btree (organization_id, created_at DESC, position_id DESC);
alter table positions enable row level security;
alter table positions force row level security;
create policy members on positions for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (organization_id = ANY ((( SELECT sluice_members() AS sluice_members))::text[])));
create policy tenant on positions
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on positions to sluice_app;

create table primary_mark (
  only_row boolean not null default true,
  name text not null,
  constraint primary_mark_pkey PRIMARY KEY (only_row),
  constraint primary_mark_only_row_check CHECK (only_row)
);
grant delete, insert, select, update on primary_mark to sluice_app;

create unlogged table rate_windows (
  subject text not null,
  started_at timestamp with time zone not null,
  used integer not null,
  constraint rate_windows_pkey PRIMARY KEY (subject)
) with (fillfactor=50);
grant delete, insert, select, update on rate_windows to sluice_app;

create table record_accesses (
  access_id bigint not null generated always as identity,
  organization_id text not null,
  reader_id text not null,
  actor_id text not null,
  act text not null,
  entity_type text not null,
  entity_id text not null,
  what text not null,
  details jsonb not null default '{}'::jsonb,
  at timestamp with time zone not null,
  constraint record_accesses_pkey PRIMARY KEY (access_id),
  constraint record_accesses_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint record_accesses_reader_id_fkey FOREIGN KEY (reader_id) REFERENCES organizations(organization_id),
  constraint record_accesses_act_check CHECK (act = ANY (ARRAY['READ'::text, 'DOWNLOADED'::text]))
);
CREATE INDEX record_accesses_at ON record_accesses USING btree (at);
CREATE INDEX record_accesses_entity ON record_accesses USING btree (organization_id, entity_id, access_id);
CREATE INDEX record_accesses_owner ON record_accesses USING btree (organization_id, access_id);
alter table record_accesses enable row level security;
alter table record_accesses force row level security;
create policy market on record_accesses for insert
  with check (sluice_in_market() AND reader_id = current_setting('sluice.organization'::text, true));
create policy tenant on record_accesses
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on record_accesses to sluice_app;

create table remittance_versions (
  remittance_id text not null,
  version integer not null,
  organization_id text not null,
  pool_id text not null,
  report json not null,
  performance json not null,
  triggers json not null,
  reported_at timestamp with time zone not null,
  replaced_at timestamp with time zone not null,
  constraint remittance_versions_pkey PRIMARY KEY (remittance_id, version),
  constraint remittance_versions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint remittance_versions_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES pools(pool_id)
);
CREATE INDEX remittance_versions_pool ON remittance_versions USING btree (pool_id);
CREATE TRIGGER remittance_versions_append_only BEFORE DELETE OR UPDATE ON remittance_versions FOR EACH ROW EXECUTE FUNCTION sluice_refuse();
alter table remittance_versions enable row level security;
alter table remittance_versions force row level security;
create policy tenant on remittance_versions
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on remittance_versions to sluice_app;

create table remittances (
  pool_id text not null,
  period integer not null,
  organization_id text not null,
  remittance_id text not null,
  deal_id text not null,
  payment_date date not null,
  report json not null,
  performance json not null,
  triggers json not null,
  state_after json not null,
  created_at timestamp with time zone not null default sluice_now(),
  status text not null,
  version integer not null default 1,
  applied_at timestamp with time zone,
  restated_at timestamp with time zone,
  updated_at timestamp with time zone not null default sluice_now(),
  verification json not null,
  accepted_at timestamp with time zone,
  accepted_by text,
  accepted_reason text,
  constraint remittances_one_per_period PRIMARY KEY (pool_id, period),
  constraint remittances_id UNIQUE (remittance_id),
  constraint remittances_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint remittances_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES pools(pool_id),
  constraint remittances_status_check CHECK (status = ANY (ARRAY['SCHEDULED'::text, 'HELD'::text, 'APPLIED'::text]))
);
CREATE INDEX remittances_deal ON remittances USING btree (deal_id, period);
CREATE INDEX remittances_newest ON remittances USING btree (created_at DESC, remittance_id DESC);
CREATE INDEX remittances_pool ON remittances USING btree (organization_id, pool_id, period DESC);
CREATE INDEX remittances_waiting ON remittances USING btree (payment_date, pool_id) WHERE status <> 'APPLIED'::text;
alter table remittances enable row level security;
alter table remittances force row level security;
create policy market on remittances for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND status = 'APPLIED'::text);
create policy tenant on remittances
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on remittances to sluice_app;

create table removed_objects (
  object_key text not null,
  organization_id text not null,
  removed_at timestamp with time zone not null default now(),
  constraint removed_objects_pkey PRIMARY KEY (object_key)
);
alter table removed_objects enable row level security;
alter table removed_objects force row level security;
create policy tenant on removed_objects
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on removed_objects to sluice_app;

create table request_log (
  entry_id bigint not null default nextval('request_log_entries'::regclass),
  organization_id text not null,
  request_id text not null,
  at timestamp with time zone not null,
  ms integer not null,
  method text not null,
  path text not null,
  route text,
  status smallint not null,
  code text,
  actor_id text not null,
  idempotency_key text,
  replayed boolean not null,
  deal_id text,
  request text not null,
  response text not null,
  event_ids text[],
  delivery_ids text[],
  job_ids text[],
  caused_more integer not null default 0,
  dropped_before integer not null default 0
) partition by RANGE (at);
CREATE INDEX request_log_deal ON ONLY request_log USING btree (organization_id, deal_id, at) WHERE deal_id IS NOT NULL;
CREATE INDEX request_log_errors ON ONLY request_log USING btree (organization_id, at, entry_id) WHERE status >= 400;
CREATE INDEX request_log_organization ON ONLY request_log USING btree (organization_id, at, entry_id);
CREATE INDEX request_log_request ON ONLY request_log USING btree (organization_id, request_id);
CREATE TRIGGER request_log_totals_added AFTER INSERT ON request_log REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION request_log_totals();
CREATE TRIGGER request_log_totals_changed AFTER UPDATE ON request_log REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION request_log_totals();
CREATE TRIGGER request_log_totals_removed AFTER DELETE ON request_log REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION request_log_totals();
alter table request_log enable row level security;
alter table request_log force row level security;
create policy tenant on request_log
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on request_log to sluice_app;

create table sc_jobs (
  sc_job_id text not null,
  organization_id text not null,
  deal_id text not null,
  criteria_id text not null,
  criteria_version integer not null,
  tape_version integer not null,
  status text not null,
  run integer not null default 1,
  passed integer,
  failed integer,
  waived integer,
  total integer,
  passed_balance numeric(24,2),
  failed_balance numeric(24,2),
  result jsonb,
  outcomes_key text,
  exception_file_id text,
  error text,
  run_at timestamp with time zone,
  created_at timestamp with time zone not null default sluice_now(),
  loans_key text,
  attempts integer not null default 0,
  error_code text,
  constraint sc_jobs_pkey PRIMARY KEY (sc_job_id),
  constraint sc_jobs_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES deals(deal_id),
  constraint sc_jobs_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text]))
);
CREATE INDEX sc_jobs_deal ON sc_jobs USING btree (organization_id, deal_id, created_at DESC, sc_job_id DESC);
CREATE UNIQUE INDEX sc_jobs_one_live ON sc_jobs USING btree (organization_id, deal_id, criteria_id, criteria_version) WHERE status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text]);
alter table sc_jobs enable row level security;
alter table sc_jobs force row level security;
create policy tenant on sc_jobs
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on sc_jobs to sluice_app;

create table scenario_flows (
  pool_id text not null,
  scenario_key text not null,
  flows json not null,
  made_at timestamp with time zone not null,
  constraint scenario_flows_pkey PRIMARY KEY (pool_id, scenario_key),
  constraint scenario_flows_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES pools(pool_id)
);
CREATE INDEX scenario_flows_made ON scenario_flows USING btree (made_at);
alter table scenario_flows enable row level security;
alter table scenario_flows force row level security;
create policy platform on scenario_flows
  using (( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text));
grant delete, insert, select, update on scenario_flows to sluice_app;

create table schema_migrations (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (name)
);
grant select on schema_migrations to sluice_app;

create table securitization_deals (
  deal_id text not null,
  organization_id text not null,
  pool_id text not null,
  name text not null,
  asset_type text not null,
  offering text not null,
  status text not null default 'APPROVED'::text,
  market_status text not null,
  deal_size numeric(24,2) not null,
  closing_date date not null,
  created_at timestamp with time zone not null default sluice_now(),
  updated_at timestamp with time zone not null default sluice_now(),
  originator text not null,
  constraint securitization_deals_pkey PRIMARY KEY (deal_id),
  constraint securitization_deals_pool_id_key UNIQUE (pool_id),
  constraint securitization_deals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint securitization_deals_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES pools(pool_id),
  constraint securitization_deals_market_status_check CHECK (market_status = ANY (ARRAY['MARKETING'::text, 'BOOKS_CLOSED'::text, 'ALLOCATED'::text, 'CLOSED'::text, 'WITHDRAWN'::text]))
);
CREATE INDEX securitization_deals_created ON securitization_deals USING btree (created_at DESC NULLS LAST, deal_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE INDEX securitization_deals_market ON securitization_deals USING btree (asset_type, market_status, created_at DESC NULLS LAST, deal_id DESC NULLS LAST);
CREATE INDEX securitization_deals_organization ON securitization_deals USING btree (organization_id, created_at DESC, deal_id DESC);
CREATE TRIGGER securitization_deals_originator BEFORE INSERT ON securitization_deals FOR EACH ROW EXECUTE FUNCTION sluice_name_originator();
CREATE TRIGGER securitization_deals_totals_added AFTER INSERT ON securitization_deals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION securitization_deals_totals();
CREATE TRIGGER securitization_deals_totals_changed AFTER UPDATE ON securitization_deals REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION securitization_deals_totals();
CREATE TRIGGER securitization_deals_totals_removed AFTER DELETE ON securitization_deals REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION securitization_deals_totals();
alter table securitization_deals enable row level security;
alter table securitization_deals force row level security;
create policy market on securitization_deals for select
  using (( SELECT sluice_in_market() AS sluice_in_market));
create policy tenant on securitization_deals
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on securitization_deals to sluice_app;

create table sessions (
  session_hash text not null,
  issuer text not null,
  subject text not null,
  organization_id text,
  member_id text,
  csrf text not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint sessions_pkey PRIMARY KEY (session_hash),
  constraint sessions_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(member_id),
  constraint sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint sessions_check CHECK ((organization_id IS NULL) = (member_id IS NULL))
);
CREATE INDEX sessions_ends ON sessions USING btree (expires_at);
CREATE INDEX sessions_member ON sessions USING btree (member_id);
CREATE INDEX sessions_person ON sessions USING btree (issuer, subject);
alter table sessions enable row level security;
alter table sessions force row level security;
create policy tenant on sessions
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on sessions to sluice_app;

create table share_recipients (
  recipient_id text not null,
  organization_id text not null,
  name text not null,
  token_hash text not null,
  deal_ids text[],
  created_by text not null,
  created_at timestamp with time zone not null default sluice_now(),
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  role text not null default 'both'::text,
  constraint share_recipients_pkey PRIMARY KEY (recipient_id),
  constraint share_recipients_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint share_recipients_deal_ids_check CHECK (cardinality(deal_ids) > 0),
  constraint share_recipients_role_check CHECK (role = ANY (ARRAY['originator'::text, 'investor'::text, 'both'::text]))
);
CREATE INDEX share_recipients_newest ON share_recipients USING btree (organization_id, created_at DESC, recipient_id DESC);
CREATE UNIQUE INDEX share_recipients_one_name ON share_recipients USING btree (organization_id, name) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX share_recipients_token ON share_recipients USING btree (token_hash);
alter table share_recipients enable row level security;
alter table share_recipients force row level security;
create policy tenant on share_recipients
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on share_recipients to sluice_app;

create table shared_files (
  file_id text not null,
  organization_id text not null,
  pool_id text not null,
  loans_key text not null,
  disclosure_version integer not null,
  object_key text not null,
  created_at timestamp with time zone not null default now(),
  constraint shared_files_pkey PRIMARY KEY (file_id),
  constraint shared_files_object_key_key UNIQUE (object_key),
  constraint shared_files_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint shared_files_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES pools(pool_id)
);
CREATE INDEX shared_files_old ON shared_files USING btree (created_at);
CREATE INDEX shared_files_organization ON shared_files USING btree (organization_id);
CREATE INDEX shared_files_pool ON shared_files USING btree (pool_id);
alter table shared_files enable row level security;
alter table shared_files force row level security;
create policy tenant on shared_files
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on shared_files to sluice_app;

create table sign_ins (
  state_hash text not null,
  nonce text not null,
  code_verifier text not null,
  return_to text not null,
  organization_id text,
  created_at timestamp with time zone not null default now(),
  constraint sign_ins_pkey PRIMARY KEY (state_hash),
  constraint sign_ins_organization_id_check CHECK (organization_id IS NULL)
);
alter table sign_ins enable row level security;
alter table sign_ins force row level security;
create policy tenant on sign_ins
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on sign_ins to sluice_app;

create table statements (
  organization_id text not null,
  month text not null,
  ends_at timestamp with time zone not null,
  figures json not null,
  created_at timestamp with time zone not null,
  constraint statements_once PRIMARY KEY (organization_id, month),
  constraint statements_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint statements_month_check CHECK (month ~ '^\d{4}-(0[1-9]|1[0-2])$'::text)
);
CREATE TRIGGER statements_append_only BEFORE DELETE OR UPDATE ON statements FOR EACH ROW EXECUTE FUNCTION sluice_refuse();
alter table statements enable row level security;
alter table statements force row level security;
create policy tenant on statements
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on statements to sluice_app;

create table subscriptions (
  subscription_id text not null,
  organization_id text not null,
  deal_id text not null,
  tranche_id text not null,
  subscription_amount numeric(24,2) not null,
  status text not null,
  compliance_check_result text not null,
  compliance_checks jsonb not null,
  ioi_id text,
  reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  allocated_at timestamp with time zone,
  funded_at timestamp with time zone,
  settled_at timestamp with time zone,
  placed_at timestamp with time zone not null default sluice_now(),
  constraint subscriptions_pkey PRIMARY KEY (subscription_id),
  constraint subscriptions_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint subscriptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint subscriptions_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id),
  constraint subscriptions_compliance_check_result_check CHECK (compliance_check_result = ANY (ARRAY['passed'::text, 'review_required'::text])),
  constraint subscriptions_status_check CHECK (status = ANY (ARRAY['pending_confirmation'::text, 'confirmed'::text, 'allocated'::text, 'funded'::text, 'settled'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text])),
  constraint subscriptions_subscription_amount_check CHECK (subscription_amount > 0::numeric)
);
CREATE INDEX subscriptions_created ON subscriptions USING btree (created_at DESC NULLS LAST, subscription_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE INDEX subscriptions_deal ON subscriptions USING btree (deal_id, status);
CREATE INDEX subscriptions_organization ON subscriptions USING btree (organization_id, created_at DESC, subscription_id DESC);
CREATE INDEX subscriptions_organization_status ON subscriptions USING btree (organization_id, status, created_at DESC, subscription_id DESC);
CREATE INDEX subscriptions_status ON subscriptions USING btree (status, created_at DESC NULLS LAST, subscription_id DESC NULLS LAST);
CREATE TRIGGER subscriptions_totals_added AFTER INSERT ON subscriptions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION subscriptions_totals();
CREATE TRIGGER subscriptions_totals_changed AFTER UPDATE ON subscriptions REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION subscriptions_totals();
CREATE TRIGGER subscriptions_totals_removed AFTER DELETE ON subscriptions REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION subscriptions_totals();
alter table subscriptions enable row level security;
alter table subscriptions force row level security;
create policy members on subscriptions
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (organization_id = ANY ((( SELECT sluice_members() AS sluice_members))::text[])))
  with check (sluice_in_market() AND (organization_id = ANY (sluice_members())));
create policy tenant on subscriptions
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on subscriptions to sluice_app;

create table tapes (
  deal_id text not null,
  version integer not null,
  organization_id text not null,
  upload_id text,
  file_name text not null,
  format text not null,
  mode text not null default 'REPLACE'::text,
  object_key text not null,
  size bigint not null,
  sha256 text not null,
  state text not null,
  run integer not null default 1,
  mapping_id text,
  overrides jsonb not null default '[]'::jsonb,
  mapping jsonb,
  rows integer not null default 0,
  accepted integer not null default 0,
  rejected integer not null default 0,
  total_balance numeric(24,2) not null default 0,
  balance_basis text,
  errors integer not null default 0,
  warnings integer not null default 0,
  as_of_date date,
  findings jsonb not null default '{}'::jsonb,
  loans_key text,
  raw_key text,
  issues_key text,
  created_at timestamp with time zone not null default sluice_now(),
  completed_at timestamp with time zone,
  attempts integer not null default 0,
  failure text,
  merged_into integer,
  by_rule jsonb,
  progress jsonb,
  sent_by text,
  mapped_by text,
  data_key text,
  sealed_key text,
  keys_destroyed_at timestamp with time zone,
  job_status text not null generated always as (
CASE state
    WHEN 'RUNNING'::text THEN
    CASE
        WHEN attempts > 0 THEN 'PROCESSING'::text
        ELSE 'PENDING'::text
    END
    WHEN 'FAILED'::text THEN 'FAILED'::text
    ELSE 'COMPLETED'::text
END) stored,
  constraint tapes_pkey PRIMARY KEY (deal_id, version),
  constraint tapes_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES deals(deal_id) ON DELETE CASCADE,
  constraint tapes_destroyed_key CHECK (keys_destroyed_at IS NULL OR data_key IS NULL),
  constraint tapes_format_check CHECK (format = ANY (ARRAY['csv'::text, 'xlsx'::text, 'parquet'::text, 'inline'::text])),
  constraint tapes_mode_check CHECK (mode = ANY (ARRAY['REPLACE'::text, 'MERGE'::text])),
  constraint tapes_state_check CHECK (state = ANY (ARRAY['RUNNING'::text, 'NEEDS_MAPPING'::text, 'NEEDS_CONFIRMATION'::text, 'DONE'::text, 'FAILED'::text, 'DROPPED'::text]))
);
CREATE INDEX tapes_created ON tapes USING btree (created_at DESC);
CREATE INDEX tapes_job_status ON tapes USING btree (job_status, created_at DESC);
CREATE INDEX tapes_object ON tapes USING btree (object_key);
CREATE INDEX tapes_organization ON tapes USING btree (organization_id, created_at DESC);
CREATE INDEX tapes_running ON tapes USING btree (deal_id, version) WHERE state = 'RUNNING'::text;
CREATE TRIGGER tapes_totals_added AFTER INSERT ON tapes REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tapes_totals();
CREATE TRIGGER tapes_totals_changed AFTER UPDATE ON tapes REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tapes_totals();
CREATE TRIGGER tapes_totals_removed AFTER DELETE ON tapes REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tapes_totals();
alter table tapes enable row level security;
alter table tapes force row level security;
create policy tenant on tapes
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on tapes to sluice_app;

create table trade_corrections (
  correction_id text not null,
  entry_id bigint not null generated always as identity,
  trade_id text not null,
  organization_id text not null,
  tranche_id text not null,
  remittance_id text not null,
  period integer not null,
  factor_before numeric(18,8) not null,
  factor_after numeric(18,8) not null,
  accrued_from date not null,
  principal_amount numeric(24,2) not null,
  accrued_interest numeric(24,2) not null,
  created_at timestamp with time zone not null,
  constraint trade_corrections_pkey PRIMARY KEY (correction_id),
  constraint trade_corrections_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint trade_corrections_trade_id_fkey FOREIGN KEY (trade_id) REFERENCES trades(trade_id),
  constraint trade_corrections_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id)
);
CREATE INDEX trade_corrections_booked ON trade_corrections USING btree (organization_id, created_at);
CREATE INDEX trade_corrections_trade ON trade_corrections USING btree (trade_id, entry_id DESC);
CREATE TRIGGER trade_corrections_append_only BEFORE DELETE OR UPDATE ON trade_corrections FOR EACH ROW EXECUTE FUNCTION sluice_refuse();
alter table trade_corrections enable row level security;
alter table trade_corrections force row level security;
create policy tenant on trade_corrections
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on trade_corrections to sluice_app;

create table trades (
  trade_id text not null,
  organization_id text not null,
  deal_id text not null,
  tranche_id text not null,
  allocation_id text not null,
  side text not null default 'BUY'::text,
  face numeric(24,2) not null,
  factor numeric(18,8) not null,
  price numeric(18,8) not null,
  yield numeric(12,6),
  principal_amount numeric(24,2) not null,
  accrued_interest numeric(24,2) not null,
  net_amount numeric(24,2) not null,
  trade_date date not null,
  settlement_date date not null,
  status text not null default 'PENDING_SETTLEMENT'::text,
  reason text,
  settled_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  accrued_from date,
  constraint trades_pkey PRIMARY KEY (trade_id),
  constraint trades_one_per_allocation UNIQUE (allocation_id),
  constraint trades_allocation_id_fkey FOREIGN KEY (allocation_id) REFERENCES allocations(allocation_id),
  constraint trades_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint trades_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint trades_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id),
  constraint trades_face_check CHECK (face > 0::numeric),
  constraint trades_side_check CHECK (side = 'BUY'::text),
  constraint trades_status_check CHECK (status = ANY (ARRAY['PENDING_SETTLEMENT'::text, 'SETTLED'::text, 'FAILED'::text, 'CANCELLED'::text]))
);
CREATE INDEX trades_created ON trades USING btree (created_at DESC NULLS LAST, trade_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE INDEX trades_deal ON trades USING btree (deal_id, status);
CREATE INDEX trades_held ON trades USING btree (organization_id, tranche_id, settled_at) WHERE status = 'SETTLED'::text;
CREATE INDEX trades_organization ON trades USING btree (organization_id, created_at DESC, trade_id DESC);
CREATE INDEX trades_organization_status ON trades USING btree (organization_id, status, created_at DESC, trade_id DESC);
CREATE INDEX trades_settled ON trades USING btree (organization_id, settled_at) WHERE status = 'SETTLED'::text;
CREATE INDEX trades_status ON trades USING btree (status, created_at DESC NULLS LAST, trade_id DESC NULLS LAST);
CREATE TRIGGER trades_totals_added AFTER INSERT ON trades REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION trades_totals();
CREATE TRIGGER trades_totals_changed AFTER UPDATE ON trades REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION trades_totals();
CREATE TRIGGER trades_totals_removed AFTER DELETE ON trades REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION trades_totals();
alter table trades enable row level security;
alter table trades force row level security;
create policy members on trades for select
  using (( SELECT sluice_in_market() AS sluice_in_market) AND (organization_id = ANY ((( SELECT sluice_members() AS sluice_members))::text[])));
create policy tenant on trades
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on trades to sluice_app;

create table tranche_books (
  tranche_id text not null,
  deal_id text not null,
  organization_id text not null,
  capacity numeric(24,2) not null,
  committed numeric(24,2) not null default 0,
  open boolean not null default true,
  constraint tranche_books_pkey PRIMARY KEY (tranche_id),
  constraint tranche_books_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint tranche_books_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id),
  constraint tranche_books_capacity CHECK (committed >= 0::numeric AND committed <= capacity)
) with (fillfactor=50);
CREATE INDEX tranche_books_deal ON tranche_books USING btree (deal_id);
alter table tranche_books enable row level security;
alter table tranche_books force row level security;
create policy market on tranche_books for select
  using (( SELECT sluice_in_market() AS sluice_in_market));
create policy tenant on tranche_books
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on tranche_books to sluice_app;

create table tranche_factors (
  entry_id bigint not null generated always as identity,
  tranche_id text not null,
  organization_id text not null,
  factor numeric(18,8) not null,
  accrued_from date not null,
  coupon numeric(14,8),
  set_at timestamp with time zone not null,
  constraint tranche_factors_pkey PRIMARY KEY (entry_id),
  constraint tranche_factors_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint tranche_factors_tranche_id_fkey FOREIGN KEY (tranche_id) REFERENCES tranches(tranche_id)
);
CREATE INDEX tranche_factors_latest ON tranche_factors USING btree (tranche_id, set_at DESC, entry_id DESC);
CREATE TRIGGER tranche_factors_append_only BEFORE DELETE OR UPDATE ON tranche_factors FOR EACH ROW EXECUTE FUNCTION sluice_refuse();
alter table tranche_factors enable row level security;
alter table tranche_factors force row level security;
create policy market on tranche_factors for select
  using (( SELECT sluice_in_market() AS sluice_in_market));
create policy tenant on tranche_factors
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on tranche_factors to sluice_app;

create table tranches (
  tranche_id text not null,
  deal_id text not null,
  organization_id text not null,
  tranche text not null,
  class text not null,
  offered boolean not null,
  original_balance numeric(24,2) not null,
  current_balance numeric(24,2) not null,
  coupon_type text not null,
  coupon numeric(14,8),
  day_count text not null,
  rating text,
  seniority integer not null,
  denomination numeric(18,2) not null default 1000,
  increment numeric(18,2) not null default 1000,
  erisa_eligible boolean not null default true,
  offered_yield numeric(12,6),
  dated_date date not null,
  accrued_from date not null,
  final_maturity date,
  factor numeric(18,8) generated always as (COALESCE(round(current_balance / NULLIF(original_balance, 0::numeric), 8), 0::numeric)) stored,
  index text,
  margin_bp numeric(12,6),
  cap numeric(12,6),
  floor numeric(12,6),
  coupon_terms text,
  multiplier numeric(12,6),
  constraint tranches_pkey PRIMARY KEY (tranche_id),
  constraint tranches_name UNIQUE (deal_id, tranche),
  constraint tranches_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint tranches_current_balance_check CHECK (current_balance >= 0::numeric),
  constraint tranches_original_balance_check CHECK (original_balance >= 0::numeric)
);
CREATE INDEX tranches_index ON tranches USING btree (index, deal_id) WHERE index IS NOT NULL;
CREATE TRIGGER tranches_keep_factor AFTER INSERT OR UPDATE ON tranches FOR EACH ROW EXECUTE FUNCTION sluice_keep_factor();
CREATE TRIGGER tranches_open_book AFTER INSERT ON tranches FOR EACH ROW WHEN (new.offered) EXECUTE FUNCTION sluice_open_book();
alter table tranches enable row level security;
alter table tranches force row level security;
create policy market on tranches for select
  using (( SELECT sluice_in_market() AS sluice_in_market));
create policy tenant on tranches
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on tranches to sluice_app;

create table uploads (
  upload_id text not null,
  organization_id text not null,
  purpose text not null,
  deal_id text,
  file_key text not null,
  file_name text not null,
  content_type text,
  declared_size bigint,
  max_bytes bigint not null,
  generation integer not null default 1,
  expires_at timestamp with time zone not null,
  status text not null default 'PENDING'::text,
  object_key text,
  size bigint,
  sha256 text,
  document_type text,
  mode text,
  created_at timestamp with time zone not null default sluice_now(),
  receiver text,
  receiver_until timestamp with time zone,
  receiving_key text,
  pool_id text,
  period integer,
  constraint uploads_pkey PRIMARY KEY (upload_id),
  constraint uploads_file_key UNIQUE (file_key),
  constraint uploads_purpose_check CHECK (purpose = ANY (ARRAY['tape'::text, 'bulk'::text, 'document'::text, 'profile'::text, 'pool_tape'::text])),
  constraint uploads_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'UPLOADED'::text, 'COMPLETED'::text]))
);
CREATE INDEX uploads_deal ON uploads USING btree (deal_id, created_at DESC);
CREATE INDEX uploads_object ON uploads USING btree (object_key);
CREATE INDEX uploads_pool ON uploads USING btree (pool_id, period, created_at DESC) WHERE pool_id IS NOT NULL;
CREATE INDEX uploads_receiving ON uploads USING btree (receiver_until) WHERE receiver_until IS NOT NULL;
CREATE INDEX uploads_unfinished ON uploads USING btree (organization_id, expires_at) WHERE status <> 'COMPLETED'::text;
CREATE TRIGGER uploads_note_removed_objects AFTER DELETE OR UPDATE OF object_key, receiving_key ON uploads FOR EACH ROW EXECUTE FUNCTION sluice_note_removed_objects();
alter table uploads enable row level security;
alter table uploads force row level security;
create policy tenant on uploads
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on uploads to sluice_app;

create table waivers (
  waiver_id text not null,
  organization_id text not null,
  deal_id text not null,
  exception_file_id text not null,
  criteria_id text not null,
  rule_id text not null,
  loan_ids text[] not null,
  reason text not null,
  status text not null default 'PENDING'::text,
  requested_by text not null,
  decided_by text,
  decided_at timestamp with time zone,
  created_at timestamp with time zone not null default sluice_now(),
  decision_reason text,
  constraint waivers_pkey PRIMARY KEY (waiver_id),
  constraint waivers_exception_file_id_fkey FOREIGN KEY (exception_file_id) REFERENCES exception_files(exception_file_id),
  constraint waivers_second_person CHECK (decided_by IS NULL OR decided_by <> requested_by),
  constraint waivers_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'DENIED'::text]))
);
CREATE INDEX waivers_created ON waivers USING btree (created_at DESC NULLS LAST, waiver_id DESC NULLS LAST) INCLUDE (organization_id);
CREATE INDEX waivers_deal ON waivers USING btree (deal_id);
CREATE INDEX waivers_organization ON waivers USING btree (organization_id, created_at DESC, waiver_id DESC);
CREATE INDEX waivers_status ON waivers USING btree (status, created_at DESC NULLS LAST, waiver_id DESC NULLS LAST);
CREATE TRIGGER waivers_release AFTER UPDATE OF status ON waivers FOR EACH ROW WHEN (old.status = 'PENDING'::text AND new.status <> 'PENDING'::text) EXECUTE FUNCTION sluice_release_waiver();
alter table waivers enable row level security;
alter table waivers force row level security;
create policy tenant on waivers
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on waivers to sluice_app;

create table watchlist (
  organization_id text not null,
  deal_id text not null,
  watched_at timestamp with time zone not null default sluice_now(),
  constraint watchlist_pkey PRIMARY KEY (organization_id, deal_id),
  constraint watchlist_deal_id_fkey FOREIGN KEY (deal_id) REFERENCES securitization_deals(deal_id),
  constraint watchlist_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id)
);
CREATE INDEX watchlist_deal ON watchlist USING btree (deal_id);
CREATE INDEX watchlist_newest ON watchlist USING btree (organization_id, watched_at DESC, deal_id DESC);
alter table watchlist enable row level security;
alter table watchlist force row level security;
create policy tenant on watchlist
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on watchlist to sluice_app;

create table webhook_attempts (
  delivery_id text not null,
  organization_id text not null,
  n integer not null,
  at timestamp with time zone not null,
  ms integer not null,
  http_status integer,
  error text,
  response_excerpt text,
  inserted_at timestamp with time zone not null default now()
) partition by RANGE (inserted_at);
CREATE INDEX webhook_attempts_delivery ON ONLY webhook_attempts USING btree (delivery_id, n);
alter table webhook_attempts enable row level security;
alter table webhook_attempts force row level security;
create policy tenant on webhook_attempts
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on webhook_attempts to sluice_app;

create table webhook_deliveries (
  delivery_id text not null,
  organization_id text not null,
  subscription_id text not null,
  event_id text not null,
  event_inserted_at timestamp with time zone not null,
  event text not null,
  deal_id text,
  kind text not null,
  replay_of text,
  status text not null default 'PENDING'::text,
  http_status integer,
  error text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  inserted_at timestamp with time zone not null default now(),
  constraint webhook_deliveries_pkey PRIMARY KEY (delivery_id, inserted_at),
  constraint webhook_deliveries_kind_check CHECK (kind = ANY (ARRAY['EVENT'::text, 'REPLAY'::text, 'TEST'::text])),
  constraint webhook_deliveries_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text]))
) partition by RANGE (inserted_at);
CREATE INDEX webhook_deliveries_created ON ONLY webhook_deliveries USING btree (created_at NULLS FIRST, delivery_id NULLS FIRST) INCLUDE (organization_id);
CREATE INDEX webhook_deliveries_deal ON ONLY webhook_deliveries USING btree (deal_id, created_at) WHERE deal_id IS NOT NULL;
CREATE INDEX webhook_deliveries_organization ON ONLY webhook_deliveries USING btree (organization_id, created_at, delivery_id);
CREATE INDEX webhook_deliveries_subscription ON ONLY webhook_deliveries USING btree (subscription_id, created_at, delivery_id);
CREATE TRIGGER webhook_deliveries_totals_added AFTER INSERT ON webhook_deliveries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION webhook_deliveries_totals();
CREATE TRIGGER webhook_deliveries_totals_changed AFTER UPDATE ON webhook_deliveries REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION webhook_deliveries_totals();
CREATE TRIGGER webhook_deliveries_totals_removed AFTER DELETE ON webhook_deliveries REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION webhook_deliveries_totals();
alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
create policy tenant on webhook_deliveries
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on webhook_deliveries to sluice_app;

create table webhook_queue (
  delivery_id text not null,
  delivery_inserted_at timestamp with time zone not null,
  organization_id text not null,
  subscription_id text not null,
  event_id text not null,
  event_inserted_at timestamp with time zone not null,
  kind text not null,
  lane smallint not null,
  attempts integer not null default 0,
  claims integer not null default 0,
  due_at timestamp with time zone not null,
  claim_id uuid,
  lease_until timestamp with time zone,
  constraint webhook_queue_pkey PRIMARY KEY (delivery_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX webhook_queue_claimed ON webhook_queue USING btree (subscription_id) WHERE claim_id IS NOT NULL;
CREATE INDEX webhook_queue_lanes ON webhook_queue USING btree (subscription_id, lane, due_at, delivery_id);
alter table webhook_queue enable row level security;
alter table webhook_queue force row level security;
create policy tenant on webhook_queue
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on webhook_queue to sluice_app;

create table webhook_subscriptions (
  subscription_id text not null,
  organization_id text not null,
  url text not null,
  events text[],
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_until timestamp with time zone,
  active boolean not null default true,
  disabled_reason text,
  disabled_at timestamp with time zone,
  failing_since timestamp with time zone,
  alerted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint webhook_subscriptions_pkey PRIMARY KEY (subscription_id),
  constraint webhook_subscriptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id),
  constraint webhook_subscriptions_disabled_reason_check CHECK (disabled_reason = ANY (ARRAY['PAUSED'::text, 'GONE'::text, 'FAILING'::text]))
) with (fillfactor=70);
CREATE INDEX webhook_subscriptions_organization ON webhook_subscriptions USING btree (organization_id, created_at DESC, subscription_id DESC);
alter table webhook_subscriptions enable row level security;
alter table webhook_subscriptions force row level security;
create policy tenant on webhook_subscriptions
  using (organization_id = (( SELECT NULLIF(current_setting('sluice.organization'::text, true), ''::text) AS "nullif")) OR ( SELECT current_setting('sluice.scope'::text, true) = 'platform'::text))
  with check (sluice_sees(organization_id));
grant delete, insert, select, update on webhook_subscriptions to sluice_app;

create sequence deal_numbers as bigint;
grant select, usage on sequence deal_numbers to sluice_app;

create sequence request_log_entries as bigint;
grant select, usage on sequence request_log_entries to sluice_app;

CREATE OR REPLACE FUNCTION public.alerts_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'alerts', organization_id, array[status, type, category, priority]::text[], count(*) from added group by 2, 3;
        if exists (select from added where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('alerts', (select array_agg(organization_id) from added where created_at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'alerts', organization_id, array[status, type, category, priority]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('alerts', (select array_agg(organization_id) from removed where created_at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'alerts', organization_id, key, sum(change) from (
          select organization_id, array[status, type, category, priority]::text[] as key, 1 as change from added
          union all select organization_id, array[status, type, category, priority]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function alerts_totals() to public;

CREATE OR REPLACE FUNCTION public.allocations_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'allocations', organization_id, array[status]::text[], count(*) from added group by 2, 3;
        if exists (select from added where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('allocations', (select array_agg(organization_id) from added where created_at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'allocations', organization_id, array[status]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('allocations', (select array_agg(organization_id) from removed where created_at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'allocations', organization_id, key, sum(change) from (
          select organization_id, array[status]::text[] as key, 1 as change from added
          union all select organization_id, array[status]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function allocations_totals() to public;

CREATE OR REPLACE FUNCTION public.audit_log_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'audit_log', organization_id, array[action]::text[], count(*) from added group by 2, 3;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'audit_log', organization_id, array[action]::text[], -count(*) from removed group by 2, 3;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'audit_log', organization_id, key, sum(change) from (
          select organization_id, array[action]::text[] as key, 1 as change from added
          union all select organization_id, array[action]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function audit_log_totals() to public;

CREATE OR REPLACE FUNCTION public.bulk_jobs_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'bulk_jobs', organization_id, array[status]::text[], count(*) from added group by 2, 3;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'bulk_jobs', organization_id, array[status]::text[], -count(*) from removed group by 2, 3;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'bulk_jobs', organization_id, key, sum(change) from (
          select organization_id, array[status]::text[] as key, 1 as change from added
          union all select organization_id, array[status]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function bulk_jobs_totals() to public;

CREATE OR REPLACE FUNCTION public.deals_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'deals', organization_id, array[status, loan_type]::text[], count(*) from added group by 2, 3;
        if exists (select from added where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('deals', (select array_agg(organization_id) from added where created_at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'deals', organization_id, array[status, loan_type]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('deals', (select array_agg(organization_id) from removed where created_at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'deals', organization_id, key, sum(change) from (
          select organization_id, array[status, loan_type]::text[] as key, 1 as change from added
          union all select organization_id, array[status, loan_type]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function deals_totals() to public;

CREATE OR REPLACE FUNCTION public.iois_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'iois', organization_id, array[status]::text[], count(*) from added group by 2, 3;
        if exists (select from added where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('iois', (select array_agg(organization_id) from added where created_at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'iois', organization_id, array[status]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('iois', (select array_agg(organization_id) from removed where created_at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'iois', organization_id, key, sum(change) from (
          select organization_id, array[status]::text[] as key, 1 as change from added
          union all select organization_id, array[status]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function iois_totals() to public;

CREATE OR REPLACE FUNCTION public.orders_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'orders', organization_id, array[status]::text[], count(*) from added group by 2, 3;
        if exists (select from added where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('orders', (select array_agg(organization_id) from added where created_at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'orders', organization_id, array[status]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('orders', (select array_agg(organization_id) from removed where created_at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'orders', organization_id, key, sum(change) from (
          select organization_id, array[status]::text[] as key, 1 as change from added
          union all select organization_id, array[status]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function orders_totals() to public;

CREATE OR REPLACE FUNCTION public.payments_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'payments', organization_id, array[holder]::text[], count(*) from added group by 2, 3;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'payments', organization_id, array[holder]::text[], -count(*) from removed group by 2, 3;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'payments', organization_id, key, sum(change) from (
          select organization_id, array[holder]::text[] as key, 1 as change from added
          union all select organization_id, array[holder]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function payments_totals() to public;

CREATE OR REPLACE FUNCTION public.pools_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'pools', organization_id, array[status, loan_type]::text[], count(*) from added group by 2, 3;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'pools', organization_id, array[status, loan_type]::text[], -count(*) from removed group by 2, 3;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'pools', organization_id, key, sum(change) from (
          select organization_id, array[status, loan_type]::text[] as key, 1 as change from added
          union all select organization_id, array[status, loan_type]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function pools_totals() to public;

CREATE OR REPLACE FUNCTION public.request_log_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'request_log', organization_id, array[method, status]::text[], count(*) from added group by 2, 3;
        if exists (select from added where at < now() - interval '30 minutes') then
          perform sluice_forget_places('request_log', (select array_agg(organization_id) from added where at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'request_log', organization_id, array[method, status]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where at < now() - interval '30 minutes') then
          perform sluice_forget_places('request_log', (select array_agg(organization_id) from removed where at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'request_log', organization_id, key, sum(change) from (
          select organization_id, array[method, status]::text[] as key, 1 as change from added
          union all select organization_id, array[method, status]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function request_log_totals() to public;

CREATE OR REPLACE FUNCTION public.securitization_deals_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'securitization_deals', organization_id, array[status, market_status, asset_type]::text[], count(*) from added group by 2, 3;
        if exists (select from added where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('securitization_deals', (select array_agg(organization_id) from added where created_at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'securitization_deals', organization_id, array[status, market_status, asset_type]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('securitization_deals', (select array_agg(organization_id) from removed where created_at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'securitization_deals', organization_id, key, sum(change) from (
          select organization_id, array[status, market_status, asset_type]::text[] as key, 1 as change from added
          union all select organization_id, array[status, market_status, asset_type]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function securitization_deals_totals() to public;

CREATE OR REPLACE FUNCTION public.sluice_add_up_totals(most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare added_up integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('sluice_add_up_totals')) then return 0; end if;
  with taken as (
    delete from list_total_changes where (list, organization_id, change_id) in (
      select list, organization_id, change_id from list_total_changes limit most) returning *),
  summed as (
    insert into list_totals as t
    select list, organization_id, key, sum(change) as total from (
      select list, organization_id, key, change from taken union all select list, '', key, change from taken) each_and_all
    group by 1, 2, 3
    on conflict (list, organization_id, key) do update set total = t.total + excluded.total
    returning 1)
  select count(*) into added_up from taken;
  return added_up;
end $function$;
grant execute on function sluice_add_up_totals(integer) to public;

CREATE OR REPLACE FUNCTION public.sluice_audit_append(entries jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  head audit_head%rowtype;
  entry jsonb;
  moment timestamptz := date_trunc('milliseconds', sluice_now());
  moment_text text := to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  caller_scope text := current_setting('sluice.scope', true);
  -- links[1] is the hash of the entry before the first.
  links text[];
  link text;
begin
  -- A transaction may act for several organizations: their ids are then separated by commas.
  if coalesce(caller_scope, '') <> 'platform' and exists (select from jsonb_array_elements(entries) each
    where (each ->> 'organization_id' = any (string_to_array(current_setting('sluice.organization', true), ','))) is not true) then
    raise exception 'an audit entry of another organization is refused' using errcode = 'insufficient_privilege';
  end if;
  select * into strict head from audit_head for update;
  -- The entry before may be another organization's.
  perform set_config('sluice.scope', 'platform', true);
  if head.sequence > 0 and not exists (select from audit_log where sequence = head.sequence and hash = head.hash) then
    raise exception 'the audit log does not end with entry % and its hash, as its head says: nothing is appended', head.sequence
      using errcode = 'data_corrupted';
  end if;
  link := head.hash;
  links := array[link];
  for entry in select each from jsonb_array_elements(entries) with ordinality as given (each, place) order by place loop
    link := encode(sha256(convert_to(jsonb_build_array(2, head.sequence + cardinality(links), entry -> 'entry_id', entry -> 'organization_id',
      entry -> 'actor', entry -> 'action', entry -> 'entity_type', entry -> 'entity_id', entry -> 'before', entry -> 'after', entry -> 'reason',
      moment_text, link)::text, 'UTF8')), 'hex');
    links := links || link;
  end loop;
  insert into audit_log (sequence, entry_id, organization_id, actor, action, entity_type, entity_id, before, after, reason, at,
    previous_hash, hash, hash_version)
  select head.sequence + place, each ->> 'entry_id', each ->> 'organization_id', each ->> 'actor', each ->> 'action', each ->> 'entity_type',
    each ->> 'entity_id', nullif(each -> 'before', 'null'), nullif(each -> 'after', 'null'), each ->> 'reason', moment,
    links[place], links[place + 1], 2
  from jsonb_array_elements(entries) with ordinality as given (each, place);
  update audit_head set sequence = head.sequence + cardinality(links) - 1, hash = link;
  perform set_config('sluice.scope', coalesce(caller_scope, ''), true);
  return head.sequence + cardinality(links) - 1;
end $function$;
grant execute on function sluice_audit_append(jsonb) to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_balanced_journals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare unbalanced record;
begin
  select journal_id, account || coalesce(' ' || tranche_id, '') || ' by ' || sum(amount) as what into unbalanced
  from booked group by journal_id, account, tranche_id having sum(amount) <> 0 limit 1;
  if found then
    raise exception 'journal % does not balance: %', unbalanced.journal_id, unbalanced.what
      using errcode = '23514', constraint = 'ledger_entries_balance';
  end if;
  return null;
end $function$;
grant execute on function sluice_balanced_journals() to public;

CREATE OR REPLACE FUNCTION public.sluice_forget_places(target text, organizations text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare scope text := current_setting('sluice.scope', true);
begin
  perform pg_advisory_xact_lock_shared(hashtext('sluice_list_places'));
  perform set_config('sluice.scope', 'platform', true);
  delete from list_places where target = any (string_to_array(list, ','))
    and (organizations is null or organization_id = '' or organization_id = any (organizations));
  perform set_config('sluice.scope', coalesce(scope, ''), true);
end $function$;
grant execute on function sluice_forget_places(text,text[]) to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_hold_books(deal text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare scope text := current_setting('sluice.scope', true); is_open boolean;
begin
  perform set_config('sluice.scope', 'platform', true);
  select open into is_open from tranche_books where deal_id = deal order by tranche_id limit 1 for share;
  perform set_config('sluice.scope', scope, true);
  return is_open;
end $function$;
grant execute on function sluice_hold_books(text) to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_hold_deal(deal text, exclusive boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare scope text := current_setting('sluice.scope', true);
begin
  perform set_config('sluice.scope', 'platform', true);
  if exclusive then
    perform 1 from securitization_deals where deal_id = deal for no key update;
  else
    perform 1 from securitization_deals where deal_id = deal for share;
  end if;
  perform set_config('sluice.scope', scope, true);
end $function$;
grant execute on function sluice_hold_deal(text,boolean) to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_in_market()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select current_setting('sluice.scope', true) = 'market' $function$;
grant execute on function sluice_in_market() to public;

CREATE OR REPLACE FUNCTION public.sluice_keep_factor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' or new.factor is distinct from old.factor or new.accrued_from is distinct from old.accrued_from
    or new.coupon is distinct from old.coupon then
    insert into tranche_factors (tranche_id, organization_id, factor, accrued_from, coupon, set_at)
    values (new.tranche_id, new.organization_id, new.factor, new.accrued_from, new.coupon, sluice_now());
  end if;
  return null;
end $function$;
grant execute on function sluice_keep_factor() to public;

CREATE OR REPLACE FUNCTION public.sluice_keep_latest_mark()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into latest_marks as l (tranche_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
  values (new.tranche_id, new.organization_id, new.price, new.yield, new.spread_bp, new.wal, new.duration, new.as_of, new.published_at)
  on conflict (tranche_id) do update set price = excluded.price, yield = excluded.yield, spread_bp = excluded.spread_bp, wal = excluded.wal,
    duration = excluded.duration, as_of = excluded.as_of, published_at = excluded.published_at
  where l.published_at <= excluded.published_at;
  return null;
end $function$;
grant execute on function sluice_keep_latest_mark() to public;

CREATE OR REPLACE FUNCTION public.sluice_keep_publication()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into mark_publications (tranche_id, calculation_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
  values (new.tranche_id, new.calculation_id, new.organization_id, new.price, new.yield, new.spread_bp, new.wal, new.duration, new.as_of, new.published_at)
  on conflict do nothing;
  return null;
end $function$;
grant execute on function sluice_keep_publication() to public;

CREATE OR REPLACE PROCEDURE public.sluice_keep_totals(IN target regclass, VARIADIC columns text[])
 LANGUAGE plpgsql
AS $procedure$
declare
  keep text := target || '_totals';
  key text;
  noted text := 'insert into list_total_changes (list, organization_id, key, change)';
begin
  insert into kept_totals values (target::text, columns);
  key := sluice_key_of_totals(target::text);
  execute format($make$
    create function %1$I() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        %2$s select %3$L, organization_id, %4$s, count(*) from added group by 2, 3;
      elsif tg_op = 'DELETE' then
        %2$s select %3$L, organization_id, %4$s, -count(*) from removed group by 2, 3;
      else
        %2$s select %3$L, organization_id, key, sum(change) from (
          select organization_id, %4$s as key, 1 as change from added
          union all select organization_id, %4$s, -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $body$ $make$, keep, noted, target::text, key);
  execute format('create trigger %I after insert on %s referencing new table as added for each statement execute function %I()',
    keep || '_added', target, keep);
  execute format('create trigger %I after delete on %s referencing old table as removed for each statement execute function %I()',
    keep || '_removed', target, keep);
  execute format('create trigger %I after update on %s referencing new table as added old table as removed for each statement execute function %I()',
    keep || '_changed', target, keep);
  execute format('%s select %L, organization_id, %s, count(*) from %s group by 2, 3', noted, target::text, key, target);
end $procedure$;
grant execute on function sluice_keep_totals(regclass,text[]) to public;

CREATE OR REPLACE FUNCTION public.sluice_key_of_totals(of_list text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select format('array[%s]::text[]', array_to_string(columns, ', ')) from kept_totals where list = of_list
$function$;
grant execute on function sluice_key_of_totals(text) to public;

CREATE OR REPLACE FUNCTION public.sluice_lock_book(tranche text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare scope text := current_setting('sluice.scope', true); is_open boolean;
begin
  perform set_config('sluice.scope', 'platform', true);
  select open into is_open from tranche_books where tranche_id = tranche for update;
  perform set_config('sluice.scope', scope, true);
  return is_open;
end $function$;
grant execute on function sluice_lock_book(text) to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_members()
 RETURNS text[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select string_to_array(current_setting('sluice.organization', true), ',') $function$;
grant execute on function sluice_members() to public;

CREATE OR REPLACE FUNCTION public.sluice_name_originator()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.originator := (select name from organizations where organization_id = new.organization_id);
  return new;
end $function$;
grant execute on function sluice_name_originator() to public;

CREATE OR REPLACE FUNCTION public.sluice_note_removed_objects()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare gone text;
begin
  foreach gone in array array_remove(array[old.object_key, old.receiving_key], null) loop
    if tg_op = 'UPDATE' then
      continue when gone = new.object_key or gone = new.receiving_key;
    end if;
    -- The bytes of a completed upload belong to its tape, bulk job or document.
    continue when old.status = 'COMPLETED' and gone = old.object_key;
    insert into removed_objects (object_key, organization_id) values (gone, old.organization_id) on conflict do nothing;
  end loop;
  return null;
end $function$;
grant execute on function sluice_note_removed_objects() to public;

CREATE OR REPLACE FUNCTION public.sluice_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select coalesce(nullif(current_setting('sluice.now', true), '')::timestamptz,
                        coalesce(nullif(current_setting('sluice.locked_at', true), '')::timestamptz, now()) + (select advanced from platform_clock)) $function$;
grant execute on function sluice_now() to public;

CREATE OR REPLACE FUNCTION public.sluice_open_book()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into tranche_books (tranche_id, deal_id, organization_id, capacity)
  values (new.tranche_id, new.deal_id, new.organization_id, new.original_balance);
  return null;
end $function$;
grant execute on function sluice_open_book() to public;

CREATE OR REPLACE FUNCTION public.sluice_partition_upkeep()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  plan record; child record; key text; lower_bound timestamptz; upper_bound timestamptz; part text; changed integer := 0;
begin
  perform set_config('lock_timeout', '2s', true);
  for plan in select * from (values
    ('events', 'created_at', 'week', interval '30 days', ''),
    ('webhook_deliveries', 'inserted_at', 'month', interval '90 days', 'with (fillfactor = 50)'),
    ('webhook_attempts', 'inserted_at', 'month', interval '90 days', ''),
    ('request_log', 'at', 'day', interval '30 days', '')) as p(parent, key, unit, keep, options)
  loop
    lower_bound := date_trunc(plan.unit, now(), 'UTC');
    for i in 0..2 loop
      upper_bound := (lower_bound at time zone 'UTC' + ('1 ' || plan.unit)::interval) at time zone 'UTC';
      part := format('%s_%s', plan.parent, to_char(lower_bound at time zone 'UTC', 'YYYYMMDD'));
      if to_regclass(part) is null then
        execute format('create table %I (like %I including defaults including constraints including indexes) %s', part, plan.parent, plan.options);
        execute format('call sluice_protect(%L)', part);
        -- What came before its partition was there waits in the default one.
        execute format('with moved as (delete from %I where %I >= $1 and %I < $2 returning *) insert into %I select * from moved',
          plan.parent || '_default', plan.key, plan.key, part) using lower_bound, upper_bound;
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', plan.parent, part, lower_bound, upper_bound);
        changed := changed + 1;
      end if;
      lower_bound := upper_bound;
    end loop;
    for child in
      select c.relname, right(c.relname, 8)::timestamp at time zone 'UTC' as starts
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(plan.parent) and c.relname ~ ('^' || plan.parent || '_\d{8}$')
    loop
      if (child.starts at time zone 'UTC' + ('1 ' || plan.unit)::interval) at time zone 'UTC' <= now() - plan.keep then
        -- A dropped table tells no trigger.
        key := sluice_key_of_totals(plan.parent);
        if key is not null then
          execute format('insert into list_total_changes (list, organization_id, key, change) select %L, organization_id, %s, -count(*) from %I group by 2, 3',
            plan.parent, key, child.relname);
          perform sluice_forget_places(plan.parent, null);
        end if;
        execute format('drop table %I', child.relname);
        changed := changed + 1;
      end if;
    end loop;
  end loop;
  return changed;
end $function$;
grant execute on function sluice_partition_upkeep() to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_primary_name()
 RETURNS text
 LANGUAGE sql
AS $function$
  select extract(epoch from pg_postmaster_start_time()) || '/' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8)
$function$;
grant execute on function sluice_primary_name() to public;

CREATE OR REPLACE PROCEDURE public.sluice_protect(IN target regclass)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format($policy$create policy tenant on %s
    using (organization_id = (select nullif(current_setting('sluice.organization', true), '')) or (select current_setting('sluice.scope', true) = 'platform'))
    with check (sluice_sees(organization_id))$policy$, target);
end $procedure$;
grant execute on function sluice_protect(regclass) to public;

CREATE OR REPLACE FUNCTION public.sluice_refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin raise exception '% is append-only', tg_table_name; end $function$;
grant execute on function sluice_refuse() to public;

CREATE OR REPLACE FUNCTION public.sluice_release_waiver()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from pending_waiver_loans where waiver_id = new.waiver_id;
  return null;
end $function$;
grant execute on function sluice_release_waiver() to public;

CREATE OR REPLACE FUNCTION public.sluice_remove_sandbox_criteria(owner text, kept text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '10s'
AS $function$
declare removed integer;
begin
  perform sluice_require_sandbox();
  alter table criteria_versions disable trigger criteria_versions_immutable;
  delete from criteria_versions where organization_id = owner and criteria_id <> all (kept);
  alter table criteria_versions enable trigger criteria_versions_immutable;
  delete from criteria where organization_id = owner and criteria_id <> all (kept);
  get diagnostics removed = row_count;
  return removed;
end $function$;
grant execute on function sluice_remove_sandbox_criteria(text,text[]) to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_require_replayed(wanted pg_lsn, primary_name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  began constant timestamptz := clock_timestamp();
  standby constant boolean := pg_is_in_recovery();
  marked boolean;
  replayed boolean;
begin
  loop
    marked := primary_name = case when standby then (select name from primary_mark) else sluice_primary_name() end;
    replayed := wanted <= case when standby then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end;
    if marked and replayed then return; end if;
    if clock_timestamp() > began + interval '10 milliseconds' then
      if marked then raise exception 'not replayed yet' using errcode = 'SL001'; end if;
      raise exception 'not a standby of this primary, or not yet' using errcode = 'SL002';
    end if;
    perform pg_sleep(0.0005);
  end loop;
end $function$;
grant execute on function sluice_require_replayed(pg_lsn,text) to public;

CREATE OR REPLACE FUNCTION public.sluice_require_sandbox()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if (select production from platform_clock) then raise exception 'a database that has served production is never reset'; end if;
end $function$;
grant execute on function sluice_require_sandbox() to public;

CREATE OR REPLACE FUNCTION public.sluice_reset_sandbox()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '10s'
AS $function$
declare emptied text;
begin
  perform sluice_require_sandbox();
  select string_agg(format('%I', c.relname), ', ') into emptied from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> all (array['organizations', 'organization_looks', 'keys', 'schema_migrations', 'platform_clock', 'rate_windows', 'kept_totals', 'list_totals', 'list_total_changes', 'approval_policy']) and c.relname not like 'audit\_%';
  execute format('truncate %s cascade', emptied);
  update approval_policy set needed = 1 where needed <> 1;
  delete from list_totals where list not like 'audit\_%';
  delete from list_total_changes where list not like 'audit\_%';
  update platform_clock set advanced = '0';
end $function$;
grant execute on function sluice_reset_sandbox() to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_return_capacity(tranche text, amount numeric)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare scope text := current_setting('sluice.scope', true);
begin
  perform set_config('sluice.scope', 'platform', true);
  update tranche_books set committed = committed - amount where tranche_id = tranche;
  perform set_config('sluice.scope', scope, true);
end $function$;
grant execute on function sluice_return_capacity(text,numeric) to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_sees(owner text)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select owner = nullif(current_setting('sluice.organization', true), '') or current_setting('sluice.scope', true) = 'platform' $function$;
grant execute on function sluice_sees(text) to public;

CREATE OR REPLACE FUNCTION public.sluice_settled_before()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if pg_is_in_recovery() then raise exception 'a standby does not know the open transactions' using errcode = 'object_not_in_prerequisite_state'; end if;
  return (select date_trunc('milliseconds', coalesce(min(xact_start), clock_timestamp())) from pg_stat_activity
    where datname = current_database() and application_name = 'sluice' and xact_start is not null);
end $function$;
grant execute on function sluice_settled_before() to sluice_app;

CREATE OR REPLACE FUNCTION public.sluice_stays_production()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin raise exception 'a database that has served production stays one of production'; end $function$;
grant execute on function sluice_stays_production() to public;

CREATE OR REPLACE FUNCTION public.sluice_take_capacity(tranche text, amount numeric)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare scope text := current_setting('sluice.scope', true); taken boolean;
begin
  perform set_config('sluice.scope', 'platform', true);
  update tranche_books set committed = committed + amount where tranche_id = tranche and open and committed + amount <= capacity;
  taken := found;
  perform set_config('sluice.scope', scope, true);
  return taken;
end $function$;
grant execute on function sluice_take_capacity(text,numeric) to sluice_app;

CREATE OR REPLACE PROCEDURE public.sluice_write_totals(IN target regclass, IN by_time text)
 LANGUAGE plpgsql
AS $procedure$
declare
  noted text := 'insert into list_total_changes (list, organization_id, key, change)';
  forget text := '';
begin
  if by_time is not null then
    forget := format($forget$
        if exists (select from changed where %1$I < now() - interval '30 minutes') then
          perform sluice_forget_places(%2$L, (select array_agg(organization_id) from changed where %1$I < now() - interval '30 minutes'));
        end if;$forget$, by_time, target::text);
  end if;
  execute format($make$
    create or replace function %1$I() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        %2$s select %3$L, organization_id, %4$s, count(*) from added group by 2, 3;%5$s
      elsif tg_op = 'DELETE' then
        %2$s select %3$L, organization_id, %4$s, -count(*) from removed group by 2, 3;%6$s
      else
        %2$s select %3$L, organization_id, key, sum(change) from (
          select organization_id, %4$s as key, 1 as change from added
          union all select organization_id, %4$s, -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $body$ $make$, target || '_totals', noted, target::text, sluice_key_of_totals(target::text),
    replace(forget, 'changed', 'added'), replace(forget, 'changed', 'removed'));
end $procedure$;
grant execute on function sluice_write_totals(regclass,text) to public;

CREATE OR REPLACE FUNCTION public.subscriptions_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'subscriptions', organization_id, array[status]::text[], count(*) from added group by 2, 3;
        if exists (select from added where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('subscriptions', (select array_agg(organization_id) from added where created_at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'subscriptions', organization_id, array[status]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('subscriptions', (select array_agg(organization_id) from removed where created_at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'subscriptions', organization_id, key, sum(change) from (
          select organization_id, array[status]::text[] as key, 1 as change from added
          union all select organization_id, array[status]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function subscriptions_totals() to public;

CREATE OR REPLACE FUNCTION public.tapes_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'tapes', organization_id, array[job_status]::text[], count(*) from added group by 2, 3;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'tapes', organization_id, array[job_status]::text[], -count(*) from removed group by 2, 3;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'tapes', organization_id, key, sum(change) from (
          select organization_id, array[job_status]::text[] as key, 1 as change from added
          union all select organization_id, array[job_status]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function tapes_totals() to public;

CREATE OR REPLACE FUNCTION public.trades_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'trades', organization_id, array[status]::text[], count(*) from added group by 2, 3;
        if exists (select from added where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('trades', (select array_agg(organization_id) from added where created_at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'trades', organization_id, array[status]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('trades', (select array_agg(organization_id) from removed where created_at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'trades', organization_id, key, sum(change) from (
          select organization_id, array[status]::text[] as key, 1 as change from added
          union all select organization_id, array[status]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function trades_totals() to public;

CREATE OR REPLACE FUNCTION public.webhook_deliveries_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
      if tg_op = 'INSERT' then
        insert into list_total_changes (list, organization_id, key, change) select 'webhook_deliveries', organization_id, array[status, event]::text[], count(*) from added group by 2, 3;
        if exists (select from added where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('webhook_deliveries', (select array_agg(organization_id) from added where created_at < now() - interval '30 minutes'));
        end if;
      elsif tg_op = 'DELETE' then
        insert into list_total_changes (list, organization_id, key, change) select 'webhook_deliveries', organization_id, array[status, event]::text[], -count(*) from removed group by 2, 3;
        if exists (select from removed where created_at < now() - interval '30 minutes') then
          perform sluice_forget_places('webhook_deliveries', (select array_agg(organization_id) from removed where created_at < now() - interval '30 minutes'));
        end if;
      else
        insert into list_total_changes (list, organization_id, key, change) select 'webhook_deliveries', organization_id, key, sum(change) from (
          select organization_id, array[status, event]::text[] as key, 1 as change from added
          union all select organization_id, array[status, event]::text[], -1 from removed) both_sides
        group by 2, 3 having sum(change) <> 0;
      end if;
      return null;
    end $function$;
grant execute on function webhook_deliveries_totals() to public;

alter default privileges in schema public grant delete, insert, select, update on tables to sluice_app;
alter default privileges in schema public grant select, usage on sequences to sluice_app;
