import { rate } from '../lib/api.ts';
import { count, words } from '../lib/format.ts';
import { session, signOut } from '../lib/session.ts';
import { html, useEffect, useState, type VNode } from '../lib/view.ts';
import type { CurrentKey } from '../wire/api.ts';
import { unread } from './alerts-live.ts';
import { navigationOf } from './areas.ts';

export function Navigation({ me, path }: { me: CurrentKey; path: string }): VNode {
  const waiting = unread.use();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  const here = (href: string): 'page' | undefined => (path === href || path.startsWith(`${href}/`) ? 'page' : undefined);
  return html`
    <aside class="side ${open && 'open'}">
      <div class="top">
        <a class="brand" href="#/"><img src="/console/icon.svg" alt="" width="28" height="28" /> Sluice</a>
        <button type="button" class="menu" aria-expanded=${open} aria-controls="areas" onClick=${() => setOpen(!open)}>
          Menu${waiting > 0 && html` <span class="count">${waiting}</span>`}
        </button>
      </div>
      <div class="drawer" id="areas">
        <p class="who"><strong>${me.organization}</strong><span class="fine">${words(me.role)} · ${me.environment}</span></p>
        <nav aria-label="Areas">
          ${navigationOf(me.role).map(
            (group) => html`
              <h2>${group.name}</h2>
              <ul>
                ${group.items.map(
                  (item) => html`
                    <li>
                      <a href="#${item.path}" aria-current=${here(item.path)}>
                        ${item.name}
                        ${item.path === '/alerts' && waiting > 0 && html`<span class="count" aria-label="${waiting} unread">${waiting}</span>`}
                      </a>
                    </li>
                  `,
                )}
              </ul>
            `,
          )}
        </nav>
        <div class="foot">
          <${Rate} />
          <${Theme} />
          <a href="/docs">API reference</a>
          <button type="button" class="link" onClick=${() => signOut()}>Sign out</button>
        </div>
      </div>
    </aside>
  `;
}

function Rate(): VNode | null {
  const left = rate.use();
  if (!left || !session.get()) return null;
  const scarce = left.remaining < left.limit * 0.2;
  return html`<p class="fine ${scarce && 'fault'}" title="Requests of this key in the present 60 seconds">
    ${count(left.remaining)} of ${count(left.limit)} requests left
  </p>`;
}

const THEMES = ['auto', 'light', 'dark'] as const;
type ThemeName = (typeof THEMES)[number];
const storedTheme = (): ThemeName => THEMES.find((each) => each === localStorage.getItem('sluice.theme')) ?? 'auto';

/** Light, dark, or the setting of the system. */
function Theme(): VNode {
  const [theme, setTheme] = useState<ThemeName>(storedTheme);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem('sluice.theme', theme);
  }, [theme]);
  return html`
    <label class="theme">
      <span>Colours</span>
      <select value=${theme} onChange=${(event: Event) => setTheme((event.target as HTMLSelectElement).value as ThemeName)}>
        ${THEMES.map((each) => html`<option value=${each} selected=${each === theme}>${each}</option>`)}
      </select>
    </label>
  `;
}
