import { createStore } from '../lib/store.ts';
import { html, type VNode } from '../lib/view.ts';

type Notice = { id: number; text: string; href?: string };

const STAY_MS = 6_000;
const notices = createStore<readonly Notice[]>([]);
let last = 0;

/** Shows a short message that disappears by itself. */
export function notify(text: string, href?: string): void {
  const notice = { id: ++last, text, ...(href ? { href } : {}) };
  notices.set([...notices.get().slice(-3), notice]);
  setTimeout(() => notices.set(notices.get().filter((each) => each.id !== notice.id)), STAY_MS);
}

export function Notices(): VNode {
  const list = notices.use();
  return html`
    <div class="notices" role="status" aria-live="polite">
      ${list.map((each) => html`<p key=${each.id}>${each.href ? html`<a href=${each.href}>${each.text}</a>` : each.text}</p>`)}
    </div>
  `;
}
