import { get } from '../lib/api.ts';
import { useAction } from '../lib/load.ts';
import { farewell, keepKey, session, signOut } from '../lib/session.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { field, form } from '../parts/form.ts';
import { problem } from '../parts/problem.ts';
import type { CurrentKey } from '../wire/api.ts';

/** The form for an API key. It stays in this tab's session storage and is sent to this gateway only. */
export function SignIn(): VNode {
  const [key, setKey] = useState('');
  const reason = farewell.use();
  const enter = useAction(async () => {
    keepKey(key.trim().replace(/^Bearer\s+/i, ''));
    try {
      session.set(await get<CurrentKey>('/v1/api/me'));
    } catch (error) {
      signOut();
      throw error;
    }
    farewell.set(null);
  });
  return html`
    <main class="sign-in">
      <section class="card">
        <p class="brand"><img src="/console/icon.svg" alt="" width="36" height="36" /> Sluice</p>
        <h1>Sign in with your API key</h1>
        <p class="lead">Loan tapes, pools and investments of your organization, with what your key may see and do.</p>
        ${reason && !enter.problem && html`<p class="note" role="status">${reason}</p>`}
        ${form(
          () => void enter.run(),
          field({
            name: 'key',
            label: 'API key',
            type: 'password',
            value: key,
            set: setKey,
            required: true,
            placeholder: 'eyJhbGciOi…',
            hint: 'Kept in this tab until you close it or sign out; sent to this gateway and nowhere else.',
            attributes: { autocomplete: 'off', spellcheck: false, autofocus: true },
          }),
          html`<button type="submit" class="primary" disabled=${enter.busy || key.trim() === ''}>${enter.busy ? 'Checking…' : 'Sign in'}</button>`,
        )}
        ${problem(enter.problem)}
        <p class="fine">
          <code>npm start</code> prints one key per role; <code>sluice keys issue</code> makes more.
          Everything here is done with <a href="/docs">the public API</a>.
        </p>
      </section>
    </main>
  `;
}
