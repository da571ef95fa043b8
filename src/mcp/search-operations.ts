import type { Route } from '../platform/http/route.ts';
import { templateOf } from '../platform/http/path-template.ts';

const MOST_WORDS = 20;
/** What a word of the query counts where it stands in the name, the summary, and the rest of an operation. */
const WEIGHTS = { name: 5, summary: 3, rest: 1 };

/** The operations that have most words of the query, the best first. */
export function searchOperations(routes: readonly Route[], query: string): Route[] {
  const words = wordsOf(query).slice(0, MOST_WORDS);
  return routes
    .map((route) => ({ route, score: scoreOf(route, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ route }) => route);
}

function scoreOf(route: Route, words: readonly string[]): number {
  const places = {
    name: wordsOf(route.operation.replace(/([a-z])([A-Z])/g, '$1 $2')),
    summary: wordsOf(route.summary),
    rest: wordsOf(`${route.tag} ${templateOf(route.path)} ${route.description ?? ''}`),
  };
  return words.reduce((sum, word) => {
    const weights = Object.entries(WEIGHTS).map(([place, weight]) => {
      const known = places[place as keyof typeof WEIGHTS];
      return known.includes(word) ? weight : known.some((each) => each.startsWith(word)) ? weight / 2 : 0;
    });
    return sum + Math.max(...weights);
  }, 0);
}

/** Words in lower case, without the s of a plural. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
