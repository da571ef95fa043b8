import { useState } from 'react';
import { unanswered } from '../app/api.ts';

/** Sends the changes of a form: one that is tried again after its answer was lost is made once, and no other form takes its key. */
export function useOwnAttempts(): <Answer>(send: () => Answer) => Answer {
  const [form] = useState(() => ({}));
  return (send) => unanswered.of(form, send);
}
