import { useEffect, useState } from './view.ts';

export type Store<Value> = {
  get(): Value;
  set(value: Value): void;
  /** The value in a view, which is rendered again when it changes. */
  use(): Value;
};

/** A value that several views share. */
export function createStore<Value>(first: Value): Store<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use() {
      const [, redraw] = useState({});
      useEffect(() => {
        const listener = (): void => redraw({});
        listeners.add(listener);
        // Also shows a value that was set between rendering and subscribing.
        listener();
        return () => void listeners.delete(listener);
      }, []);
      return value;
    },
  };
}
