import { hash, randomBytes } from 'node:crypto';
import type { Role } from '../../platform/http/caller.ts';

/** A secret for a browser, and the name under which the database knows it. */
export type Secret = { secret: string; hash: string };

export const newSecret = (): Secret => {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: hashOf(secret) };
};

export const hashOf = (secret: string): string => hash('sha256', secret, 'hex');

/** Names a person across organizations, for limits. */
export const identityOf = ({ issuer, subject }: { issuer: string; subject: string }): string => hashOf(`${issuer}\n${subject}`);

/**
 * The role in which the members of an organization act, from the roles of its keys; null while it has none. Where these are of both kinds
 * the organization is a customer.
 */
export function roleOfMembers(roles: readonly Role[]): Role | null {
  if (roles.includes('both') || (roles.includes('originator') && roles.includes('investor'))) return 'both';
  return roles.find((role) => role !== 'operator') ?? roles[0] ?? null;
}

/** A path of this site; null for anything that could lead a browser elsewhere. */
export function localPath(text: string): string | null {
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return null;
  const here = 'http://here.invalid';
  const url = URL.parse(text, here);
  // Without its dots `/a/..//attacker.net` is `//attacker.net`, the address of another site.
  if (url?.origin !== here || url.pathname.startsWith('//')) return null;
  return `${url.pathname}${url.search}${url.hash}`;
}
