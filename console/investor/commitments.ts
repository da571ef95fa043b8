import { list, type Page, send } from '../lib/api.ts';
import { date, decimal, money, roundMoney, time } from '../lib/format.ts';
import { type Loaded, never, useLoad } from '../lib/load.ts';
import { type Content, h, html, useState, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { page, tabs } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import { arrivals } from '../shell/alerts-live.ts';
import type { Ioi, MarketDealSummary, Subscription, Trade } from '../wire/api.ts';
import { AmendSubscription } from './amend-subscription.ts';
import { Allocations } from './allocations.ts';
import { Orders } from './orders.ts';

const TABS = {
  subscriptions: 'Subscriptions',
  allocations: 'Allocations',
  orders: 'Orders',
  iois: 'Indications',
  trades: 'Trades',
};
/** Name of a row: its deal in a list of all deals, its tranche on the page of a deal. */
export type NameOf = (row: { deal_id: string; tranche_id?: string }) => Content;

/** The organization's indications, subscriptions, orders, allocations and trades. */
export function Commitments({ tab }: { tab: string }): VNode {
  const deals = useLoad(() => list<MarketDealSummary>('/v1/api/investor/deals', { limit: 100 }), []);
  const names = new Map(deals.data?.rows.map((each) => [each.id, each.name]));
  const name: NameOf = ({ deal_id: deal }) =>
    html`<a href="#/market/${deal}">${names.get(deal) ?? html`<code>${deal}</code>`}</a>`;
  return page(
    { title: 'Commitments', lead: 'Subscriptions wait for confirmation, allocations for your decision, trades for settlement.' },
    tabs(
      Object.entries(TABS).map(([path, text]) => ({ href: `#/commitments/${path}`, text })),
      `#/commitments/${tab}`,
    ),
    tab === 'allocations' ? h(Allocations, { name }) : tab === 'orders' ? h(Orders, { name }) : h(Rows, { tab, name, key: tab }),
  );
}

type RowsProps = { tab: string; name: NameOf; deal?: string };

/** Rows of one kind, of all deals or of one. */
export function Rows({ tab, name, deal = '' }: RowsProps): VNode {
  const news = arrivals.use();
  const [changing, setChanging] = useState<string | null>(null);
  const rows = useLoad(
    () => list<unknown>(PATHS[tab] ?? '/v1/api/investor/subscriptions', { limit: 50, deal_id: deal }),
    [tab, deal],
    never,
    news,
  );
  if (tab === 'iois')
    return shown(rows as Loaded<Page<Ioi>>, ({ rows: list }) =>
      table({ caption: 'Indications', columns: iois(name, rows.reload), rows: list, empty: 'There are no indications.' }),
    );
  if (tab === 'trades')
    return shown(rows as Loaded<Page<Trade>>, ({ rows: list }) =>
      table({ caption: 'Trades', columns: trades(name), rows: list, empty: 'There are no trades.' }),
    );
  return shown(rows as Loaded<Page<Subscription>>, ({ rows: list }) => {
    const subscription = list.find((each) => each.subscription_id === changing && isPending(each));
    const close = (): void => setChanging(null);
    return [
      table({
        caption: 'Subscriptions',
        columns: subscriptions(name, rows.reload, setChanging),
        rows: list,
        empty: deal ? 'You have not subscribed.' : html`Nothing is subscribed. <a href="#/market">To the marketplace</a>`,
      }),
      subscription &&
        h(AmendSubscription, { subscription, after: rows.reload, close, key: `amend-${subscription.subscription_id}` }),
    ];
  });
}

const PATHS: Record<string, string> = {
  subscriptions: '/v1/api/investor/subscriptions',
  iois: '/v1/api/investor/iois',
  trades: '/v1/api/investor/trades',
};

const isPending = ({ status }: Subscription): boolean => status === 'pending_confirmation';

const subscriptions = (name: NameOf, after: () => void, change: (id: string) => void): readonly Column<Subscription>[] => [
  { title: 'Of', kind: 'wide', cell: (row) => html`${name(row)}<small>${time(row.created_at)}</small>` },
  { title: 'Status', cell: (row) => html`${badge(row.status)}${row.reason && html`<small>${row.reason}</small>`}` },
  { title: 'Amount', kind: 'number', cell: (row) => money(row.subscription_amount) },
  { title: 'Checks', cell: (row) => badge(row.compliance_check_result) },
  {
    title: '',
    kind: 'act',
    cell: (row) => html`
      ${isPending(row) && html`<button type="button" onClick=${() => change(row.subscription_id)}>Change</button>`}
      ${['pending_confirmation', 'confirmed'].includes(row.status) && cancel(row, after)}
    `,
  },
];

const cancel = (row: Subscription, after: () => void): VNode =>
  act({
    text: 'Cancel',
    question: {
      title: 'Cancel this subscription?',
      text: `${money(row.subscription_amount)} are free again.`,
      yes: 'Cancel the subscription',
      tone: 'danger',
    },
    act: () => send('POST', `/v1/api/investor/subscriptions/${row.subscription_id}/cancel`, {}),
    done: 'The subscription is cancelled.',
    after,
  });

const iois = (name: NameOf, after: () => void): readonly Column<Ioi>[] => [
  { title: 'Of', kind: 'wide', cell: (row) => html`${name(row)}<small>${time(row.created_at)}</small>` },
  { title: 'Status', cell: (row) => badge(row.status) },
  { title: 'Amount', kind: 'number', cell: (row) => money(row.interest_amount) },
  {
    title: '',
    kind: 'act',
    cell: (row) =>
      row.status === 'submitted' &&
      act({
        text: 'Withdraw',
        act: () => send('DELETE', `/v1/api/investor/iois/${row.ioi_id}`),
        done: 'The indication is withdrawn.',
        after,
      }),
  },
];
const trades = (name: NameOf): readonly Column<Trade>[] => [
  { title: 'Of', kind: 'wide', cell: (row) => html`${name(row)}<small>${row.trade_id}</small>` },
  { title: 'Status', cell: (row) => html`${badge(row.status)}${row.reason && html`<small>${row.reason}</small>`}` },
  { title: 'Face', kind: 'number', cell: (row) => roundMoney(row.face) },
  { title: 'Price', kind: 'number', cell: (row) => decimal(row.price, 4) },
  { title: 'Accrued', kind: 'number', cell: (row) => money(row.accrued_interest) },
  { title: 'Net', kind: 'number', cell: (row) => money(row.net_amount) },
  { title: 'Settles', cell: (row) => date(row.settlement_date) },
];
