import type { Route } from './route.ts';
import { ApiError } from './errors.ts';
import type { Right } from './member-rights.ts';

/** The rights of which a member needs one for a route; who has any may read. */
export const neededRights = ({ people, right, method }: Pick<Route, 'people' | 'right' | 'method'>): readonly Right[] =>
  people ?? [right ?? (method === 'GET' ? 'VIEW' : 'EDIT')];

export const hasRight = (rights: readonly Right[], needed: readonly Right[]): boolean =>
  needed.some((each) => each === 'VIEW' || rights.includes(each));

/** The refusal of a key (403) where only people may act: who holds a key could otherwise make people of its own. */
export const personRequired = (needed: readonly Right[]): ApiError =>
  new ApiError(
    'RIGHT_REQUIRED',
    `This needs a person with the right ${needed.join(' or ')}, and a key has no rights: sign in as a member of your organization who has it.`,
    { extra: { rights: [], needed } },
  );
