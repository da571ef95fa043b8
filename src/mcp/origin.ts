import type { FastifyRequest } from 'fastify';
import type { Deps } from '../platform/deps.ts';
import { ApiError } from '../platform/http/errors.ts';
import { shown } from '../platform/http/shown.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]', '::1'];

/**
 * Refuses what a browser sends for a page of another site, also when the name of that site has come to mean this machine (DNS rebinding):
 * an Origin that is not the gateway's, and, where the gateway listens on loopback alone, a Host that is not.
 */
export function checkOrigin({ config, publicUrl }: Pick<Deps, 'config' | 'publicUrl'>, { headers }: FastifyRequest): void {
  const own = new URL(publicUrl());
  const local = LOOPBACK.includes(config.http.host);
  const isOwn = (url: URL | null): boolean =>
    url !== null && (url.host === own.host || (local && LOOPBACK.includes(url.hostname)));
  const { origin, host = '' } = headers;
  if (origin !== undefined && !isOwn(URL.parse(origin))) throw forbidden('Origin', origin, own);
  if (local && !isOwn(URL.parse(`http://${host}`))) throw forbidden('Host', host, own);
}

const forbidden = (header: string, seen: string, own: URL): ApiError =>
  new ApiError('ORIGIN_FORBIDDEN', `The header ${header} names ${shown(seen)}, which is not this gateway: it is ${own.origin}.`);
