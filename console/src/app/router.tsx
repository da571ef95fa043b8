import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import { Loading } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { Lost } from './lost.tsx';
import { Shell } from './shell.tsx';

type Search = Readonly<Record<string, string>>;

const root = createRootRoute({
  component: Shell,
  notFoundComponent: Lost,
  // Addresses carry plain text: a filter is written as people write it.
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
});

const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component });

const routeTree = root.addChildren([
  page(
    '/',
    lazyRouteComponent(() => import('../screens/people/waiting.tsx'), 'Waiting'),
  ),
  page(
    '/alerts',
    lazyRouteComponent(() => import('../screens/people/alerts.tsx'), 'Alerts'),
  ),
  page(
    '/members',
    lazyRouteComponent(() => import('../screens/people/members.tsx'), 'Members'),
  ),
  page(
    '/audit',
    lazyRouteComponent(() => import('../screens/people/audit-log.tsx'), 'AuditLog'),
  ),
  page(
    '/audit/$entryId',
    lazyRouteComponent(() => import('../screens/people/audit-entry.tsx'), 'AuditEntryPage'),
  ),
  page(
    '/access-log',
    lazyRouteComponent(() => import('../screens/people/access-log.tsx'), 'AccessLog'),
  ),
  page(
    '/keys',
    lazyRouteComponent(() => import('../screens/engineers/keys.tsx'), 'Keys'),
  ),
  page(
    '/webhooks',
    lazyRouteComponent(() => import('../screens/engineers/webhooks.tsx'), 'Webhooks'),
  ),
  page(
    '/webhooks/$subscriptionId',
    lazyRouteComponent(() => import('../screens/engineers/webhook.tsx'), 'Webhook'),
  ),
  page(
    '/deliveries',
    lazyRouteComponent(() => import('../screens/engineers/deliveries.tsx'), 'Deliveries'),
  ),
  page(
    '/deliveries/$deliveryId',
    lazyRouteComponent(() => import('../screens/engineers/delivery.tsx'), 'DeliveryPage'),
  ),
  page(
    '/requests',
    lazyRouteComponent(() => import('../screens/engineers/requests.tsx'), 'Requests'),
  ),
  page(
    '/requests/$requestId',
    lazyRouteComponent(() => import('../screens/engineers/request.tsx'), 'RequestPage'),
  ),
  page(
    '/events',
    lazyRouteComponent(() => import('../screens/engineers/events.tsx'), 'Events'),
  ),
  page(
    '/sandbox',
    lazyRouteComponent(() => import('../screens/engineers/sandbox.tsx'), 'Sandbox'),
  ),
  page(
    '/approvals',
    lazyRouteComponent(() => import('../screens/operator/approvals.tsx'), 'Approvals'),
  ),
  page(
    '/organizations',
    lazyRouteComponent(() => import('../screens/operator/organizations.tsx'), 'Organizations'),
  ),
  page(
    '/organizations/$organizationId',
    lazyRouteComponent(() => import('../screens/operator/organization.tsx'), 'OrganizationPage'),
  ),
  page(
    '/jobs',
    lazyRouteComponent(() => import('../screens/operator/jobs.tsx'), 'Jobs'),
  ),
  page(
    '/jobs/$jobId',
    lazyRouteComponent(() => import('../screens/operator/job.tsx'), 'JobPage'),
  ),
  page(
    '/notifications',
    lazyRouteComponent(() => import('../screens/people/notifications.tsx'), 'Notifications'),
  ),
  page(
    '/profile',
    lazyRouteComponent(() => import('../screens/investor/profile.tsx'), 'Profile'),
  ),
  page(
    '/pools',
    lazyRouteComponent(() => import('../screens/pools/pools.tsx'), 'Pools'),
  ),
  page(
    '/pools/new',
    lazyRouteComponent(() => import('../screens/pools/new-pool.tsx'), 'NewPool'),
  ),
  page(
    '/pools/$poolId',
    lazyRouteComponent(() => import('../screens/pools/pool.tsx'), 'PoolPage'),
  ),
  page(
    '/pledges',
    lazyRouteComponent(() => import('../screens/pools/pledges.tsx'), 'Pledges'),
  ),
  page(
    '/payments',
    lazyRouteComponent(() => import('../screens/servicing/payments.tsx'), 'Payments'),
  ),
  page(
    '/offerings',
    lazyRouteComponent(() => import('../screens/operator/offerings.tsx'), 'Offerings'),
  ),
  page(
    '/offerings/$dealId',
    lazyRouteComponent(() => import('../screens/operator/offering.tsx'), 'OfferingPage'),
  ),
  page(
    '/settlement',
    lazyRouteComponent(() => import('../screens/operator/settlement.tsx'), 'Settlement'),
  ),
  page(
    '/platform-pools',
    lazyRouteComponent(() => import('../screens/operator/pools.tsx'), 'PlatformPools'),
  ),
  page(
    '/platform-pools/$poolId',
    lazyRouteComponent(() => import('../screens/operator/pool.tsx'), 'PlatformPool'),
  ),
  page(
    '/certificates',
    lazyRouteComponent(() => import('../screens/operator/certificates.tsx'), 'Certificates'),
  ),
  page(
    '/certificates/$remittanceId',
    lazyRouteComponent(() => import('../screens/operator/certificate.tsx'), 'CertificatePage'),
  ),
  page(
    '/waivers',
    lazyRouteComponent(() => import('../screens/operator/waivers.tsx'), 'Waivers'),
  ),
  page(
    '/conflicts',
    lazyRouteComponent(() => import('../screens/operator/conflicts.tsx'), 'Conflicts'),
  ),
  page(
    '/conflicts/$conflictId',
    lazyRouteComponent(() => import('../screens/operator/conflict.tsx'), 'ConflictPage'),
  ),
  page(
    '/platform-pledges',
    lazyRouteComponent(() => import('../screens/operator/pledges.tsx'), 'PlatformPledges'),
  ),
  page(
    '/fixings',
    lazyRouteComponent(() => import('../screens/operator/fixings.tsx'), 'Fixings'),
  ),
  page(
    '/market',
    lazyRouteComponent(() => import('../screens/investor/market.tsx'), 'Market'),
  ),
  page(
    '/market/$dealId',
    lazyRouteComponent(() => import('../screens/investor/market-deal.tsx'), 'MarketDeal'),
  ),
  page(
    '/commitments',
    lazyRouteComponent(() => import('../screens/investor/commitments.tsx'), 'Commitments'),
  ),
  page(
    '/commitments/allocations/$allocationId',
    lazyRouteComponent(() => import('../screens/investor/allocation.tsx'), 'AllocationPage'),
  ),
  page(
    '/commitments/subscriptions/$subscriptionId',
    lazyRouteComponent(() => import('../screens/investor/subscription.tsx'), 'SubscriptionPage'),
  ),
  page(
    '/commitments/trades/$tradeId',
    lazyRouteComponent(() => import('../screens/investor/trade.tsx'), 'TradePage'),
  ),
  page(
    '/portfolio/$dealId/$trancheId',
    lazyRouteComponent(() => import('../screens/investor/position.tsx'), 'PositionPage'),
  ),
  page(
    '/portfolio',
    lazyRouteComponent(() => import('../screens/investor/portfolio.tsx'), 'Portfolio'),
  ),
  page(
    '/deals',
    lazyRouteComponent(() => import('../screens/deals/deals.tsx'), 'Deals'),
  ),
  page(
    '/deals/$dealId',
    lazyRouteComponent(() => import('../screens/deals/deal.tsx'), 'DealPage'),
  ),
  page(
    '/deals/$dealId/loans',
    lazyRouteComponent(() => import('../screens/deals/loans.tsx'), 'Loans'),
  ),
  page(
    '/deals/$dealId/loans/$rowNumber',
    lazyRouteComponent(() => import('../screens/deals/loan.tsx'), 'LoanPage'),
  ),
  page(
    '/criteria',
    lazyRouteComponent(() => import('../screens/criteria/criteria-list.tsx'), 'CriteriaList'),
  ),
  page(
    '/criteria/new',
    lazyRouteComponent(() => import('../screens/criteria/new-criteria.tsx'), 'NewCriteria'),
  ),
  page(
    '/criteria/$criteriaId',
    lazyRouteComponent(() => import('../screens/criteria/criteria-page.tsx'), 'CriteriaPage'),
  ),
]);

export const router = createRouter({
  routeTree,
  basepath: import.meta.env.BASE_URL,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <Problem error={error} retry={reset} />,
  scrollRestoration: true,
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
