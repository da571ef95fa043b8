import { get, ownPath, request } from '../lib/api.ts';
import { createStore } from '../lib/store.ts';
import { notify } from '../parts/notice.ts';
import type { Alert, UnreadAlerts } from '../wire/api.ts';

/** Number of unread alerts. */
export const unread = createStore(0);
/** Grows with every alert that arrives while the console is open; lists of alerts reload when it changes. */
export const arrivals = createStore(0);

const RETRY_MS = 10_000;
let wanted = false;
let current: AbortController | null = null;

export const countUnread = async (): Promise<void> => {
  const { total } = await get<UnreadAlerts>(ownPath('/alerts/unread-count'));
  unread.set(total);
};

/** Follows the stream of alerts until the user signs out: one open request instead of polling. */
export function followAlerts(): void {
  wanted = true;
  resume();
}

export function unfollowAlerts(): void {
  wanted = false;
  pause();
}

// A browser allows few connections per origin: a hidden tab closes its own.
document.addEventListener('visibilitychange', () => (document.hidden ? pause() : wanted && resume()));

function resume(): void {
  pause();
  current = new AbortController();
  void follow(current);
}

function pause(): void {
  current?.abort();
  current = null;
}

async function follow(mine: AbortController): Promise<void> {
  while (!mine.signal.aborted) {
    await countUnread().catch(() => undefined);
    await read(mine).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function read(mine: AbortController): Promise<void> {
  const response = await request('GET', ownPath('/alerts/stream'), undefined, { signal: mine.signal });
  if (!response.ok || !response.body) return;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) take(part);
  }
}

function take(part: string): void {
  const data = /^data: ?(.*)$/m.exec(part)?.[1];
  if (!data) return;
  const alert = JSON.parse(data) as Partial<Alert>;
  unread.set(unread.get() + 1);
  arrivals.set(arrivals.get() + 1);
  if (alert.title) notify(alert.title, '#/alerts');
}
