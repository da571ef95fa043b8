import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';
import { shown } from './shown.ts';

const REMEDY = 'Send the body as JSON with the header Content-Type: application/json.';

/** 415 that names the content type of the request. */
export function unsupportedType({ headers }: FastifyRequest): ApiError {
  const type = headers['content-type']?.split(';')[0]?.trim();
  if (!type) return new ApiError('UNSUPPORTED_MEDIA_TYPE', `The request has a body and no Content-Type. ${REMEDY}`);
  const cause = type.toLowerCase() === 'application/x-www-form-urlencoded' ? ' (curl -d sends it unless -H says otherwise)' : '';
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', `The Content-Type of the body is ${shown(type)}${cause}. ${REMEDY}`);
}
