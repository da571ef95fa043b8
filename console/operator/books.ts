import { list } from '../lib/api.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, type VNode } from '../lib/view.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import type { OperatorDealSummary, OperatorPoolSummary } from '../wire/api.ts';
import { DealBook } from './deal-book.ts';
import { useOrganizations } from './organizations.ts';

/** The books of issued deals: dry run, closing, allocation, and the closing of the deal. */
export function Books(): VNode {
  const nameOf = useOrganizations();
  const issued = useLoad(async () => {
    const [pools, deals] = await Promise.all([
      list<OperatorPoolSummary>('/v1/operator/pools', { status: 'ISSUED', limit: 50 }),
      list<OperatorDealSummary>('/v1/operator/deals', { kind: 'SECURITIZATION', limit: 100 }),
    ]);
    const market = new Map(deals.rows.map((deal) => [deal.id, deal.market_status]));
    return pools.rows.map((pool) => ({ pool, market: market.get(pool.deal_id ?? '') ?? null }));
  }, []);
  return page(
    { title: 'Books', lead: 'You can try an allocation first: a trial creates nothing.' },
    shown(issued, (rows) =>
      rows.length === 0
        ? html`<div class="empty">No pool has been issued yet.</div>`
        : rows.map(({ pool, market }) => h(DealBook, { pool, market, nameOf, after: issued.reload, key: pool.pool_id })),
    ),
  );
}
