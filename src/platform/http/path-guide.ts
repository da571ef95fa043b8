import { distance } from 'fastest-levenshtein';
import { mayReach } from './may-reach.ts';
import { sameWord } from './nearest.ts';
import type { Route } from './route.ts';
import type { Caller } from './caller.ts';
import { shown, shownPath } from './shown.ts';
import { templateOf } from './path-template.ts';

/** The message about a path that does not exist, and the nearest one that does. */
export type Guidance = { message: string; nearest: string | null };

type KnownPath = { template: string; parts: readonly string[]; routes: readonly Route[] };

/** A path that is further away than this is not what was meant. */
const FARTHEST = 1;
/** Words of which a larger share of letters differs are different words. */
const LEAST_ALIKE = 0.6;
/** A part that is missing or too many is less alike than a misspelt one. */
const GAP = 0.7;
/** A long path is no misspelling of one of ours. */
const MOST_PARTS = 16;
const LONGEST_PART = 100;

/** What the paths of the API are like, for those who miss them. It compares with every path, so only holders of a key may ask. */
export function createPathGuide(routes: readonly Route[]): (method: string, url: string, role: Caller['role']) => Guidance {
  const known = [...Map.groupBy(routes, ({ path }) => path)].map(
    ([path, of]): KnownPath => ({ template: templateOf(path), parts: path.split('/').slice(1), routes: of }),
  );
  return (method, url, role) => {
    const { parts, faults } = tidy(partsOf(url));
    const missed = `There is no path ${shownPath(url)}`;
    const found = parts.length > MOST_PARTS ? null : nearestOf(known, parts, method, role);
    if (!found) return { message: [missed, ...faults].join(', ').concat(`. ${WHERE}`), nearest: null };
    const { path, words } = found;
    const methods = path.routes.map((route) => route.method);
    const nearest = `${methods.includes(method as Route['method']) ? method : methods.join(' or ')} ${path.template}`;
    return { message: `${[missed, ...faults, ...words].join(', ')}: use ${nearest}.`, nearest };
  };
}

const WHERE = 'All paths are in /openapi.json.';

/** The message about a path outside the API: it depends on the path alone, so that strangers learn nothing. */
export function outsideMessage(url: string): string {
  const path = shownPath(url);
  const missed = `There is no path ${path}`;
  if (/^\/+(api|operator|sandbox|uploads)(\/|$)/i.test(path)) return `${missed}: /v1 is missing before it, as in /v1${path}.`;
  return `${missed}. Paths of the API begin with /v1. ${WHERE}`;
}

function partsOf(url: string): string[] {
  const path = url.replace(/[?#].*$/s, '');
  return path
    .split('/')
    .slice(1)
    .map((part) => decoded(part).slice(0, LONGEST_PART));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The parts of a path without what is wrong with the path as a whole, and the faults that were found. */
function tidy(given: readonly string[]): { parts: string[]; faults: string[] } {
  const faults: string[] = [];
  if (given.at(-1) === '') faults.push('it has a slash at its end');
  if (given.slice(0, -1).includes('')) faults.push('it has two slashes in a row');
  let parts = given.filter((part) => part !== '');
  const version = parts.findLastIndex((part) => part.toLowerCase() === 'v1');
  if (version > 0) {
    faults.push(`it has /v1 twice`);
    parts = parts.slice(version);
  }
  return { parts, faults };
}

function nearestOf(known: readonly KnownPath[], parts: readonly string[], method: string, role: Caller['role']) {
  const candidates = known
    .map((path) => ({ path, ...align(path.parts, parts) }))
    .filter(({ cost }) => cost < FARTHEST)
    .map((each) => ({ ...each, cost: each.cost - likelihood(each.path, method, role) }));
  return candidates.toSorted((a, b) => a.cost - b.cost)[0] ?? null;
}

/** Among paths that are equally near, one that the key may use is more likely, then one that has the method. */
function likelihood({ routes }: KnownPath, method: string, role: Caller['role']): number {
  const reached = routes.filter(({ access }) => mayReach(role, access));
  return (reached.length > 0 ? 0.1 : 0) + (reached.some((route) => route.method === method) ? 0.05 : 0);
}

type Alignment = { cost: number; words: readonly string[] };

/** How far a path is from a known one, part by part, and what would have to be changed. */
function align(known: readonly string[], given: readonly string[]): Alignment {
  let row: Alignment[] = [{ cost: 0, words: [] }];
  for (const part of given) row.push(extended(row.at(-1), GAP, `${shown(part)} is too many`));
  for (const expected of known) {
    const next: Alignment[] = [extended(row[0], GAP, `"${templateOf(`/${expected}`).slice(1)}" is missing`)];
    for (const [index, part] of given.entries()) {
      const { cost, words } = difference(expected, part);
      next.push(
        least([
          extended(row[index], cost, ...words),
          extended(row[index + 1], GAP, `"${templateOf(`/${expected}`).slice(1)}" is missing`),
          extended(next[index], GAP, `${shown(part)} is too many`),
        ]),
      );
    }
    row = next;
  }
  return row.at(-1) ?? NONE;
}

const NONE: Alignment = { cost: Number.POSITIVE_INFINITY, words: [] };

const extended = (before: Alignment | undefined, cost: number, ...words: readonly string[]): Alignment =>
  before ? { cost: before.cost + cost, words: [...before.words, ...words] } : NONE;

const least = (all: readonly Alignment[]): Alignment => all.reduce((best, each) => (each.cost < best.cost ? each : best), NONE);

function difference(expected: string, given: string): Alignment {
  if (expected.startsWith(':')) return { cost: /[_\d]/.test(given) ? 0 : 0.6, words: [] };
  if (expected === given) return { cost: 0, words: [] };
  const word = `write "${expected}" for ${shown(given)}`;
  if (expected === given.toLowerCase()) return { cost: 0.01, words: [`${word}, in lower case`] };
  const apart = distance(expected, given.toLowerCase()) / Math.max(expected.length, given.length);
  const cost = apart > LEAST_ALIKE ? FARTHEST : apart;
  return { cost: sameWord(given, expected) ? Math.min(0.5, apart) : cost, words: [word] };
}
