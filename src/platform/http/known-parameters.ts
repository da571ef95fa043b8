import { ApiError, invalidField } from './errors.ts';
import { type Expecting, expectedOf } from './expectations.ts';
import { nearestName } from './nearest.ts';
import { Paging } from './schemas.ts';
import { shown, visible } from './shown.ts';
import type { Spellings } from './options.ts';
import type { Route } from './route.ts';

/** Parameters that lists without pages take from the other lists. */
const PAGING: Record<string, Expecting> = { page: Paging.page, limit: Paging.limit };

/**
 * Renames other spellings to the route's own: a route that has one of the names of a parameter accepts them all. 400 for a parameter that the route does not have: if it were ignored, it would silently change the result. `ignores`: for a version
 * of the API that ignores them all the same.
 */
export function takeKnownParameters(
  route: Route,
  query: Record<string, unknown>,
  spellings: readonly Spellings[],
  ignores = false,
): void {
  const properties: Properties = route.query?.properties ?? {};
  const known = Object.keys(properties);
  for (const name of Object.keys(query)) {
    if (known.includes(name)) continue;
    const own = otherSpelling(name, properties, spellings);
    if (own === undefined) {
      const paging = isList(route) && Object.hasOwn(PAGING, name) ? PAGING[name] : undefined;
      if (!ignores && !paging) throw unknown(name, known);
      if (!ignores && paging) checkPaging(name, paging, query[name]);
      if (!ignores && name === 'page' && route.replyKind === 'cursor') refuseLaterPage(query[name]);
      delete query[name];
    } else if (own in query) {
      throw unknown(name, known, `${name} and ${own} are the same parameter: send one of them.`);
    } else {
      query[own] = query[name];
      delete query[name];
    }
  }
}

type Properties = Record<string, { enum?: readonly unknown[] }>;

const otherSpelling = (name: string, properties: Properties, spellings: readonly Spellings[]): string | undefined =>
  spellings
    .filter(({ names }) => names.includes(name))
    .flatMap(({ names, words }) => names.filter((each) => properties[each] && (!words || hasWords(properties[each], words))))
    .at(0);

const hasWords = ({ enum: own = [] }: Properties[string], words: readonly string[]): boolean =>
  own.length === words.length && words.every((word) => own.includes(word));

/** A list that is sent whole accepts the paging parameters of the other lists; its rows are its first page, and there is nothing behind it. */
export const isList = (route: Route): boolean =>
  route.reply.type === 'array' || ['page', 'meta', 'cursor'].includes(route.replyKind ?? '');

/** Whether a page behind the first of a list that is sent whole is asked for. A log refuses such a page by itself. */
export const isPastOnlyPage = ({ reply, replyKind = 'data' }: Route, { page }: Record<string, unknown>): boolean =>
  reply.type === 'array' && replyKind === 'data' && Number(page) > 1;

function checkPaging(name: string, schema: Expecting, value: unknown): void {
  const { minimum = 1, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum) return;
  const seen = typeof value === 'string' ? shown(value) : 'several values';
  throw invalidField(name, 'INVALID', `seen ${seen}, expected ${expectedOf(schema)}`);
}

/** A log has no numbered pages, and its beginning is not its second one. */
function refuseLaterPage(page: unknown): void {
  if (Number(page) > 1)
    throw invalidField('page', 'INVALID', 'the log has no later pages: send next_after of the response as after');
}

function unknown(name: string, known: readonly string[], message?: string): ApiError {
  const { nearest, alike } = nearestName(name, known) ?? { nearest: null, alike: false };
  const parameter = visible(name.slice(0, 100).toWellFormed());
  const text =
    message ??
    `There is no query parameter ${parameter}.${alike ? ` Did you mean ${nearest}?` : ''}${
      known.length > 0 ? ` This path takes ${known.join(', ')}.` : ' This path takes none.'
    }`;
  return new ApiError('UNKNOWN_PARAMETER', text, {
    errors: [{ field: parameter, code: 'UNKNOWN_PARAMETER', message: text }],
    extra: { parameter, nearest, known },
  });
}
