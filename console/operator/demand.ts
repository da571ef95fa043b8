import { get } from '../lib/api.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { demandOf, trancheDemand } from '../parts/demand.ts';
import { id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { DealBook, InvestorDemand } from '../wire/api.ts';

/** The book of one deal with its investors. */
export function DealDemand({ id: dealId }: { id: string }): VNode {
  const book = useLoad(() => get<DealBook>(`/v1/operator/deals/${dealId}/book`), [dealId]);
  const { data } = book;
  return page(
    {
      title: data ? `The book of ${data.name}` : 'The book',
      back: { href: '#/books', text: 'Books' },
      lead: data && html`${id(dealId)} · indications name no tranche and count for the most senior one`,
      aside: data && badge(data.market_status),
    },
    shown(book, ({ tranches }) =>
      tranches.length === 0
        ? html`<div class="empty">The deal has no tranches on offer.</div>`
        : tranches.map((tranche) =>
            trancheDemand(
              tranche,
              html`
                <h3>Investors</h3>
                ${table({
                  caption: `Investors of class ${tranche.tranche}`,
                  rows: tranche.investors,
                  columns: INVESTORS,
                  empty: 'No investor wants any of it yet.',
                })}
              `,
            ),
          ),
    ),
  );
}

const INVESTORS: readonly Column<InvestorDemand>[] = [
  {
    title: 'Investor',
    kind: 'wide',
    cell: (row) => html`<a href="#/organizations/${row.organization_id}">${row.organization}</a>`,
  },
  { title: 'Indications', kind: 'number', cell: (row) => demandOf(row.indications, 'indication') },
  { title: 'Subscriptions', kind: 'number', cell: (row) => demandOf(row.subscriptions, 'subscription') },
  { title: 'Orders', kind: 'number', cell: (row) => demandOf(row.orders, 'order') },
];
