-- Whether a calculation names the loans of a month is asked of all calculations of a pool, whoever requested them and whatever their status: no
-- index had the pool first for them, so that each tape of a month read all calculations there are. The one of equal inputs serves both.
drop index calculations_same;
create index calculations_same on calculations (pool_id, calculation_key);
