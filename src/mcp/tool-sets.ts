import type { Route } from '../platform/http/route.ts';
import { DEFAULT_TOOLS } from './default-tools.ts';

/** Which operations are listed as tools of their own: `default`, `all`, or chapters of the API reference such as `pools`. */
export type ToolSets = readonly string[];

export const DEFAULT_SETS: ToolSets = ['default'];

const setOf = ({ tag }: Pick<Route, 'tag'>): string => tag.toLowerCase().replace(/[^a-z]+/g, '-');

export const inSets = (route: Route, sets: ToolSets): boolean =>
  sets.includes('all') || sets.includes(setOf(route)) || (sets.includes('default') && DEFAULT_TOOLS.includes(route.operation));

/** The sets that a text names, with commas between them; a text instead says what is wrong. */
export function readSets(text: string, routes: readonly Route[]): ToolSets | string {
  const known = ['default', 'all', ...new Set(routes.map(setOf))];
  const sets = text.split(',').map((each) => each.trim());
  const unknown = sets.find((each) => !known.includes(each));
  return unknown === undefined
    ? sets
    : `"${unknown.slice(0, 40)}" is no set of tools; there are ${known.join(', ')}. Several have commas between them.`;
}
