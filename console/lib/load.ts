import { ApiFailure } from './api.ts';
import { useEffect, useRef, useState } from './view.ts';

export type Loaded<Data> = { data: Data | null; problem: ApiFailure | null; busy: boolean; reload(): void };

/**
 * Loads the data of a view, and reloads it when one of `keys` changes. `again` returns the milliseconds until the next poll (null: none);
 * a hidden tab does not poll. A change of `news` reloads too, and the old data stays on the page until the new data has arrived.
 */
export function useLoad<Data>(
  load: () => Promise<Data>,
  keys: readonly unknown[],
  again: (data: Data, polls: number) => number | null = never,
  news: unknown = null,
): Loaded<Data> {
  const [state, setState] = useState<{ data: Data | null; problem: ApiFailure | null; busy: boolean }>(EMPTY);
  const [turn, setTurn] = useState(0);
  const polls = useRef(0);
  useEffect(() => {
    setState(EMPTY);
    polls.current = 0;
  }, [...keys]);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = (): void => void (document.hidden ? (timer = setTimeout(poll, 1_000)) : setTurn((value) => value + 1));
    setState((before) => ({ ...before, busy: true }));
    void load().then(
      (data) => {
        if (left) return;
        setState({ data, problem: null, busy: false });
        const wait = again(data, polls.current++);
        if (wait !== null) timer = setTimeout(poll, wait);
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
    polls.current = 0;
    setTurn((value) => value + 1);
  };
  return { ...state, reload };
}

/** No polling. */
export const never = (): null => null;
const EMPTY = { data: null, problem: null, busy: true };

/** Delay before the next poll of a running job: short at first, then longer, within the key's rate limit. */
export const pollDelay = (polls: number): number => Math.min(700 * 1.3 ** polls, 6_000);

export type Action<Args extends unknown[]> = {
  run(...args: Args): Promise<void>;
  busy: boolean;
  problem: ApiFailure | null;
  clear(): void;
};

/** The action of a button: one run at a time; the page shows the failure of the last one. */
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
