import type { TObject, TSchema } from 'typebox';
import { JSON_TYPE } from '../files/content-types.ts';
import { API_VERSIONS } from './api-version.ts';
import { templateOf } from './path-template.ts';
import { hasOtherSpelling } from './body-spellings.ts';
import { takesKey } from './idempotency.ts';
import { Components, fieldsOf as namesOf, type Json } from './openapi-components.ts';
import type { Known } from './examples.ts';
import { SharedExamples } from './openapi-examples.ts';
import { ERROR_SCHEMA, errorResponses } from './openapi-errors.ts';
import { type Part, SharedParts } from './openapi-parts.ts';
import { pendingReply, replySchema } from './reply-schema.ts';
import { WEBHOOK_TAG, type WebhookMessage, webhookBody, webhookHeaders, webhooksOf } from './openapi-webhooks.ts';
import { successHeaders } from './openapi-headers.ts';
import { RESPONSE_HEADERS } from './response-headers.ts';
import type { Route } from './route.ts';
import { neededRights } from './rights.ts';
import type { NeededScopes } from './scopes.ts';

const ACCESS: Record<Route['access'], string> = {
  originator: 'Originator keys (role `originator` or `both`).',
  investor: 'Investor keys (role `investor` or `both`).',
  customer: 'Every customer key.',
  operator: 'Operator keys.',
  key: 'Every key.',
  public: 'No key.',
};

export type Tag = { name: string; description: string };

/** What a description has beside the routes. */
type Beside = {
  tags: readonly Tag[];
  messages: readonly WebhookMessage[];
  known: Known;
  /** The scopes that a narrowed key needs for a route. */
  neededScopes?: (route: Route) => NeededScopes;
};

const BARE: Beside = { tags: [], messages: [], known: { values: {}, words: [] } };

/** The OpenAPI 3.1 description of the routes. It is complete because it is generated from the routes that the server runs. */
export function openApi(routes: readonly Route[], { tags, messages, known, neededScopes }: Beside = BARE): Json {
  const components = new Components([...routes.flatMap(schemasOf), ERROR_SCHEMA, ...messages.map(webhookBody)]);
  const errorRef = components.refer(ERROR_SCHEMA);
  const examples = new SharedExamples(routes, known);
  const parts = routes.map((route) => ({
    route,
    parameters: parametersOf(route, components, examples),
    errors: errorResponses(route, errorRef),
  }));
  const parameters = new SharedParts(
    'parameters',
    parts.flatMap((each) => each.parameters),
  );
  const errors = new SharedParts(
    'responses',
    parts.flatMap((each) => [...each.errors.values()]),
  );
  const paths: Record<string, Record<string, Json>> = {};
  for (const { route, ...own } of parts) {
    const path = templateOf(route.path);
    (paths[path] ??= {})[route.method.toLowerCase()] = {
      ...aboutOf(route, neededScopes?.(route)),
      parameters: own.parameters.map((part) => parameters.refer(part)),
      ...(route.body ? { requestBody: requestBody(route, components, examples) } : {}),
      responses: {
        ...successes(route, components, examples),
        ...Object.fromEntries([...own.errors].map(([status, part]) => [status, errors.refer(part)])),
      },
    };
  }
  const webhooks = webhooksOf(messages, (schema) => components.refer(schema));
  refuseRepeated(components);
  return {
    ...HEAD,
    info: INFO,
    tags: tagsOf(routes, tags).concat(messages.length > 0 ? [WEBHOOK_TAG] : []),
    paths,
    ...(messages.length > 0 ? { webhooks } : {}),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: components.list(),
      parameters: { ...parameters.list(), ...(messages.length > 0 ? webhookHeaders() : {}) },
      headers: RESPONSE_HEADERS,
      responses: errors.list(),
      examples: examples.list(),
    },
  };
}

/** The tags that the routes have, in the given order. */
function tagsOf(routes: readonly Route[], tags: readonly Tag[]): { name: string; description?: string }[] {
  const used = new Set(routes.map((route) => route.tag));
  const known = tags.filter(({ name }) => used.has(name));
  const others = [...used].filter((name) => !known.some((tag) => tag.name === name));
  return [...known, ...others.map((name) => ({ name }))];
}

const HEAD = { openapi: '3.1.0', servers: [{ url: '/' }], security: [{ bearer: [] }, { session: [] }] };
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An API key.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-sluice_session',
    description:
      'A person who has signed in at `/auth/login`. What changes something needs `X-Sluice-CSRF`, the `csrf` of `GET /auth/me`. In Development over http the cookie is `sluice_session`.',
  },
};

const INFO = {
  title: 'Sluice: securitization platform gateway',
  // That of the API, which changes with `/v1`, not of the software.
  version: '1.0',
  description:
    'Loan tapes, selection criteria, pools and analytics for originators; deals, subscriptions, orders and portfolio for investors; alerts and signed webhooks for both. Money is in currency units with at most 2 decimals; what the market quotes in percent is in percent; spreads are basis points; shares, weights and factors are fractions.',
  contact: { name: 'The operator of the gateway' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

function schemasOf(route: Route): Json[] {
  const fields = [route.params, route.query].flatMap((schema: TObject | undefined) => Object.values(schema?.properties ?? {}));
  const bodies = [
    ...(route.body ? [route.body] : []),
    ...(repliesJson(route) ? [replySchema(route)] : []),
    ...(route.approval ? [pendingReply()] : []),
  ];
  return [...fields, ...bodies].map(plain);
}

const plain = (schema: TSchema): Json => ({ ...schema });

/** Each shape is in the document once: its name is the name of its type in every client. */
function refuseRepeated(components: Components): void {
  const repeated = components.repeated().map(namesOf);
  if (repeated.length > 0)
    throw new Error(
      `Schemas without a name occur more than once; declare each with named() or namedOneOf():\n${repeated.join('\n')}`,
    );
}

/** What a key without every right of its role needs, in a sentence. */
function scopesOf({ access }: Route, needed: NeededScopes | undefined): string | null {
  if (access === 'public' || needed === undefined || needed?.length === 0) return null;
  return needed === null
    ? 'A key that is narrowed to scopes cannot call it.'
    : `Scope: ${needed.map((each) => `\`${each}\``).join(' and ')}.`;
}

function aboutOf(route: Route, needed: NeededScopes | undefined): Json {
  return {
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    description: [
      route.description,
      [`Reachable with: ${ACCESS[route.access]}`, scopesOf(route, needed), rightOf(route)].filter(Boolean).join(' '),
    ]
      .filter(Boolean)
      .join('\n\n'),
    ...(route.access === 'public' ? { security: [] } : {}),
  };
}

/** What a person needs beside the role of their organization. */
function rightOf(route: Route): string {
  if (route.access === 'public') return '';
  const rights = neededRights(route).join(' or ');
  return route.people
    ? `Only a person with the right ${rights} may call it, never a key.`
    : `A person needs the right ${rights}.`;
}

function parametersOf(route: Route, components: Components, examples: SharedExamples): Part[] {
  const key = header('Idempotency-Key', 'Makes a repeated request safe: the stored response is sent again for 24 hours.');
  return [
    ...fieldsOf(route.params, 'path', components, examples),
    ...fieldsOf(route.query, 'query', components, examples),
    ...(takesKey(route) ? [key] : []),
    ...(route.record ? conditionsOf(route) : []),
    header('X-Request-Id', 'Your own id of the request; returned and logged.'),
    VERSION,
  ];
}

const VERSION: Part = {
  name: 'Sluice-Version',
  value: {
    name: 'Sluice-Version',
    in: 'header',
    required: false,
    description: `Version of the API for this request. Without it, that of the first call of the key. ${Object.entries(
      API_VERSIONS,
    )
      .map(([version, changed]) => `\`${version}\`: ${changed}`)
      .join(' ')}`,
    schema: { type: 'string', enum: Object.keys(API_VERSIONS) },
  },
};

const PLACES = { path: 'InPath', query: 'InQuery' } as const;

function fieldsOf(
  schema: TObject | undefined,
  place: 'path' | 'query',
  components: Components,
  examples: SharedExamples,
): Part[] {
  const required = new Set<string>(schema?.required ?? []);
  return Object.entries((schema?.properties ?? {}) as Record<string, Json>).map(([name, field]) => {
    const { description, ...rest } = field;
    const needed = place === 'path' || (required.has(name) && field.default === undefined);
    return {
      // With its place, so that no client has the parameters `dealId` and `deal_id`, or a parameter and a record, under one name.
      name: `${name}${PLACES[place]}`,
      value: {
        name,
        in: place,
        required: needed,
        ...(description ? { description } : {}),
        schema: components.refer(rest),
        ...(needed ? { example: examples.parameter(field, name) } : {}),
      },
    };
  });
}

function conditionsOf(route: Route): Part[] {
  const ifNoneMatch = header('If-None-Match', 'An `ETag` of the record: 304 without a body while the record is in that version.');
  const ifMatch = header('If-Match', 'An `ETag` of the record: 412 `STALE`, and no change, when it is in another version.');
  return [route.method === 'GET' ? ifNoneMatch : ifMatch];
}

function header(name: string, description: string): Part {
  return { name, value: { name, in: 'header', required: false, description, schema: { type: 'string', maxLength: 255 } } };
}

function requestBody(route: Route, components: Components, examples: SharedExamples): Json {
  const schema = components.refer(route.body);
  if (route.bodyKind === 'raw') return { required: true, content: { '*/*': { schema, ...examples.file('text/csv') } } };
  return {
    ...(hasOtherSpelling(route.body) ? { description: 'Fields in camelCase are accepted in snake_case too.' } : {}),
    required: !route.bodyOptional,
    content: { 'application/json': { schema, ...examples.body(route) } },
  };
}

const filesOf = ({ replyKind, fileTypes }: Route): readonly string[] =>
  replyKind === 'file' ? (fileTypes ?? ['application/octet-stream']) : ['text/event-stream'];

const waiting = (route: Route, components: Components, examples: SharedExamples): Json => ({
  headers: successHeaders(route, { waits: true }),
  description: 'The policy of the operators wants several people for the act: it waits for their approval.',
  content: { 'application/json': { schema: components.refer(plain(pendingReply())), ...examples.pending() } },
});

const repliesJson = (route: Route): boolean => route.replyKind !== 'file' && route.replyKind !== 'stream';

function successes(route: Route, components: Components, examples: SharedExamples): Record<string, Json> {
  const file = (type: string) => ({ schema: type === JSON_TYPE ? {} : { type: 'string' }, ...examples.file(type) });
  const json = () => ({ schema: components.refer(plain(replySchema(route))), ...examples.response(route) });
  const content = repliesJson(route)
    ? { 'application/json': json(), ...Object.fromEntries((route.fileTypes ?? []).map((type) => [type, file(type)])) }
    : Object.fromEntries(filesOf(route).map((type) => [type, file(type)]));
  const success = { description: route.summary, headers: successHeaders(route), content };
  return {
    [route.status ?? 200]: success,
    ...(route.dryRunStatus ? { [route.dryRunStatus]: success } : {}),
    ...(route.approval ? { 202: waiting(route, components, examples) } : {}),
    ...(route.record && route.method === 'GET'
      ? { 304: { description: 'The record is in the version of If-None-Match.', headers: successHeaders(route) } }
      : {}),
  };
}
