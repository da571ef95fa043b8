import { getOnce } from '../lib/api.ts';
import { useLoad } from '../lib/load.ts';
import type { Organization } from '../wire/api.ts';

/** The names of organizations, for lists that know their ids. */
export function useOrganizations(): (organizationId: string | undefined) => string {
  const loaded = useLoad(() => getOnce<Organization[]>('/v1/operator/organizations', { limit: 100 }), []);
  const names = new Map(loaded.data?.map((each) => [each.organization_id, each.name]));
  return (organizationId) => names.get(organizationId ?? '') ?? organizationId ?? '–';
}
