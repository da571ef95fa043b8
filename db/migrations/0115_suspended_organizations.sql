-- What is queued for suspended organizations waits: each claim asks which they are, and of many organizations few are.
create index organizations_suspended on organizations (organization_id) where status = 'SUSPENDED';
