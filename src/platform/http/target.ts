import type { FastifyRequest } from 'fastify';
import { declaresBody } from './body-pace.ts';
import { ApiError } from './errors.ts';
import type { Route } from './route.ts';

const SINGLE = ['authorization', 'content-type', 'content-length', 'host', 'idempotency-key'];

/** Rejects a request that two readers could interpret differently, before anything else of it is checked. */
export function checkTarget({ raw }: FastifyRequest): void {
  if (!raw.url?.startsWith('/')) {
    throw new ApiError('BAD_REQUEST', 'The request target must be a path that begins with "/", such as /v1/api/me.');
  }
  const seen = new Set<string>();
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const name = (raw.rawHeaders[i] ?? '').toLowerCase();
    if (!SINGLE.includes(name)) continue;
    if (seen.has(name)) throw new ApiError('BAD_REQUEST', `The header ${name} is repeated: send it once.`);
    seen.add(name);
  }
  // HTTP/1.0 has no such header: plain probes of balancers are sent in it.
  if (!raw.headers.host && raw.httpVersion !== '1.0') throw new ApiError('BAD_REQUEST', 'The Host header is required.');
}

/** Whether a path is under `/v1`, however it is spelled; a path that cannot be decoded counts as one. */
export function isUnderV1(url: string): boolean {
  const path = url.replace(/[?#].*$/s, '');
  try {
    return /^\/+v1(\/|$)/i.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

/** JSON is plain UTF-8: a body that declares another charset or a compression is rejected, not guessed at. Files and forms are taken as they are. */
export function checkEncoding(route: Route, request: FastifyRequest): void {
  if (route.bodyKind === 'raw' || !declaresBody(request)) return;
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && !/^identity$/i.test(encoding))
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Send the body without Content-Encoding, not as ${encoding.slice(0, 40) || '""'}.`,
    );
  const charsets = (request.headers['content-type'] ?? '').matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi);
  const other = [...charsets].map(([, name = '']) => name).find((name) => !/^utf-?8$/i.test(name));
  if (other === undefined) return;
  throw new ApiError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Send the body as application/json in UTF-8, not in ${other.slice(0, 40) || '""'}.`,
  );
}
