import type { Json } from './openapi-components.ts';

const text = (description: string): Json => ({ description, schema: { type: 'string' } });
const count = (description: string): Json => ({ description, schema: { type: 'integer' } });

/** The headers of responses, each once among the components. */
export const RESPONSE_HEADERS = {
  ETag: text('Strong tag of the stored record; figures that are counted from other records do not alter it.'),
  'X-Request-Id': text('The id of the request: yours, or a new one.'),
  'x-ratelimit-limit': count('Requests allowed per window.'),
  'x-ratelimit-remaining': count('Requests left in this window.'),
  'x-ratelimit-reset': count('Seconds until the window ends.'),
  'Sluice-Version': text('The version of the API of this response.'),
  'Idempotency-Replayed': text('`true`: the stored response to the first request with this Idempotency-Key.'),
  'Content-Disposition': text('Names the file.'),
  'Retry-After': count('Seconds to wait before the request is sent again.'),
  'WWW-Authenticate': text('`Bearer`.'),
  'X-Calculation-Id': text('The calculation of the rows.'),
  'X-Engine-Version': text('The engine that calculated them.'),
  'X-As-Of': text('The date as of which they were calculated.'),
  'X-Tape-Versions': text('The tapes that they were calculated from: `deal=version`, with commas between.'),
} as const;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;
