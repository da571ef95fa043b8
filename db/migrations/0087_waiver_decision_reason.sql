-- Why the operator decided a waiver as it did; before, the audit log alone had it.
select set_config('sluice.scope', 'platform', true);
alter table waivers add column decision_reason text;
update waivers w set decision_reason = a.reason from audit_log a
where a.entity_type = 'waiver' and a.entity_id = w.waiver_id and a.action in ('waiver.approved', 'waiver.denied');
