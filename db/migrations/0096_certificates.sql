-- Every figure of a report beside the one that follows from its cash. Reports from before named no cash: nothing of them was computed.
alter table remittances
  add column verification json not null default '{"status": "PARTIAL", "lines": [], "missing": ["available"]}',
  -- When the operator signed off a report that differs, and why; by which key.
  add column accepted_at timestamptz,
  add column accepted_by text,
  add column accepted_reason text;
alter table remittances alter column verification drop default;
