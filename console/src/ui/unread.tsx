import { createContext, useCallback, useContext, useEffect, useId, useMemo, useState, type ReactNode } from 'react';

type Unread = { fields: readonly string[]; tell: (id: string, label: string | null) => void };
const NONE: ReadonlyMap<string, string> = new Map();
const Context = createContext<Unread>({ fields: [], tell: () => {} });

/** Knows the fields below it whose text cannot be read: nothing is sent without what they would say. */
export function UnreadScope({ children }: { children: ReactNode }): ReactNode {
  const [labels, setLabels] = useState(NONE);
  const tell = useCallback((id: string, label: string | null): void => {
    setLabels((before) => {
      if ((before.get(id) ?? null) === label) return before;
      const others = [...before].filter(([each]) => each !== id);
      return new Map(label === null ? others : [...others, [id, label]]);
    });
  }, []);
  const unread = useMemo(() => ({ fields: [...labels.values()], tell }), [labels, tell]);
  return <Context value={unread}>{children}</Context>;
}

/** Tells the scope whether the text of a field cannot be read, for as long as the field is there. */
export function useTellUnread(label: string, isUnread: boolean): void {
  const { tell } = useContext(Context);
  const id = useId();
  useEffect(() => {
    tell(id, isUnread ? label : null);
    return () => tell(id, null);
  }, [tell, id, label, isUnread]);
}

/** Why nothing can be sent now: the fields that cannot be read; null where there are none. */
export function useUnread(): string | null {
  const { fields } = useContext(Context);
  return fields.length === 0 ? null : `Not sent while it cannot be read: ${fields.join(', ')}.`;
}
