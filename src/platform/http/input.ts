import type { FastifyReply, FastifyRequest } from 'fastify';
import { ignoresParameters } from './api-version.ts';
import { declaresBody } from './body-pace.ts';
import { takeOtherSpelling } from './body-spellings.ts';
import { isPaged, refuseTwoBeginnings } from './cursor.ts';
import { unsupportedType } from './content-type.ts';
import { ApiError } from './errors.ts';
import { type Expecting, expectedOf } from './expectations.ts';
import { sendError } from './send-error.ts';
import type { HttpOptions, Spellings } from './options.ts';
import { isPastOnlyPage, takeKnownParameters } from './known-parameters.ts';
import type { Route } from './route.ts';

const BODY_TIMEOUT_MS = 30_000;

/** Numbers of the query arrive as text: only plain decimal digits become numbers, nothing else is coerced. */
export function prepareInput(route: Route, request: FastifyRequest, spellings: readonly Spellings[] = []): void {
  for (const value of Object.values((request.params ?? {}) as Record<string, string>)) {
    if (hasControls(value)) throw new ApiError('NOT_FOUND');
  }
  const query = (request.query ?? {}) as Record<string, unknown>;
  const ignores = ignoresParameters(request.apiVersion);
  request.pastOnlyPage = !ignores && isPastOnlyPage(route, query);
  takeKnownParameters(route, query, spellings, ignores);
  if (isPaged(route)) refuseTwoBeginnings(query);
  const properties = (route.query?.properties ?? {}) as Record<string, { type?: string }>;
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'string') continue;
    if (hasControls(value))
      throw new ApiError('VALIDATION_FAILED', undefined, {
        errors: [{ field: name, code: 'INVALID', message: 'control characters are not allowed' }],
      });
    const type = properties[name]?.type;
    if (type === 'integer' && /^-?\d{1,16}$/.test(value)) query[name] = Number(value);
    if (type === 'number' && /^-?\d{1,15}(\.\d{1,10})?$/.test(value)) query[name] = Number(value);
    if (type === 'boolean' && (value === 'true' || value === 'false')) query[name] = value === 'true';
  }
  if (route.body && route.bodyKind !== 'raw') checkBody(route, request);
}

function checkBody(route: Route, request: FastifyRequest): void {
  if (request.body !== undefined) return takeOtherSpelling(route.body, request.body);
  if (route.bodyOptional) request.body = null;
  else if (declaresBody(request) && !request.headers['content-type']) throw unsupportedType(request);
  else throw new ApiError('MALFORMED_JSON', `The body is empty. Expected ${expectedBody(route.body)}.`);
}

/** What a body holds at least, in words. */
function expectedBody({ required = [], ...schema }: Expecting): string {
  return required.length === 0 ? expectedOf(schema) : `a JSON object with ${required.join(', ')}`;
}

/** A body that does not arrive in time gets 408, and its connection is closed. */
export function cutSlowBody(options: HttpOptions, request: FastifyRequest, reply: FastifyReply): NodeJS.Timeout {
  const timer = setTimeout(() => {
    if (!reply.sent) void sendError(options, new ApiError('REQUEST_TIMEOUT'), request, reply);
    request.raw.unpipe();
  }, options.bodyTimeoutMs ?? BODY_TIMEOUT_MS);
  return timer.unref();
}

const CONTROLS = /[\u0000-\u001f\u007f]/;
export function hasControls(value: string): boolean {
  return CONTROLS.test(value);
}
