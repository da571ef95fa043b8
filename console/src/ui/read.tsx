import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue } from 'react';
import { Loading, Note } from './page.tsx';
import { Problem } from './problem.tsx';

/** What was read, or that it is being read, or why it cannot be. */
export function Read<Data>({
  from,
  few = false,
  waiting = <Loading few={few} />,
  children,
}: {
  from: UseQueryResult<Data>;
  /** What is read is mostly short: less room is kept for it. */
  few?: boolean;
  /** Shown meanwhile, where what is read has a shape of its own. */
  waiting?: ReactNode;
  children: (data: Data) => ReactNode;
}): ReactNode {
  // Drawn when the browser has nothing more urgent to do: a person can go on meanwhile.
  const drawn = useDeferredValue(from.data !== undefined);
  if (from.data !== undefined && drawn)
    return (
      <>
        {from.error && <Note color="red">This could not be refreshed, and may be out of date: {from.error.message}</Note>}
        {children(from.data)}
      </>
    );
  if (from.error && from.data === undefined) return <Problem error={from.error} retry={() => void from.refetch()} />;
  return waiting;
}
