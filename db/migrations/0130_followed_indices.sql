-- A fixing is told with the number of the tranches that follow its index, and moves their coupons: neither reads all tranches of the platform.
create index tranches_index on tranches (index, deal_id) where index is not null;
