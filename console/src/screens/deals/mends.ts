import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** A cell that is to be corrected, with the text that was seen in it. */
export type Mend = { row_number: number; column: string; seen: string | null; value: string };

export type Mends = {
  all: readonly Mend[];
  /** The version of the tape in which the cells were seen. */
  version: number | null;
  of: (row: number, column: string) => Mend | undefined;
  put: (version: number, mend: Mend) => void;
  drop: (mend: Mend) => void;
  clear: () => void;
};

type Kept = { version: number | null; mends: readonly Mend[] };
const NOTHING: Kept = { version: null, mends: [] };

const isCell = (row: number, column: string) => (mend: Mend) => mend.row_number === row && mend.column === column;

/** The corrections of a deal's tape that were typed and not sent. They are kept while the page is open, whatever is looked at meanwhile. */
export function useMends(dealId: string): Mends {
  const client = useQueryClient();
  const key = ['mends', dealId];
  const { data = NOTHING } = useQuery<Kept>({
    queryKey: key,
    queryFn: skipToken,
    initialData: NOTHING,
    gcTime: Number.POSITIVE_INFINITY,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const keep = (change: (kept: Kept) => Kept): void => void client.setQueryData<Kept>(key, (kept) => change(kept ?? NOTHING));
  const pending = data.mends.length > 0;
  useEffect(() => {
    if (!pending) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [pending]);
  return {
    all: data.mends,
    version: data.version,
    of: (row, column) => data.mends.find(isCell(row, column)),
    put: (version, mend) =>
      keep(({ mends, ...kept }) => {
        const others = mends.filter((each) => !isCell(mend.row_number, mend.column)(each));
        const next = mend.value === (mend.seen ?? '') ? others : [...others, mend];
        return { version: mends.length === 0 ? version : kept.version, mends: next };
      }),
    drop: (mend) => keep(({ mends, ...kept }) => ({ ...kept, mends: mends.filter((each) => each !== mend) })),
    clear: () => keep(() => NOTHING),
  };
}
