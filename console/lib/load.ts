import { ApiFailure } from './api.ts';
import { useEffect, useRef, useState } from './view.ts';

export type Loaded<Data> = { data: Data | null; problem: ApiFailure | null; busy: boolean; reload(): void };

/**
 * Loads what a view shows, anew when one of `keys` changes. `again` says in how many milliseconds it is worth another look (null: never);
 * a hidden tab does not look. When `news` changes there is another look too, and what is shown stays until it has come.
 */
export function useLoad<Data>(
  load: () => Promise<Data>,
  keys: readonly unknown[],
  again: (data: Data, looks: number) => number | null = never,
  news: unknown = null,
): Loaded<Data> {
  const [state, setState] = useState<{ data: Data | null; problem: ApiFailure | null; busy: boolean }>(EMPTY);
  const [turn, setTurn] = useState(0);
  const looks = useRef(0);
  useEffect(() => {
    setState(EMPTY);
    looks.current = 0;
  }, [...keys]);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => void (document.hidden ? (timer = setTimeout(look, 1_000)) : setTurn((value) => value + 1));
    setState((before) => ({ ...before, busy: true }));
    void load().then(
      (data) => {
        if (left) return;
        setState({ data, problem: null, busy: false });
        const wait = again(data, looks.current++);
        if (wait !== null) timer = setTimeout(look, wait);
      },
      (error: unknown) => {
        if (!left) setState((before) => ({ ...before, problem: asFailure(error), busy: false }));
      },
    );
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [...keys, turn, news]);
  const reload = (): void => {
    looks.current = 0;
    setTurn((value) => value + 1);
  };
  return { ...state, reload };
}

/** Nothing changes by itself. */
export const never = (): null => null;
const EMPTY = { data: null, problem: null, busy: true };

/** While something runs: soon at first, then ever more seldom, within the key's rate limit. */
export const soon = (looks: number): number => Math.min(700 * 1.3 ** looks, 6_000);

export type Action<Args extends unknown[]> = {
  run(...args: Args): Promise<void>;
  busy: boolean;
  problem: ApiFailure | null;
  clear(): void;
};

/** Something that a button does: one at a time, its failure kept for the page. */
export function useAction<Args extends unknown[]>(act: (...args: Args) => Promise<void>): Action<Args> {
  const [state, setState] = useState<{ busy: boolean; problem: ApiFailure | null }>({ busy: false, problem: null });
  const running = useRef(false);
  const run = async (...args: Args): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setState({ busy: true, problem: null });
    const problem = await act(...args).then(() => null, asFailure);
    running.current = false;
    setState({ busy: false, problem });
  };
  return { ...state, run, clear: () => setState({ busy: false, problem: null }) };
}

function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure(0, { message: error instanceof Error ? error.message : 'Something went wrong.', code: 'CONSOLE' }, null);
}
