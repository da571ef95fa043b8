import { useBlocker } from '@tanstack/react-router';

type Place = { pathname: string; search: Readonly<Record<string, unknown>> };

/** Other parts of the address change what a tab shows, and leave what was typed in it. */
const leaves = (here: Place, next: Place): boolean => here.pathname !== next.pathname || here.search.tab !== next.search.tab;

/** Asks before a page, or its tab, is left with what was typed there and is not saved. */
export function useUnsaved(unsaved: boolean, question: string): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => leaves(current, next) && !window.confirm(question),
    enableBeforeUnload: () => unsaved,
    disabled: !unsaved,
  });
}
