import type { Query } from './api.ts';
import { createStore } from './store.ts';

export type Place = { path: string; query: Readonly<Record<string, string>> };
export type Params = Readonly<Record<string, string>>;

const here = (): Place => {
  const [path = '', search = ''] = location.hash.replace(/^#/, '').split('?', 2);
  return { path: path || '/', query: Object.fromEntries(new URLSearchParams(search)) };
};

/** The current page: the fragment of the address, which is not sent to the server. */
export const place = createStore<Place>(here());
addEventListener('hashchange', () => place.set(here()));

export const go = (path: string): void => void (location.hash = path);

/** The same page with other filters; a change of filter starts at the first page. */
export function refine(changes: Query): void {
  const { path, query } = place.get();
  const next = Object.entries({ ...query, page: undefined, ...changes }).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  const text = new URLSearchParams(next.map(([name, value]) => [name, String(value)])).toString();
  go(text ? `${path}?${text}` : path);
}

/** The parts of a path that a pattern names (`/deals/:id`), or null when it is another page. */
export function match(pattern: string, path: string): Params | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return params;
}
