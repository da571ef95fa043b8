import type { Access, Caller } from './caller.ts';

/** Whether keys of a role may call the routes of an access. */
export function mayReach(role: Caller['role'], access: Access): boolean {
  if (access === 'key' || access === 'public') return true;
  if (access === 'operator') return role === 'operator';
  if (role === 'operator') return false;
  return access === 'customer' || role === 'both' || role === access;
}
