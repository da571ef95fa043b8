import { get } from '../lib/api.ts';
import { never, useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { trancheDemand } from '../parts/demand.ts';
import { shown } from '../parts/problem.ts';
import { arrivals } from '../shell/alerts-live.ts';
import type { PoolBook } from '../wire/api.ts';

/** The demand for the tranches of an issued pool, in sums: who bids is not told. */
export function PoolDemand({ pool }: { pool: string }): VNode {
  const news = arrivals.use();
  const book = useLoad(() => get<PoolBook>(`/v1/api/originator/pools/${pool}/book`), [pool], never, news);
  return shown(book, ({ tranches, market_status }) => [
    html`<p class="fine">On the market: ${badge(market_status)} The names of investors are not shown. Indications name no tranche and count for the most senior one.</p>`,
    ...(tranches.length === 0
      ? [html`<div class="empty">The pool has no tranches on offer.</div>`]
      : tranches.map((each) => trancheDemand(each))),
  ]);
}
