import type { Role } from '../../platform/http/route.ts';

/** What tables are grouped by: the organization's own tapes, its pools, and the deals whose loans are disclosed to it. */
export const SHARES = ['tapes', 'pools', 'market'] as const;
export type Share = (typeof SHARES)[number];

export const TABLES = ['loans', 'monthly_loans'] as const;
export type TableKind = (typeof TABLES)[number];

/** `schema`: id of a deal, or of a pool. */
export type TableName = { share: Share; schema: string; table: TableKind };

/** The column by which a table of monthly tapes is divided into files. */
export const PARTITION = 'period';

/** The shares of an organization whose keys have these roles. */
export function sharesOf(roles: readonly Role[]): Share[] {
  const sells = roles.includes('originator') || roles.includes('both');
  const buys = roles.includes('investor') || roles.includes('both');
  return SHARES.filter((share) => (share === 'market' ? buys : sells));
}

/** Names of the protocol are the same in any case. */
export function named<Name extends string>(names: readonly Name[], text: string): Name | null {
  return names.find((name) => name === text.toLowerCase()) ?? null;
}

/** The id that the schema of a path is; null for what can be none. */
export function schemaOf(text: string): string | null {
  return /^(deal|pool)_[0-9a-z]{1,60}$/i.test(text) ? text.toLowerCase() : null;
}
