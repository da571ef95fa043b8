import type { QueryClient } from '@tanstack/react-query';

/** A record whose page was opened since the console was loaded; the browser keeps nothing of it. */
export type Recent = { to: string; title: string };

const KEY = ['recent'];
const MOST = 6;

/** The records that were opened, the last one first. */
export const recentOf = (client: QueryClient): readonly Recent[] => client.getQueryData<readonly Recent[]>(KEY) ?? [];

export function remember(client: QueryClient, entry: Recent): void {
  client.setQueryDefaults(KEY, { gcTime: Number.POSITIVE_INFINITY });
  client.setQueryData(KEY, [entry, ...recentOf(client).filter(({ to }) => to !== entry.to)].slice(0, MOST));
}
