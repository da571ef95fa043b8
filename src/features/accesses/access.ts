import type { Id } from '../../platform/ids.ts';

export const ACCESS_ACTS = ['READ', 'DOWNLOADED'] as const;
export type AccessAct = (typeof ACCESS_ACTS)[number];

/** A reading of a record of another organization. */
export type Access = {
  /** The owner of the record. */
  organization_id: Id<'org'>;
  act: AccessAct;
  entity_type: 'deal' | 'pool' | 'job';
  entity_id: string;
  /** The part of the record, such as `loans`. */
  what: string;
  details?: Record<string, unknown>;
};
