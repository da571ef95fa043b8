import { Mover } from '../../platform/moves.ts';
import type { Organization, OrganizationStatus } from '../keys/queries.ts';

/** The moves of an organization; suspending a suspended one again changes nothing. */
export const ORGANIZATION_MOVES = new Mover<Organization, 'status', OrganizationStatus>({
  noun: 'organization',
  table: 'organizations',
  key: ['organization_id'],
  column: 'status',
  moves: { ACTIVE: ['ACTIVE', 'SUSPENDED'], SUSPENDED: ['SUSPENDED', 'ACTIVE'] },
});
