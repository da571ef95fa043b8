import { list } from '../lib/api.ts';
import { date, percent, roundMoney, shortMoney, years } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { refine } from '../lib/router.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { figures, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { pager } from '../parts/table.ts';
import type { MarketDealSummary } from '../wire/api.ts';
import { LOAN_TYPES } from '../wire/choices.ts';

const SORTS = {
  newest: 'Newest',
  '-wa_yield': 'Highest yield',
  wal: 'Shortest life',
  '-dealSize': 'Largest',
  closing_date: 'Closing date',
};

/** Deals on the market, now or before. */
export function Marketplace({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', asset_type = '', q = '', sort = 'newest', page: at = '1' } = query;
  const deals = useLoad(
    () => list<MarketDealSummary>('/v1/api/investor/deals', { status, asset_type, q, sort, page: at, limit: 24 }),
    [status, asset_type, q, sort, at],
  );
  return page(
    { title: 'Marketplace', lead: 'Securitizations whose books are open, and earlier ones with their outcome.' },
    html`<div class="filters">
      <label class="filter">
        <span>Search</span>
        <input type="search" value=${q} placeholder="Name or originator" onChange=${(event: Event) => refine({ q: (event.target as HTMLInputElement).value })} />
      </label>
      ${filter('asset_type', 'Assets', LOAN_TYPES, asset_type)} ${filter('status', 'Market', ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED'], status)}
      <label class="filter">
        <span>Order</span>
        <select value=${sort} onChange=${(event: Event) => refine({ sort: (event.target as HTMLSelectElement).value })}>
          ${Object.entries(SORTS).map(([value, text]) => html`<option value=${value} selected=${value === sort}>${text}</option>`)}
        </select>
      </label>
    </div>`,
    shown(deals, (data) => [
      data.rows.length === 0
        ? html`<div class="empty">No deal on the market is like this.</div>`
        : html`<ul class="tiles">${data.rows.map(tile)}</ul>`,
      pager(data),
    ]),
  );
}

const tile = (deal: MarketDealSummary): VNode => html`
  <li class="tile">
    <p class="tags">${badge(deal.market_status)} <span class="fine">${deal.asset_type}</span></p>
    <h2><a href="#/market/${deal.id}">${deal.name}</a></h2>
    <p class="fine">${deal.originator}</p>
    ${figures([
      { name: 'Size', value: shortMoney(deal.dealSize) },
      { name: 'Yield', value: percent(deal.wa_yield) },
      { name: 'Life', value: years(deal.wal) },
    ])}
    <p class="fine">From ${roundMoney(deal.minimum_investment)} · ${deal.tranche_count} tranches · closing ${date(deal.closing_date)}</p>
  </li>
`;
