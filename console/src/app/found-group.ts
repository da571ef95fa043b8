import type { Records } from './api.ts';

export type Entry = { id: string; label: string; note: string; to: string };
export type Group = { label: string; entries: Entry[] };

/** The newest members of an organization, and whether there are others. */
export type Members = { read: readonly Pick<Records['Member'], 'member_id' | 'name' | 'email'>[]; left: boolean };

const SHOWN_MEMBERS = 5;

export const has = (whole: string, text: string): boolean => whole.toLowerCase().includes(text.toLowerCase());

export const more = (label: string, there: boolean): string => (there ? `${label}: the first ones` : label);

/** Members by their name, address or id; where not all of them were looked at, that is said, also when none is found. */
export function membersOf({ read, left }: Members, text: string): Group {
  const found = read.filter(({ name, email, member_id }) => [name, email, member_id].some((each) => has(each, text)));
  const shown = found
    .slice(0, SHOWN_MEMBERS)
    .map(({ member_id, name, email }) => ({ id: member_id, label: name, note: email, to: '/members' }));
  const rest = { id: 'members', label: 'All members', note: `Only the newest ${read.length} were searched`, to: '/members' };
  return { label: more('Members', found.length > shown.length), entries: left ? [...shown, rest] : shown };
}
