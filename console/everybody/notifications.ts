import { get, ownPath, send } from '../lib/api.ts';
import { ago, time } from '../lib/format.ts';
import { useAction, useLoad } from '../lib/load.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { badge } from '../parts/badge.ts';
import { field, form } from '../parts/form.ts';
import { notify } from '../parts/notice.ts';
import { card, page } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import { type Column, table } from '../parts/table.ts';
import type { AlertPriority, NotificationAddress, NotificationPreferences } from '../wire/api.ts';

const PRIORITIES: readonly AlertPriority[] = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];
const DIGESTS = [
  { value: 'NONE' as const, text: 'None' },
  { value: 'DAILY' as const, text: 'On business days at 7:00 in New York' },
];
const pathOfPreferences = (): string => ownPath('/notification-preferences');

/** Which alerts the organization gets by e-mail, at which addresses, and what became of the e-mails. */
export function Notifications(): VNode {
  const loaded = useLoad(() => get<NotificationPreferences>(pathOfPreferences()), []);
  return page(
    { title: 'E-mail', lead: 'Alerts by e-mail. An e-mail has the title of an alert; everything else stays here.' },
    shown(loaded, (given) => [
      given.delivery === 'off' &&
        html`<p class="note warn" role="status">This platform has no mail server: what you choose is kept, and nothing is sent.</p>`,
      h(EditPreferences, { given, after: loaded.reload, key: given.updated_at ?? 'never' }),
      card(
        'Addresses',
        table({
          caption: 'Addresses',
          columns: COLUMNS,
          rows: given.addresses,
          empty: 'There is no address yet, so nothing is sent.',
        }),
      ),
    ]),
  );
}

const linesOf = (text: string): string[] =>
  text
    .split(/[\s,;]+/)
    .map((line) => line.trim())
    .filter(Boolean);

function EditPreferences({ given, after }: { given: NotificationPreferences; after: () => void }): VNode {
  const [emails, setEmails] = useState(given.emails.join('\n'));
  const [digest, setDigest] = useState(given.digest);
  const [immediate, setImmediate] = useState<readonly AlertPriority[]>(given.immediate);
  const [types, setTypes] = useState(given.types);
  const saving = useAction(async () => {
    await send('PUT', pathOfPreferences(), { emails: linesOf(emails), digest, immediate, types });
    notify('The preferences are saved.');
    after();
  });
  const toggle = (priority: AlertPriority): void =>
    setImmediate(immediate.includes(priority) ? immediate.filter((each) => each !== priority) : [...immediate, priority]);
  return card(
    'What is sent',
    form(
      () => void saving.run(),
      html`<div class="field">
        <label for="in-emails">Addresses</label>
        <textarea
          id="in-emails"
          name="emails"
          rows="4"
          value=${emails}
          aria-describedby="at-emails"
          onInput=${(event: Event) => setEmails((event.target as HTMLTextAreaElement).value)}
        ></textarea>
        <p class="fine" id="at-emails">One on each line, at most 20.</p>
      </div>`,
      field({
        name: 'digest',
        label: 'Digest',
        value: digest,
        set: setDigest,
        options: DIGESTS,
        hint: 'One e-mail that lists what came since the last one.',
      }),
      html`<fieldset class="choices across">
        <legend>Sent at once</legend>
        ${PRIORITIES.map((each) => choice(each, badge(each), immediate.includes(each), () => toggle(each)))}
      </fieldset>`,
      html`<fieldset class="choices across wide">
        <legend>Types of alerts</legend>
        ${Object.entries(types).map(([type, on]) => choice(type, html`<code>${type}</code>`, on, () => setTypes({ ...types, [type]: !on })))}
      </fieldset>`,
      problem(saving.problem),
      html`<button type="submit" class="primary" disabled=${saving.busy}>Save the preferences</button>`,
    ),
  );
}

const choice = (name: string, text: VNode | string, on: boolean, change: () => void): VNode =>
  html`<label><input type="checkbox" name=${name} checked=${on} onChange=${change} /> <span>${text}</span></label>`;

const COLUMNS: readonly Column<NotificationAddress>[] = [
  { title: 'Address', kind: 'wide', cell: (row) => html`<strong class="address">${row.email}</strong>` },
  {
    title: 'Last sent',
    cell: (row) => (row.last_sent_at ? html`<span title=${time(row.last_sent_at)}>${ago(row.last_sent_at)}</span>` : 'never'),
  },
  { title: 'Last error', kind: 'wide', cell: (row) => (row.last_error ? lastError(row.last_error) : 'none') },
  {
    title: 'Unsubscribed',
    cell: (row) => (row.unsubscribed.length === 0 ? 'from nothing' : row.unsubscribed.join(', ')),
  },
];

const lastError = ({ at, message, permanent }: NonNullable<NotificationAddress['last_error']>): VNode => html`
  <span class="fault">${message}</span>
  <small><span title=${time(at)}>${ago(at)}</span> · ${permanent ? 'given up' : 'tried again'}</small>
`;
