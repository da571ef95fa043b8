/** The parts of the API that a key can be narrowed to. */
const AREAS = [
  'loans',
  'criteria',
  'pools',
  'analytics',
  'documents',
  'deals',
  'orders',
  'portfolio',
  'alerts',
  'webhooks',
  'audit',
  'requests',
] as const;
export type Area = (typeof AREAS)[number];
const ACTS = ['read', 'write', '*'] as const;
export type Scope = `${Area}:${(typeof ACTS)[number]}`;

/** Every scope that a key can be narrowed to; `*` is reading and writing. */
export const SCOPES: readonly Scope[] = AREAS.flatMap((area) => ACTS.map((act) => `${area}:${act}` as const));
