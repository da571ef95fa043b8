import { get } from '../lib/api.ts';
import { place } from '../lib/router.ts';
import { readKey, session } from '../lib/session.ts';
import { h, html, useEffect, useState, type VNode } from '../lib/view.ts';
import { Dialog } from '../parts/dialog.ts';
import { Notices } from '../parts/notice.ts';
import type { CurrentKey } from '../wire/api.ts';
import { followAlerts, unfollowAlerts } from './alerts-live.ts';
import { findView } from './areas.ts';
import { Navigation } from './navigation.ts';
import { SignIn } from './sign-in.ts';

/** The console: the sign-in page, or the areas that the key's role reaches. */
export function App(): VNode {
  const me = session.use();
  const [ready, setReady] = useState(readKey() === null);
  useEffect(() => {
    // A tab that was loaded again still has its key.
    if (readKey() !== null)
      void get<CurrentKey>('/v1/api/me')
        .then(
          (who) => session.set(who),
          () => undefined,
        )
        .finally(() => setReady(true));
  }, []);
  useEffect(() => {
    if (me) followAlerts();
    return unfollowAlerts;
  }, [me?.key_id]);
  if (!ready) return html`<main class="waiting" role="status">Loading…</main>`;
  if (!me) return h(SignIn, {});
  return html`<${Signed} me=${me} /><${Dialog} /><${Notices} />`;
}

function Signed({ me }: { me: CurrentKey }): VNode {
  const { path: requested, query } = place.use();
  const found = findView(me.role, requested);
  const { path } = found;
  useEffect(() => {
    document.title = `${found.title} · Sluice`;
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [path.split('/').slice(0, 3).join('/')]);
  return html`
    <a class="skip" href="#main" onClick=${skip}>To the content</a>
    <${Navigation} me=${me} path=${path} />
    <main id="main" tabindex="-1">${found.view(found.params, query)}</main>
  `;
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
