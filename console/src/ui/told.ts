import { useEffect, useRef } from 'react';
import { tell } from '../app/leave.ts';

/** Says a failure on the page where the dialog or form that would show it has been left meanwhile. */
export function useToldWhenLeft(): (error: unknown) => void {
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  return (error) => {
    if (!isThere.current) tell('That did not work:')(error);
  };
}
