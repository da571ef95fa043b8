import type { TObject, TSchema } from 'typebox';
import { hasOtherSpelling } from './body-spellings.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import { takesKey } from './idempotency.ts';
import { replySchema } from './reply-schema.ts';
import type { Route } from './route.ts';

const ACCESS: Record<Route['access'], string> = {
  originator: 'Originator keys (role `originator` or `both`).',
  investor: 'Investor keys (role `investor` or `both`).',
  customer: 'Every customer key.',
  operator: 'Operator keys.',
  key: 'Every key.',
  public: 'No key.',
};

/** The OpenAPI 3.1 description of the routes: complete, because it is made from what the server itself runs. */
export function openApi(routes: readonly Route[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, path);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice: securitization platform gateway',
      version,
      description:
        'Loan tapes, selection criteria, pools and analytics for originators; deals, subscriptions, orders and portfolio for investors; alerts and signed webhooks for both. Money is in currency units with at most 2 decimals; what the market quotes in percent is in percent; spreads are basis points; shares, weights and factors are fractions.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Error: ERROR_SCHEMA },
    },
  };
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['success', 'message', 'statusCode', 'code', 'request_id'],
  properties: {
    success: { const: false },
    message: { type: 'string', description: 'For people; its wording must not be relied on.' },
    statusCode: { type: 'integer', description: 'The HTTP status.' },
    code: { type: 'string', enum: Object.keys(ERRORS), description: 'Stable, for branching.' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'code', 'message'],
        properties: { field: { type: ['string', 'null'] }, code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

function operation(route: Route, path: string): Record<string, unknown> {
  const name = `${route.method.toLowerCase()}_${path
    .replace(/^\/v1\//, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')}`;
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, `Reachable with: ${ACCESS[route.access]}`].filter(Boolean).join('\n\n'),
    ...(route.access === 'public' ? { security: [] } : {}),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query'), ...commonHeaders(route)],
    ...(route.body ? { requestBody: requestBody(route) } : {}),
    responses: responses(route),
  };
}

function parameters(schema: TObject | undefined, place: 'path' | 'query'): Record<string, unknown>[] {
  const required = new Set<string>(schema?.required ?? []);
  return Object.entries((schema?.properties ?? {}) as Record<string, TSchema & { description?: string; default?: unknown }>).map(
    ([name, each]) => ({
      name,
      in: place,
      required: place === 'path' || (required.has(name) && each.default === undefined),
      ...(each.description ? { description: each.description } : {}),
      schema: each,
    }),
  );
}

function commonHeaders(route: Route): Record<string, unknown>[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', maxLength: 255 },
  });
  return [
    ...(takesKey(route)
      ? [header('Idempotency-Key', 'Makes a repeated request safe: the stored answer comes again for 24 hours.')]
      : []),
    header('X-Request-Id', 'Your own id of the request; returned and logged.'),
  ];
}

function requestBody(route: Route): Record<string, unknown> {
  if (route.bodyKind === 'raw') return { required: true, content: { '*/*': { schema: route.body } } };
  return {
    ...(hasOtherSpelling(route.body) ? { description: 'Fields in camelCase are taken in snake_case too.' } : {}),
    required: !route.bodyOptional,
    content: {
      'application/json': { schema: route.body, ...(route.example?.body === undefined ? {} : { example: route.example.body }) },
    },
  };
}

function responses(route: Route): Record<string, unknown> {
  const success =
    route.replyKind === 'file' || route.replyKind === 'stream'
      ? {
          description: route.summary,
          content: {
            [route.replyKind === 'file' ? 'application/octet-stream' : 'text/event-stream']: { schema: { type: 'string' } },
          },
        }
      : {
          description: route.summary,
          content: {
            'application/json': {
              schema: replySchema(route),
              ...(route.example?.data === undefined ? {} : { example: { success: true, data: route.example.data } }),
            },
            ...Object.fromEntries((route.fileTypes ?? []).map((type) => [type, { schema: { type: 'string' } }])),
          },
        };
  return {
    [route.status ?? 200]: success,
    ...(route.dryRunStatus ? { [route.dryRunStatus]: success } : {}),
    ...errorResponses(route),
  };
}

function errorResponses(route: Route): Record<string, unknown> {
  const codes = new Set<ErrorCode>(route.errors ?? []);
  if (route.access !== 'public') for (const code of ['UNAUTHORIZED', 'RATE_LIMITED'] as const) codes.add(code);
  if (!['public', 'key'].includes(route.access)) codes.add('ROLE_FORBIDDEN');
  if (route.params) codes.add('NOT_FOUND');
  for (const code of ['BAD_REQUEST', 'UNKNOWN_PARAMETER'] as const) codes.add(code);
  if (route.query || route.body) codes.add('VALIDATION_FAILED');
  if (route.body && route.bodyKind !== 'raw')
    for (const code of ['MALFORMED_JSON', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE'] as const) codes.add(code);
  if (takesKey(route)) {
    for (const code of ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const) codes.add(code);
  }
  for (const code of ['INTERNAL', 'OVERLOADED', 'UNAVAILABLE'] as const) codes.add(code);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(ERRORS[code][0], [...(byStatus.get(ERRORS[code][0]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, list]) => [
        status,
        {
          description: list.map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join('\n\n'),
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              example: {
                success: false,
                message: ERRORS[list[0] as ErrorCode][1],
                statusCode: status,
                code: list[0],
                request_id: '5b0e2c1e-0000-4000-8000-000000000000',
              },
            },
          },
        },
      ]),
  );
}
