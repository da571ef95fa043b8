import { list } from '../lib/api.ts';
import { count } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import type { OperatorPoolSummary } from '../wire/api.ts';

type Work = { name: string; note: string; href: string; waiting: number };
const POLL_MS = 60_000;

/** Records that wait for a decision of the operator, area by area. */
export function WorkQueue(): VNode {
  const work = useLoad(loadWork, [], () => POLL_MS);
  return page(
    { title: 'Work queue', lead: 'Records that wait for a decision of the platform’s operator.' },
    shown(
      work,
      (list) => html`
      <ul class="tiles">
        ${list.map(
          (each) => html`
            <li class="tile ${each.waiting > 0 ? 'due' : ''}">
              <p class="big">${count(each.waiting)}</p>
              <h2><a href=${each.href}>${each.name}</a></h2>
              <p class="fine">${each.note}</p>
            </li>
          `,
        )}
      </ul>
    `,
    ),
  );
}

async function loadWork(): Promise<Work[]> {
  const total = async (path: string, status: string): Promise<number> => (await list(path, { status, limit: 1 })).total;
  const [deals, waivers, pools, subscriptions, trades, reports] = await Promise.all([
    total('/v1/operator/deals', 'QC_COMPLETED'),
    total('/v1/operator/waivers', 'PENDING'),
    list<OperatorPoolSummary>('/v1/operator/pools', { status: 'LOCKED', limit: 100 }),
    total('/v1/operator/subscriptions', 'pending_confirmation'),
    total('/v1/operator/trades', 'PENDING_SETTLEMENT'),
    total('/v1/operator/remittances', 'HELD'),
  ]);
  return [
    {
      name: 'Loan deals to approve',
      note: 'Their checks are completed.',
      href: '#/approvals?status=QC_COMPLETED',
      waiting: deals,
    },
    {
      name: 'Waivers to decide',
      note: 'Loans that should pass despite a rule.',
      href: '#/waivers?status=PENDING',
      waiting: waivers,
    },
    {
      name: 'Pools to issue',
      note: 'Their originators have requested it.',
      href: '#/issues?status=LOCKED',
      waiting: pools.rows.filter((pool) => pool.issue_requested_at).length,
    },
    {
      name: 'Subscriptions to confirm',
      note: 'The investor’s checks are run again.',
      href: '#/confirmations?status=pending_confirmation',
      waiting: subscriptions,
    },
    {
      name: 'Trades to settle',
      note: 'Face against cash, both or neither.',
      href: '#/trades?status=PENDING_SETTLEMENT',
      waiting: trades,
    },
    {
      name: 'Servicer reports to accept',
      note: 'They differ from their structures.',
      href: '#/reports?status=HELD',
      waiting: reports,
    },
  ];
}
