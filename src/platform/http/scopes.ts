/** The scopes that a narrowed key needs for a route; null where no scope is enough. */
export type NeededScopes = readonly string[] | null;

/** Whether a key may do what needs scopes. `held` null: everything that its role may do. */
export function hasScopes(held: readonly string[] | null, needed: NeededScopes): boolean {
  if (held === null) return true;
  return needed !== null && needed.every((scope) => held.includes(scope) || held.includes(scope.replace(/:.*$/, ':*')));
}
