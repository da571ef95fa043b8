import type { Access } from './route.ts';

/** Where routes about the caller's own organization stand, and who calls them; they reach no other organization's rows. */
export type RoutesOfOwn = { base: '/v1/api' | '/v1/operator'; access: Access; scope: 'own'; tag: string };

export const forCustomers = (tag: string): RoutesOfOwn => ({ base: '/v1/api', access: 'customer', scope: 'own', tag });

/** The same routes for the operator's own organization. */
export const FOR_OPERATOR: RoutesOfOwn = {
  base: '/v1/operator',
  access: 'operator',
  scope: 'own',
  tag: 'Operator’s own notices',
};
