import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './api.ts';

const TRIES = 2;

const SESSION = ['session'];

/** The session has ended, or is another one in the meantime: the shell asks who is signed in, and shows that. */
const askWhoIsThere = (error: unknown): void => {
  if (error instanceof ApiFailure && (error.status === 401 || error.code === 'CSRF_FAILED'))
    void queryClient.invalidateQueries({ queryKey: SESSION });
};

/** Refusals are answers: only what passes by itself is asked again. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askWhoIsThere }),
  mutationCache: new MutationCache({ onError: askWhoIsThere }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < TRIES && error instanceof ApiFailure && (error.status === 0 || error.status === 503),
    },
  },
});
