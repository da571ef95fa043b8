/** What a page asks the API for first, by its address: asked for with the page itself, before the scripts that need it are there. */
export const FIRST_READS: Readonly<Record<string, readonly string[]>> = {
  '/market/$dealId': ['/v1/api/investor/deals/$dealId', '/v1/api/investor/watchlist?deal_id=$dealId&limit=1'],
};
