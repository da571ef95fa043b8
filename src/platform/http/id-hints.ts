import type { FastifyRequest } from 'fastify';
import { type Expecting, ID_KIND } from './expectations.ts';
import type { Route } from './route.ts';
import { templateOf } from './path-template.ts';

/** Characters of an id behind its kind; the id of a job may have more. */
const LENGTH = 26;
const VARIABLE = ['job'];

/**
 * What is wrong with the form of the ids that a request names, for a record that was not found. It looks at the text of the ids alone, so that
 * the response is the same whether a record is absent or another organization's.
 */
export function hintAboutIds(
  route: Route,
  routes: readonly Route[],
  { params, body }: Pick<FastifyRequest, 'params' | 'body'>,
): string {
  const hints = [...idsOf(route.params, params), ...idsOf(route.body, body)].map((each) =>
    each.value === '' ? hintAboutSlash(route, routes) : hintAboutId(each),
  );
  return hints.find((hint) => hint !== null) ?? '';
}

type NamedId = { name: string; kind: string; value: string };

function idsOf(schema: Expecting | undefined, values: unknown): NamedId[] {
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const kind = field[ID_KIND];
    const value: unknown = (values as Record<string, unknown>)[name];
    return kind !== undefined && typeof value === 'string' ? [{ name, kind, value }] : [];
  });
}

function hintAboutId({ name, kind, value }: NamedId): string | null {
  const expected = `expected an id that begins with ${kind}_`;
  if (/^[:{<[].*|[}>\]]$/.test(value)) return `${name} is a placeholder: put an id in its place, one that begins with ${kind}_.`;
  const [, prefix, rest = ''] = /^([A-Za-z]{1,4})_(.*)$/s.exec(value) ?? [];
  if (prefix === undefined) return `${name} is no id: ${expected}, as lists show it.`;
  if (prefix.toLowerCase() !== kind)
    return `${name} is the id of another kind of record, one that begins with ${prefix.toLowerCase()}_: ${expected}.`;
  if (value !== value.toLowerCase()) return `${name} has capitals, and ids are in lower case: write it as it was given.`;
  if (rest.length === LENGTH || VARIABLE.includes(kind)) return null;
  return `${name} has ${rest.length} ${rest.length === 1 ? 'character' : 'characters'} behind ${kind}_, expected ${LENGTH}: copy the whole id.`;
}

/** A path with a slash at its end is that of a record with an empty id. */
function hintAboutSlash({ path }: Route, routes: readonly Route[]): string | null {
  if (!/\/:\w+$/.test(path)) return null;
  const list = path.replace(/\/:\w+$/, '');
  const methods = routes.filter((route) => route.path === list).map(({ method }) => method);
  const other =
    methods.length === 0 ? '' : ` Without it: ${methods.map((method) => `${method} ${templateOf(list)}`).join(', ')}.`;
  return `The path has a slash at its end, and no id behind it.${other}`;
}
