import { get, list, send } from '../lib/api.ts';
import { count, date, decimal, percent, roundMoney, shortMoney, years } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { stackedChart } from '../parts/chart.ts';
import { card, figures, id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { MarketDealSummary, MarketTranche } from '../wire/api.ts';
import type { MarketDeal } from '../wire/api.ts';
import { DealDocuments } from './deal-documents.ts';
import { TakePart } from './take-part.ts';

type Loaded = { deal: MarketDeal; comparable: MarketDealSummary[]; watched: boolean };

/** A deal on the market: its tranches, its pool, comparable deals, and the forms to take part. */
export function MarketDealPage({ id: dealId }: { id: string }): VNode {
  const loaded = useLoad(async (): Promise<Loaded> => {
    const [deal, comparable, watching] = await Promise.all([
      get<MarketDeal>(`/v1/api/investor/deals/${dealId}`),
      get<MarketDealSummary[]>(`/v1/api/investor/deals/${dealId}/comparable`),
      list<MarketDealSummary>('/v1/api/investor/watchlist', { limit: 100 }),
    ]);
    return { deal, comparable, watched: watching.rows.some((each) => each.id === dealId) };
  }, [dealId]);
  const deal = loaded.data?.deal;
  return page(
    {
      title: deal?.name ?? 'Deal',
      back: { href: '#/market', text: 'Marketplace' },
      lead: deal && html`${deal.originator} · ${deal.asset_type} · ${id(dealId)}`,
      aside: loaded.data && html`${badge(deal?.market_status)} ${watch(loaded.data, loaded.reload)}`,
    },
    shown(loaded, (data) => content(data, loaded.reload)),
  );
}

const watch = ({ deal, watched }: Loaded, reload: () => void): VNode =>
  act({
    text: watched ? 'Stop watching' : 'Watch',
    act: () => send(watched ? 'DELETE' : 'PUT', `/v1/api/investor/watchlist/${deal.id}`),
    after: reload,
  });

function content({ deal, comparable }: Loaded, reload: () => void): (VNode | false)[] {
  return [
    figures([
      { name: 'Size', value: shortMoney(deal.dealSize) },
      { name: 'Yield', value: percent(deal.wa_yield), note: 'weighted by balance' },
      { name: 'Life', value: years(deal.wal) },
      { name: 'Minimum', value: roundMoney(deal.minimum_investment) },
      { name: 'Closing', value: date(deal.closing_date) },
      deal.strats && {
        name: 'Pool',
        value: shortMoney(deal.strats.balance),
        note: `${count(deal.strats.loan_count)} loans · WAC ${percent(deal.strats.wac)} · WAM ${decimal(deal.strats.wam, 0)}`,
      },
    ]),
    card('Tranches', table({ caption: 'Tranches', columns: TRANCHES, rows: deal.tranches })),
    h(TakePart, { deal, after: reload }),
    performance(deal),
    h(DealDocuments, { deal: deal.id }),
    card(
      'Comparable deals',
      table({
        caption: 'Comparable deals',
        columns: COMPARABLE,
        rows: comparable,
        empty: 'No deal of the same assets is within a quarter of this size.',
      }),
    ),
  ];
}

const TRANCHES: readonly Column<MarketTranche>[] = [
  { title: 'Tranche', kind: 'wide', cell: (tranche) => html`<strong>${tranche.tranche}</strong>` },
  { title: 'Rating', cell: (tranche) => tranche.rating ?? '–' },
  { title: 'Balance', kind: 'number', cell: (tranche) => roundMoney(tranche.balance) },
  {
    title: 'Coupon',
    kind: 'number',
    cell: ({ coupon, coupon_terms }) => html`${percent(coupon)}${coupon_terms !== null && html`<small>${coupon_terms}</small>`}`,
  },
  { title: 'Yield', kind: 'number', cell: (tranche) => percent(tranche.yield) },
  { title: 'Price', kind: 'number', cell: (tranche) => decimal(tranche.price, 3) },
  { title: 'WAL', kind: 'number', cell: (tranche) => years(tranche.wal) },
  { title: 'Left to subscribe', kind: 'number', cell: (tranche) => roundMoney(tranche.remaining_capacity) },
];
const COMPARABLE: readonly Column<MarketDealSummary>[] = [
  {
    title: 'Deal',
    kind: 'wide',
    cell: (deal) => html`<a href="#/market/${deal.id}">${deal.name}</a><small>${deal.originator}</small>`,
  },
  { title: 'Market', cell: (deal) => badge(deal.market_status) },
  { title: 'Size', kind: 'number', cell: (deal) => shortMoney(deal.dealSize) },
  { title: 'Yield', kind: 'number', cell: (deal) => percent(deal.wa_yield) },
  { title: 'Life', kind: 'number', cell: (deal) => years(deal.wal) },
];

/** Balances as reported so far, and as the published calculation projects them from there. */
function performance(deal: MarketDeal): VNode | false {
  const rows = deal.performance?.tranche_performance ?? [];
  const names = [...new Set(rows.map((row) => row.tranche))];
  const of = (name: string) => rows.filter((row) => row.tranche === name);
  const first = of(names[0] ?? '');
  if (first.length === 0) return false;
  const last = first.findLastIndex((_, index) => names.some((name) => (of(name)[index]?.balance ?? 0) > 0)) + 2;
  const actual = rows.filter((row) => row.basis === 'ACTUAL').length > 0;
  return card(
    actual ? 'Balances, reported and projected' : 'Projected balances',
    stackedChart({
      title: `Tranche balances of ${deal.name}`,
      dates: first.slice(0, last).map((row) => row.date),
      series: names.map((name) => ({
        name,
        values: of(name)
          .slice(0, last)
          .map((row) => row.balance),
      })),
    }),
  );
}
