import { Alerts } from '../everybody/alerts.ts';
import { Notifications } from '../everybody/notifications.ts';
import { DeliveryPage } from '../everybody/delivery.ts';
import { Webhooks } from '../everybody/webhooks.ts';
import { Commitments } from '../investor/commitments.ts';
import { MarketDealPage } from '../investor/market-deal.ts';
import { Marketplace } from '../investor/marketplace.ts';
import { Portfolio } from '../investor/portfolio.ts';
import { Profile } from '../investor/profile.ts';
import type { Params } from '../lib/router.ts';
import { match } from '../lib/router.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { AuditLog } from '../operator/audit-log.ts';
import { Books } from '../operator/books.ts';
import { DealDecisions } from '../operator/deal-decisions.ts';
import { DealDemand } from '../operator/demand.ts';
import { Fixings } from '../operator/fixings.ts';
import { Indications } from '../operator/indications.ts';
import { KeysPage } from '../operator/keys.ts';
import { OrganizationPage } from '../operator/organization.ts';
import { OrganizationList } from '../operator/organization-list.ts';
import { PoolIssues } from '../operator/pool-issues.ts';
import { ReportList } from '../operator/report-list.ts';
import { ReportPage } from '../operator/report.ts';
import { SubscriptionDecisions } from '../operator/subscription-decisions.ts';
import { Trades } from '../operator/trades.ts';
import { WaiverDecisions } from '../operator/waiver-decisions.ts';
import { WorkQueue } from '../operator/work-queue.ts';
import { CalculationPage } from '../originator/calculation.ts';
import { CriteriaList } from '../originator/criteria-list.ts';
import { CriteriaPage } from '../originator/criteria-set.ts';
import { DealPage } from '../originator/deal.ts';
import { Deals } from '../originator/deals.ts';
import { DocumentPage } from '../originator/document.ts';
import { FormPool } from '../originator/form-pool.ts';
import { PoolPage } from '../originator/pool.ts';
import { Pools } from '../originator/pools.ts';
import { RunPage } from '../originator/run.ts';
import { UploadPage } from '../originator/upload-page.ts';
import { page } from '../parts/page.ts';
import type { Role } from '../wire/api.ts';

type Query = Readonly<Record<string, string>>;
type Area = 'originator' | 'investor' | 'operator' | 'customer' | 'everybody';
type Route = { pattern: string; area: Area; title: string; view: (params: Params, query: Query) => VNode };

const param = (params: Params, name: string): string => params[name] ?? '';

const ROUTES: readonly Route[] = [
  { pattern: '/deals', area: 'originator', title: 'Loan deals', view: (_params, query) => h(Deals, { query }) },
  { pattern: '/upload', area: 'originator', title: 'Upload a tape', view: () => h(UploadPage, {}) },
  { pattern: '/deals/:id', area: 'originator', title: 'Loan deal', view: (params, query) => dealPage(params, query) },
  { pattern: '/deals/:id/:tab', area: 'originator', title: 'Loan deal', view: (params, query) => dealPage(params, query) },
  {
    pattern: '/deals/:deal/documents/:id',
    area: 'originator',
    title: 'Document',
    view: (params, query) => documentPage(params, `#/deals/${param(params, 'deal')}/documents`, query),
  },
  { pattern: '/criteria', area: 'originator', title: 'Criteria', view: (_params, query) => h(CriteriaList, { query }) },
  {
    pattern: '/criteria/:id',
    area: 'originator',
    title: 'Criteria set',
    view: (params) => h(CriteriaPage, { id: param(params, 'id') }),
  },
  {
    pattern: '/runs/:id',
    area: 'originator',
    title: 'Criteria run',
    view: (params, query) => h(RunPage, { id: param(params, 'id'), query }),
  },
  { pattern: '/pools', area: 'originator', title: 'Pools', view: (_params, query) => h(Pools, { query }) },
  { pattern: '/pools/new', area: 'originator', title: 'Form a pool', view: () => h(FormPool, {}) },
  { pattern: '/pools/:id', area: 'originator', title: 'Pool', view: (params, query) => poolPage(params, query) },
  { pattern: '/pools/:id/:tab', area: 'originator', title: 'Pool', view: (params, query) => poolPage(params, query) },
  {
    pattern: '/pools/:pool/documents/:id',
    area: 'originator',
    title: 'Document',
    view: (params, query) => documentPage(params, `#/pools/${param(params, 'pool')}/documents`, query),
  },
  {
    pattern: '/pools/:pool/calculations/:id',
    area: 'originator',
    title: 'Calculation',
    view: (params, query) => h(CalculationPage, { pool: param(params, 'pool'), id: param(params, 'id'), query }),
  },
  { pattern: '/market', area: 'investor', title: 'Marketplace', view: (_params, query) => h(Marketplace, { query }) },
  { pattern: '/market/:id', area: 'investor', title: 'Deal', view: (params) => h(MarketDealPage, { id: param(params, 'id') }) },
  { pattern: '/commitments', area: 'investor', title: 'Commitments', view: () => h(Commitments, { tab: 'subscriptions' }) },
  {
    pattern: '/commitments/:tab',
    area: 'investor',
    title: 'Commitments',
    view: (params) => h(Commitments, { tab: param(params, 'tab') }),
  },
  { pattern: '/portfolio', area: 'investor', title: 'Portfolio', view: (_params, query) => h(Portfolio, { query }) },
  { pattern: '/profile', area: 'investor', title: 'Compliance profile', view: () => h(Profile, {}) },
  { pattern: '/work', area: 'operator', title: 'Work queue', view: () => h(WorkQueue, {}) },
  { pattern: '/approvals', area: 'operator', title: 'Loan deals', view: (_params, query) => h(DealDecisions, { query }) },
  { pattern: '/waivers', area: 'operator', title: 'Waivers', view: (_params, query) => h(WaiverDecisions, { query }) },
  { pattern: '/issues', area: 'operator', title: 'Pools', view: (_params, query) => h(PoolIssues, { query }) },
  {
    pattern: '/confirmations',
    area: 'operator',
    title: 'Subscriptions',
    view: (_params, query) => h(SubscriptionDecisions, { query }),
  },
  { pattern: '/books', area: 'operator', title: 'Books', view: () => h(Books, {}) },
  { pattern: '/books/:id', area: 'operator', title: 'Book', view: (params) => h(DealDemand, { id: param(params, 'id') }) },
  { pattern: '/indications', area: 'operator', title: 'Indications', view: (_params, query) => h(Indications, { query }) },
  { pattern: '/fixings', area: 'operator', title: 'Fixings', view: (_params, query) => h(Fixings, { query }) },
  {
    pattern: '/reports',
    area: 'operator',
    title: 'Servicer reports',
    view: (_params, query) => h(ReportList, { query }),
  },
  {
    pattern: '/reports/:id',
    area: 'operator',
    title: 'Servicer report',
    view: (params) => h(ReportPage, { id: param(params, 'id'), key: param(params, 'id') }),
  },
  { pattern: '/trades', area: 'operator', title: 'Trades', view: (_params, query) => h(Trades, { query }) },
  {
    pattern: '/organizations',
    area: 'operator',
    title: 'Organizations',
    view: (_params, query) => h(OrganizationList, { query }),
  },
  {
    pattern: '/organizations/:id',
    area: 'operator',
    title: 'Organization',
    view: (params, query) => h(OrganizationPage, { id: param(params, 'id'), query }),
  },
  { pattern: '/keys', area: 'operator', title: 'Keys', view: (_params, query) => h(KeysPage, { query }) },
  { pattern: '/audit', area: 'operator', title: 'Audit', view: (_params, query) => h(AuditLog, { query }) },
  { pattern: '/alerts', area: 'everybody', title: 'Alerts', view: (_params, query) => h(Alerts, { query }) },
  { pattern: '/email', area: 'everybody', title: 'E-mail', view: () => h(Notifications, {}) },
  { pattern: '/webhooks', area: 'customer', title: 'Webhooks', view: (_params, query) => h(Webhooks, { query }) },
  {
    pattern: '/webhooks/deliveries/:id',
    area: 'customer',
    title: 'Delivery',
    view: (params) => h(DeliveryPage, { id: param(params, 'id') }),
  },
];

const dealPage = (params: Params, query: Query): VNode =>
  h(DealPage, { id: param(params, 'id'), tab: params.tab ?? 'findings', query });

const poolPage = (params: Params, query: Query): VNode =>
  h(PoolPage, { id: param(params, 'id'), tab: params.tab ?? 'structure', query });

const documentPage = (params: Params, room: string, query: Query): VNode =>
  h(DocumentPage, { id: param(params, 'id'), room, query, key: param(params, 'id') });

const GROUPS: readonly { name: string; area: Area; paths: readonly string[] }[] = [
  { name: 'Origination', area: 'originator', paths: ['/deals', '/criteria', '/pools'] },
  { name: 'Investing', area: 'investor', paths: ['/market', '/commitments', '/portfolio', '/profile'] },
  {
    name: 'Operation',
    area: 'operator',
    paths: [
      '/work',
      '/approvals',
      '/waivers',
      '/issues',
      '/confirmations',
      '/indications',
      '/books',
      '/trades',
      '/reports',
      '/fixings',
      '/organizations',
      '/keys',
      '/audit',
    ],
  },
  { name: 'Messages', area: 'everybody', paths: ['/alerts', '/email', '/webhooks'] },
];

/** A role reaches the areas whose routes the API allows it. */
const reaches = (role: Role, area: Area): boolean =>
  area === 'everybody' || (role === 'both' ? area !== 'operator' : area === 'customer' ? role !== 'operator' : area === role);

export const navigationOf = (role: Role): { name: string; items: { name: string; path: string }[] }[] =>
  GROUPS.filter(({ area }) => reaches(role, area)).map(({ name, paths }) => ({
    name,
    items: paths.flatMap((path) => {
      const route = ROUTES.find(({ pattern }) => pattern === path);
      return route && reaches(role, route.area) ? [{ path, name: route.title }] : [];
    }),
  }));

export type Found = { path: string; title: string; params: Params; view: Route['view'] };

export function findView(role: Role, path: string): Found {
  const wanted = path === '/' ? (navigationOf(role)[0]?.items[0]?.path ?? '/alerts') : path;
  for (const route of ROUTES) {
    const params = reaches(role, route.area) ? match(route.pattern, wanted) : null;
    if (params) return { path: wanted, title: route.title, params, view: route.view };
  }
  return { path, title: 'Not found', params: {}, view: () => nothingHere() };
}

const nothingHere = (): VNode =>
  page(
    { title: 'There is no such page' },
    html`<p>It does not exist, or your key’s role may not see it. <a href="#/">To the start</a></p>`,
  );
