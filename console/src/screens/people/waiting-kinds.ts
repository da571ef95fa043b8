import { api, sent } from '../../app/api.ts';
import { buys, can, isOperator, sells } from '../../app/me.tsx';
import type { Me } from '../../app/session.ts';
import { MANY, type Waits, waits, waitsAmong, waitsUntil } from './waits.ts';

type Kind = {
  title: string;
  to: string;
  search: Record<string, string>;
  shown: (me: Me) => boolean;
  read: () => Promise<Waits>;
};

const ONE = { limit: 1 };
const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

const decides = (me: Me): boolean => isOperator(me) && can(me, 'APPROVE');

const OF_OPERATOR: readonly Kind[] = [
  {
    title: 'Acts that wait for your approval',
    to: '/approvals',
    search: { mine: 'true' },
    shown: isOperator,
    read: async () =>
      waitsUntil(
        await sent(api.GET('/v1/operator/approvals', { params: { query: { ...MANY, mine: true } } })),
        ({ expires_at }) => expires_at,
      ),
  },
  {
    title: 'Deals to approve or reject',
    to: '/deals',
    search: { status: 'QC_COMPLETED' },
    shown: decides,
    read: async () => waits(await sent(api.GET('/v1/operator/deals', { params: { query: { ...ONE, status: 'QC_COMPLETED' } } }))),
  },
  {
    title: 'Pools whose issue is asked for',
    to: '/platform-pools',
    search: { status: 'LOCKED' },
    shown: decides,
    read: async () => {
      const list = await sent(api.GET('/v1/operator/pools', { params: { query: { ...MANY, status: 'LOCKED' } } }));
      const asked = list.data.map(({ issue_requested_at }) => issue_requested_at).filter((at) => at !== null);
      return {
        ...waitsAmong(
          list,
          ({ issue_requested_at }) => issue_requested_at !== null,
          ({ closing_date }) => closing_date,
        ),
        newest: asked.toSorted().at(-1) ?? null,
      };
    },
  },
  {
    title: 'Subscriptions to confirm or reject',
    to: '/settlement',
    search: { tab: 'subscriptions', status: 'pending_confirmation' },
    shown: decides,
    read: async () =>
      waits(await sent(api.GET('/v1/operator/subscriptions', { params: { query: { ...ONE, status: 'pending_confirmation' } } }))),
  },
  {
    title: 'Trades to settle',
    to: '/settlement',
    search: { status: 'PENDING_SETTLEMENT' },
    shown: decides,
    read: async () =>
      waitsUntil(
        await sent(api.GET('/v1/operator/trades', { params: { query: { ...MANY, status: 'PENDING_SETTLEMENT' } } })),
        ({ settlement_date }) => settlement_date,
      ),
  },
  {
    title: 'Trades that failed, to try again or cancel',
    to: '/settlement',
    search: { status: 'FAILED' },
    shown: decides,
    read: async () => waits(await sent(api.GET('/v1/operator/trades', { params: { query: { ...ONE, status: 'FAILED' } } }))),
  },
  {
    title: 'Certificates that pay nobody until somebody decides',
    to: '/certificates',
    search: { status: 'HELD' },
    shown: isOperator,
    read: async () =>
      waitsUntil(
        await sent(api.GET('/v1/operator/remittances', { params: { query: { ...MANY, status: 'HELD' } } })),
        ({ payment_date }) => payment_date,
      ),
  },
  {
    title: 'Waivers to decide',
    to: '/waivers',
    search: { status: 'PENDING' },
    shown: decides,
    read: async () => waits(await sent(api.GET('/v1/operator/waivers', { params: { query: { ...ONE, status: 'PENDING' } } }))),
  },
  {
    title: 'Loans that are in two places',
    to: '/conflicts',
    search: { status: 'OPEN' },
    shown: isOperator,
    read: async () => {
      const { data, pagination } = await sent(
        api.GET('/v1/operator/pledge-conflicts', { params: { query: { ...ONE, status: 'OPEN' } } }),
      );
      return { total: pagination.total ?? data.length, newest: data[0]?.first_seen ?? null, deadline: null };
    },
  },
  {
    title: 'Profile documents to review',
    to: '/organizations',
    search: {},
    shown: isOperator,
    read: async () => {
      const list = await sent(api.GET('/v1/operator/profile-documents', { params: { query: { ...ONE, status: 'PENDING' } } }));
      const [first] = list.data;
      return { ...waits(list), ...(first ? { to: `/organizations/${first.organization_id}` } : {}) };
    },
  },
  {
    title: 'Keys that their organization wants rotated',
    to: '/keys',
    search: { rotation_requested: 'true' },
    shown: (me) => isOperator(me) && can(me, 'ADMIN'),
    read: async () =>
      waitsUntil(
        await sent(api.GET('/v1/operator/keys', { params: { query: { ...MANY, rotation_requested: true } } })),
        ({ expires_at }) => expires_at,
      ),
  },
  {
    title: 'Receivers that fail',
    to: '/jobs',
    search: {},
    shown: isOperator,
    read: async () => {
      const { data } = await sent(api.GET('/v1/operator/health'));
      const failing = data.receivers.filter(({ active }) => active);
      return { total: failing.length, newest: failing.at(-1)?.since ?? null, deadline: null };
    },
  },
  {
    title: 'Jobs that failed',
    to: '/jobs',
    search: { status: 'FAILED' },
    shown: isOperator,
    read: async () => waits(await sent(api.GET('/v1/operator/jobs', { params: { query: { ...ONE, status: 'FAILED' } } }))),
  },
];

const OF_INVESTOR: readonly Kind[] = [
  {
    title: 'Allocations to accept or decline',
    to: '/commitments',
    search: { status: 'ISSUED' },
    shown: buys,
    read: async () =>
      waitsUntil(
        await sent(api.GET('/v1/api/investor/allocations', { params: { query: { ...MANY, status: 'ISSUED' } } })),
        ({ expires_at }) => expires_at,
      ),
  },
  {
    title: 'Trades to pay',
    to: '/commitments',
    search: { tab: 'trades', status: 'PENDING_SETTLEMENT' },
    shown: buys,
    read: async () =>
      waitsUntil(
        await sent(api.GET('/v1/api/investor/trades', { params: { query: { ...MANY, status: 'PENDING_SETTLEMENT' } } })),
        ({ settlement_date }) => settlement_date,
      ),
  },
];

const OF_ORIGINATOR: readonly Kind[] = [
  {
    title: 'Drafts that wait for their tape',
    to: '/deals',
    search: { status: 'DRAFT' },
    shown: sells,
    read: async () => waits(await sent(api.GET('/v1/api/originator/loans', { params: { query: { ...ONE, status: 'DRAFT' } } }))),
  },
  {
    title: 'Deals in review, with columns to name or findings to mend',
    to: '/deals',
    search: { status: 'IN_REVIEW' },
    shown: sells,
    read: async () =>
      waits(await sent(api.GET('/v1/api/originator/loans', { params: { query: { ...ONE, status: 'IN_REVIEW' } } }))),
  },
  {
    title: 'Pools to lock',
    to: '/pools',
    search: { status: 'STRUCTURED' },
    shown: sells,
    read: async () =>
      waitsUntil(
        await sent(api.GET('/v1/api/originator/pools', { params: { query: { ...MANY, status: 'STRUCTURED' } } })),
        ({ closing_date }) => closing_date,
      ),
  },
  {
    title: 'Locked pools whose issue is not asked for',
    to: '/pools',
    search: { status: 'LOCKED' },
    shown: (me) => sells(me) && can(me, 'APPROVE'),
    read: async () => {
      const list = await sent(api.GET('/v1/api/originator/pools', { params: { query: { ...MANY, status: 'LOCKED' } } }));
      return waitsAmong(
        list,
        ({ issue_requested_at }) => issue_requested_at === null,
        ({ closing_date }) => closing_date,
      );
    },
  },
  {
    title: 'Loans of yours that are in two places',
    to: '/pledges',
    search: { tab: 'conflicts', status: 'OPEN' },
    shown: sells,
    read: async () => {
      const { data, pagination } = await sent(
        api.GET('/v1/api/originator/pledge-conflicts', { params: { query: { ...ONE, status: 'OPEN' } } }),
      );
      return { total: pagination.total ?? data.length, newest: data[0]?.first_seen ?? null, deadline: null };
    },
  },
];

const OF_CUSTOMERS: readonly Kind[] = [
  {
    title: 'Deliveries that no receiver took',
    to: '/deliveries',
    search: { status: 'FAILED' },
    shown: (me) => !isOperator(me),
    read: async () =>
      waits(await sent(api.GET('/v1/api/webhooks/deliveries', { params: { query: { ...ONE, status: 'FAILED' } } }))),
  },
  {
    title: `Keys that expire within ${SOON_DAYS} days`,
    to: '/keys',
    search: { status: 'ACTIVE' },
    shown: (me) => !isOperator(me) && can(me, 'ADMIN'),
    read: async () => {
      const list = await sent(api.GET('/v1/api/keys', { params: { query: { ...MANY, status: 'ACTIVE' } } }));
      const now = Date.now();
      // A key that lives for minutes is made anew by its program: nobody has to ask for the next one.
      return waitsAmong(
        list,
        ({ created_at, expires_at, rotation_requested_at }) =>
          Date.parse(expires_at) - now < SOON_DAYS * DAY_MS &&
          Date.parse(expires_at) - Date.parse(created_at) > SOON_DAYS * DAY_MS &&
          rotation_requested_at === null,
        ({ expires_at }) => expires_at,
      );
    },
  },
];

/** Everything that can wait for a person, in the order of its weight. */
export const KINDS: readonly Kind[] = [...OF_OPERATOR, ...OF_INVESTOR, ...OF_ORIGINATOR, ...OF_CUSTOMERS];
