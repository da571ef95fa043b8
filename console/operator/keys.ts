import { list, send } from '../lib/api.ts';
import { date, time, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { session } from '../lib/session.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { filter } from '../parts/form.ts';
import { card, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { shownOnce } from '../parts/secret.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { ApiKey, IssuedKey, Organization } from '../wire/api.ts';
import { IssueKey } from './issue-key.ts';

type Query = Readonly<Record<string, string>>;

/** The keys of all organizations, and a new one. */
export const KeysPage = ({ query }: { query: Query }): VNode =>
  page(
    { title: 'Keys', lead: 'A key is shown once, when it is issued. The requester and the use case are recorded.' },
    h(Keys, { query, organization: null }),
  );

/** Keys of all organizations or of one; a key that was just issued is shown above them. */
export function Keys({ query, organization }: { query: Query; organization: Organization | null }): VNode {
  const { status = '', page: at = '1' } = query;
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const owner = organization?.organization_id;
  const keys = useLoad(
    () => list<ApiKey>('/v1/operator/keys', { organization_id: owner, status, page: at, limit: 25 }),
    [owner, status, at],
  );
  const known = (key: IssuedKey): void => {
    setIssued(key);
    keys.reload();
  };
  return card(
    organization ? 'Keys' : '',
    html`
      ${issued?.token && shownOnce(`The new key ${issued.key_id}`, issued.token, `It works until ${time(issued.expires_at)} and is shown only now.`)}
      ${h(IssueKey, { organization: organization?.name ?? null, issued: known })}
      <div class="filters">${filter('status', 'Status', ['ACTIVE', 'EXPIRED', 'REVOKED'], status)}</div>
      ${shown(keys, (data) => [
        table({
          caption: 'Keys',
          columns: columnsOf(!organization, keys.reload, known),
          rows: data.rows,
          empty: 'No key matches.',
        }),
        pager(data),
      ])}
    `,
  );
}

const columnsOf = (named: boolean, after: () => void, known: (key: IssuedKey) => void): readonly Column<ApiKey>[] => [
  {
    title: 'Key',
    kind: 'wide',
    cell: (key) =>
      html`${named && html`<a href="#/organizations/${key.organization_id}"><strong>${key.organization}</strong></a>`}<small><code>${key.key_id}</code></small>`,
  },
  { title: 'Role', cell: (key) => html`${words(key.role)}<small>${key.environment}</small>` },
  { title: 'Status', cell: (key) => html`${badge(key.status)}<small>until ${date(key.expires_at)}</small>` },
  { title: 'Requester', cell: (key) => html`${key.requester}<small>${key.use_case}</small>` },
  { title: '', kind: 'act', cell: (key) => key.status === 'ACTIVE' && moves(key, after, known) },
];

function moves(key: ApiKey, after: () => void, known: (key: IssuedKey) => void): VNode {
  const path = `/v1/operator/keys/${key.key_id}`;
  const own = key.key_id === session.get()?.key_id;
  return html`
    ${act({
      text: 'Rotate',
      question: { title: 'Rotate this key?', text: 'A new one is issued; this one stays valid for one more day.', yes: 'Rotate' },
      act: async () => known(await send<IssuedKey>('POST', `${path}/rotate`, {})),
    })}
    ${act({
      text: 'Revoke',
      tone: 'danger',
      question: {
        title: 'Revoke this key?',
        text: own ? 'You are signed in with this key and will be signed out.' : 'It stops working within 2 seconds.',
        yes: 'Revoke',
        tone: 'danger',
        reason: 'optional',
      },
      act: (reason) => send('POST', `${path}/revoke`, reason ? { reason } : {}),
      done: 'The key is revoked.',
      after,
    })}
  `;
}
