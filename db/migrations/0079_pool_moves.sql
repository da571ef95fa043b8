-- A pool ends with its securitization deal by the table of a pool's moves, in the transaction that ends the deal.
drop trigger securitization_deals_pool on securitization_deals;
drop function sluice_pool_follows_deal();
