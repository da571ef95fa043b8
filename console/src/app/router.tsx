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
import { SCREENS } from './screens.ts';
import { Shell } from './shell.tsx';

type Search = Readonly<Record<string, string>>;

const root = createRootRoute({
  component: Shell,
  notFoundComponent: Lost,
  // Addresses carry plain text: a filter is written as people write it.
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
});

const page = <Path extends keyof typeof SCREENS>(path: Path) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(async () => ({ default: await SCREENS[path]() })),
  });

// One by one, so that the compiler knows the parts of each address.
const routeTree = root.addChildren([
  page('/'),
  page('/alerts'),
  page('/members'),
  page('/audit'),
  page('/audit/$entryId'),
  page('/access-log'),
  page('/keys'),
  page('/webhooks'),
  page('/webhooks/$subscriptionId'),
  page('/deliveries'),
  page('/deliveries/$deliveryId'),
  page('/requests'),
  page('/requests/$requestId'),
  page('/events'),
  page('/sandbox'),
  page('/approvals'),
  page('/organizations'),
  page('/organizations/$organizationId'),
  page('/jobs'),
  page('/jobs/$jobId'),
  page('/notifications'),
  page('/profile'),
  page('/pools'),
  page('/pools/new'),
  page('/pools/$poolId'),
  page('/pledges'),
  page('/payments'),
  page('/offerings'),
  page('/offerings/$dealId'),
  page('/settlement'),
  page('/platform-pools'),
  page('/platform-pools/$poolId'),
  page('/certificates'),
  page('/certificates/$remittanceId'),
  page('/waivers'),
  page('/conflicts'),
  page('/conflicts/$conflictId'),
  page('/platform-pledges'),
  page('/fixings'),
  page('/market'),
  page('/market/$dealId'),
  page('/commitments'),
  page('/commitments/allocations/$allocationId'),
  page('/commitments/subscriptions/$subscriptionId'),
  page('/commitments/trades/$tradeId'),
  page('/portfolio/$dealId/$trancheId'),
  page('/portfolio'),
  page('/deals'),
  page('/deals/$dealId'),
  page('/deals/$dealId/loans'),
  page('/deals/$dealId/loans/$rowNumber'),
  page('/criteria'),
  page('/criteria/new'),
  page('/criteria/$criteriaId'),
]);

export const makeRouter = () =>
  createRouter({
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
    router: ReturnType<typeof makeRouter>;
  }
}
