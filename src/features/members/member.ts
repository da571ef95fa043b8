import { Mover } from '../../platform/moves.ts';
import { RIGHTS, type Right } from '../../platform/http/member-rights.ts';
import { normalizeEmail } from '../../platform/net/email-address.ts';
import type { MemberRow, MemberStatus } from './queries.ts';

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
