import { mayReach } from '../../platform/http/may-reach.ts';
import type { Recipient } from './recipient.ts';

/** What tables are grouped by: the organization's own tapes, its pools, and the deals whose loans are disclosed to it. */
export const SHARES = ['tapes', 'pools', 'market'] as const;
export type Share = (typeof SHARES)[number];

export const TABLES = ['loans', 'monthly_loans'] as const;
export type TableKind = (typeof TABLES)[number];

/** `schema`: id of a deal, or of a pool. */
export type TableName = { share: Share; schema: string; table: TableKind };

/** The column by which a table of monthly tapes is divided into files. */
export const PARTITION = 'period';

/** The shares of a recipient: what its maker may reach, of what the keys of its organization may. */
export function sharesOf({ role, organization_roles }: Pick<Recipient, 'role' | 'organization_roles'>): Share[] {
  const reaches = (access: 'originator' | 'investor'): boolean =>
    mayReach(role, access) && organization_roles.some((each) => mayReach(each, access));
  return SHARES.filter((share) => reaches(share === 'market' ? 'investor' : 'originator'));
}

/** Names of the protocol are the same in any case. */
export function named<Name extends string>(names: readonly Name[], text: string): Name | null {
  return names.find((name) => name === text.toLowerCase()) ?? null;
}

/** The id that the schema of a path is; null for what can be none. */
export function schemaOf(text: string): string | null {
  return /^(deal|pool)_[0-9a-z]{1,60}$/i.test(text) ? text.toLowerCase() : null;
}
