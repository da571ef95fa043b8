import type { ActorId, Id } from '../ids.ts';
import { ApiError } from './errors.ts';

/** The actor: a key or a member of an organization. */
export type Actor = { organization_id: Id<'org'>; actor_id: ActorId };

/** The decider: an operator's key or member with its organization, or a part of the platform, which has none. */
export type Decider = { actor_id: string; organization_id: string | null };

/** Refuses (403) an operator that decides on a record of its own organization. */
export function refuseOwnOrganization(decider: Decider, ...concerned: (string | null | undefined)[]): void {
  if (decider.organization_id === null || !concerned.includes(decider.organization_id)) return;
  throw new ApiError(
    'OWN_ORGANIZATION',
    'The record concerns your own organization: an operator of another organization must decide.',
    {
      extra: { organization_id: decider.organization_id },
    },
  );
}
