import { ERROR_DETAILS, PROBLEM_DETAILS } from './error-details.ts';
import { ERRORS, type ErrorCode, KEY_REFUSALS } from './errors.ts';
import { pascal } from './openapi-components.ts';
import { takesKey } from './idempotency.ts';
import { errorHeaders } from './openapi-headers.ts';
import { isList } from './known-parameters.ts';
import type { Part } from './openapi-parts.ts';
import type { Route } from './route.ts';
import { hasBounds } from './schemas.ts';

export const ERROR_SCHEMA = {
  title: 'Error',
  type: 'object',
  required: ['success', 'message', 'statusCode', 'code', 'request_id'],
  properties: {
    success: { const: false },
    message: { type: 'string', description: 'For people; its wording must not be relied on.' },
    statusCode: { type: 'integer', description: 'The HTTP status.' },
    code: { title: 'ErrorCode', type: 'string', enum: Object.keys(ERRORS), description: 'Stable, for branching.' },
    request_id: { type: 'string' },
    doc_url: {
      type: 'string',
      description: 'Where the code is explained, and what to do. Absent where the gateway serves no reference.',
    },
    errors: {
      type: 'array',
      items: {
        title: 'FieldProblem',
        type: 'object',
        required: ['field', 'code', 'message'],
        properties: {
          field: { type: ['string', 'null'] },
          code: { type: 'string' },
          message: { type: 'string' },
          ...PROBLEM_DETAILS,
        },
      },
    },
    ...ERROR_DETAILS,
  },
} as const;

/** Of every route that a key or a person calls. */
const OF_CALLERS = ['SCOPE_FORBIDDEN', 'NETWORK_FORBIDDEN', 'RIGHT_REQUIRED', 'CSRF_FAILED', 'ORGANIZATION_REQUIRED'] as const;
const FORBIDDEN = OF_CALLERS.map(pascal).join('Or');

/** Names of the sets of codes that most routes have. */
const USUAL_NAMES: Record<string, string> = {
  [[...KEY_REFUSALS, 'UNAUTHORIZED', 'SESSION_EXPIRED'].map(pascal).join('Or')]: 'Unauthorized',
  [`RoleForbiddenOr${FORBIDDEN}`]: 'Forbidden',
  [`RoleForbiddenOr${FORBIDDEN}OrOwnOrganization`]: 'ForbiddenOrOwnOrganization',
  [FORBIDDEN]: 'CallerForbidden',
  UnknownParameterOrBadRequestOrUnknownVersion: 'BadRequest',
  ValidationFailedOrUnknownParameterOrBadRequestOrUnknownVersion: 'InvalidRequest',
  ValidationFailedOrUnknownParameterOrMalformedJsonOrBadRequestOrUnknownVersion: 'InvalidBody',
  ValidationFailedOrUnknownParameterOrMalformedJsonOrFileNameMismatchOrBadRequestOrUnknownVersion:
    'InvalidBodyOrFileNameMismatch',
};

/** The error responses of a route by status, each named by its codes. */
export function errorResponses(route: Route, errorRef: unknown): Map<number, Part> {
  const catalogue = Object.keys(ERRORS) as ErrorCode[];
  const codes = new Set(errorCodes(route));
  const byStatus = Map.groupBy(
    catalogue.filter((code) => codes.has(code)),
    (code) => ERRORS[code][0],
  );
  return new Map([...byStatus].sort(([a], [b]) => a - b).map(([status, list]) => [status, errorResponse(route, list, errorRef)]));
}

function errorCodes(route: Route): ErrorCode[] {
  // A body that a route does not need is read, and refused, all the same.
  const json = route.method !== 'GET' && route.bodyKind !== 'raw';
  return [
    ...(route.errors ?? []),
    ...(route.access === 'public'
      ? []
      : [...KEY_REFUSALS, 'UNAUTHORIZED' as const, 'SESSION_EXPIRED' as const, 'RATE_LIMITED' as const]),
    ...(['public', 'key'].includes(route.access) ? [] : (['ROLE_FORBIDDEN'] as const)),
    ...(route.access === 'public' ? [] : OF_CALLERS),
    ...(route.params ? (['NOT_FOUND'] as const) : []),
    ...(['BAD_REQUEST', 'UNKNOWN_PARAMETER', 'UNKNOWN_VERSION'] as const),
    ...(hasBounds(route.query) ? (['RANGE_REVERSED'] as const) : []),
    ...(route.query || route.body || route.record || isList(route) ? (['VALIDATION_FAILED'] as const) : []),
    ...(route.record && route.method !== 'GET' ? (['STALE'] as const) : []),
    ...(json ? (['MALFORMED_JSON', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE'] as const) : []),
    ...(takesKey(route) ? (['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
    ...(['INTERNAL', 'OVERLOADED', 'UNAVAILABLE'] as const),
  ];
}

function errorResponse(route: Route, codes: readonly ErrorCode[], errorRef: unknown): Part {
  const name = codes.map(pascal).join('Or');
  const [code] = codes as [ErrorCode];
  const [status] = ERRORS[code];
  const example = {
    success: false,
    message: ERRORS[code][1],
    statusCode: status,
    code,
    request_id: '5b0e2c1e-0000-4000-8000-000000000000',
  };
  return {
    name: USUAL_NAMES[name] ?? name,
    value: {
      description: codes.map((each) => `\`${each}\`: ${ERRORS[each][1]}`).join('\n\n'),
      headers: errorHeaders(route, status),
      content: { 'application/json': { schema: errorRef, example } },
    },
  };
}
