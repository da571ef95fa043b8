import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ComputeExhausted } from '../compute/failures.ts';
import type { Deps } from '../deps.ts';
import { inVersion } from './api-version.ts';
import { violatedConstraint } from '../db/database.ts';
import { StoreUnavailable, TooLarge } from '../files/store.ts';
import { respondWhileArriving, isArriving, isShort } from './body-pace.ts';
import { unavailableReason } from '../unavailable.ts';
import { unsupportedType } from './content-type.ts';
import { errorsPage } from './error-pages.ts';
import { ApiError, type ErrorCode, envelope } from './errors.ts';
import { invalid } from './field-problems.ts';
import type { ValidationError } from './validation-error.ts';
import { hintAboutIds } from './id-hints.ts';
import { routeConfigOf, type HttpOptions } from './options.ts';
import { newRequestId } from './request-id.ts';

/** Sends any thrown error in the envelope. */
export function sendError(options: HttpOptions, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = inVersion(toApiError(options, thrown, request), request.apiVersion);
  request.answered = { error };
  if (error.statusCode >= 500) {
    options.deps.log.error({ request_id: request.id, route: request.routeOptions?.url, err: thrown }, 'request failed');
  }
  for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
  if (error.statusCode === 401) reply.header('www-authenticate', 'Bearer');
  const arriving = error.statusCode !== 408 && request.method !== 'HEAD' && isArriving(request);
  // An unread body would be read as the next request of the connection.
  if (error.statusCode === 413 || error.statusCode === 408 || (arriving && !isShort(request)))
    reply.header('connection', 'close');
  reply.status(error.statusCode).header('content-type', 'application/json; charset=utf-8');
  const bodyOf = routeConfigOf(request).errorBody ?? envelope;
  const body = bodyOf(error, request.id, errorsPage(options.deps));
  if (!arriving) return reply.serializer((payload) => JSON.stringify(payload)).send(body);
  clearTimeout(request.bodyTimer);
  const text = JSON.stringify(body);
  return reply.header('content-length', Buffer.byteLength(text)).send(respondWhileArriving(request, reply, text));
}

function toApiError(options: HttpOptions, thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown.code === 'NOT_FOUND' ? withHint(options, thrown, request) : thrown;
  // The engine that reads finished files is shared: it has memory again when other reads have ended.
  if (thrown instanceof ComputeExhausted || thrown instanceof StoreUnavailable || unavailableReason(thrown) !== null)
    return new ApiError('UNAVAILABLE', undefined, { headers: { 'retry-after': '5' } });
  if (thrown instanceof TooLarge) return new ApiError('PAYLOAD_TOO_LARGE');
  const constraint = violatedConstraint(thrown);
  const known = constraint ? options.constraints[constraint] : undefined;
  if (known) return new ApiError(known);
  const error = thrown as { validation?: unknown[]; validationContext?: string; code?: string; statusCode?: number };
  if (error.validation) return invalid(error.validation as ValidationError[], error.validationContext ?? 'body');
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('PAYLOAD_TOO_LARGE', `The body may have at most ${request.routeOptions.bodyLimit} bytes.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedType(request);
    case 'FST_ERR_BAD_URL':
      return new ApiError('BAD_REQUEST', 'The path is not a valid URL path.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('BAD_REQUEST', 'A part of the path is longer than an id can be.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('BAD_REQUEST', 'The body is not as long as Content-Length says.');
    default:
      return error.statusCode && error.statusCode >= 400 && error.statusCode < 500
        ? new ApiError('BAD_REQUEST')
        : new ApiError('INTERNAL');
  }
}

/** A record that was not found, with what is wrong with the form of its id. */
function withHint({ routes }: HttpOptions, error: ApiError, request: FastifyRequest): ApiError {
  const { route } = routeConfigOf(request);
  const hint = route ? hintAboutIds(route, routes, request) : '';
  return hint === ''
    ? error
    : new ApiError('NOT_FOUND', `${error.message} ${hint}`, { extra: error.extra, headers: error.headers });
}

const PARSER_ERRORS: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

const REASONS: Record<number, string> = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' };

/**
 * Responds to bytes that the HTTP parser rejects. They never become a request, so the response is written by hand, in the same envelope.
 */
export function answerClientError(deps: Deps, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const rejection = new ApiError(
    PARSER_ERRORS[error.code ?? ''] ?? 'BAD_REQUEST',
    error.code && PARSER_ERRORS[error.code] ? undefined : 'The request is not valid HTTP.',
  );
  const id = newRequestId();
  const text = JSON.stringify(envelope(rejection, id, errorsPage(deps)));
  socket.end(
    `HTTP/1.1 ${rejection.statusCode} ${REASONS[rejection.statusCode]}\r\nx-request-id: ${id}\r\ncontent-type: application/json; charset=utf-8\r\ncache-control: no-store\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}
