import type { Scope } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import type { Access, Caller } from './caller.ts';

/**
 * The rows that a route's transactions reach; row-level security enforces it whatever the SQL says. `own`: those of the caller's
 * organization. `market`: those, and the market's view of others. `platform`: every row, for operators only. `sandbox`: every row for a
 * customer, outside production. `none`: the route opens its own scopes from a signed address.
 */
export type RowScope = 'own' | 'market' | 'platform' | 'sandbox' | 'none';

const SCOPE_OF_ACCESS: Record<Access, RowScope> = {
  originator: 'own',
  customer: 'own',
  key: 'own',
  investor: 'market',
  operator: 'platform',
  public: 'none',
};

export const rowScopeOf = (route: { access: Access; scope?: RowScope }): RowScope => route.scope ?? SCOPE_OF_ACCESS[route.access];

/** The database scope of one request. Throws if a route declares more than its caller may have, which is a defect of the route. */
export function scopeOfRequest(
  { config }: Pick<Deps, 'config'>,
  route: { access: Access; scope?: RowScope },
  caller: Caller | null,
): Scope {
  const scope = rowScopeOf(route);
  if (!caller || scope === 'none') throw new Error('a request without a caller has no row scope');
  if (scope === 'own') return { organization: caller.organization_id };
  if (scope === 'market') return { market: [caller.organization_id] };
  const allowed = scope === 'platform' ? caller.role === 'operator' : config.environment !== 'production';
  if (!allowed) throw new Error(`a ${caller.role} key has no ${scope} scope here`);
  return { platform: true };
}
