import { randomUUID } from 'node:crypto';
import { hasSecret } from './shown.ts';

/** The id of a request: the caller’s own, unless it is no name or a secret, since logs keep it; or a new one. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\x20-\x7e]{1,128}$/.test(given) && !hasSecret(given) ? given : newRequestId();
}

/** A UUID of version 7: ids of one time are neighbours in the index of the log of requests. */
export function newRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
