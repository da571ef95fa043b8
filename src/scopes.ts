import type { Area } from './features/keys/scopes.ts';
import type { NeededScopes } from './platform/http/scopes.ts';
import type { Route } from './platform/http/route.ts';

/**
 * The area of the routes under each path: the longest one counts. Where there are several, a key needs them all. A route under none of them
 * is for keys that are not narrowed: keys, members and organizations themselves, and what a sandbox adds.
 */
const AREA_OF: Record<string, readonly Area[]> = {
  '/v1/api/me': [],
  '/v1/api/search': ['loans', 'pools', 'deals'],
  '/v1/api/alerts': ['alerts'],
  '/v1/api/events': ['alerts'],
  '/v1/api/notification-preferences': ['alerts'],
  '/v1/api/webhooks': ['webhooks'],
  '/v1/api/requests': ['requests'],
  '/v1/api/audit': ['audit'],
  '/v1/api/access-log': ['audit'],
  '/v1/api/originator/loans': ['loans'],
  '/v1/api/originator/sc': ['criteria'],
  '/v1/api/originator/pools': ['pools'],
  '/v1/api/originator/structure-templates': ['pools'],
  '/v1/api/originator/pledges': ['pools'],
  '/v1/api/originator/pledge-conflicts': ['pools'],
  '/v1/api/originator/payments': ['pools'],
  '/v1/api/originator/analytics': ['analytics'],
  '/v1/api/deals/documents': ['documents'],
  '/v1/api/investor/profile': ['documents'],
  '/v1/api/investor/deals': ['deals'],
  '/v1/api/investor/watchlist': ['deals'],
  '/v1/api/investor/deals/:dealId/documents': ['documents'],
  '/v1/api/investor/deals/:dealId/analytics': ['analytics'],
  '/v1/api/investor/deals/:dealId/calculations': ['analytics'],
  '/v1/api/investor/deals/:dealId/loans': ['loans'],
  '/v1/api/investor/deals/:dealId/ioi': ['orders'],
  '/v1/api/investor/deals/:dealId/subscribe': ['orders'],
  '/v1/api/investor/deals/:dealId/orders': ['orders'],
  '/v1/api/investor/iois': ['orders'],
  '/v1/api/investor/subscriptions': ['orders'],
  '/v1/api/investor/orders': ['orders'],
  '/v1/api/investor/allocations': ['orders'],
  '/v1/api/investor/trades': ['orders'],
  '/v1/api/investor/portfolio': ['portfolio'],
  '/v1/operator/search': ['loans', 'pools', 'deals'],
  '/v1/operator/alerts': ['alerts'],
  '/v1/operator/events': ['alerts'],
  '/v1/operator/notification-preferences': ['alerts'],
  '/v1/operator/webhooks': ['webhooks'],
  '/v1/operator/requests': ['requests'],
  '/v1/operator/audit': ['audit'],
  '/v1/operator/access-log': ['audit'],
  '/v1/operator/jobs': ['loans'],
  '/v1/operator/health': ['loans', 'webhooks'],
  '/v1/operator/deals': ['deals'],
  '/v1/operator/deals/:dealId/loans': ['loans'],
  '/v1/operator/deals/:dealId/checks': ['loans'],
  '/v1/operator/deals/:dealId/issues': ['loans'],
  '/v1/operator/deals/:dealId/mapping': ['loans'],
  '/v1/operator/deals/:dealId/tapes': ['loans'],
  '/v1/operator/deals/:dealId/results': ['criteria'],
  '/v1/operator/deals/:dealId/documents': ['documents'],
  '/v1/operator/deals/:dealId/strats': ['analytics'],
  '/v1/operator/deals/:dealId/vintage': ['analytics'],
  '/v1/operator/deals/:dealId/risk': ['analytics'],
  '/v1/operator/deals/:dealId/book': ['orders'],
  '/v1/operator/deals/:dealId/close-books': ['orders'],
  '/v1/operator/deals/:dealId/reopen-books': ['orders'],
  '/v1/operator/deals/:dealId/allocations': ['orders'],
  '/v1/operator/waivers': ['criteria'],
  '/v1/operator/pools': ['pools'],
  '/v1/operator/pools/:poolId/calculations': ['analytics'],
  '/v1/operator/remittances': ['pools'],
  '/v1/operator/pledges': ['pools'],
  '/v1/operator/pledge-conflicts': ['pools'],
  '/v1/operator/calculations': ['analytics'],
  '/v1/operator/fixings': ['analytics'],
  '/v1/operator/profile-documents': ['documents'],
  '/v1/operator/iois': ['orders'],
  '/v1/operator/subscriptions': ['orders'],
  '/v1/operator/orders': ['orders'],
  '/v1/operator/allocations': ['orders'],
  '/v1/operator/trades': ['orders'],
  '/v1/operator/payments': ['portfolio'],
};

/** Requests of other methods than GET that change nothing that they look at. */
const READS = new Set<string>([
  'checkTape',
  'previewTapeMapping',
  'verifyRemittance',
  'checkSubscription',
  'requestDocumentDownload',
  'requestMarketDealDocumentDownload',
  'requestOperatorProfileDocumentDownload',
]);

/** The scopes that a narrowed key needs for a route; null: no scope opens it. */
export function neededScopes({ path, method, operation }: Pick<Route, 'path' | 'method' | 'operation'>): NeededScopes {
  const parts = path.split('/');
  const under = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
  const areas = under.map((each) => AREA_OF[each]).find((each) => each !== undefined);
  const act = method === 'GET' || READS.has(operation) ? 'read' : 'write';
  return areas?.map((area) => `${area}:${act}`) ?? null;
}
