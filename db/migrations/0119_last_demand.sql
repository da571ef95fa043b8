-- The demand for a deal as it stood when its books were allocated, until its owner is told of it. A deal of whose demand the owner was told
-- nothing yet has no other figures.
alter table deal_demands add column last_tranches jsonb;
alter table deal_demands alter column tranches drop not null;
alter table deal_demands alter column told_at drop not null;
create index deal_demands_last on deal_demands (deal_id) where last_tranches is not null;
