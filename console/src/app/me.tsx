import { createContext, use } from 'react';
import type { Me, Right } from './session.ts';

/** The person that is signed in; the shell provides it to the screens below. */
export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = use(MeContext);
  if (!me) throw new Error('a screen stands outside of the shell');
  return me;
}

/** The names of the rights, as the API has them, in words. */
export const RIGHTS: Record<Right, string> = {
  ADMIN: 'administers members, keys and webhooks',
  EDIT: 'changes records',
  APPROVE: 'decides what moves money or gives rights in a deal',
  VIEW: 'reads',
};

export const can = (me: Me, right: Right): boolean => right === 'VIEW' || me.rights.includes(right);
export const isOperator = (me: Me): boolean => me.role === 'operator';
export const sells = (me: Me): boolean => me.role === 'originator' || me.role === 'both';
export const buys = (me: Me): boolean => me.role === 'investor' || me.role === 'both';
