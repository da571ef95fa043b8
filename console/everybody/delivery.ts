import { get } from '../lib/api.ts';
import { time } from '../lib/format.ts';
import { pollDelay, useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { card, figures, id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { Delivery } from '../wire/api.ts';
import { replay } from './webhooks.ts';

type Attempt = Delivery['attempts_log'][number];

/** One delivery: its request and the outcome of every attempt. */
export function DeliveryPage({ id: deliveryId }: { id: string }): VNode {
  const delivery = useLoad(
    () => get<Delivery>(`/v1/api/webhooks/deliveries/${deliveryId}`),
    [deliveryId],
    (data, polls) => ((data.status === 'PENDING' || data.next_attempt_at !== null) && polls < 10 ? pollDelay(polls) : null),
  );
  const { data } = delivery;
  return page(
    {
      title: data?.event ?? 'Delivery',
      back: { href: '#/webhooks', text: 'Webhooks' },
      lead: id(deliveryId),
      aside: data && html`${badge(data.status)} ${data.status === 'FAILED' && replay(data, delivery.reload)}`,
    },
    shown(delivery, (given) => [
      figures([
        { name: 'Attempts', value: given.attempts },
        { name: 'Response', value: given.http_status ?? given.error ?? '–' },
        { name: 'Made', value: time(given.created_at) },
        given.next_attempt_at !== null && { name: 'Next attempt', value: time(given.next_attempt_at) },
        given.replay_of !== null && {
          name: 'Replay of',
          value: html`<a href="#/webhooks/deliveries/${given.replay_of}">an earlier delivery</a>`,
        },
      ]),
      card(
        'Attempts',
        table({ caption: 'Attempts', columns: ATTEMPTS, rows: given.attempts_log, empty: 'There has been no attempt yet.' }),
      ),
      card(
        'Request',
        html`<p><code>${given.request.method} ${given.request.url}</code></p>
          <pre tabindex="0">${Object.entries(given.request.headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}</pre>
          <pre tabindex="0">${pretty(given.request.body)}</pre>`,
      ),
    ]),
  );
}

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: 'When', cell: (row) => time(row.at) },
  { title: 'Took', kind: 'number', cell: (row) => `${row.ms} ms` },
  { title: 'Response', cell: (row) => row.http_status ?? html`<span class="fault">${row.error}</span>` },
  {
    title: 'Response',
    kind: 'wide',
    cell: (row) => (row.response_excerpt ? html`<code>${row.response_excerpt}</code>` : '–'),
  },
];

function pretty(body: string | null): string {
  try {
    return JSON.stringify(JSON.parse(body ?? ''), null, 2);
  } catch {
    return body ?? '';
  }
}
