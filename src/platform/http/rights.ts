import type { ActorId } from '../ids.ts';
import type { Route } from './route.ts';
import { isMember } from './actor-fields.ts';
import { ApiError } from './errors.ts';
import type { Right } from './member-rights.ts';

/** Refuses a key (403) where only a person with one of the rights may act: who holds a key could otherwise make people of its own. */
export function refuseKey({ actor_id }: { actor_id: ActorId }, needed: readonly [Right, ...Right[]]): void {
  if (isMember(actor_id)) return;
  throw new ApiError(
    'RIGHT_REQUIRED',
    `This needs a person with the right ${needed.join(' or ')}, and a key has no rights: sign in as a member of your organization who has it.`,
    { extra: { rights: [], needed } },
  );
}

/** The right that a member needs for a route; who has any may read. */
export const neededRight = ({ right, method }: Pick<Route, 'right' | 'method'>): Right =>
  right ?? (method === 'GET' ? 'VIEW' : 'EDIT');

export const hasRight = (rights: readonly Right[], needed: Right): boolean => needed === 'VIEW' || rights.includes(needed);
