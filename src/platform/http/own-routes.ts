import type { Operation, Verb } from './operation.ts';
import type { Access } from './caller.ts';

/** Where routes about the caller's own organization stand, who calls them, and their names; they reach no other organization's rows. */
export type RoutesOfOwn = {
  base: '/v1/api' | '/v1/operator';
  access: Access;
  scope: 'own';
  tag: string;
  operation: (verb: Verb, noun: Capitalize<string>) => Operation;
};

export const forCustomers = (tag: string): RoutesOfOwn => ({
  base: '/v1/api',
  access: 'customer',
  scope: 'own',
  tag,
  operation: (verb, noun) => `${verb}${noun}`,
});

/** The same routes for the operator's own organization. */
export const FOR_OPERATOR: RoutesOfOwn = {
  base: '/v1/operator',
  access: 'operator',
  scope: 'own',
  tag: 'Operator’s own notices',
  operation: (verb, noun) => `${verb}Operator${noun}`,
};
