import { isIP } from 'node:net';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, invalidField } from '../../platform/http/errors.ts';
import { addressPolicy, isPortAllowed } from '../../platform/net/addresses.ts';
import { AddressBlocked, resolveAllowed, type Resolver } from '../../platform/net/lookup.ts';

const MAX_CHARACTERS = 2_048;
const RESOLVE_MS = 2_000;

/**
 * Checks the address of a receiver and returns it unchanged. 400 when it is not a valid address, 422 URL_NOT_ALLOWED when it leads to a
 * network that is not allowed. A name that does not resolve yet is accepted, since each connection is checked again.
 */
export async function checkReceiverUrl(deps: Pick<Deps, 'config' | 'publicUrl' | 'resolveName'>, text: string): Promise<string> {
  const url = readReceiverUrl(deps, text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const allowed = addressPolicy(deps.config.webhooks.allowNets, deps.config.environment);
  if (isOwn(deps, url))
    throw new ApiError('URL_NOT_ALLOWED', 'The address is that of this gateway.', field('the address of this gateway'));
  if (isIP(host) ? !allowed(host) : await isRefused(host, deps.resolveName, allowed)) {
    throw new ApiError('URL_NOT_ALLOWED', undefined, field('the address is in a network that is not allowed here'));
  }
  return text;
}

const field = (message: string) => ({ errors: [{ field: 'url', code: 'URL_NOT_ALLOWED', message }] });

/** 400 when the text is no address of a receiver. Messages never repeat it: it may contain a password. */
export function readReceiverUrl({ config }: Pick<Deps, 'config'>, text: string): URL {
  const httpsOnly = config.environment === 'production';
  const bad = (message: string): ApiError => invalidField('url', 'INVALID', message);
  if (/\p{Cc}/u.test(text)) throw bad('expected an address without control characters');
  if (text.length > MAX_CHARACTERS) throw bad(`expected at most ${MAX_CHARACTERS} characters`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || !/^https?:\/\//i.test(text))
    throw bad('expected an http(s) address');
  if (httpsOnly && url.protocol !== 'https:') throw bad('expected an https address');
  if (url.username || url.password) throw bad('expected an address without user and password');
  if (text.includes('#')) throw bad('expected an address without a fragment (#…): it is never sent');
  if (!isPortAllowed(url)) throw bad('expected port 80, 443, or at least 1024');
  if (url.href.length > MAX_CHARACTERS) throw bad(`expected at most ${MAX_CHARACTERS} characters`);
  return url;
}

function isOwn(deps: Pick<Deps, 'config' | 'publicUrl'>, url: URL): boolean {
  const own = new URL(deps.publicUrl());
  return own.host === url.host || (deps.config.environment === 'production' && own.hostname === url.hostname);
}

async function isRefused(name: string, resolve: Resolver, allowed: (address: string) => boolean): Promise<boolean> {
  const late = new Promise<false>((done) => setTimeout(() => done(false), RESOLVE_MS).unref());
  const resolved = resolveAllowed(name, resolve, allowed).then(
    () => false,
    (error: Error) => error instanceof AddressBlocked,
  );
  return Promise.race([resolved, late]);
}
