import type { ActorId, Id } from '../ids.ts';
import { id, nullable } from './schemas.ts';

/** Who acted, in a response: a key, or a person as a member of an organization. */
export const actorFields = {
  key_id: nullable(id('key', 'The key; null where a person acted.')),
  member_id: nullable(id('mem', 'The member of the organization who was signed in; null where a key acted.')),
};
export type ActorFields = { key_id: Id<'key'> | null; member_id: Id<'mem'> | null };

export const isMember = (actor: ActorId): actor is Id<'mem'> => actor.startsWith('mem_');

export const actorFieldsOf = (actor: ActorId): ActorFields =>
  isMember(actor) ? { key_id: null, member_id: actor } : { key_id: actor, member_id: null };

/** The fields of a column that names who acted. */
export const actorColumns = (column: string): string =>
  `case when ${column} not like 'mem\\_%' then ${column} end as key_id, case when ${column} like 'mem\\_%' then ${column} end as member_id`;
