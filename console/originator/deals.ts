import { list } from '../lib/api.ts';
import { ago, count, roundMoney, time } from '../lib/format.ts';
import { never, useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import { arrivals } from '../shell/alerts-live.ts';
import type { DealSummary } from '../wire/api.ts';
import { DEAL_STATUSES, LOAN_TYPES } from '../wire/choices.ts';

/** Every loan deal of the organization, newest first. */
export function Deals({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const news = arrivals.use();
  const { status = '', type = '', page: at = '1' } = query;
  const deals = useLoad(
    () => list<DealSummary>('/v1/api/originator/loans', { status, type, page: at, limit: 20 }),
    [status, type, at],
    never,
    news,
  );
  return page(
    {
      title: 'Loan deals',
      lead: 'One tape of one loan type each, with its checks and its status.',
      aside: html`<a class="button primary" href="#/upload">Upload a tape</a>`,
    },
    html`<div class="filters">
      ${filter('status', 'Status', DEAL_STATUSES, status)} ${filter('type', 'Loan type', LOAN_TYPES, type)}
    </div>`,
    shown(deals, (data) => [
      table({
        caption: 'Loan deals',
        columns: COLUMNS,
        rows: data.rows,
        empty:
          status || type
            ? 'No deal has this status and type.'
            : html`No tape has been sent yet. <a href="#/upload">Upload the first one</a>.`,
      }),
      pager(data),
    ]),
  );
}

const COLUMNS: readonly Column<DealSummary>[] = [
  {
    title: 'Deal',
    kind: 'wide',
    cell: (deal) => html`<a href="#/deals/${deal.id}"><strong>${deal.name}</strong></a><small>${deal.loan_type}</small>`,
  },
  { title: 'Status', cell: (deal) => badge(deal.status) },
  { title: 'Market', cell: (deal) => badge(deal.market_status) || '–' },
  { title: 'Loans', kind: 'number', cell: (deal) => count(deal.loan_count) },
  { title: 'Balance', kind: 'number', cell: (deal) => roundMoney(deal.total_balance) },
  { title: 'Findings', kind: 'number', cell: (deal) => findings(deal) },
  { title: 'Updated', cell: (deal) => html`<span title=${time(deal.updated_at)}>${ago(deal.updated_at)}</span>` },
];

export const findings = ({ issue_counts: { error, warning } }: DealSummary): VNode =>
  error + warning === 0
    ? html`<span class="fine">none</span>`
    : html`${error > 0 && html`<span class="fault">${count(error)} rejected</span>`} ${warning > 0 && html`<small>${count(warning)} warnings</small>`}`;
