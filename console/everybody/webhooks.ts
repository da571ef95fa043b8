import { list, send } from '../lib/api.ts';
import { ago, plural, time } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { shownOnce } from '../parts/secret.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { DeliverySummary, WebhookSubscription, WebhookSubscriptionWithSecret } from '../wire/api.ts';
import { EVENTS } from '../wire/choices.ts';
import { NewReceiver } from './new-receiver.ts';

/** How long the gateway keeps events. */
const KEPT_MS = 30 * 86_400_000;

/** Receivers of events, and every delivery to them. */
export function Webhooks({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const [made, setMade] = useState<WebhookSubscriptionWithSecret | null>(null);
  const hooks = useLoad(() => list<WebhookSubscription>('/v1/api/webhooks/subscriptions', { limit: 50 }), []);
  const known = (hook: WebhookSubscriptionWithSecret): void => {
    setMade(hook);
    hooks.reload();
  };
  return page(
    { title: 'Webhooks', lead: 'Signed events for your own systems; failed deliveries are retried.' },
    made?.secret &&
      shownOnce(
        `The secret of ${made.url}`,
        made.secret,
        'It signs every delivery and is shown only now: store it where your receiver can read it.',
      ),
    card(
      'Receivers',
      html`
        ${shown(hooks, ({ rows }) => table({ caption: 'Receivers', columns: receivers(hooks.reload, known), rows, empty: 'There is no receiver yet.' }))}
        ${h(NewReceiver, { made: known })}
      `,
    ),
    h(Deliveries, { query, hooks: hooks.data?.rows ?? [] }),
  );
}

const receivers = (
  after: () => void,
  known: (hook: WebhookSubscriptionWithSecret) => void,
): readonly Column<WebhookSubscription>[] => [
  {
    title: 'Address',
    kind: 'wide',
    cell: (hook) =>
      html`<strong class="address">${hook.url}</strong><small>${hook.events.length === EVENTS.length ? 'every event' : hook.events.join(', ')}</small>`,
  },
  {
    title: 'State',
    cell: (hook) =>
      html`${badge(hook.active ? 'active' : 'disabled')}${hook.disabled_reason && html`<small>${hook.disabled_reason.toLowerCase()}</small>`}${hook.failing_since && html`<small class="fault">failing since ${time(hook.failing_since)}</small>`}`,
  },
  { title: '', kind: 'act', cell: (hook) => moves(hook, after, known) },
];

function moves(hook: WebhookSubscription, after: () => void, known: (hook: WebhookSubscriptionWithSecret) => void): VNode {
  const path = `/v1/api/webhooks/subscriptions/${hook.id}`;
  const rotate = async (): Promise<void> =>
    known(await send<WebhookSubscriptionWithSecret>('POST', `${path}/rotate-secret`, { grace_seconds: 86_400 }));
  const test = async (): Promise<void> => {
    const { delivery_id: sample } = await send<DeliverySummary>('POST', `${path}/test`, { event: hook.events[0] });
    go(`/webhooks/deliveries/${sample}`);
  };
  const recover = async (): Promise<void> => {
    const since = new Date(Date.now() - KEPT_MS).toISOString();
    type Recovered = { queued: number; remaining: number; retrying: number };
    const { queued, remaining, retrying } = await send<Recovered>('POST', `${path}/recover`, { since });
    const more = remaining > 0 ? `, ${plural(remaining, 'more', 'more')} to recover` : '';
    const passedOver = retrying > 0 ? `, ${plural(retrying, 'event')} already replayed and retried automatically` : '';
    notify(`${plural(queued, 'event')} on the way${more}${passedOver}.`);
    after();
  };
  return html`
    ${act({ text: 'Send a test', act: test })}
    ${act({ text: hook.active ? 'Pause' : 'Resume', act: () => send('PATCH', path, { active: !hook.active }), after })}
    ${act({ text: 'Recover', question: { title: 'Send the missed events again?', text: 'Every event of the last 30 days that this receiver has not accepted, oldest first, each once.', yes: 'Recover' }, act: recover })}
    ${act({ text: 'New secret', question: { title: 'Make a new secret?', text: 'The old one stays valid for a day.', yes: 'Make a new secret' }, act: rotate })}
    ${act({ text: 'Remove', tone: 'danger', question: { title: 'Remove this receiver?', text: 'Nothing more is sent to it. Its history stays.', yes: 'Remove', tone: 'danger' }, act: () => send('DELETE', path), after })}
  `;
}

function Deliveries({ query, hooks }: { query: Readonly<Record<string, string>>; hooks: readonly WebhookSubscription[] }): VNode {
  const { status = '', event = '', page: at = '1' } = query;
  const found = useLoad(
    () => list<DeliverySummary>('/v1/api/webhooks/deliveries', { status, event, page: at, limit: 25 }),
    [status, event, at],
  );
  return card(
    'Deliveries',
    html`
      <div class="filters">${filter('status', 'Status', ['PENDING', 'DELIVERED', 'FAILED'], status)} ${filter('event', 'Event', EVENTS, event)}</div>
      ${shown(found, (data) => [table({ caption: 'Deliveries', columns: deliveries(hooks, found.reload), rows: data.rows, empty: 'Nothing has been sent.' }), pager(data)])}
    `,
    html`<button type="button" onClick=${found.reload}>Look again</button>`,
  );
}

const deliveries = (hooks: readonly WebhookSubscription[], after: () => void): readonly Column<DeliverySummary>[] => [
  {
    title: 'Event',
    kind: 'wide',
    cell: (row) =>
      html`<a href="#/webhooks/deliveries/${row.id}"><strong>${row.event}</strong></a><small>${row.kind === 'EVENT' ? '' : `${row.kind.toLowerCase()} · `}${hooks.find((hook) => hook.id === row.subscription_id)?.url ?? row.subscription_id}</small>`,
  },
  {
    title: 'Status',
    cell: (row) => html`${badge(row.status)}${row.next_attempt_at && html`<small>again ${ago(row.next_attempt_at)}</small>`}`,
  },
  { title: 'Response', cell: (row) => row.http_status ?? row.error ?? '–' },
  { title: 'Attempts', kind: 'number', cell: (row) => row.attempts },
  { title: 'When', cell: (row) => html`<span title=${time(row.created_at)}>${ago(row.created_at)}</span>` },
  { title: '', kind: 'act', cell: (row) => row.status === 'FAILED' && replay(row, after) },
];

export const replay = (delivery: DeliverySummary, after: () => void): VNode =>
  act({
    text: 'Replay',
    act: () => send('POST', `/v1/api/webhooks/deliveries/${delivery.id}/replay`),
    done: 'It is sent again, as a new delivery.',
    after,
  });
