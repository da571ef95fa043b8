import type { Decider } from './own-organization.ts';

/** A part of the platform that acts by itself, such as the command line. */
export const platformActor = (name: string): Decider => ({ actor_id: name, organization_id: null });
