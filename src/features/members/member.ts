import type { Role } from '../../platform/http/caller.ts';
import { Mover } from '../../platform/moves.ts';
import { RIGHTS, type Right } from '../../platform/http/member-rights.ts';
import type { Id } from '../../platform/ids.ts';
import { normalizeEmail } from '../../platform/net/email-address.ts';
import type { OrganizationStatus } from '../keys/queries.ts';

export const MEMBER_STATUSES = ['INVITED', 'ACTIVE', 'SUSPENDED'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

export type MemberRow = {
  member_id: Id<'mem'>;
  organization_id: Id<'org'>;
  organization: string;
  organization_status: OrganizationStatus;
  /** What keys of the organization may be, and so where its members act. */
  roles: Role[];
  email: string;
  name: string;
  rights: Right[];
  status: MemberStatus;
  /** Whether a person has signed in as the member: from then on the provider's subject finds it, no longer the address. */
  is_bound: boolean;
  invited_by: string;
  created_at: Date;
  updated_at: Date;
  last_sign_in_at: Date | null;
};

/** The moves of a member. The first sign-in makes an invited one ACTIVE; whoever never signed in, or has to do so anew, is INVITED again. */
export const MEMBER_MOVES = new Mover<MemberRow, 'status', MemberStatus>({
  noun: 'member',
  table: 'members',
  key: ['member_id'],
  column: 'status',
  touches: 'updated_at',
  moves: { INVITED: ['ACTIVE', 'SUSPENDED'], ACTIVE: ['INVITED', 'SUSPENDED'], SUSPENDED: ['INVITED', 'ACTIVE'] },
});

/** An address as members have it, in lower case; null for a text that is none. */
export const memberEmail = (text: string): string | null => normalizeEmail(text)?.toLowerCase() ?? null;

/** Rights in the order of their list, each once. */
export const inOrder = (rights: readonly Right[]): Right[] => RIGHTS.filter((right) => rights.includes(right));

/** Whether a member counts as one who can change the members. */
export const isAdmin = ({ rights, status }: Pick<MemberRow, 'rights' | 'status'>): boolean =>
  status !== 'SUSPENDED' && rights.includes('ADMIN');

/** The status that a change asks for: ACTIVE ends a suspension. */
export function statusAfter(
  { status, is_bound }: Pick<MemberRow, 'status' | 'is_bound'>,
  asked: 'ACTIVE' | 'SUSPENDED',
): MemberStatus {
  if (asked === 'SUSPENDED') return 'SUSPENDED';
  return status === 'SUSPENDED' ? (is_bound ? 'ACTIVE' : 'INVITED') : status;
}
