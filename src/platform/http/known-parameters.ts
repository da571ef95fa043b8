import { closest, distance } from 'fastest-levenshtein';
import { ApiError } from './errors.ts';
import type { Route } from './route.ts';

/** Names of one parameter: whichever a client writes, a route that knows another of them takes it. */
const SPELLINGS = [
  ['dealId', 'deal_id'],
  ['loanType', 'loan_type', 'type'],
  ['asset_type', 'type'],
] as const;
const PAGING = ['page', 'limit'];
/** The message suggests the nearest name where it can be a misspelling: at most so many letters apart. */
const MOST_EDITS = 3;

/** Renames other spellings to the route's own. 400 for a parameter that the route does not have: ignored, it would change the answer unseen. */
export function takeKnownParameters(route: Route, query: Record<string, unknown>): void {
  const known = Object.keys((route.query?.properties ?? {}) as Record<string, unknown>);
  for (const name of Object.keys(query)) {
    if (known.includes(name)) continue;
    const own = otherSpelling(name, known);
    if (own === undefined) {
      if (isList(route) && PAGING.includes(name)) delete query[name];
      else throw unknown(name, known);
    } else if (own in query) {
      throw unknown(name, known, `${name} and ${own} are the same parameter: send one of them.`);
    } else {
      query[own] = query[name];
      delete query[name];
    }
  }
}

const otherSpelling = (name: string, known: readonly string[]): string | undefined =>
  SPELLINGS.filter((group) => (group as readonly string[]).includes(name))
    .flat()
    .find((each) => known.includes(each));

/** A list that is sent whole takes the paging of the others; it has one page. */
const isList = (route: Route): boolean =>
  route.reply.type === 'array' || ['page', 'meta', 'cursor'].includes(route.replyKind ?? '');

function unknown(name: string, known: readonly string[], message?: string): ApiError {
  const nearest = known.length > 0 ? closest(name.toLowerCase(), known) : null;
  const alike = nearest !== null && distance(name.toLowerCase(), nearest.toLowerCase()) <= MOST_EDITS;
  const shown = name.slice(0, 100);
  const said =
    message ??
    `There is no query parameter ${shown}.${alike ? ` Did you mean ${nearest}?` : ''}${
      known.length > 0 ? ` This path takes ${known.join(', ')}.` : ' This path takes none.'
    }`;
  return new ApiError('UNKNOWN_PARAMETER', said, {
    errors: [{ field: shown, code: 'UNKNOWN_PARAMETER', message: said }],
    extra: { parameter: shown, nearest, known },
  });
}
