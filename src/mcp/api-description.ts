import type { Json } from '../platform/http/openapi-components.ts';
import type { Route } from '../platform/http/route.ts';
import { templateOf } from '../platform/http/path-template.ts';

/** The OpenAPI description of the routes, made once at its first use. */
export type DescribeApi = () => Json;

/** What the description says of the body and the response of an operation; `schemas` are in the order in which these refer to them. */
export type DescribedParts = { body: Json | null; response: Json | null; schemas: Record<string, Json> };

const REFERENCE = /"#\/components\/(\w+)\/([\w-]+)"/g;

export function describedParts(api: Json, route: Route): DescribedParts {
  const { requestBody, responses } = operationOf(api, route);
  const body = jsonOf(requestBody);
  const response = jsonOf(responses?.[String(route.status ?? 200)]);
  const reached = [...new Set([...reachedFrom(api, body), ...reachedFrom(api, response)])];
  return {
    body,
    response,
    schemas: Object.fromEntries(reached.map((path) => [path.split('/')[1] ?? '', componentAt(api, path)])),
  };
}

/** The part of the description that is about one operation, with everything that it refers to. */
export function documentOf(api: Json, route: Route): Json {
  const operation = operationOf(api, route);
  const components: Record<string, Record<string, Json>> = {};
  for (const path of reachedFrom(api, operation)) {
    const [section = '', name = ''] = path.split('/');
    (components[section] ??= {})[name] = componentAt(api, path);
  }
  const { openapi, info } = api;
  return { openapi, info, paths: { [templateOf(route.path)]: { [route.method.toLowerCase()]: operation } }, components };
}

type Content = { content?: Record<string, Json> };
type OperationObject = { requestBody?: Content; responses?: Record<string, Content> };
type Document = { paths: Record<string, Record<string, OperationObject>>; components: Record<string, Record<string, Json>> };

const read = (api: Json): Document => api as Document;

const operationOf = (api: Json, route: Route): OperationObject =>
  read(api).paths[templateOf(route.path)]?.[route.method.toLowerCase()] ?? {};

const jsonOf = (part: Content | undefined): Json | null => part?.content?.['application/json'] ?? null;

const componentAt = (api: Json, path: string): Json => {
  const [section = '', name = ''] = path.split('/');
  return read(api).components[section]?.[name] ?? {};
};

/** The components that a part refers to, as `schemas/Pool`, the nearest first. */
function reachedFrom(api: Json, part: unknown): string[] {
  const referredIn = (each: unknown): string[] =>
    [...JSON.stringify(each).matchAll(REFERENCE)].map(([, section, name]) => `${section}/${name}`);
  const reached = new Set(referredIn(part));
  // A set is walked to its end, also to what is added on the way.
  for (const path of reached) for (const next of referredIn(componentAt(api, path))) reached.add(next);
  return [...reached];
}
