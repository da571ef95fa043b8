import { list, ownPath, send } from '../lib/api.ts';
import { ago, time } from '../lib/format.ts';
import { never, useLoad } from '../lib/load.ts';
import { can } from '../lib/session.ts';
import { html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { pager } from '../parts/table.ts';
import { arrivals, countUnread, unread } from '../shell/alerts-live.ts';
import type { Alert } from '../wire/api.ts';

/** The organization's alerts, newest first. New ones appear while the page is open. */
export function Alerts({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { status = '', priority = '', page: at = '1' } = query;
  const news = arrivals.use();
  const waiting = unread.use();
  const alerts = useLoad(
    () => list<Alert>(ownPath('/alerts'), { status, priority, page: at, limit: 25 }),
    [status, priority, at],
    never,
    news,
  );
  const again = (): void => {
    alerts.reload();
    void countUnread();
  };
  const markAll = (): Promise<unknown> =>
    send('POST', ownPath('/alerts/mark'), { before: new Date().toISOString(), status: 'READ' });
  return page(
    {
      title: 'Alerts',
      lead: waiting === 0 ? 'Everything is read.' : `${waiting} to read.`,
      aside: waiting > 0 && act({ text: 'Mark all as read', act: markAll, after: again }),
    },
    html`<div class="filters">
      ${filter('status', 'Status', ['UNREAD', 'READ', 'ARCHIVED'], status)} ${filter('priority', 'Priority', ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'], priority)}
    </div>`,
    shown(alerts, (data) => [
      data.rows.length === 0
        ? html`<div class="empty">There are no alerts.</div>`
        : html`<ul class="alerts">${data.rows.map((alert) => row(alert, again))}</ul>`,
      pager(data),
    ]),
  );
}

function row(alert: Alert, again: () => void): VNode {
  const target = linkOf(alert);
  const mark = (status: string) => (): Promise<unknown> => send('PATCH', ownPath(`/alerts/${alert.id}`), { status });
  return html`
    <li class=${alert.status === 'UNREAD' ? 'unread' : ''} key=${alert.id}>
      <div>
        <p>${['HIGH', 'CRITICAL'].includes(alert.priority) && badge(alert.priority)} <strong>${target ? html`<a href=${target}>${alert.title}</a>` : alert.title}</strong></p>
        <p>${alert.message}</p>
        <p class="fine"><span title=${time(alert.created_at)}>${ago(alert.created_at)}</span> · <code>${alert.type}</code></p>
      </div>
      <div class="aside">
        ${alert.status === 'UNREAD' ? act({ text: 'Mark read', act: mark('READ'), after: again }) : act({ text: 'Mark unread', tone: 'link', act: mark('UNREAD'), after: again })}
        ${alert.status !== 'ARCHIVED' && act({ text: 'Archive', tone: 'link', act: mark('ARCHIVED'), after: again })}
      </div>
    </li>
  `;
}

/** The operator decides on records in lists. */
const OPERATOR_PAGES: Readonly<Record<string, string>> = {
  deal: '#/approvals',
  pool: '#/issues',
  subscription: '#/confirmations',
  trade: '#/trades',
  waiver: '#/waivers',
};

/** The page of the alert's record, if the console has one for this key. */
function linkOf({ entity_type: type, entity_id: id }: Alert): string | null {
  if (!id) return null;
  if (can('operator') && type === 'remittance') return `#/reports/${id}`;
  if (can('operator')) return OPERATOR_PAGES[type ?? ''] ?? null;
  if (type === 'deal' && can('originator')) return `#/deals/${id}`;
  if (type === 'sc_job' && can('originator')) return `#/runs/${id}`;
  if (type === 'pool' && can('originator')) return `#/pools/${id}`;
  if (type === 'trade' && can('investor')) return '#/commitments/trades';
  if (type === 'subscription' && can('investor')) return '#/commitments/subscriptions';
  if (type === 'allocation' && can('investor')) return '#/commitments/allocations';
  if (type === 'webhook_subscription') return '#/webhooks';
  return null;
}
