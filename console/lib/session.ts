import type { CurrentKey } from '../wire/api.ts';
import { createStore } from './store.ts';

const NAME = 'sluice.key';

/** The signed-in key. Its token is in the tab's session storage and nowhere else. */
export const session = createStore<CurrentKey | null>(null);

/** Why the last session ended, for the sign-in page. */
export const farewell = createStore<string | null>(null);

export const readKey = (): string | null => sessionStorage.getItem(NAME);
export const keepKey = (key: string): void => sessionStorage.setItem(NAME, key);

export function signOut(reason: string | null = null): void {
  sessionStorage.removeItem(NAME);
  farewell.set(reason);
  session.set(null);
}

export const can = (area: 'originator' | 'investor' | 'operator'): boolean => {
  const role = session.get()?.role;
  return role === area || (role === 'both' && area !== 'operator');
};
