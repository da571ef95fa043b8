import { list, send } from '../lib/api.ts';
import { ago, count, roundMoney, time } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { findings } from '../originator/deals.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { OperatorDealSummary } from '../wire/api.ts';
import { DEAL_STATUSES, LOAN_TYPES } from '../wire/choices.ts';
import { useOrganizations } from './organizations.ts';

/** Loan deals of all organizations; those whose checks are completed can be approved or rejected. */
export function DealDecisions({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', type = '', page: at = '1' } = query;
  const nameOf = useOrganizations();
  const deals = useLoad(
    () => list<OperatorDealSummary>('/v1/operator/deals', { kind: 'LOAN', status, type, page: at, limit: 25 }),
    [status, type, at],
  );
  return page(
    { title: 'Loan deals', lead: 'Approval lets the loans of a deal be pooled.' },
    html`<div class="filters">${filter('status', 'Status', DEAL_STATUSES, status)} ${filter('type', 'Loan type', LOAN_TYPES, type)}</div>`,
    shown(deals, (data) => [
      table({ caption: 'Loan deals', columns: columnsOf(nameOf, deals.reload), rows: data.rows, empty: 'No deal matches.' }),
      pager(data),
    ]),
  );
}

const columnsOf = (nameOf: (id: string | undefined) => string, after: () => void): readonly Column<OperatorDealSummary>[] => [
  {
    title: 'Deal',
    kind: 'wide',
    cell: (deal) => html`<strong>${deal.name}</strong><small>${nameOf(deal.organization_id)} · ${deal.loan_type}</small>`,
  },
  { title: 'Status', cell: (deal) => badge(deal.status) },
  { title: 'Loans', kind: 'number', cell: (deal) => count(deal.loan_count) },
  { title: 'Balance', kind: 'number', cell: (deal) => roundMoney(deal.total_balance) },
  { title: 'Findings', kind: 'number', cell: (deal) => findings(deal) },
  { title: 'Updated', cell: (deal) => html`<span title=${time(deal.updated_at)}>${ago(deal.updated_at)}</span>` },
  { title: '', kind: 'act', cell: (deal) => decisions(deal, after) },
];

function decisions(deal: OperatorDealSummary, after: () => void): VNode {
  const path = `/v1/operator/deals/${deal.id}`;
  const approve = (reason: string): Promise<unknown> => send('POST', `${path}/approve`, reason ? { reason } : {});
  const reject = (reason: string): Promise<unknown> => send('POST', `${path}/reject`, { reason });
  return html`
    ${
      deal.status === 'QC_COMPLETED' &&
      act({
        text: 'Approve',
        tone: 'primary',
        question: {
          title: `Approve ${deal.name}?`,
          text: `${count(deal.loan_count)} loans, ${roundMoney(deal.total_balance)}.`,
          yes: 'Approve',
          reason: 'optional',
        },
        act: approve,
        done: `${deal.name} is approved.`,
        after,
      })
    }
    ${
      ['QC_COMPLETED', 'IN_REVIEW'].includes(deal.status) &&
      act({
        text: 'Reject',
        question: { title: `Reject ${deal.name}?`, yes: 'Reject', tone: 'danger', reason: 'required' },
        act: reject,
        done: `${deal.name} is rejected.`,
        after,
      })
    }
  `;
}
